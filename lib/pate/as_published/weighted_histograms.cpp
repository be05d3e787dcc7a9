#include "pate/as_published/weighted_histograms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "pate/error.hpp"
#include "pate/parallel/parallel_for.hpp"

namespace pate {

namespace {

constexpr std::int64_t kValuesPerPiece = 1 << 16;

}  // namespace

WeightedHistograms weighted_histograms(const Run& run, Reading reading, unsigned threads) {
  validate(run);
  const bool selects = run.aggregator.selection.has_value();
  if (reading != Reading::expected && reading != Reading::realized) {
    throw parameter_error(fmt::format(
        "histograms are weighted for the readings expected and realized, not {}", name(reading)));
  }
  if (selects && reading == Reading::realized && !run.decisions) {
    throw parameter_error("the reading realized needs decisions: which queries were answered");
  }
  std::vector<double> answered;  // by statistic
  if (selects && reading == Reading::expected) {
    for (std::int64_t v = 0; v <= run.votes.teachers(); ++v) {
      answered.push_back(std::exp(log_answered(*run.aggregator.selection, v)));
    }
  }
  const auto weight = [&](const QueryReader& reader, std::int64_t i) {
    if (!selects) return 1.0;
    if (reading == Reading::expected) {
      return answered[static_cast<std::size_t>(reader.statistic(i))];
    }
    return (*run.decisions)[static_cast<std::size_t>(reader.row(i))] != 0 ? 1.0 : 0.0;
  };

  WeightedHistograms result;
  result.classes = static_cast<std::size_t>(run.votes.classes());
  const auto queries = static_cast<std::size_t>(run.rows.size());
  result.counts.resize(queries * result.classes);
  result.weights.resize(queries);
  const std::int64_t piece =
      std::max<std::int64_t>(1, kValuesPerPiece / std::max<std::int64_t>(1, run.votes.classes()));
  parallel_for(static_cast<std::size_t>((run.rows.size() + piece - 1) / piece), threads,
               [&](std::size_t k) {
                 const std::int64_t first = static_cast<std::int64_t>(k) * piece;
                 QueryReader reader(run);
                 reader.read(first, std::min(piece, run.rows.size() - first));
                 for (std::int64_t i = 0; i < reader.size(); ++i) {
                   const auto query = static_cast<std::size_t>(first + i);
                   const auto counts = reader.histogram(i);
                   const auto sorted =
                       std::span(result.counts).subspan(query * result.classes, result.classes);
                   std::copy(counts.begin(), counts.end(), sorted.begin());
                   std::sort(sorted.begin(), sorted.end(), std::greater<>());
                   result.weights[query] = weight(reader, i);
                 }
               });
  return result;
}

}  // namespace pate
