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

// Bernstein's inequality: Pr[|sum| >= t] <= 2 exp( -t^2 / (2 (variance + most t / 3)) ), at 2e-9.
bool is_beyond_bernstein(double sum, double variance, double most) {
  constexpr double kLogOfChance = 21.0;
  return sum * sum > 2.0 * kLogOfChance * (variance + most * std::abs(sum) / 3.0);
}

double chance_of(const Trial& trial) {
  return trial.came_out ? trial.yes : trial.no;
}

// How a doubt goes on behind the path: of too many and of too few; of others, with the row {0}, of
// which {1} came out with probability {2}.
struct Wording {
  VotesDoubt kind;
  const char *what, *too_many, *too_few, *others;
};

ContentDoubt doubt(VotesDoubt kind, std::string_view path, std::string_view text,
                   Weight weight = Weight::likely) {
  return {{std::string(name(kind)), fmt::format("{}: {}", path, text)}, weight, kind};
}

std::optional<ContentDoubt> doubt_of(const std::vector<Trial>& trials, std::string_view path,
                                     const Wording& wording) {
  constexpr double kMostExact = 2000.0;  // standard deviation of a number whose tail is exact
  if (trials.empty()) return std::nullopt;
  std::int64_t came_out = 0;
  double expected = 0.0;
  double variance = 0.0;
  double by_odds = 0.0;
  double variance_by_odds = 0.0;
  for (const Trial& trial : trials) {
    const double its_variance = trial.yes * trial.no;
    const double logit =
        std::clamp(std::log(trial.yes) - std::log(trial.no), -kLargestLogit, kLargestLogit);
    came_out += trial.came_out ? 1 : 0;
    expected += trial.yes;
    variance += its_variance;
    by_odds += (trial.came_out ? trial.no : -trial.yes) * logit;
    variance_by_odds += its_variance * logit * logit;
  }
  const Trial& surprise = *std::ranges::min_element(trials, {}, chance_of);
  const double deviation = std::sqrt(variance);
  const double beyond = static_cast<double>(came_out) - expected;
  double tail = 1.0;
  if (deviation >= kMostExact) {
    if (is_beyond_bernstein(beyond, variance, 1.0)) tail = kOddsOfRow;
  } else if (!(normal_cdf(-(std::abs(beyond) - 0.5) / deviation) - 0.56 / deviation >
               kImprobable)) {
    std::vector<Trial> turned = trials;
    for (Trial& trial : turned) {
      if (beyond >= 0.0) std::swap(trial.yes, trial.no);
    }
    tail = poisson_binomial_tail(turned, beyond < 0.0 ? came_out : std::ssize(trials) - came_out);
  }
  if (tail < kImprobable) {
    return doubt(wording.kind, path,
                 fmt::format("{} of {} {}, where {:.1f} (sd {:.1f}) are to be expected of these "
                             "votes and this noise (probability {:.2e}): {}",
                             came_out, trials.size(), wording.what, expected, deviation, tail,
                             beyond > 0.0 ? wording.too_many : wording.too_few));
  }
  if (chance_of(surprise) * static_cast<double>(trials.size()) < kOddsOfRow ||
      is_beyond_bernstein(by_odds, variance_by_odds, kLargestLogit)) {
    return doubt(wording.kind, path,
                 fmt::format(fmt::runtime(wording.others), surprise.row,
                             surprise.came_out ? "answered" : "refused", chance_of(surprise)));
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
  constexpr const char* kWhat =
      "expected those of this run (1 is answered), of the same rows, with the noise that was drawn";
  return doubt_of(
      trials, path,
      {VotesDoubt::improbable_decisions, "queries answered", kWhat, kWhat,
       "other queries are answered than these votes and this noise let expect, most of all row "
       "{0}, {1} with probability {2:.2g}: expected those of this run (1 is answered), of the same "
       "rows, with the noise that was drawn"});
}

std::optional<ContentDoubt> labels_doubt(const Run& run, std::span<const std::int32_t> labels,
                                         std::string_view path) {
  if (run.aggregator.ptr() != nullptr || run.student != nullptr || labels.empty()) {
    return std::nullopt;
  }
  const NoisyMax& noisy_max = run.aggregator.noisy().noisy_max;
  std::vector<Trial> trials;
  Trial least;
  std::vector<std::int32_t> ordered;
  for_each_query(run, [&](std::int64_t row, const QueryReader& reader, std::int64_t i) {
    const std::int32_t label = labels[static_cast<std::size_t>(row)];
    if (label < 0) return;
    const std::span<const std::int32_t> counts = reader.histogram(i);
    ordered.assign(counts.begin(), counts.end());
    std::erase(ordered, 0);
    std::ranges::sort(ordered, std::greater<>());
    // Its probability is known to 1e-8: of one that is nearly certain the other answer is not.
    const double yes = plurality_probability(noisy_max, ordered, counts.size() - ordered.size());
    const auto plurality = std::ranges::max_element(counts) - counts.begin();
    trials.push_back({row, yes, std::max(1e-8, 1.0 - yes), plurality == label});
    if (plurality == label) return;
    const double chance = outcome_probability(noisy_max, counts, static_cast<std::size_t>(label));
    if (chance < least.yes) least = {row, chance};
  });
  if (least.yes * static_cast<double>(trials.size()) < kOddsOfRow && !trials.empty()) {
    return doubt(VotesDoubt::improbable_labels, path,
                 fmt::format("row {} has a label that these votes and this noise give with "
                             "probability {:.2g}: expected the labels of this run, of the same "
                             "rows, with classes numbered as in the votes",
                             least.row, least.yes));
  }
  return doubt_of(trials, path,
                  {VotesDoubt::improbable_labels, "labels are the teachers' plurality",
                   "was the noise added at all, and as large as this? Noise that is added into an "
                   "array of integers is cut. Expected labels with the noise that was drawn",
                   "expected the labels of this run, of the same rows, with classes numbered as in "
                   "the votes, and no true labels",
                   "the labels that are the teachers' plurality are on other rows than these votes "
                   "and this noise let expect, most of all row {0}: expected the labels of this "
                   "run, of the same rows"});
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
      VotesDoubt::answered_rows, path,
      fmt::format(
          "{} of {} rows, and no \1decisions: rows left out must never have been asked, as a "
          "refusal costs, too.{}{} If these are the answered rows, say so with \1decisions in the "
          "place of \1indices, of a file that this makes: {}; else \1rows-from says where the list "
          "comes from",
          run.rows.size(), run.votes.queries(),
          are_answered ? fmt::format(" They look like the answered ones: that all {} are answered "
                                     "has probability {:.2e}, {:.1f} are to be expected.",
                                     run.rows.size(), std::exp(log_all), listed)
                       : "",
          whole.empty() ? "" : fmt::format(" {}.", whole), line),
      are_answered ? Weight::certain : Weight::doubtful);
}

}  // namespace pate
