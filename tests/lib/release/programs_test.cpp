#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "pate/labeling/privacy_filter.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/normal.hpp"
#include "pate/release/curve/curve_plan.hpp"
#include "pate/release/smooth/release_plan.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

// A model checker: whole programs of steps on the votes of one small ensemble, every output of
// which is public. For every two neighbours the largest over all events of
//
//     Pr[outputs on the votes] - Integral of e^E dPr[outputs on the neighbour]
//
// is computed from all transcripts and, for numbers released with normal noise, from a grid that
// they are rounded up to, which is what `draw_released_rdp` does on a finer one. It must be at most
// the delta of the last claim, and be larger when a protection is taken away.

namespace {

constexpr std::int32_t kTeachers = 3;
constexpr std::size_t kQueries = 2;
constexpr double kDelta = 0.01;

// Votes for the first of two classes, by query. A neighbour is one vote away on any queries.
using Votes = std::array<std::int32_t, kQueries>;
using Decisions = std::vector<bool>;  // by query that was asked

enum class Step {
  label,             // up to one answer
  release,           // of the joint cost
  realized_release,  // of the cost given the last labels' decisions
  compose,           // adds up what was claimed
};

// What is taken away.
enum class Off {
  nothing,
  earlier_releases,  // a release does not count those before it
  release_cost,      // a released cost is taken for free
  failure,           // delta leaves out that the number may come out too small
  earlier_labels,    // a sum leaves out the first labels
  fixed_parameters,  // noise to suit the votes
};

Histogram histogram(std::int32_t votes) {
  return {votes, kTeachers - votes};
}

std::int32_t top(std::int32_t votes) {
  return std::max(votes, kTeachers - votes);
}

struct Program {
  Aggregator aggregator;
  std::vector<Step> steps;
  // Of every release in turn, by either method.
  std::vector<std::variant<ReleaseParameters, CurveParameters>> parameters{};
  double confidence = 0.9;
  int parts = 200;  // of the grid of released numbers
};

// All about one program that does not depend on which neighbours are compared.
class Checker {
 public:
  Checker(const Program& program, Off off) : program_(program), off_(off) {
    limits_.queries = kQueries;
    limits_.max_answers = 1;
    order_ = filter_order(program.aggregator, {}, limits_, kDelta);
    for (std::int32_t a = 0; a <= kTeachers; ++a) {
      std::vector<double> p;
      const auto& check = *program.aggregator.selection;
      const double answered = normal_cdf((top(a) - check.threshold) / check.sigma1);
      p.push_back(normal_cdf((check.threshold - top(a)) / check.sigma1));
      for (const long double x :
           gaussian_outcomes(histogram(a), program.aggregator.noisy_max.gaussian().sigma)) {
        p.push_back(answered * static_cast<double>(x));
      }
      outcomes_.push_back(p);
    }
  }

  // The delta that the last claim states.
  [[nodiscard]] double delta() const { return delta_; }

  // The largest excess over all events, for the ordered pair.
  double excess(const Votes& here, const Votes& there) {
    here_ = here;
    there_ = there;
    excess_ = 0.0;
    delta_ = 0.0;
    walk(0, State{});
    return excess_;
  }

 private:
  struct Claim {
    double epsilon, delta;
  };
  struct State {
    double p = 1.0;  // of the outputs so far on the votes, and on the neighbour
    double q = 1.0;
    bool is_told_apart = false;
    Decisions decisions{};
    std::vector<Claim> claims{};  // of labels, then of their releases in their place
    std::vector<EarlierRelease> released{};
  };

  void walk(std::size_t at, const State& state) {
    if (state.p < 1e-13) return;
    if (at == program_.steps.size()) {
      // What a single run has claimed last covers all of it; other runs are added by `compose`.
      const Claim& last = state.claims.back();
      const double forgiven = state.is_told_apart ? 0.0 : std::exp(last.epsilon) * state.q;
      excess_ += max_or_nan(state.p - forgiven, 0.0);
      delta_ = last.delta;
      return;
    }
    switch (program_.steps[at]) {
      case Step::label: {
        State next = state;
        next.decisions.clear();
        next.released.clear();
        const PrivacyFilter filter(program_.aggregator, {}, limits_, kDelta, order_);
        return label(at, next, filter);
      }
      case Step::release:
      case Step::realized_release:
        return release(at, state);
      case Step::compose: {
        State next = state;
        Claim sum{0.0, 0.0};
        for (std::size_t i = off_ == Off::earlier_labels ? 1 : 0; i < state.claims.size(); ++i) {
          sum.epsilon += state.claims[i].epsilon;
          sum.delta += state.claims[i].delta;
        }
        next.claims = {sum};
        return walk(at + 1, next);
      }
    }
  }

  // Asks the next query, or ends the run.
  void label(std::size_t at, const State& state, const PrivacyFilter& filter) {
    const std::size_t query = state.decisions.size();
    if (query == kQueries || filter.enough_answers()) {
      State next = state;
      next.claims.push_back({filter.epsilon(), kDelta});
      return walk(at + 1, next);
    }
    const auto& p = outcomes_[static_cast<std::size_t>(here_[query])];
    const auto& q = outcomes_[static_cast<std::size_t>(there_[query])];
    for (std::size_t outcome = 0; outcome < p.size(); ++outcome) {
      State next = state;
      next.p *= p[outcome];
      next.q *= q[outcome];
      next.decisions.push_back(outcome > 0);
      PrivacyFilter counted = filter;
      counted.count(outcome > 0);
      label(at, next, counted);
    }
  }

  void release(std::size_t at, const State& state) {
    const bool is_realized = program_.steps[at] == Step::realized_release;
    const AnyPlan& here = plan(here_, is_realized, state);
    const AnyPlan& there = plan(there_, is_realized, state);
    if (std::holds_alternative<CurvePlan>(here)) {
      draw(at, state, std::get<CurvePlan>(here), std::get<CurvePlan>(there));
    } else {
      draw(at, state, std::get<ReleasePlan>(here), std::get<ReleasePlan>(there));
    }
  }

  // The index with its noise is told, as far as it has any probability.
  void draw(std::size_t at, const State& state, const CurvePlan& here, const CurvePlan& there) {
    const PublicCurve& curve = here.mechanism.curve();
    const auto reach = std::llround(std::ceil(9.0 * here.parameters().s)) + 2;
    const auto [first, last] = std::minmax(here.place.index, there.place.index);
    for (std::int64_t y = first - reach; y <= last + reach; ++y) {
      State next = state;
      next.p *= std::exp(curve.noise().log_probability(y - here.place.index));
      next.q *= std::exp(curve.noise().log_probability(y - there.place.index));
      double epsilon = curve.epsilon(y);
      if (off_ == Off::release_cost) epsilon = std::max(epsilon - curve.rho0(), 0.0);
      next.claims.back() = {epsilon, here.run_delta};
      next.released.push_back(
          {here.parameters().beta, here.parameters().s, 0.0, false, ReleaseMethod::curve});
      walk(at + 1, next);
    }
  }

  void draw(std::size_t at, const State& state, const ReleasePlan& here, const ReleasePlan& there) {
    // Pr[low < released <= high] before clamping, without cancellation in either tail.
    const auto between = [](const ReleasePlan& plan, double low, double high) {
      const double from = (low - plan.rdp) / plan.numbers.noise_sd - plan.k;
      const double to = (high - plan.rdp) / plan.numbers.noise_sd - plan.k;
      return from > 0.0 ? normal_cdf(-from) - normal_cdf(-to) : normal_cdf(to) - normal_cdf(from);
    };
    const double most = here.largest_rdp;
    for (int i = 0; i <= program_.parts + 1; ++i) {
      // Atoms at both ends, which clamping makes.
      const double high = most * std::min(i, program_.parts) / program_.parts;
      const double from = i == 0 ? -kInfinity : most * (i - 1) / program_.parts;
      const double to = i > program_.parts ? kInfinity : high;
      State next = state;
      next.p *= between(here, from, to);
      next.q *= between(there, from, to);
      // Parameters are published with the number.
      next.is_told_apart = here.parameters.sigma != there.parameters.sigma;
      next.claims.back() = {here.epsilon(high), off_ == Off::failure ? kDelta : here.total_delta};
      next.released.push_back({here.parameters.beta, here.parameters.sigma, here.k, false});
      walk(at + 1, next);
    }
  }

  using AnyPlan = std::variant<CurvePlan, ReleasePlan>;

  const AnyPlan& plan(const Votes& votes, bool is_realized, const State& state) {
    const Decisions decisions = is_realized ? state.decisions : Decisions{};
    const auto key = std::tuple(votes, decisions, is_realized, state.released.size());
    const auto found = plans_.find(key);
    if (found != plans_.end()) return found->second;
    std::vector<ProfiledQuery> queries;
    for (std::size_t i = 0; i < kQueries; ++i) {
      queries.push_back({histogram(votes[i]), top(votes[i]), i < decisions.size() && decisions[i]});
    }
    ReleaseTerms terms;
    terms.delta = kDelta;
    terms.cost = is_realized ? ReleasedCost::realized : ReleasedCost::joint;
    terms.threads = 1;
    if (off_ != Off::earlier_releases) terms.earlier = state.released;
    const auto& parameters = program_.parameters.at(state.released.size());
    if (const auto* const curve = std::get_if<CurveParameters>(&parameters)) {
      VoteProfile profile = profile_of(program_.aggregator, queries);
      profile.has_decisions = is_realized;
      return plans_.emplace(key, curve_plan(profile, {terms, {}, ParameterOrigin::given, *curve}))
          .first->second;
    }
    ReleaseSettings settings;
    static_cast<ReleaseTerms&>(settings) = terms;
    settings.confidence = program_.confidence;
    settings.parameters = std::get<ReleaseParameters>(parameters);
    if (off_ == Off::fixed_parameters) settings.parameters->sigma *= 1.0 + 0.5 * votes[0];
    ReleasePlan plan = release_plan(profile_of(program_.aggregator, queries), settings);
    if (off_ == Off::release_cost) plan.numbers.release_cost = 0.0;
    return plans_.emplace(key, plan).first->second;
  }

  Program program_;
  Off off_;
  RunLimits limits_;
  double order_ = 0.0;
  std::vector<std::vector<double>> outcomes_;  // by votes of a query: refused, classes
  std::map<std::tuple<Votes, Decisions, bool, std::size_t>, AnyPlan> plans_;
  Votes here_{}, there_{};
  double excess_ = 0.0;
  double delta_ = 0.0;
};

// The largest excess of a program over its delta, as a ratio, over all votes and neighbours.
double worst(const Program& program, Off off) {
  Checker checker(program, off);
  double result = 0.0;
  std::vector<Votes> all;
  for (std::int32_t a = 0; a <= kTeachers; ++a) {
    for (std::int32_t b = 0; b <= kTeachers; ++b) all.push_back({a, b});
  }
  for (const Votes& here : all) {
    for (const Votes& there : all) {
      if (here == there) continue;
      if (std::abs(here[0] - there[0]) > 1 || std::abs(here[1] - there[1]) > 1) continue;
      const double excess = checker.excess(here, there);
      result = max_or_nan(result, excess / checker.delta());
    }
  }
  return result;
}

Aggregator noisy(double sigma) {
  return {ThresholdCheck{2.0, sigma}, {GaussianNoisyMax{sigma}}, false};
}

// A release with next to no noise, which tells all, and one as it should be.
constexpr ReleaseParameters kTelling{4.0, 0.05, 0.05};
constexpr ReleaseParameters kUseful{4.0, 0.05, 4.0};
constexpr CurveParameters kTellingCurve{4.0, 0.1, 0.05};
constexpr CurveParameters kCurve{4.0, 1.5, 0.3};

}  // namespace

TEST_SUITE("release") {
  TEST_CASE("programs of labels, releases and sums keep what the last of them claims") {
    using enum Step;
    const std::vector<Program> programs{
        {noisy(0.6), {label}},
        {noisy(0.6), {label, compose}},
        {noisy(0.6), {label, label, compose}},
        {noisy(0.6), {label, release}, {kUseful}, 0.5},
        {noisy(0.6), {label, realized_release}, {kUseful}},
        {noisy(2.0), {label, release}, {kTelling}},
        {noisy(2.0), {label, realized_release}, {kTelling}},
        {noisy(0.6), {label, label, realized_release, compose}, {kUseful}, 0.9, 50},
        {noisy(2.0), {label, release, release}, {kTelling, kUseful}, 0.9, 100},
        {noisy(2.0), {label, realized_release, release}, {kUseful, kUseful}, 0.9, 40},
        {noisy(2.0), {label, release, realized_release, compose}, {kTelling, kUseful}, 0.9, 60},
        {noisy(0.6), {label, release}, {kCurve}},
        {noisy(0.6), {label, realized_release}, {kCurve}},
        {noisy(2.0), {label, realized_release}, {kTellingCurve}},
        {noisy(2.0), {label, release, release}, {kTellingCurve, kCurve}},
        {noisy(2.0), {label, realized_release, release}, {kCurve, kCurve}},
        {noisy(0.6), {label, label, realized_release, compose}, {kCurve}},
        {noisy(2.0), {label, release, realized_release}, {kUseful, kCurve}, 0.9, 40},
        {noisy(2.0), {label, release, realized_release}, {kCurve, kUseful}, 0.9, 40},
    };
    double closest = 0.0;
    for (const Program& program : programs) {
      const double found = worst(program, Off::nothing);
      CHECK_MESSAGE(found <= 1.0, show({{"program", static_cast<double>(&program - &programs[0])},
                                        {"ratio", found}}));
      closest = std::max(closest, found);
    }
    CHECK(closest > 1e-3);
  }

  TEST_CASE("the checker finds what goes wrong without a protection") {
    using enum Step;
    const Program once{noisy(2.0), {label, release}, {kTelling}};
    CHECK(worst(once, Off::release_cost) > 1.0);
    CHECK(worst(once, Off::fixed_parameters) > 1.0);
    const Program twice{noisy(2.0), {label, release, release}, {kTelling, kUseful}, 0.9, 100};
    CHECK(worst(twice, Off::earlier_releases) > 1.0);
    CHECK(worst({noisy(2.0), {label, release}, {kTellingCurve}}, Off::release_cost) > 1.0);
    CHECK(worst({noisy(2.0), {label, release, release}, {kTellingCurve, kCurve}},
                Off::earlier_releases) > 1.0);
    CHECK(worst({noisy(2.0), {label, release, release}, {kTellingCurve, kUseful}, 0.9, 100},
                Off::earlier_releases) > 1.0);
    CHECK(worst({noisy(0.4), {label, release}, {kUseful}, 0.5}, Off::failure) > 1.0);
    CHECK(worst({noisy(0.4), {label, label, compose}}, Off::earlier_labels) > 1.0);
  }
}
