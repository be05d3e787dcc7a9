#include "pate/accounting/sparse_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/numerics/normal.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// Beyond so many scales Laplace noise has 2e-14 of its mass, and Gaussian noise none that counts.
constexpr double kScales = 31.0;
constexpr double kDeviations = 9.0;
constexpr double kMinMass = 1e-15;
// Smaller numbers are slow.
constexpr double kNoMass = 1e-200;

// The noise of a threshold, in votes, as a discrete distribution.
struct ThresholdNoise {
  std::vector<double> at, weight;
};

// Gauss-Legendre rules between the points where an integrand has no derivatives of all orders:
// 0, and where the threshold is a whole number of votes.
ThresholdNoise threshold_noise(const StabilityTest& test) {
  constexpr std::array kNodes{-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                              0.9061798459386640};
  constexpr std::array kWeights{0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                0.4786286704993665, 0.2369268850561891};
  const double scale = test.threshold_scale();
  const bool is_gaussian = test.has_gaussian_noise();
  const double most = (is_gaussian ? kDeviations : kScales) * scale;
  // Whole votes, or fractions of one that meet at whole ones; where several lie in a piece, it is
  // so small beside the scale that a jump of the second derivative does not matter.
  const double step =
      scale >= 1.0 ? std::max(std::floor(scale / 3.0), 1.0) : 1.0 / std::ceil(1.0 / scale);
  std::vector<double> ends{-most, 0.0, most};
  const double whole = std::floor(test.threshold()) - test.threshold();
  // Wherever they end, pieces meet. NOLINTBEGIN(clang-analyzer-security.FloatLoopCounter)
  for (double end = whole; end < most; end += step) ends.push_back(end);
  for (double end = whole - step; end > -most; end -= step) ends.push_back(end);
  // NOLINTEND(clang-analyzer-security.FloatLoopCounter)
  std::ranges::sort(ends);
  ThresholdNoise noise;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const double half = 0.5 * (ends[i + 1] - ends[i]);
    if (!(half > 0.0)) continue;
    for (std::size_t k = 0; k < kNodes.size(); ++k) {
      noise.at.push_back(ends[i] + half * (1.0 + kNodes[k]));
      const double x = noise.at.back() / scale;
      noise.weight.push_back(half * kWeights[k] *
                             std::exp(is_gaussian ? -0.5 * x * x : -std::abs(x)));
    }
  }
  const double mass = std::accumulate(noise.weight.begin(), noise.weight.end(), 0.0);
  for (double& weight : noise.weight) weight /= mass;
  return noise;
}

// Pr[answered] at every noise of the threshold.
std::vector<double> answered_at(const StabilityTest& test, const ThresholdNoise& noise,
                                std::int64_t stability) {
  std::vector<double> result;
  result.reserve(noise.at.size());
  for (const double at : noise.at) {
    const double beyond = (static_cast<double>(stability) - test.threshold() - at) / test.scale();
    result.push_back(test.has_gaussian_noise() ? normal_cdf(beyond)
                     : beyond <= 0.0           ? 0.5 * std::exp(beyond)
                                               : 1.0 - 0.5 * std::exp(-beyond));
  }
  return result;
}

// The mass at every noise of the threshold, given so many refusals so far.
struct Round {
  std::vector<double> mass;
  double total = 0.0;
};

}  // namespace

SparseAnswers sparse_answers(const StabilityTest& test, std::span<const std::int64_t> stabilities) {
  const ThresholdNoise noise = threshold_noise(test);
  std::map<std::int64_t, std::vector<double>> tables;
  const auto queries = static_cast<std::int64_t>(stabilities.size());
  const std::int64_t most = std::min(test.max_refusals(), queries);
  std::vector<Round> rounds(static_cast<std::size_t>(most));  // by refusals so far
  if (most > 0) rounds[0] = {noise.weight, 1.0};
  std::int64_t first = 0;  // rounds first .. last - 1 have mass
  std::int64_t last = std::min<std::int64_t>(most, 1);
  SparseAnswers result;
  std::vector<std::pair<double, std::int64_t>> ends;  // of the run: probability, answers
  for (std::int64_t t = 0; t < queries; ++t) {
    const auto [table, is_new] = tables.try_emplace(stabilities[static_cast<std::size_t>(t)]);
    if (is_new) table->second = answered_at(test, noise, table->first);
    const std::vector<double>& answers = table->second;
    double answered = 0.0;
    double carried = 0.0;  // by refusals, into the next round
    const std::int64_t end = last;
    for (std::int64_t j = first; j < end; ++j) {
      Round& round = rounds[static_cast<std::size_t>(j)];
      double kept = 0.0;
      for (std::size_t i = 0; i < answers.size(); ++i) {
        const double mass = round.mass[i] * answers[i];
        round.mass[i] = mass > kNoMass ? mass : 0.0;
        kept += round.mass[i];
      }
      const double refused = std::max(round.total - kept, 0.0);
      for (std::size_t i = 0; i < answers.size(); ++i) round.mass[i] += carried * noise.weight[i];
      round.total = kept + carried;
      answered += kept;
      result.refusals += refused;
      carried = refused;
    }
    if (end == most) {
      ends.emplace_back(carried, t + 1 - most);
    } else if (carried > kMinMass) {
      Round& round = rounds[static_cast<std::size_t>(last)];
      round.mass = noise.weight;
      for (double& mass : round.mass) mass *= carried;
      round.total = carried;
      ++last;
    }
    while (first < last && rounds[static_cast<std::size_t>(first)].total <= kMinMass) {
      rounds[static_cast<std::size_t>(first++)] = {};
    }
    result.answered.push_back(answered);
  }
  for (std::int64_t j = first; j < last; ++j) {
    ends.emplace_back(rounds[static_cast<std::size_t>(j)].total, queries - j);
  }
  CompensatedSum mean;
  for (const auto& [probability, answers] : ends) {
    mean.add(probability * static_cast<double>(answers));
  }
  result.expected = mean.value();
  CompensatedSum variance;
  for (const auto& [probability, answers] : ends) {
    const double off = static_cast<double>(answers) - result.expected;
    variance.add(probability * off * off);
  }
  result.sd = std::sqrt(variance.value());
  return result;
}

std::vector<std::int64_t> stabilities_of(const Run& run) {
  std::vector<std::int64_t> stabilities;
  QueryReader reader(run);
  const std::int64_t piece = reader.piece();
  for (std::int64_t begin = 0; begin < run.rows.size(); begin += piece) {
    reader.read(begin, std::min(piece, run.rows.size() - begin));
    for (std::int64_t i = 0; i < reader.size(); ++i) stabilities.push_back(reader.statistic(i));
  }
  return stabilities;
}

void fill_sparse_answers(const Run& run, Account& account) {
  const std::int64_t queries = run.rows.size();
  const StabilityTest& test = *run.aggregator.sparse();
  const std::int64_t most = test.max_refusals();
  std::vector<std::int64_t> stabilities;
  std::vector<std::uint8_t> right;
  std::int64_t realized = 0;
  std::int64_t refused = 0;
  QueryReader reader(run);
  const std::int64_t piece = reader.piece();
  for (std::int64_t begin = 0; begin < queries; begin += piece) {
    reader.read(begin, std::min(piece, queries - begin));
    for (std::int64_t i = 0; i < reader.size(); ++i) {
      stabilities.push_back(reader.statistic(i));
      const auto row = static_cast<std::size_t>(reader.row(i));
      if (run.labels) {
        const auto counts = reader.histogram(i);
        const auto plurality = std::ranges::max_element(counts) - counts.begin();
        right.push_back(plurality == (*run.labels)[row] ? 1 : 0);
      }
      if (!run.decisions) continue;
      const bool answered = (*run.decisions)[row] != 0;
      if (answered && refused >= most) {
        throw input_error(fmt::format(
            "decisions: row {} was answered after {} refusals, and max-refusals {} ends the run "
            "there",
            row, refused, most));
      }
      (answered ? realized : refused) += 1;
    }
  }
  const SparseAnswers answers = sparse_answers(test, stabilities);
  account.answered_expected = answers.expected;
  account.answered_sd = answers.sd;
  if (run.decisions) account.answered_realized = realized;
  CompensatedSum so_far;
  std::size_t asked = 0;
  for (TrajectoryPoint& point : account.trajectory) {
    while (asked < static_cast<std::size_t>(point.queries)) so_far.add(answers.answered[asked++]);
    point.answered = so_far.value();
  }
  if (!run.labels) return;
  CompensatedSum good;
  CompensatedSum all;
  for (std::size_t i = 0; i < right.size(); ++i) {
    good.add(right[i] != 0 ? answers.answered[i] : 0.0);
    all.add(answers.answered[i]);
  }
  const auto count = static_cast<double>(right.size());
  account.utility = Utility{
      good.value() / all.value(),
      static_cast<double>(std::accumulate(right.begin(), right.end(), std::int64_t{0})) / count};
}

}  // namespace pate
