#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "pate/labeling/label_run.hpp"
#include "pate/release/curve/curve_plan.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "support/test_bits.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

// Labels, then an epsilon of the realized cost, many times over, by the library alone. For every
// event S over labels, refusals and the noisy index y,
//
//     Pr[S] - sum over o in S of e^E(o) Pr'[o]  <=  delta,
//
// with Pr' on neighbouring votes. S is found on one half of the runs, as the outcomes where the
// difference is positive, and the left side estimated on the other, which is unbiased; its standard
// error is that of the two means. The margin is four of them: a true excess of delta would fail
// once in 30,000.

namespace {

constexpr double kDelta = 0.02;
constexpr int kRuns = 100'000;  // on each side, and in each half
constexpr double kErrors = 4.0;

Aggregator confident(double threshold, double sigma1, double sigma2) {
  Aggregator aggregator;
  aggregator.noisy_max = GaussianNoisyMax{sigma2};
  aggregator.selection = ThresholdCheck{threshold, sigma1};
  return aggregator;
}

// What became public of a run, and the epsilon that went with it.
struct Outcome {
  std::vector<std::int32_t> labels;
  std::int64_t y = 0;
  friend bool operator<(const Outcome& a, const Outcome& b) {
    return std::tie(a.labels, a.y) < std::tie(b.labels, b.y);
  }
};

// A program that labels with one mechanism and accounts for what is said to be its noise.
class Program {
 public:
  Program(const std::vector<Histogram>& votes, const Aggregator& claimed, const Aggregator& used,
          std::optional<DiscreteGaussian> index_noise, CurveParameters parameters,
          std::uint64_t seed)
      : votes_(votes), claimed_(claimed), used_(used), index_noise_(index_noise), bits_(seed) {
    settings_.delta = kDelta;
    settings_.cost = ReleasedCost::realized;
    settings_.threads = 1;
    settings_.origin = ParameterOrigin::given;
    settings_.parameters = parameters;
  }

  std::pair<Outcome, double> run() {
    const RowSelection rows = RowSelection::all(votes_.queries());
    const Run asked{votes_, rows, used_, {}, nullptr, {}, {}};
    RunLimits limits;
    limits.queries = votes_.queries();
    PrivacyFilter filter(used_, {}, limits, kDelta, settings_.parameters.order);
    const LabelledQueries labelled = label_queries(asked, filter, std::nullopt, bits_, 2);
    const CurvePlan& plan = plan_of(labelled.labels);
    if (index_noise_) {
      const std::int64_t y = plan.place.index + index_noise_->draw(bits_);
      return {{labelled.labels, y}, plan.mechanism.curve().epsilon(y)};
    }
    const CurveDraw drawn = plan.mechanism.draw(plan.place, bits_);
    return {{labelled.labels, drawn.y}, drawn.epsilon};
  }

 private:
  // Depends on which queries were answered, not on the answers.
  const CurvePlan& plan_of(const std::vector<std::int32_t>& labels) {
    std::vector<std::uint8_t> decisions;
    for (const std::int32_t label : labels) decisions.push_back(label >= 0 ? 1 : 0);
    const auto found = plans_.find(decisions);
    if (found != plans_.end()) return found->second;
    Run run{votes_, RowSelection::all(votes_.queries()), claimed_, {}, nullptr, {}, {}};
    run.decisions = decisions;
    return plans_.emplace(decisions, curve_plan(collect_votes(run), settings_)).first->second;
  }

  HistogramVotes votes_;
  Aggregator claimed_, used_;
  std::optional<DiscreteGaussian> index_noise_;  // instead of what the release draws
  pate::test::TestBits bits_;
  CurvePlanSettings settings_;
  std::map<std::vector<std::uint8_t>, CurvePlan> plans_;
};

struct Estimate {
  double excess = 0.0;
  double error = 0.0;
};

// How often an outcome was seen.
struct Seen {
  std::int64_t here = 0, there = 0;
  double weight = 0.0;  // e^E
};

// Whether it seems to belong to S: not where it is so rare that it was not seen there by chance.
bool is_evidence(const Seen& seen) {
  const auto there = static_cast<double>(seen.there);
  return static_cast<double>(seen.here) > seen.weight * (there + 1.5 * std::sqrt(there) + 1.0);
}

Estimate estimate(Program& here, Program& there) {
  const auto sample = [&] {
    std::map<Outcome, Seen> counts;
    for (int i = 0; i < kRuns; ++i) {
      const auto [a, epsilon_a] = here.run();
      Seen& at = counts[a];
      ++at.here;
      at.weight = std::exp(epsilon_a);
      const auto [b, epsilon_b] = there.run();
      Seen& other = counts[b];
      ++other.there;
      other.weight = std::exp(epsilon_b);
    }
    return counts;
  };
  const std::map<Outcome, Seen> first = sample();
  double p = 0.0;
  double q = 0.0;
  double q_square = 0.0;
  for (const auto& [outcome, seen] : sample()) {
    const auto before = first.find(outcome);
    if (before == first.end() || !is_evidence(before->second)) continue;
    p += static_cast<double>(seen.here) / kRuns;
    q += seen.weight * static_cast<double>(seen.there) / kRuns;
    q_square += seen.weight * seen.weight * static_cast<double>(seen.there) / kRuns;
  }
  return {p - q, std::sqrt((p * (1.0 - p) + q_square - q * q) / kRuns)};
}

// Everybody's votes, those of a neighbour, the noise that is claimed of both steps, and what of the
// noise that is there is noticed to be too little: of the labels, of the index.
struct Case {
  std::vector<Histogram> here, there;
  double threshold, sigma1, sigma2;
  CurveParameters parameters;
  double labels_noticed, index_noticed;
};

// The excess where labels have `of_labels` times the noise that is claimed, the index `of_index`.
Estimate excess_of(const Case& one, double of_labels, double of_index) {
  const Aggregator claimed = confident(one.threshold, one.sigma1, one.sigma2);
  const Aggregator used = confident(one.threshold, of_labels * one.sigma1, of_labels * one.sigma2);
  std::optional<DiscreteGaussian> s;
  if (of_index != 1.0) s.emplace(of_index * one.parameters.s);
  Program here(one.here, claimed, used, s, one.parameters, 1);
  Program there(one.there, claimed, used, s, one.parameters, 2);
  return estimate(here, there);
}

const std::vector<Case> kCases{
    {{{2, 1}, {2, 1}, {2, 1}, {2, 1}},
     {{1, 2}, {1, 2}, {1, 2}, {1, 2}},
     1.0,
     4.0,
     1.8,
     {4.0, 4.0, 0.05},
     0.5,
     1.0},
    {{{1, 0}, {1, 0}, {1, 0}, {1, 0}},
     {{0, 1}, {0, 1}, {0, 1}, {0, 1}},
     1.0,
     3.0,
     2.2,
     {4.0, 3.0, 0.05},
     0.5,
     1.0},
    {{{3, 0}}, {{2, 1}}, 2.0, 4.0, 2.0, {3.0, 1.0, 0.1}, 1.0, 0.5},
};

}  // namespace

TEST_CASE("labels, then a release of what they cost: the guarantee, by simulation") {
  for (const Case& one : kCases) {
    CAPTURE(one.sigma2);
    const Estimate found = excess_of(one, 1.0, 1.0);
    MESSAGE("excess ", found.excess, " +- ", found.error, ", delta ", kDelta);
    CHECK(found.error < 0.1 * kDelta);
    CHECK(found.excess <= kDelta + kErrors * found.error);
  }
}

TEST_CASE("labels, then a release of what they cost: half the noise is noticed") {
  for (const Case& one : kCases) {
    CAPTURE(one.sigma2);
    const Estimate found = excess_of(one, one.labels_noticed, one.index_noticed);
    MESSAGE("excess ", found.excess, " +- ", found.error, ", delta ", kDelta);
    CHECK(found.excess > kDelta + kErrors * found.error);
  }
}
