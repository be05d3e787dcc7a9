#include "pate/accounting/utility.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "pate/error.hpp"
#include "pate/math/compensated_sum.hpp"
#include "pate/mechanisms/outcomes.hpp"
#include "pate/parallel/parallel_for.hpp"

namespace pate {

namespace {

constexpr std::int64_t kPiece = 4096;

// What the probability of a right label depends on: the label's count first, then the other
// classes' counts in order. How often it occurs at each selection statistic.
using Counts = std::vector<std::int32_t>;
using Occurrences = std::map<Counts, std::map<std::int64_t, std::int64_t>>;

struct Piece {
  Occurrences occurrences;
  std::int64_t plurality_right = 0;
};

Piece read_piece(const Run& run, std::int64_t begin, std::int64_t end) {
  Piece piece;
  QueryReader reader(run);
  reader.read(begin, end - begin);
  Counts key;
  for (std::int64_t i = 0; i < reader.size(); ++i) {
    const auto histogram = reader.histogram(i);
    const auto label =
        static_cast<std::size_t>((*run.labels)[static_cast<std::size_t>(reader.row(i))]);
    key.assign(histogram.begin(), histogram.end());
    const auto top = std::max_element(key.begin(), key.end()) - key.begin();
    if (static_cast<std::size_t>(top) == label) ++piece.plurality_right;
    std::swap(key.front(), key[label]);
    std::sort(key.begin() + 1, key.end());
    ++piece.occurrences[key][reader.statistic(i)];
  }
  return piece;
}

}  // namespace

Utility utility(const Run& run, unsigned threads) {
  validate(run);
  if (!run.labels) throw parameter_error("utility needs true labels");
  const std::int64_t queries = run.rows.size();
  std::vector<Piece> pieces(static_cast<std::size_t>((queries + kPiece - 1) / kPiece));
  parallel_for(pieces.size(), threads, [&](std::size_t k) {
    const std::int64_t begin = static_cast<std::int64_t>(k) * kPiece;
    pieces[k] = read_piece(run, begin, std::min(begin + kPiece, queries));
  });
  Occurrences all;
  std::int64_t plurality_right = 0;
  for (Piece& piece : pieces) {
    plurality_right += piece.plurality_right;
    for (const auto& [counts, statistics] : piece.occurrences) {
      for (const auto& [v, count] : statistics) all[counts][v] += count;
    }
    piece.occurrences.clear();
  }

  std::vector<const Counts*> distinct;
  for (const auto& entry : all) distinct.push_back(&entry.first);
  std::vector<double> right(distinct.size());
  parallel_for(distinct.size(), threads, [&](std::size_t i) {
    right[i] = std::visit(
        [&](const auto& mechanism) { return outcome_probability(mechanism, *distinct[i], 0); },
        run.aggregator.noisy_max);
  });

  CompensatedSum answered;
  CompensatedSum answered_right;
  std::size_t i = 0;
  for (const auto& [counts, statistics] : all) {
    for (const auto& [v, count] : statistics) {
      const double p =
          run.aggregator.selection ? std::exp(log_answered(*run.aggregator.selection, v)) : 1.0;
      answered.add(p * static_cast<double>(count));
      answered_right.add(p * static_cast<double>(count) * right[i]);
    }
    ++i;
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  return {answered.value() > 0.0 ? answered_right.value() / answered.value() : none,
          queries > 0 ? static_cast<double>(plurality_right) / static_cast<double>(queries) : none};
}

}  // namespace pate
