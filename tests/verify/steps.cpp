#include <algorithm>
#include <numbers>

#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "verify/cases.hpp"

// Costs of one step and of one query, q, and conversions.

namespace verify {

namespace {

void independent(Draw& draw, Case& c) {
  const double sigma = draw.sigma();
  const double order = draw.order();
  c.input("sigma", sigma);
  c.input("order", order);
  const Real s = sigma;
  const Real o = order;
  c.cost("GNMax", pate::data_independent_cost(pate::GaussianNoisyMax{sigma}, order),
         gaussian_cost(s, o));
  c.cost("LNMax", pate::data_independent_cost(pate::LaplaceNoisyMax{sigma}, order),
         laplace_cost(1 / s, o));
  c.cost("check", pate::threshold_data_independent(sigma, order), o / (2 * s * s));
  c.cost("Laplace check", pate::laplace_check_cost(sigma, order), laplace_cost(1 / s, o) / 2);
  c.cost("one Laplace", pate::data_independent_cost(pate::OneLaplaceNoise{sigma}, order),
         one_laplace_cost(s, o));
}

}  // namespace

Real log_union(const pate::NoisyMax& noise, std::span<const std::int32_t> counts) {
  std::vector<std::int32_t> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  Real sum = 0;
  Real term = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (i == 1 || sorted[i] != sorted[i - 1]) {
      const Real gap = sorted[0] - sorted[i];
      const Real by = noise.parameter();
      term = noise.is_gaussian() ? above<Real>(gap / (sqrt(Real(2)) * by))
                                 : Real((2 + gap / by) / 4 * exp(-gap / by));
    }
    sum += term;
  }
  const Real cap = 1 - 1 / Real(static_cast<double>(counts.size()));
  return log(sum < cap ? sum : cap);
}

namespace {

pate::NoisyMax any_noise(Draw& draw, double parameter) {
  if (draw.chance(0.5)) return {pate::GaussianNoisyMax{parameter}};
  return {pate::LaplaceNoisyMax{parameter}};
}

void compare_bounds(Case& c, const pate::NoisyMax& noise, double log_q, const Real& exact_log_q,
                    double order) {
  const Real o = order;
  const Real by = noise.parameter();
  const bool gaussian = noise.is_gaussian();
  const Both excess = gaussian ? gaussian_tradeoff(exact_log_q, sqrt(Real(2)) / by, o)
                               : laplace_tradeoff(exact_log_q, 1 / by, o);
  const Real cap = gaussian ? gaussian_cost(by, o) : laplace_cost(1 / by, o);
  const pate::BothDirections ours = pate::tradeoff_cost({noise, {}}, log_q, order);
  c.cost("tradeoff forward", ours.forward, std::min(cost_of(excess.forward, o), cap));
  c.cost("tradeoff reverse", ours.reverse, std::min(cost_of(excess.reverse, o), cap));
  // Theorem 6 near the end of its domain hangs on more digits of q than its logarithm has: as it
  // is.
  const Real q_as_it_is = log_q;
  c.cost(
      "published", pate::published_cost({noise, {}}, log_q, order),
      gaussian ? published_gaussian(q_as_it_is, by, o) : published_laplace(q_as_it_is, 1 / by, o));
}

void bounds_at_q(Draw& draw, Case& c) {
  const pate::NoisyMax noise = any_noise(draw, draw.sigma());
  const double log_q = draw.log_q();
  const double order = draw.order();
  c.input(noise.is_gaussian() ? "sigma" : "scale", noise.parameter());
  c.input("log_q", log_q);
  c.input("order", order);
  compare_bounds(c, noise, log_q, Real(log_q), order);
}

void bounds_of_votes(Draw& draw, Case& c) {
  const std::vector<std::int32_t> counts = draw.counts(draw.teachers(), draw.classes());
  const std::int32_t top = *std::max_element(counts.begin(), counts.end());
  // Noise of the order of the gaps, or any.
  const double parameter = draw.chance(0.5) ? draw.sigma() : draw.scale(1e-3, 1.0) * (top + 1);
  const pate::NoisyMax noise = any_noise(draw, std::clamp(parameter, 1e-3, 1e6));
  const double order = draw.order();
  c.input(noise.is_gaussian() ? "sigma" : "scale", noise.parameter());
  c.input("order", order);
  c.input("counts", counts);
  const Real exact = log_union(noise, counts);
  const double log_q = pate::log_q(noise, counts);
  c.near("log q", log_q, exact, 1e-12);
  if (exact < -1e5) return;  // beyond the domain
  compare_bounds(c, noise, log_q, exact, order);
}

}  // namespace

Answers answers(const pate::ThresholdCheck& check, std::int64_t v) {
  const Real by = (Real(check.threshold) - v) / Real(check.sigma1);
  return {log_above(by), log_above(Real(-by))};
}

Answers answers(const pate::StabilityTest& test, std::int64_t v) {
  const Real by = (Real(test.threshold()) - v) / Real(test.scale());
  const Real less = -log(Real(2)) - abs(by);
  return by > 0 ? Answers{less, log_rest(less)} : Answers{log_rest(less), less};
}

namespace {

// A check with Gaussian noise, or a stability test with Laplace noise, whose threshold is at least
// that of the largest delta.
pate::AnswerRule rule_of(bool laplace, double threshold, double scale) {
  if (!laplace) return pate::ThresholdCheck{threshold, scale};
  return pate::StabilityTest(pate::TestNoise::laplace, std::max(threshold, 1.61 * scale), scale,
                             pate::kMaxTestDelta);
}

void query_with_check(Draw& draw, Case& c) {
  const std::int64_t teachers = draw.teachers();
  const double sigma1 = draw.sigma();
  const std::int64_t v = draw.integer(0, teachers);
  // Often near v, where both answers are possible.
  const double threshold = draw.chance(0.5)
                               ? draw.between(0.0, 1.5 * static_cast<double>(teachers))
                               : static_cast<double>(v) + draw.between(-5.0, 5.0) * sigma1;
  const bool laplace = draw.chance(0.2);
  const pate::AnswerRule rule = rule_of(laplace, threshold, sigma1);
  const pate::NoisyMax noise = {pate::GaussianNoisyMax{draw.sigma()}};
  const double log_q = draw.log_q();
  const double order = draw.order();
  c.input("teachers", static_cast<double>(teachers));
  c.input("v", static_cast<double>(v));
  c.input("threshold", threshold);
  c.input("sigma1", sigma1);
  c.input("laplace", laplace ? 1 : 0);
  c.input("sigma2", noise.parameter());
  c.input("log_q", log_q);
  c.input("order", order);
  const auto answers_at = [&](std::int64_t at) {
    return std::visit([at](const auto& of) { return answers(of, at); }, rule);
  };
  const Answers here = answers_at(v);
  c.near("log answered", pate::log_answered(rule, v), here.log_p, 1e-12);
  c.near("log refused", pate::log_refused(rule, v), here.log_not, 1e-12);

  const Real o = order;
  const Real cap =
      laplace ? Real(laplace_cost(1 / Real(sigma1), o) / 2) : Real(o / (2 * square(Real(sigma1))));
  const Both x = gaussian_tradeoff(Real(log_q), sqrt(Real(2)) / Real(noise.parameter()), o);
  Real selection = 0;
  Both joint;
  for (std::int64_t w = std::max<std::int64_t>(v - 1, 0); w <= std::min(v + 1, teachers); ++w) {
    const Answers there = answers_at(w);
    const Real forward = bernoulli_excess(here.log_p, here.log_not, there.log_p, there.log_not, o);
    const Real reverse = bernoulli_excess(there.log_p, there.log_not, here.log_p, here.log_not, o);
    selection = std::max({selection, forward, reverse});
    joint.forward = std::max(
        joint.forward, Real(forward + x.forward * exp(o * here.log_p + (1 - o) * there.log_p)));
    joint.reverse = std::max(
        joint.reverse, Real(reverse + x.reverse * exp(o * there.log_p + (1 - o) * here.log_p)));
  }
  const pate::AnswerTable ladder(rule, {}, v, v, teachers);
  const double noisy_max_cap = pate::data_independent_cost({noise, {}}, order);
  const pate::JointCost cost(ladder, order, noisy_max_cap);
  c.cost("check", cost.selection_cost(v), std::min(cost_of(selection, o), cap));
  const Real joint_cap = cap + gaussian_cost(Real(noise.parameter()), o);
  const pate::BothDirections excess = pate::tradeoff_log_excess({noise, {}}, log_q, order);
  const pate::BothDirections ours = cost.costs(v, excess);
  c.cost("joint forward", ours.forward, std::min(cost_of(joint.forward, o), joint_cap));
  c.cost("joint reverse", ours.reverse, std::min(cost_of(joint.reverse, o), joint_cap));
  c.cost("joint", cost.cost(v, excess), std::min(cost_of(joint.larger(), o), joint_cap));
  if (laplace) return;
  const double less = std::min(pate::log_answered(rule, v), pate::log_refused(rule, v));
  const Real log_less = std::min(here.log_p, here.log_not);
  if (log_less > -1e5) {
    c.cost("check as published", pate::threshold_published(less, sigma1, order),
           published_gaussian(log_less, sqrt(Real(2)) * Real(sigma1), o));
  }
}

void conversions(Draw& draw, Case& c) {
  const double order = draw.order();
  const double delta = draw.delta();
  const double rdp = draw.chance(0.1) ? 0.0 : draw.scale(1e-12, 1e6);
  c.input("order", order);
  c.input("delta", delta);
  c.input("rdp", rdp);
  const Real o = order;
  const Real classic = Real(rdp) + log(1 / Real(delta)) / (o - 1);
  const Real improved = Real(rdp) + log((o - 1) / o) - (log(Real(delta)) + log(o)) / (o - 1);
  c.cost("classic", pate::epsilon_from_rdp(pate::Conversion::classic, rdp, order, delta), classic);
  const double ours = pate::epsilon_from_rdp(pate::Conversion::improved, rdp, order, delta);
  // Not clamped at 0; what it adds is a sum of three, and rounded as these are.
  const Real size = Real(rdp) + abs(log(o)) + abs(log(Real(delta))) / (o - 1);
  c.require("improved is not below", Real(ours) >= improved);
  c.require("improved is not above", Real(ours) <= improved + size * Real(1e-14));
  c.optimal("optimal", pate::epsilon_from_rdp(pate::Conversion::optimal, rdp, order, delta), rdp, o,
            delta);
}

}  // namespace

std::vector<Kind> step_kinds() {
  return {{"independent", 1, independent},
          {"bounds at q", 4, bounds_at_q},
          {"bounds of votes", 6, bounds_of_votes},
          {"query with check", 4, query_with_check},
          {"conversions", 1, conversions}};
}

}  // namespace verify
