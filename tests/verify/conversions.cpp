#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "pate/accounting/account.hpp"
#include "pate/accounting/planning/plan.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "support/votes.hpp"
#include "verify/cases.hpp"

// Compositions, plans and calibrations, and runs from votes to epsilon.

namespace verify {

namespace {

/// log delta(epsilon) of a Gaussian mechanism.
Real log_gaussian_delta(const Real& mu, const Real& epsilon) {
  return log(above<Real>(epsilon / mu - mu / 2) -
             exp(epsilon) * above<Real>(epsilon / mu + mu / 2));
}

// epsilon must keep delta, and (1 - 1e-9) of it must not. `delta_of` gives logarithms.
template <class LogDelta>
void smallest(Case& c, const char* what, double epsilon, double delta,
              const LogDelta& log_delta_of) {
  const Real target = log(Real(delta));
  const bool keeps =
      epsilon == 0.0 ? log_delta_of(Real(0)) <= target : log_delta_of(Real(epsilon)) <= target;
  c.require(what, keeps);
  if (epsilon > 0.0) {
    c.require("it is the smallest", log_delta_of(Real(epsilon) * (1 - Real(1e-9))) > target);
  }
}

void gaussian(Draw& draw, Case& c) {
  const double mu = draw.scale(1e-6, 1e3);
  const double delta = draw.delta();
  c.input("mu", mu);
  c.input("delta", delta);
  const double epsilon = pate::gaussian_dp_epsilon(mu, delta);
  c.input("epsilon", epsilon);
  smallest(c, "gaussian keeps delta", epsilon, delta,
           [&](const Real& e) { return log_gaussian_delta(mu, e); });
}

void pure(Draw& draw, Case& c) {
  const double step = draw.scale(1e-5, 20.0);
  const std::int64_t steps = draw.integer(1, 300);
  const double delta = draw.delta();
  c.input("step", step);
  c.input("steps", static_cast<double>(steps));
  c.input("delta", delta);
  const double epsilon = pate::composed_pure_dp_epsilon(step, steps, delta);
  c.input("epsilon", epsilon);
  const Real s = step;
  smallest(c, "composition keeps delta", epsilon, delta, [&](const Real& e) {
    // i of the steps went against the likelier answer.
    const Real ratio = exp(-s);
    Real term = exp(steps * -log1p(ratio));  // C(k,i) e^((k-i)s) / (1+e^s)^k
    Real sum = 0;
    for (std::int64_t i = 0; i <= steps; ++i) {
      const Real loss = (steps - 2 * i) * s;
      if (!(loss > e)) break;
      sum += term * -expm1(e - loss);
      term *= ratio * Real(steps - i) / Real(i + 1);
    }
    return sum > 0 ? Real(log(sum)) : Real(-1e30);
  });
}

// The parts of a plan that are not RDP at one order, each against its formula.
void compare_entry(Case& c, const pate::CostEntry& entry, const pate::PlannedRun& run) {
  const Real k = static_cast<double>(run.answers());
  const Real n = static_cast<double>(run.queries);
  const auto rdp = [&](const Real& order) {
    Real sum = 0;
    if (run.sigma2) sum += k * gaussian_cost(*run.sigma2, order);
    if (run.laplace_scale) sum += k * laplace_cost(1 / Real(*run.laplace_scale), order);
    if (run.sigma1) sum += n * order / (2 * square(Real(*run.sigma1)));
    return sum;
  };
  const std::string_view what = pate::name(entry.conversion);
  if (what == "optimal") {
    if (entry.order) {
      const Real order = *entry.order;
      c.optimal("plan optimal", entry.epsilon, rdp(order), order, entry.delta);
    }
  } else if (what == "improved" || what == "classic") {
    if (!entry.order) return;
    const Real order = *entry.order;
    const Real log_delta = log(Real(entry.delta));
    const Real by_rdp = rdp(order);
    const Real added =
        what == "classic" ? Real(-log_delta / (order - 1))
                          : Real(log((order - 1) / order) - (log_delta + log(order)) / (order - 1));
    c.converted(what == "classic" ? "plan classic" : "plan improved", entry.epsilon, by_rdp, added);
    if (what == "classic" && run.sigma2) {
      // Its best order is known: rdp is linear.
      const Real slope = rdp(Real(1));
      const Real best = 1 + sqrt(-log_delta / slope);
      if (best > 1.02 && best < 9000) {
        c.cost("plan at its best order", entry.epsilon, slope + 2 * sqrt(-log_delta * slope));
      }
    }
  } else if (what == "gdp") {
    Real mu2 = k * 2 / square(Real(*run.sigma2));
    if (run.sigma1) mu2 += n / square(Real(*run.sigma1));
    smallest(c, "plan gdp keeps delta", entry.epsilon, entry.delta,
             [&](const Real& e) { return log_gaussian_delta(sqrt(mu2), e); });
  } else if (what == "pure") {
    c.cost("plan pure", entry.epsilon, k * 2 / Real(*run.laplace_scale));
  } else if (what == "moments") {
    Real best = 1e300;
    for (int l = 1; l <= 8; ++l) {
      const Real g = 1 / Real(*run.laplace_scale);
      best = std::min(best, Real((2 * g * g * k * l * (l + 1) - log(Real(entry.delta))) / l));
    }
    // S17's moments are at most 2 gamma a query, too.
    c.require("plan moments is not above", Real(entry.epsilon) <= best * (1 + Real(1e-9)));
  } else if (what == "strong") {
    const Real g = 1 / Real(*run.laplace_scale);
    c.cost("plan strong", entry.epsilon,
           4 * k * g * g + 2 * g * sqrt(-2 * k * log(Real(entry.delta))));
  }
}

pate::PlannedRun planned(Draw& draw, Case& c) {
  pate::PlannedRun run;
  run.queries = static_cast<std::int64_t>(draw.scale(1.0, 1e6));
  const double noise = draw.chance(0.5)
                           ? draw.scale(1e-3, 1e6)
                           : draw.scale(1.0, 100.0) * std::sqrt(static_cast<double>(run.queries));
  if (draw.chance(0.3)) {
    run.laplace_scale = std::min(noise, 1e6);
    run.queries = std::min<std::int64_t>(run.queries, 2000);
    c.input("scale", *run.laplace_scale);
  } else {
    run.sigma2 = std::min(noise, 1e6);
    c.input("sigma2", *run.sigma2);
    if (draw.chance(0.5)) {
      run.sigma1 = std::min(noise * draw.scale(0.3, 10.0), 1e6);
      c.input("sigma1", *run.sigma1);
      if (draw.chance(0.5)) run.max_answers = draw.integer(1, run.queries);
    }
  }
  c.input("queries", static_cast<double>(run.queries));
  if (run.max_answers) c.input("max_answers", static_cast<double>(*run.max_answers));
  return run;
}

void plans(Draw& draw, Case& c) {
  const pate::PlannedRun run = planned(draw, c);
  pate::PlanSettings settings;
  settings.delta = draw.delta();
  c.input("delta", settings.delta);
  const pate::Plan plan = pate::plan(run, settings);
  for (const pate::CostEntry& entry : plan.costs) compare_entry(c, entry, run);
}

void calibrations(Draw& draw, Case& c) {
  pate::PlannedRun run = planned(draw, c);
  pate::PlanSettings settings;
  settings.delta = draw.delta();
  const double target = draw.scale(1e-3, 50.0);
  c.input("delta", settings.delta);
  c.input("target", target);
  pate::PlanParameter parameter =
      run.sigma2 ? pate::PlanParameter::sigma2 : pate::PlanParameter::laplace_scale;
  // The noise of the check alone may leave nothing.
  if (run.sigma1) run.sigma1 = 1e8;
  const pate::Plan solved = pate::solve(run, settings, parameter, target);
  const double value = solved.solved->value;
  c.input("value", value);
  const pate::CostEntry& headline = solved.costs[solved.headline];
  c.require("the target is kept", headline.epsilon <= target);
  compare_entry(c, headline, solved.run);
  if (!run.sigma2 || pate::name(headline.conversion) != "gdp") return;
  const auto log_delta_with = [&](const Real& sigma) {
    Real mu2 = Real(static_cast<double>(run.answers())) * 2 / (sigma * sigma);
    if (run.sigma1) mu2 += Real(static_cast<double>(run.queries)) / square(Real(*run.sigma1));
    return log_gaussian_delta(sqrt(mu2), Real(target));
  };
  c.require("the noise is enough", log_delta_with(Real(value)) <= log(Real(settings.delta)));
  c.require("less noise is not",
            log_delta_with(Real(value) * (1 - Real(3e-9))) > log(Real(settings.delta)));
}

// The other parameters a plan can be solved for: a plan with some value is made, and more than it
// costs is asked for.
void other_calibrations(Draw& draw, Case& c) {
  pate::PlannedRun run;
  run.queries = static_cast<std::int64_t>(draw.scale(2.0, 1e5));
  pate::PlanSettings settings;
  settings.delta = draw.delta();
  const std::int64_t kind = draw.integer(0, 3);
  const double size = std::sqrt(static_cast<double>(run.queries));
  if (kind == 3) {
    run.ptr_sigma = draw.scale(0.1, 100.0) * size;
    run.ptr_delta =
        std::max(settings.delta * draw.scale(1e-6, 0.5) / static_cast<double>(run.queries), 1e-305);
    if (!(*run.ptr_delta >= 1e-100)) return;  // of a test there is none smaller
    c.input("ptr_delta", *run.ptr_delta);
    c.input("ptr_sigma", *run.ptr_sigma);
  } else {
    run.sigma2 = draw.scale(0.1, 100.0) * size;
    run.sigma1 = *run.sigma2 * draw.scale(0.3, 10.0);
    if (kind == 2 || draw.chance(0.3)) run.max_answers = draw.integer(1, run.queries);
    c.input("sigma2", *run.sigma2);
    c.input("sigma1", *run.sigma1);
    if (run.max_answers) c.input("max_answers", static_cast<double>(*run.max_answers));
  }
  c.input("queries", static_cast<double>(run.queries));
  c.input("delta", settings.delta);
  const pate::Plan known = pate::plan(run, settings);
  const double target = known.costs[known.headline].epsilon * draw.between(1.0, 1.5);
  c.input("target", target);
  using enum pate::PlanParameter;
  const pate::PlanParameter parameter =
      std::array{sigma1, queries, max_answers, ptr_sigma}[static_cast<std::size_t>(kind)];
  const pate::Plan solved = pate::solve(run, settings, parameter, target);
  const double value = solved.solved->value;
  c.input("value", value);
  c.require("the target is kept", solved.costs[solved.headline].epsilon <= target);
  // log delta at the target, with this value instead.
  const auto keeps = [&](const Real& with, const Real& at) {
    Real n = static_cast<double>(run.queries);
    if (kind == 3) {
      const Real left = Real(settings.delta) - n * Real(*run.ptr_delta);
      return log_gaussian_delta(sqrt(n) / with, at) <= log(left);
    }
    if (kind == 1) n = with;
    Real k = run.max_answers ? std::min(Real(static_cast<double>(*run.max_answers)), n) : n;
    if (kind == 2) k = with;
    const Real mu2 =
        k * 2 / square(Real(*run.sigma2)) + n / square(kind == 0 ? with : Real(*run.sigma1));
    return log_gaussian_delta(sqrt(mu2), at) <= log(Real(settings.delta));
  };
  c.require("the value keeps delta", keeps(value, target));
  if (pate::name(solved.costs[solved.headline].conversion) != "gdp") return;
  const Real less = Real(target) * (1 - Real(2e-9));
  if (kind == 0 || kind == 3) {
    // The noise of the maximum may leave the check next to nothing.
    if (!keeps(Real(value) * (1 - Real(3e-9)), less)) return;
    c.require("less noise is not enough",
              value <= 1e-3 || !keeps(Real(value) * (1 - Real(3e-9)), Real(target)));
    return;
  }
  const double most =
      kind == 1 ? static_cast<double>(pate::kMaxPlannedQueries) : static_cast<double>(run.queries);
  c.require("no more would do", value >= most || !keeps(Real(value + 1), less));
}

void stability_tests(Draw& draw, Case& c) {
  const double parameter = draw.sigma();
  const double delta = draw.scale(1e-100, 0.1);
  c.input("parameter", parameter);
  c.input("delta", delta);
  const Real d = delta;
  c.cost("Laplace threshold", pate::StabilityTest::with_laplace(parameter, delta).threshold(),
         -log(2 * d) / parameter, 1e-12);
  c.cost("Gaussian threshold", pate::StabilityTest::with_gaussian(parameter, delta).threshold(),
         Real(parameter) * quantile_above<Real>(log(d)), 1e-12);
  // The sparse form: two noises of which one has half the scale, and rounds of that epsilon.
  const auto sparse = pate::StabilityTest::sparse(parameter, delta, 1);
  c.cost("sparse threshold", sparse.threshold(),
         4 / Real(parameter) * log((2 + sqrt(4 - 6 * d)) / (6 * d)), 1e-12);
  const auto v =
      static_cast<std::int64_t>(std::min(draw.between(0.0, 2.0) * sparse.threshold(), 1e15));
  c.input("v", static_cast<double>(v));
  const Real by = (Real(sparse.threshold()) - v) / Real(sparse.scale());
  const Real less = -abs(by) + log((4 - exp(-abs(by))) / 6);
  c.near("sparse answered", pate::log_answered(sparse, v), by > 0 ? less : log_rest(less), 1e-12);
  c.near("sparse refused", pate::log_refused(sparse, v), by > 0 ? log_rest(less) : less, 1e-12);
  const auto gaussian = pate::StabilityTest::sparse_gaussian(parameter, delta, 1, 1);
  c.cost("sparse Gaussian threshold", gaussian.threshold(),
         Real(parameter) * sqrt(Real(3) / 2) * quantile_above<Real>(log(d)), 1e-12);
  const double order = draw.order();
  c.input("order", order);
  const Real e = parameter;
  const Real o = order;
  c.cost("sparse round", pate::pure_dp_cost(parameter, order),
         cost_of(Real(expm1((o - 1) * e) * -expm1(-o * e) / (1 + exp(-e))), o));
}

// What a query costs by its counts, under a bound and in a reading.
Real query_cost(const pate::Aggregator& aggregator, const pate_test::Histogram& counts,
                pate::Bound bound, pate::GuaranteeKind reading, bool was_answered,
                const Real& order) {
  const double noise = aggregator.noisy_max.parameter();
  const bool gaussian = aggregator.noisy_max.is_gaussian();
  const Real q = log_union(aggregator.noisy_max, counts);
  const Real cap = gaussian ? gaussian_cost(noise, order) : laplace_cost(1 / Real(noise), order);
  const bool tradeoff = bound == pate::Bound::tradeoff;
  Both x;
  Real maximum;
  if (tradeoff) {
    x = gaussian ? gaussian_tradeoff(q, sqrt(Real(2)) / noise, order)
                 : laplace_tradeoff(q, 1 / Real(noise), order);
    maximum = std::min(cost_of(x.larger(), order), cap);
  } else {
    maximum = gaussian ? published_gaussian(q, noise, order)
                       : published_laplace(q, 1 / Real(noise), order);
  }
  if (!aggregator.selection) return maximum;
  const pate::ThresholdCheck& check = *aggregator.selection;
  const std::int64_t teachers = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const std::int64_t v = *std::max_element(counts.begin(), counts.end());
  const Answers here = answers(check, v);
  const Real check_cap = order / (2 * square(Real(check.sigma1)));
  Both joint;
  Real selection = 0;
  for (std::int64_t w = std::max<std::int64_t>(v - 1, 0); w <= std::min(v + 1, teachers); ++w) {
    const Answers there = answers(check, w);
    const Real forward =
        bernoulli_excess(here.log_p, here.log_not, there.log_p, there.log_not, order);
    const Real reverse =
        bernoulli_excess(there.log_p, there.log_not, here.log_p, here.log_not, order);
    selection = std::max({selection, forward, reverse});
    joint.forward =
        std::max(joint.forward,
                 Real(forward + x.forward * exp(order * here.log_p + (1 - order) * there.log_p)));
    joint.reverse =
        std::max(joint.reverse,
                 Real(reverse + x.reverse * exp(order * there.log_p + (1 - order) * here.log_p)));
  }
  if (reading == pate::GuaranteeKind::joint) {
    return std::min(cost_of(joint.larger(), order), Real(cap + check_cap));
  }
  const Real of_check = tradeoff ? std::min(cost_of(selection, order), check_cap)
                                 : published_gaussian(std::min(here.log_p, here.log_not),
                                                      sqrt(Real(2)) * Real(check.sigma1), order);
  if (reading == pate::GuaranteeKind::realized) return was_answered ? of_check + maximum : of_check;
  return of_check + exp(here.log_p) * maximum;
}

const char* name_of(const pate::CostEntry& entry) {
  const bool tradeoff = entry.bound == pate::Bound::tradeoff;
  if (entry.reading == pate::GuaranteeKind::joint) return "run";
  if (entry.reading == pate::GuaranteeKind::realized) {
    return tradeoff ? "run, realized" : "published run, realized";
  }
  return tradeoff ? "run, expected" : "published run, expected";
}

// From votes to epsilon: a few queries, every reading of the trade-off bound and the published one,
// at the order the account found.
void runs(Draw& draw, Case& c) {
  const std::int64_t teachers = std::max<std::int64_t>(draw.teachers(), 2);
  const std::int64_t classes = std::min<std::int64_t>(draw.classes(), 50);
  std::vector<pate_test::Histogram> queries;
  for (std::int64_t i = draw.integer(1, 3); i > 0; --i) {
    queries.push_back(draw.counts(teachers, classes));
    c.input("counts", queries.back());
  }
  const auto m = static_cast<double>(teachers);
  pate::Aggregator aggregator;
  const double noise =
      std::clamp(draw.chance(0.3) ? draw.sigma() : draw.scale(0.02, 0.5) * m, 1e-3, 1e6);
  if (draw.chance(0.25)) {
    aggregator.noisy_max = pate::LaplaceNoisyMax{noise};
  } else {
    aggregator.noisy_max = pate::GaussianNoisyMax{noise};
    if (draw.chance(0.6))
      aggregator.selection = {draw.between(0.0, 1.2) * m,
                              std::min(noise * draw.scale(0.5, 5.0), 1e6)};
  }
  c.input("noise", noise);
  c.input("laplace", aggregator.noisy_max.is_gaussian() ? 0 : 1);
  if (aggregator.selection) {
    c.input("threshold", aggregator.selection->threshold);
    c.input("sigma1", aggregator.selection->sigma1);
  }
  const pate_test::HistogramVotes votes(queries);
  std::optional<std::vector<std::uint8_t>> decisions;
  if (aggregator.selection && draw.chance(0.5)) {
    decisions.emplace();
    for (std::size_t i = 0; i < queries.size(); ++i) {
      decisions->push_back(draw.chance(0.5) ? 1 : 0);
      c.input("answered", decisions->back());
    }
  }
  pate::AccountSettings settings;
  settings.delta = draw.scale(1e-30, 1e-2);
  settings.threads = 1;
  c.input("delta", settings.delta);
  const pate::Run run{
      votes, pate::RowSelection::all(votes.queries()), aggregator, {}, nullptr, decisions, {}};
  const pate::Account account = pate::account(run, settings);
  for (const pate::CostEntry& entry : account.costs) {
    if (!entry.order || !entry.data_dependent) continue;
    const Real order = *entry.order;
    Real sum = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const bool was_answered = !decisions || (*decisions)[i] != 0;
      sum += query_cost(aggregator, queries[i], entry.bound, entry.reading, was_answered, order);
    }
    if (entry.conversion == pate::EpsilonMethod::optimal) {
      c.optimal("run optimal", entry.epsilon, sum, order, entry.delta);
      continue;
    }
    const Real log_delta = log(Real(entry.delta));
    const bool classic = entry.conversion == pate::EpsilonMethod::classic;
    c.converted(name_of(entry), entry.epsilon, sum,
                classic ? Real(-log_delta / (order - 1))
                        : Real(log((order - 1) / order) - (log_delta + log(order)) / (order - 1)));
  }
}

}  // namespace

std::vector<Kind> conversion_kinds() {
  return {{"gaussian composition", 1, gaussian},
          {"pure composition", 1, pure},
          {"plans", 1, plans},
          {"calibrations", 1, calibrations},
          {"other calibrations", 1, other_calibrations},
          {"stability tests", 1, stability_tests},
          {"runs", 2, runs}};
}

}  // namespace verify
