#include "pate/accounting/planning/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/accounting/planning/weighted_plan.hpp"
#include "pate/accounting/sampled_profile.hpp"
#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/numerics/bisect.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

namespace {

MechanismCounts steps_of(const PlannedRun& run) {
  if (const auto tested = run.tested()) {
    return pate::steps_of(*tested, run.neighbours, run.queries, run.queries);
  }
  MechanismCounts steps;
  steps.neighbours = run.neighbours;
  if (const auto sampled = run.sampled()) {
    steps.sampled_queries[*sampled] = run.queries;
    return steps;
  }
  if (run.sigma1) steps.threshold_checks[*run.sigma1] = run.queries;
  steps.maxima[run.noisy_max().value()] = run.answers();
  return steps;
}

// Holds for any votes as it is, which half of its first term would do for, too: a step that is
// (eps, 0)-DP has RDP eps^2 order / 2.
double strong_composition(double epsilon, double k, double delta) {
  return k * epsilon * epsilon + epsilon * std::sqrt(-2.0 * k * std::log(delta));
}

// What S17 prints of LNMax, whose gamma is half the epsilon of an answer.
void add_s17_entries(const PlannedRun& run, double delta, std::vector<CostEntry>& costs) {
  if (!run.laplace_scale) return;
  const double step = *NoisyStep(*run.noisy_max(), run.neighbours).pure_epsilon();
  const auto k = static_cast<double>(run.answers());
  CostEntry moments{Bound::data_independent, GuaranteeKind::worst_case, EpsilonMethod::moments};
  CostEntry strong = moments;
  moments.epsilon = kInfinity;
  for (const double order : moment_orders()) {  // of moment l = order - 1
    const double rdp = with_margin(0.5 * step * step * k * order);
    const double epsilon = epsilon_from_rdp(Conversion::classic, rdp, order, delta);
    if (!(epsilon < moments.epsilon)) continue;
    moments.epsilon = epsilon;
    moments.order = order;
    moments.parts = {{"noisy_max", rdp}, {"delta", epsilon - rdp}};
  }
  strong.conversion = EpsilonMethod::strong;
  strong.epsilon = with_margin(strong_composition(step, k, delta));
  strong.parts = {{"noisy_max", strong.epsilon}};
  for (CostEntry* entry : {&moments, &strong}) {
    entry->delta = delta;
    entry->releasable = true;
    costs.push_back(std::move(*entry));
  }
}

// How near noise is brought to where the target is met; where samples answer, each look at which
// takes a second.
constexpr double kNoiseTolerance = 1e-13;
constexpr double kSampledTolerance = 1e-3;
constexpr double kFirstTolerance = 0.02;  // of where the search begins
constexpr std::int64_t kSampledCounts = 1000;

double* noise_of(PlannedRun& run, PlanParameter parameter) {
  std::optional<double>* noise = nullptr;
  if (parameter == PlanParameter::sigma2) noise = &run.sigma2;
  if (parameter == PlanParameter::sigma1) noise = &run.sigma1;
  if (parameter == PlanParameter::laplace_scale) noise = &run.laplace_scale;
  if (parameter == PlanParameter::ptr_sigma) noise = &run.ptr_sigma;
  if (parameter == PlanParameter::ptr_sparse_sigma) noise = &run.ptr_sparse_sigma;
  if (noise == nullptr) return nullptr;
  noise->emplace(1.0);
  return &**noise;
}

Plan plan_of(const PlannedRun& run, const PlanSettings& settings, bool with_profile);

// Tries values of one parameter of a run.
class Search {
 public:
  Search(PlannedRun& run, const PlanSettings& settings, double epsilon)
      : run_(run), settings_(settings), target_(epsilon) {}

  [[nodiscard]] double epsilon() const {
    const Plan tried = plan_of(run_, settings_, with_profile_);
    return tried.costs[tried.headline].epsilon;
  }
  // Whether the target is met by what takes long, which costs less than its RDP does.
  [[nodiscard]] bool is_slow() const {
    return run_.sampling.has_value() && !settings_.conversion && target_ > 0.0;
  }
  [[nodiscard]] bool keeps() const {
    // Deltas of queries that leave nothing keep no target.
    return steps_of(run_).delta() < settings_.delta && epsilon() <= target_;
  }

  // The smallest noise that keeps the target; more noise never costs more.
  void smallest(double& noise) {
    if (!is_slow()) return smallest_by(noise, 16.0, kNoiseTolerance);
    with_profile_ = false;
    smallest_by(noise, 4.0, kFirstTolerance);
    with_profile_ = true;
    // RDP keeps it, where any noise does, and the profile costs no more. From there on by secants
    // of log epsilon over log noise, of slope -1 at first.
    double high = noise;
    double low = 0.0;
    double log_high = log_share();
    double log_low = 0.0;
    while (high > std::max(low, kMinNoise) * (1.0 + kSampledTolerance)) {
      const double slope = low > 0.0 ? (log_high - log_low) / std::log(high / low) : -1.0;
      const double wanted = high * std::exp(-log_high / slope);
      // On the side that keeps the target, and then as near on the other one.
      double next = wanted * (1.0 + 0.3 * kSampledTolerance);
      if (!(next < high * (1.0 - 0.2 * kSampledTolerance))) {
        next = high * (1.0 - 0.9 * kSampledTolerance);
      }
      if (low > 0.0 && !(next > low)) next = std::sqrt(low) * std::sqrt(high);
      noise = std::max(next, kMinNoise);
      const double share = log_share();
      (share <= 0.0 ? high : low) = noise;
      (share <= 0.0 ? log_high : log_low) = share;
    }
    noise = high;
  }

  // The largest count up to `most` that keeps the target, 0 if none does; more never costs less.
  void largest(std::int64_t& count, std::int64_t most) {
    with_profile_ = !is_slow();
    largest_by(count, most, is_slow() ? kFirstTolerance : 0.0);
    with_profile_ = true;
    if (!is_slow() || count == most) return;
    // By the profile some more; epsilon rises about as the root of the count does.
    std::int64_t low = count;
    std::int64_t high = most + 1;
    double log_low = count > 0 ? log_share() : -1.0;
    double log_high = 0.0;
    while (high - low > std::max<std::int64_t>(1, low / kSampledCounts)) {
      const auto from = static_cast<double>(std::max<std::int64_t>(low, 1));
      const double slope =
          log_high > 0.0 ? (log_high - log_low) / std::log(static_cast<double>(high) / from) : 0.5;
      const double wanted = from * std::exp(std::min(-log_low / slope, 1.0));
      const std::int64_t nearest =
          wanted < static_cast<double>(high) ? static_cast<std::int64_t>(wanted) : high - 1;
      // Halving as well, where that is slow.
      const std::int64_t furthest = log_high > 0.0 ? low + (high - low + 1) / 2 : high - 1;
      const std::int64_t step = std::max<std::int64_t>(1, low / (2 * kSampledCounts));
      count = std::clamp(nearest + step, low + 1, std::max(furthest, low + 1));
      const double share = log_share();
      (share <= 0.0 ? low : high) = count;
      (share <= 0.0 ? log_low : log_high) = share;
    }
    count = low;
  }

 private:
  void smallest_by(double& noise, double step, double tolerance) const {
    const auto keeps_at = [&](double value) {
      noise = value;
      return keeps();
    };
    double low = 1.0;  // too small, or the limit
    double high = 1.0;
    while (!keeps_at(high)) {
      if (high == kMaxNoise) return;
      low = high;
      high = std::min(high * step, kMaxNoise);
    }
    while (low == high || keeps_at(low)) {
      if (low == kMinNoise) return;
      high = low;
      low = std::max(low / step, kMinNoise);
    }
    while (high > low * (1.0 + tolerance)) {
      const double middle = std::sqrt(low) * std::sqrt(high);
      (keeps_at(middle) ? high : low) = middle;
    }
    noise = high;
  }

  // log of epsilon over the target.
  [[nodiscard]] double log_share() const { return std::log(epsilon() / target_); }

  void largest_by(std::int64_t& count, std::int64_t most, double tolerance) const {
    const auto keeps_at = [&](std::int64_t value) {
      count = value;
      return keeps();
    };
    count = largest_by_doubling(std::int64_t{0}, std::int64_t{1}, most, keeps_at, tolerance);
  }

  PlannedRun& run_;
  const PlanSettings& settings_;
  double target_;
  bool with_profile_ = true;
};

[[noreturn]] void throw_out_of_reach(PlanParameter parameter, double epsilon, double delta,
                                     const std::string& reason) {
  throw validity_error(fmt::format("no value of {} keeps epsilon {} at delta {}: {}",
                                   name(parameter), epsilon, delta, reason));
}

}  // namespace

namespace {

Plan plan_of(const PlannedRun& run, const PlanSettings& settings, bool with_profile) {
  validate(run);
  validate_delta(settings.delta);
  Plan result;
  result.run = run;
  result.delta = settings.delta;
  result.steps = steps_of(run);
  result.orders = settings.orders
                      ? validated_orders(*settings.orders)
                      : std::vector<double>(default_orders().begin(), default_orders().end());
  const OrderSearch search{settings.delta, settings.orders.has_value()};
  for (const double order : result.orders) result.rdp.push_back(result.steps.rdp(order));
  result.costs = data_independent_entries(result.steps, result.orders, search, result.notices);
  if (const auto sampled = run.sampled(); sampled && with_profile) {
    if (auto entry = sampled_profile_entry(*sampled, run.queries, settings.delta, result.costs)) {
      result.costs.push_back(std::move(*entry));
    }
  }
  add_s17_entries(run, settings.delta, result.costs);
  add_order_notices(result.costs, result.orders, search.grid_only, result.notices);
  const auto& asked = settings.conversion;
  if (asked && std::ranges::count(result.costs, *asked, &CostEntry::conversion) == 0) {
    std::string computed;
    for (const CostEntry& cost : result.costs) {
      computed += (computed.empty() ? "" : ", ") + std::string(name(cost.conversion));
    }
    throw parameter_error(fmt::format("conversion {} does not go with this noise; computed are {}",
                                      name(*asked), computed));
  }
  result.headline = headline_of(result.costs, {std::nullopt, settings.conversion});
  return result;
}

}  // namespace

Plan plan(const PlannedRun& run, const PlanSettings& settings) {
  return plan_of(run, settings, true);
}

Plan solve(PlannedRun run, const PlanSettings& settings, PlanParameter parameter, double epsilon) {
  require_cost(epsilon, "epsilon");
  require(parameter != PlanParameter::teacher_weights,
          "weights of teachers are looked for with a budget for each group");
  double* noise = noise_of(run, parameter);
  if (parameter == PlanParameter::queries) run.queries = 1;
  if (parameter == PlanParameter::max_answers) run.max_answers = 1;
  if (parameter == PlanParameter::max_refusals) run.max_refusals = 1;
  validate(run);
  Search search(run, settings, epsilon);
  std::string limit;
  if (noise != nullptr) {
    search.smallest(*noise);
    if (*noise == kMaxNoise && !search.keeps()) {
      throw_out_of_reach(parameter, epsilon, settings.delta,
                         fmt::format("with a noise of {:g} votes epsilon is still {}", kMaxNoise,
                                     search.epsilon()));
    }
    if (*noise == kMinNoise) limit = "the smallest noise there is keeps the target";
  } else {
    const bool queries = parameter == PlanParameter::queries;
    const std::int64_t most = queries ? kMaxPlannedQueries : run.queries;
    const bool refusals = parameter == PlanParameter::max_refusals;
    std::int64_t& count = queries ? run.queries : refusals ? *run.max_refusals : *run.max_answers;
    search.largest(count, most);
    if (count == 0) {
      count = 1;
      throw_out_of_reach(
          parameter, epsilon, settings.delta,
          fmt::format("{} costs {} already",
                      queries    ? "one query"
                      : refusals ? "one refusal"
                                 : fmt::format("one answer to {} queries", run.queries),
                      search.epsilon()));
    }
    if (count == most) {
      limit = queries    ? "as many queries as a plan can have keep the target"
              : refusals ? "every query may be refused"
                         : "every query may be answered";
    }
  }
  Plan result = plan(run, settings);
  const double value = noise != nullptr                      ? *noise
                       : parameter == PlanParameter::queries ? static_cast<double>(run.queries)
                       : parameter == PlanParameter::max_refusals
                           ? static_cast<double>(*run.max_refusals)
                           : static_cast<double>(*run.max_answers);
  result.solved = Solved{parameter, value, epsilon};
  if (!limit.empty()) {
    result.notices.push_back({"solved_at_limit", fmt::format("{}: {}", name(parameter), limit)});
  }
  return result;
}

Guarantee guarantee_of(const Plan& plan) {
  Guarantee result = guarantee_of(plan.costs[plan.headline],
                                  plan.steps.has_checks() ? "the answers and refusals of such a run"
                                                          : "the answers of such a run");
  protect(result, plan.steps.neighbours);
  assume_samples(result, plan.steps);
  if (has_weights(plan)) assume_weights(result);
  return result;
}

}  // namespace pate
