#include "pate/inspection/decisions_doubt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "pate/mechanisms/mechanism.hpp"

namespace pate {

namespace {

constexpr double kLargestLogit = 8.0;
constexpr double kLogOfChance = 21.0;
constexpr double kOddsOfDraw = 2e-9;

// A sum of independent terms of mean 0, none beyond `most`.
struct CentredSum {
  double most = 1.0;
  double sum = 0.0;
  double variance = 0.0;

  void add(double term, double its_variance) {
    sum += term;
    variance += its_variance;
  }
  // Bernstein's inequality: Pr[|sum| >= t] <= 2 exp( -t^2 / (2 (variance + most t / 3)) ).
  [[nodiscard]] bool is_improbable() const {
    return sum * sum > 2.0 * kLogOfChance * (variance + most * std::abs(sum) / 3.0);
  }
};

struct Surprise {
  std::int64_t row = -1;
  double probability = 1.0;
  bool is_answered = false;
};

ContentDoubt doubt(std::string message) {
  return {{"improbable_decisions", std::move(message)},
          Weight::likely,
          VotesDoubt::improbable_decisions};
}

}  // namespace

std::optional<ContentDoubt> decisions_doubt(const Run& run, std::string_view path) {
  if (!run.decisions || run.aggregator.ptr() != nullptr || !run.aggregator.noisy().selection) {
    return std::nullopt;
  }
  CentredSum total;
  CentredSum by_odds{kLargestLogit};
  Surprise surprise;
  std::int64_t answered = 0;
  double expected = 0.0;
  AnswerProbabilities probabilities(run.aggregator);
  QueryReader reader(run);
  for (std::int64_t first = 0; first < run.rows.size(); first += reader.piece()) {
    reader.read(first, std::min(reader.piece(), run.rows.size() - first));
    for (std::int64_t i = 0; i < reader.size(); ++i) {
      const auto& [yes, no] = probabilities.of(reader.statistic(i));
      const bool is_answered = (*run.decisions)[static_cast<std::size_t>(reader.row(i))] != 0;
      const double difference = is_answered ? no : -yes;
      const double logit = std::clamp(std::log(yes) - std::log(no), -kLargestLogit, kLargestLogit);
      total.add(difference, yes * no);
      by_odds.add(difference * logit, yes * no * logit * logit);
      expected += yes;
      answered += is_answered ? 1 : 0;
      if (const double its = is_answered ? yes : no; its < surprise.probability) {
        surprise = {reader.row(i), its, is_answered};
      }
    }
  }
  constexpr const char* kWhat =
      "expected those of this run (1 is answered), of the same rows, with the noise that was drawn";
  if (total.is_improbable()) {
    return doubt(fmt::format(
        "{}: {} of {} queries answered, where {:.1f} (sd {:.1f}) are to be expected of these votes "
        "and this noise: {}",
        path, answered, run.rows.size(), expected, std::sqrt(total.variance), kWhat));
  }
  const bool cannot_be = surprise.probability * static_cast<double>(run.rows.size()) < kOddsOfDraw;
  if (!cannot_be && !by_odds.is_improbable()) return std::nullopt;
  return doubt(fmt::format(
      "{}: other queries are answered than these votes and this noise let expect, most of all row "
      "{}, {} with probability {:.2g}: {}",
      path, surprise.row, surprise.is_answered ? "answered" : "refused", surprise.probability,
      kWhat));
}

}  // namespace pate
