#include "pate/inspection/improbable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "pate/mechanisms/mechanism.hpp"
#include "pate/mechanisms/outcomes.hpp"
#include "pate/mechanisms/plurality_probability.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

constexpr double kOddsOfRow = 2e-9;
constexpr double kLargestLogit = 8.0;
constexpr double kMostExact = 2000.0;  // standard deviation of a number whose tail is exact

// Bernstein's inequality: Pr[|sum| >= t] <= 2 exp( -t^2 / (2 (variance + most t / 3)) ), at 2e-9.
bool is_beyond_bernstein(double sum, double variance, double most) {
  constexpr double kLogOfChance = 21.0;
  return sum * sum > 2.0 * kLogOfChance * (variance + most * std::abs(sum) / 3.0);
}

// What is improbable about trials.
struct Improbable {
  std::int64_t came_out = 0;
  double expected = 0.0;
  double deviation = 0.0;
  std::optional<double> tail;  // of their number; none where other rows are improbable
  Trial surprise;
  [[nodiscard]] double of_surprise() const {
    return surprise.came_out ? surprise.yes : surprise.no;
  }
  [[nodiscard]] std::string sum() const {
    return fmt::format(
        "{:.1f} (sd {:.1f}) are to be expected of these votes and this noise "
        "(probability {:.2e})",
        expected, deviation, *tail);
  }
};

std::optional<Improbable> improbable(const std::vector<Trial>& trials) {
  Improbable found;
  double variance = 0.0;
  double by_odds = 0.0;
  double variance_by_odds = 0.0;
  for (const Trial& trial : trials) {
    const double its_variance = trial.yes * trial.no;
    const double logit =
        std::clamp(std::log(trial.yes) - std::log(trial.no), -kLargestLogit, kLargestLogit);
    found.came_out += trial.came_out ? 1 : 0;
    found.expected += trial.yes;
    variance += its_variance;
    by_odds += (trial.came_out ? trial.no : -trial.yes) * logit;
    variance_by_odds += its_variance * logit * logit;
    if (found.surprise.row < 0 || (trial.came_out ? trial.yes : trial.no) < found.of_surprise()) {
      found.surprise = trial;
    }
  }
  found.deviation = std::sqrt(variance);
  const double beyond = static_cast<double>(found.came_out) - found.expected;
  const double furthest = (std::abs(beyond) - 0.5) / found.deviation;
  const bool is_exact = found.deviation < kMostExact;
  if (is_exact && !(normal_cdf(-furthest) - 0.56 / found.deviation > kImprobable)) {
    const auto size = static_cast<std::int64_t>(trials.size());
    if (beyond < 0.0) {
      found.tail = poisson_binomial_tail(trials, found.came_out);
    } else {
      std::vector<Trial> turned = trials;
      for (Trial& trial : turned) std::swap(trial.yes, trial.no);
      found.tail = poisson_binomial_tail(turned, size - found.came_out);
    }
    if (!(*found.tail < kImprobable)) found.tail.reset();
  } else if (!is_exact && is_beyond_bernstein(beyond, variance, 1.0)) {
    found.tail = kOddsOfRow;
  }
  const bool cannot_be = found.of_surprise() * static_cast<double>(trials.size()) < kOddsOfRow;
  if (found.tail || cannot_be || is_beyond_bernstein(by_odds, variance_by_odds, kLargestLogit)) {
    return found;
  }
  return std::nullopt;
}

bool has_check(const Run& run) {
  return run.aggregator.ptr() == nullptr && run.aggregator.noisy().selection.has_value();
}

// Calls take(row, reader, i) for each query of the run.
void for_each_query(
    const Run& run,
    const std::function<void(std::int64_t, const QueryReader&, std::int64_t)>& take) {
  QueryReader reader(run);
  for (std::int64_t first = 0; first < run.rows.size(); first += reader.piece()) {
    reader.read(first, std::min(reader.piece(), run.rows.size() - first));
    for (std::int64_t i = 0; i < reader.size(); ++i) take(reader.row(i), reader, i);
  }
}

ContentDoubt doubt(VotesDoubt kind, Weight weight, std::string message) {
  return {{std::string(name(kind)), std::move(message)}, weight, kind};
}

}  // namespace

double poisson_binomial_tail(std::span<const Trial> trials, std::int64_t most) {
  constexpr std::size_t kMany = 20'000;
  const double nothing = trials.size() > kMany ? 1e-30 : 1e-300;
  std::vector<double> chances(static_cast<std::size_t>(most) + 1, 0.0);
  chances[0] = 1.0;
  std::size_t first = 0;
  std::size_t last = 0;  // beyond these there is nothing
  for (const Trial& trial : trials) {
    if (last + 1 < chances.size()) ++last;
    for (std::size_t i = last; i > first; --i) {
      chances[i] = chances[i] * trial.no + chances[i - 1] * trial.yes;
    }
    chances[first] *= trial.no;
    while (first < last && chances[first] < nothing) chances[first++] = 0.0;
    while (last > first && chances[last] < nothing) chances[last--] = 0.0;
  }
  double sum = 0.0;
  for (std::size_t i = first; i <= last; ++i) sum += chances[i];
  return sum;
}

std::optional<ContentDoubt> decisions_doubt(const Run& run, std::string_view path) {
  if (!run.decisions || !has_check(run)) return std::nullopt;
  std::vector<Trial> trials;
  AnswerProbabilities probabilities(run.aggregator);
  for_each_query(run, [&](std::int64_t row, const QueryReader& reader, std::int64_t i) {
    const auto& [yes, no] = probabilities.of(reader.statistic(i));
    trials.push_back({row, yes, no, (*run.decisions)[static_cast<std::size_t>(row)] != 0});
  });
  const auto found = improbable(trials);
  if (!found) return std::nullopt;
  constexpr const char* kWhat =
      "expected those of this run (1 is answered), of the same rows, with the noise that was drawn";
  if (found->tail) {
    return doubt(VotesDoubt::improbable_decisions, Weight::likely,
                 fmt::format("{}: {} of {} queries answered, where {}: {}", path, found->came_out,
                             trials.size(), found->sum(), kWhat));
  }
  return doubt(
      VotesDoubt::improbable_decisions, Weight::likely,
      fmt::format("{}: other queries are answered than these votes and this noise let expect, most "
                  "of all row {}, {} with probability {:.2g}: {}",
                  path, found->surprise.row, found->surprise.came_out ? "answered" : "refused",
                  found->of_surprise(), kWhat));
}

std::optional<ContentDoubt> labels_doubt(const Run& run, std::span<const std::int32_t> labels,
                                         std::string_view path) {
  if (run.aggregator.ptr() != nullptr || run.student != nullptr || labels.empty()) {
    return std::nullopt;
  }
  const NoisyMax& noisy_max = run.aggregator.noisy().noisy_max;
  std::vector<Trial> trials;
  Trial least;
  double least_chance = 1.0;
  std::vector<std::int32_t> ordered;
  for_each_query(run, [&](std::int64_t row, const QueryReader& reader, std::int64_t i) {
    const std::int32_t label = labels[static_cast<std::size_t>(row)];
    if (label < 0) return;
    const std::span<const std::int32_t> counts = reader.histogram(i);
    ordered.assign(counts.begin(), counts.end());
    std::erase(ordered, 0);
    std::ranges::sort(ordered, std::greater<>());
    const double yes = plurality_probability(noisy_max, ordered, counts.size() - ordered.size());
    const auto plurality = std::ranges::max_element(counts) - counts.begin();
    trials.push_back({row, yes, std::max(0.0, 1.0 - yes), plurality == label});
    if (plurality == label) return;
    const double chance = outcome_probability(noisy_max, counts, static_cast<std::size_t>(label));
    if (chance < least_chance) {
      least = {row, chance, 1.0 - chance, true};
      least_chance = chance;
    }
  });
  // Its probability is known to 1e-8: of one that is nearly certain the other answer is not.
  for (Trial& trial : trials) trial.no = std::max(trial.no, 1e-8);
  const auto size = static_cast<double>(trials.size());
  if (least_chance * size < kOddsOfRow) {
    return doubt(VotesDoubt::improbable_labels, Weight::likely,
                 fmt::format("{}: row {} has a label that these votes and this noise give with "
                             "probability {:.2g}: expected the labels of this run, of the same "
                             "rows, with classes numbered as in the votes",
                             path, least.row, least_chance));
  }
  const auto found = improbable(trials);
  if (!found) return std::nullopt;
  if (!found->tail) {
    return doubt(VotesDoubt::improbable_labels, Weight::likely,
                 fmt::format("{}: the labels that are the teachers' plurality are on other rows "
                             "than these votes and this noise let expect, most of all row {}: "
                             "expected the labels of this run, of the same rows",
                             path, found->surprise.row));
  }
  const bool too_many = static_cast<double>(found->came_out) > found->expected;
  return doubt(
      VotesDoubt::improbable_labels, Weight::likely,
      fmt::format("{}: {} of {} labels are the teachers' plurality, where {}: {}", path,
                  found->came_out, trials.size(), found->sum(),
                  too_many ? "was the noise added at all, and as large as this? Noise that is "
                             "added into an array of integers is cut. Expected labels with the "
                             "noise that was drawn"
                           : "expected the labels of this run, of the same rows, with classes "
                             "numbered as in the votes, and no true labels"));
}

std::optional<ContentDoubt> rows_doubt(const Run& run, std::string_view path,
                                       std::string_view whole, std::string_view line) {
  if (run.decisions || !has_check(run) || run.rows.empty()) return std::nullopt;
  Run all{run.votes,
          RowSelection::all(run.votes.queries()),
          run.aggregator,
          run.neighbours,
          run.student,
          {},
          {}};
  AnswerProbabilities probabilities(run.aggregator);
  std::vector<double> chances;
  double sum = 0.0;
  double squares = 0.0;
  for_each_query(all, [&](std::int64_t, const QueryReader& reader, std::int64_t i) {
    chances.push_back(probabilities.of(reader.statistic(i)).answered);
    sum += chances.back();
    squares += chances.back() * chances.back();
  });
  double log_all = 0.0;
  double listed = 0.0;
  for (std::int64_t i = 0; i < run.rows.size(); ++i) {
    const double chance = chances[static_cast<std::size_t>(run.rows[i])];
    log_all += std::log(chance);
    listed += chance;
  }
  const auto size = static_cast<double>(chances.size());
  const auto drawn = static_cast<double>(run.rows.size());
  const double mean = sum / size;
  const double variance = std::max(0.0, squares / size - mean * mean) * drawn *
                          std::max(0.0, 1.0 - drawn / size) * size / std::max(1.0, size - 1.0);
  const bool are_answered = log_all < std::log(kImprobable) &&
                            listed - drawn * mean > 4.0 * std::sqrt(variance) && drawn < size;
  return doubt(
      VotesDoubt::answered_rows, are_answered ? Weight::certain : Weight::doubtful,
      fmt::format(
          "{}: {} of {} rows, and no \1decisions: rows left out must never have been asked, as a "
          "refusal costs, too.{}{} If these are the answered rows, say so with \1decisions in the "
          "place of \1indices, of a file that this makes: {}; else \1rows-from says where the list "
          "comes from",
          path, run.rows.size(), run.votes.queries(),
          are_answered ? fmt::format(" They look like the answered ones: that all {} are answered "
                                     "has probability {:.2e}, {:.1f} are to be expected.",
                                     run.rows.size(), std::exp(log_all), listed)
                       : "",
          whole.empty() ? "" : fmt::format(" {}.", whole), line));
}

}  // namespace pate
