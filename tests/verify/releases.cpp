#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "pate/release/curve/public_curve.hpp"
#include "pate/release/sensitivity/local_sensitivity.hpp"
#include "pate/release/sensitivity/neighbour_q.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/studies/darrm/noise_functions.hpp"
#include "pate/studies/darrm/vote_distribution.hpp"
#include "pate/studies/darrm/worst_case.hpp"
#include "pate/studies/immutable_argmax/constant_added.hpp"
#include "support/votes.hpp"
#include "verify/cases.hpp"

// What a released epsilon costs, sensitivities, and the mechanisms of other papers.

namespace verify {

namespace {

void release_costs(Draw& draw, Case& c) {
  const double order = 1.0 + draw.scale(1e-4, 1e5);
  const double beta = pate::largest_beta(order) * draw.between(0.001, 0.99);
  const double sigma = draw.sigma();
  const double k = draw.chance(0.2) ? 0.0 : draw.scale(0.01, 40.0);
  c.input("order", order);
  c.input("beta", beta);
  c.input("sigma", sigma);
  c.input("k", k);
  const Real o = order;
  const Real s = sigma;
  const auto divergence = [&](const Real& log_x) {
    const Real x = exp(log_x);
    const Real y = o - (o - 1) * x * x;
    const Real mean = (x < 1 ? x : Real(1)) + k * s * abs(x - 1);
    return o * mean * mean / (2 * s * s * y) - log_x - log(y) / (2 * (o - 1));
  };
  const double cost = pate::release_cost(order, beta, sigma, k);
  c.cost("release cost", cost, divergence(Real(beta)));
  c.require("no other ratio costs more",
            Real(cost) >= divergence(Real(beta * draw.between(-1, 1))));
}

void neighbour_bounds(Draw& draw, Case& c) {
  const std::int64_t classes = draw.classes();
  const double cap = std::log1p(-1.0 / static_cast<double>(classes));
  const double log_q = std::min(draw.log_q(), cap);
  const double sigma = draw.sigma();
  c.input("classes", static_cast<double>(classes));
  c.input("log_q", log_q);
  c.input("noise", sigma);
  const Real q = exp(Real(log_q));
  const Real real_cap = 1 - 1 / Real(static_cast<double>(classes));
  const Real ulp = 2e-16;  // of the cap's logarithm
  const auto compare = [&](const pate::NeighbourQ& ours, const Real& upper, const Real& lower) {
    const Real up = log(std::min(upper, real_cap));
    const Real low = log(lower);
    c.require("B_U is not below", Real(ours.log_upper) >= up - ulp);
    c.require("B_L is not above", Real(ours.log_lower) <= low);
    c.require("B_U is near", Real(ours.log_upper) - up <= 1e-12 * (1 - up - Real(log_q)));
    c.require("B_L is near", low - Real(ours.log_lower) <= 1e-12 * (1 - low - Real(log_q)));
  };
  const Real gamma = 1 / Real(sigma);
  compare(pate::neighbour_q(pate::LaplaceNoisyMax{sigma}, log_q, classes), q * exp(2 * gamma),
          q * exp(-2 * gamma));
  // The class of the vote that moves has mass a, the others b each, a + (m-2) b = q, none above
  // 1/2.
  const Real mu = sqrt(Real(2)) / sigma;
  const Real others = static_cast<double>(classes - 2);
  const auto moved = [&](const Real& a, int sign) {
    const Real b = classes == 2 ? Real(0) : Real((q - a) / others);
    Real sum = a > 0 ? above<Real>(quantile_above<Real>(log(a)) - sign * mu) : Real(0);
    if (b > 0) sum += others * above<Real>(quantile_above<Real>(log(b)) - sign * mu / 2);
    return sum;
  };
  const pate::NeighbourQ ours = pate::neighbour_q(pate::GaussianNoisyMax{sigma}, log_q, classes);
  if (classes == 2) {
    compare(ours, moved(q, 1), moved(q, -1));
    return;
  }
  // Any split is below the upper end and above the lower.
  const Real half = 0.5;
  const Real most = std::min(q, half);
  const Real least = std::max(Real(q - others / 2), Real(0));
  const double part = draw.chance(0.5) ? draw.unit() : draw.scale(1e-30, 1.0);
  const Real split = least + (most - least) * part;
  const Real upper = log(std::min(moved(split, 1), real_cap));
  c.require("B_U is above any split", Real(ours.log_upper) >= upper - ulp);
  c.require("B_L is below any split", Real(ours.log_lower) <= log(moved(split, -1)));
}

pate::NoisyMax some_noise(Draw& draw, double noise) {
  if (draw.chance(0.5)) return {pate::GaussianNoisyMax{noise}};
  return {pate::LaplaceNoisyMax{noise}};
}

// All histograms of a small ensemble: no two neighbours within d votes differ by more than LS(d).
void sensitivities(Draw& draw, Case& c) {
  const auto teachers = static_cast<std::int32_t>(draw.integer(2, 6));
  const auto classes = static_cast<std::size_t>(draw.integer(2, 3));
  const double order = 1.0 + draw.scale(0.01, 30.0);
  pate::Aggregator aggregator;
  const double noise = draw.scale(0.3, 10.0);
  aggregator.noisy_max = some_noise(draw, noise);
  if (aggregator.is_gaussian() && draw.chance(0.6)) {
    aggregator.selection = {draw.between(0.0, 1.2 * teachers), draw.scale(0.5, 10.0)};
    c.input("threshold", aggregator.selection->threshold);
    c.input("sigma1", aggregator.selection->sigma1);
  }
  c.input("laplace", aggregator.is_gaussian() ? 0 : 1);
  c.input("noise", noise);
  c.input("order", order);
  const std::vector<pate_test::Histogram> all = pate_test::all_histograms(teachers, classes);
  const Real o = order;
  std::vector<Real> costs;
  for (const pate_test::Histogram& counts : all) {
    const Real q = log_union(aggregator.noisy_max, counts);
    Real x = aggregator.is_gaussian() ? gaussian_tradeoff(q, sqrt(Real(2)) / noise, o).forward
                                      : laplace_tradeoff(q, 1 / Real(noise), o).forward;
    const Real cap =
        aggregator.is_gaussian() ? gaussian_cost(noise, o) : laplace_cost(1 / Real(noise), o);
    x = std::min(x, Real(expm1((o - 1) * cap)));
    if (aggregator.selection) {
      const std::int64_t v = *std::max_element(counts.begin(), counts.end());
      const Answers here = answers(*aggregator.selection, v);
      Real joint = 0;
      for (std::int64_t w = std::max<std::int64_t>(v - 1, 0);
           w <= std::min<std::int64_t>(v + 1, teachers); ++w) {
        const Answers there = answers(*aggregator.selection, w);
        joint = std::max(
            joint, Real(bernoulli_excess(here.log_p, here.log_not, there.log_p, there.log_not, o) +
                        x * exp(o * here.log_p + (1 - o) * there.log_p)));
      }
      x = joint;
    }
    costs.push_back(cost_of(x, o));
  }
  const auto distance = [&](std::size_t a, std::size_t b) {
    int sum = 0;
    for (std::size_t i = 0; i < classes; ++i) sum += std::abs(all[a][i] - all[b][i]);
    return sum / 2;
  };
  const std::size_t at =
      static_cast<std::size_t>(draw.integer(0, static_cast<std::int64_t>(all.size()) - 1));
  c.input("counts", all[at]);
  const pate_test::HistogramVotes votes({all[at]});
  const pate::Run run{votes, pate::RowSelection::all(1), aggregator, {}, nullptr, {}, {}};
  const pate::VoteProfile profile = pate::collect_votes(run);
  const pate::ExcessCurve curve(aggregator.noisy_max, teachers, static_cast<std::int64_t>(classes),
                                order, 1);
  const pate::LocalSensitivity local = pate::tradeoff_local_sensitivity(
      profile, curve, pate::ReleasedCost::joint, pate::GridResolution::coarse(), teachers, 1);
  // The smooth sensitivity: no distance has more, and on a neighbour it is no larger than e^beta
  // times.
  const double beta = draw.scale(1e-3, 3.0);
  c.input("beta", beta);
  const Real smooth = pate::smooth_sensitivity(local, beta).value;
  for (std::size_t b = 0; b < all.size(); ++b) {
    if (distance(at, b) != 1) continue;
    const pate_test::HistogramVotes other({all[b]});
    const pate::Run near{other, pate::RowSelection::all(1), aggregator, {}, nullptr, {}, {}};
    const pate::LocalSensitivity there = pate::tradeoff_local_sensitivity(
        pate::collect_votes(near), curve, pate::ReleasedCost::joint, pate::GridResolution::coarse(),
        teachers, 1);
    c.require("it is smooth", smooth <= exp(Real(beta)) *
                                            Real(pate::smooth_sensitivity(there, beta).value) *
                                            (1 + Real(1e-15)));
    for (std::size_t d = 0; d + 1 < there.at.size(); ++d) {
      c.require("LS(d) is within LS(d + 1) of a neighbour", local.at[d] <= there.at[d + 1]);
    }
  }
  Real largest = 0;
  for (int d = 0; d <= teachers; ++d) {
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (distance(at, a) != d) continue;
      for (std::size_t b = 0; b < all.size(); ++b) {
        if (distance(a, b) == 1) largest = std::max(largest, Real(abs(costs[a] - costs[b])));
      }
    }
    c.require("LS(d) covers all neighbours within d",
              Real(local.at[static_cast<std::size_t>(d)]) >= largest);
    c.require("the smooth sensitivity covers LS(d)",
              smooth * (1 + Real(1e-15)) >= exp(-Real(beta) * d) * largest);
  }
}

// q of votes on the way: d votes moved from the largest count to the second or the other way are
// the ends, any other d moves lie between.
void walks(Draw& draw, Case& c) {
  const std::int64_t teachers = std::max<std::int64_t>(draw.teachers(), 2);
  const std::int64_t classes = std::min<std::int64_t>(draw.classes(), 40);
  const double noise = std::clamp(
      draw.chance(0.3) ? draw.sigma() : draw.scale(0.01, 1.0) * static_cast<double>(teachers), 1e-3,
      1e6);
  const pate::NoisyMax noisy_max = some_noise(draw, noise);
  pate_test::Histogram counts = draw.counts(teachers, classes);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  c.input(noisy_max.is_gaussian() ? "sigma" : "scale", noise);
  c.input("counts", counts);
  const pate::UnionBoundTable table(pate::pair_term(noisy_max), teachers);
  pate::QBoundsByDistance walk(table, counts);
  pate_test::Histogram up = counts;
  pate_test::Histogram down = counts;
  pate_test::Histogram any = counts;
  const Real cap = log1p(-1 / Real(static_cast<double>(classes)));
  const Real ulp = 2e-16;  // of the cap's logarithm
  bool capped = false;
  for (int d = 0; d <= 12; ++d) {
    const Real log_high = capped ? cap : log_union(noisy_max, up);
    const Real log_low = log_union(noisy_max, down);
    if (log_low < -1e5) return;
    const Real slack = Real(1e-11) * (d + 1);
    c.require("q is not above", Real(walk.log_q_high()) >= log_high - ulp);
    c.require("q is not below", Real(walk.log_q_low()) <= log_low);
    c.require("the upper end is near",
              Real(walk.log_q_high()) - log_high <= slack * (1 - log_high));
    c.require("the lower end is near", log_low - Real(walk.log_q_low()) <= slack * (1 - log_low));
    const Real between = log_union(noisy_max, any);
    c.require("any move is between",
              between <= Real(walk.log_q_high()) + ulp && between >= Real(walk.log_q_low()));
    walk.step();
    const auto move = [](pate_test::Histogram& of, std::size_t from, std::size_t to) {
      if (of[from] == 0) return;
      --of[from];
      ++of[to];
      std::sort(of.begin(), of.end(), std::greater<>());
    };
    // Where the two then meet, or cross, every q up to the cap is possible.
    capped = capped || up[0] - up[1] <= 2;
    if (!capped) move(up, 0, 1);
    move(down, 1, 0);
    move(any, static_cast<std::size_t>(draw.integer(0, classes - 1)),
         static_cast<std::size_t>(draw.integer(0, classes - 1)));
  }
}

// Pr[the plurality does not win] where all counts are equal and a constant is added to it.
template <class R>
R failure_at_tie(bool gaussian, const R& shift, std::int64_t classes) {
  if (gaussian) {
    R sum = 0;
    const R mode = -shift / 2;
    for (R z = mode - 16; z <= 16; z += R(0.1)) {
      sum -= density(z) * expm1((classes - 1) * log1p(-above<R>(z + shift))) * R(0.1);
    }
    return sum;
  }
  // It wins: the integral of e^-|z|/2 F(z + shift)^(L-1) over three pieces. In the middle one, with
  // w = 1 - F, it is that of (1 - w)^(L-1) / w^2 times e^-shift / 4, found by rising powers.
  const R least = exp(-shift) / 2;
  const std::int64_t power = classes - 1;
  const R left = exp(-shift) / (classes * pow(R(2), classes));
  const R right = exp(shift) * -expm1(classes * log1p(-least)) / classes;
  R squares = 1 / least - 2;
  R inverses = log(1 / (2 * least));
  R top = 1;
  R half = 1;
  for (std::int64_t n = 1; n <= power; ++n) {
    squares -= inverses;
    top *= 1 - least;
    half /= 2;
    inverses -= (top - half) / n;
  }
  return 1 - (left + squares * exp(-shift) / 4 + right);
}

void constant_added(Draw& draw, Case& c) {
  const double noise = draw.scale(0.1, 1e4);
  const pate::ImmutableArgmax mechanism{some_noise(draw, noise), noise * draw.scale(0.01, 30.0)};
  const bool gaussian = mechanism.noise.is_gaussian();
  c.input(gaussian ? "sigma" : "scale", noise);
  c.input("constant", mechanism.constant);
  const auto log_pair = [&](const Real& gap) {
    const Real g = gap / noise;
    return gaussian ? log_above<Real>(g / sqrt(Real(2))) : Real(log((2 + g) / 4) - g);
  };
  const std::int64_t gap = draw.integer(0, 1000);
  c.input("gap", static_cast<double>(gap));
  c.near("overtakes", pate::log_overtakes(mechanism, gap), log_pair(Real(mechanism.constant) + gap),
         1e-12);
  const pate::BoundaryLoss boundary = pate::boundary_loss(mechanism);
  const Real log_q = log_pair(Real(mechanism.constant) + 1);
  c.near("boundary q", boundary.log_q, log_q, 1e-12);
  c.near("boundary loss", boundary.loss, log_rest(log_q) - log_q, 1e-9);

  const std::int64_t classes = draw.integer(2, 1000);
  const Real failure = failure_at_tie(gaussian, Real(mechanism.constant) / noise, classes);
  // Of the probability, not of its logarithm.
  const Real log_failure = log(failure);
  c.require("failure at a tie",
            abs(Real(pate::log_failure_at_tie(mechanism, classes)) - log_failure) <= Real(1e-9));
  const double tau = draw.scale(1e-100, 0.3);
  c.input("classes", static_cast<double>(classes));
  c.input("tau", tau);
  const double constant = pate::sufficient_constant(mechanism.noise, classes, tau);
  const Real log_tau = log(Real(tau) / (classes - 1));
  c.input("sufficient", constant);
  c.require("the constant is enough", log_pair(Real(constant)) <= log_tau);
  if (constant > 0)
    c.require("less is not", log_pair(Real(constant) * (1 - Real(2e-12))) > log_tau);

  const double epsilon2 = draw.scale(1e-4, 10.0);
  const double delta = draw.scale(1e-100, 0.1);
  c.input("epsilon2", epsilon2);
  c.input("delta", delta);
  const double beta = pate::largest_beta(epsilon2, classes, delta);
  c.input("beta", beta);
  const auto fits = [&](const Real& b) {
    if (b > Real(epsilon2) / classes) return false;
    const Real x = (epsilon2 + classes * b) / expm1(b);
    Real term = exp(-x);  // Pr[Poisson(x) = k]
    Real sum = 0;
    for (std::int64_t k = 0; k < classes; ++k) {
      sum += term;
      term *= x / (k + 1);
    }
    return sum <= Real(delta);
  };
  c.require("beta fits", fits(Real(beta)));
  c.require("more does not", !fits(Real(beta) * (1 + Real(2e-9))));
}

// All multisets of corners of a few teachers.
void majorities(Draw& draw, Case& c) {
  const std::int64_t teachers = draw.integer(1, 6);
  pate::PrivateTeachers of{teachers, draw.scale(1e-3, 3.0),
                           draw.chance(0.5) ? 0.0 : draw.scale(1e-10, 0.1),
                           draw.integer(1, teachers)};
  const pate::AnswerTarget target{draw.scale(1e-2, 3.0),
                                  draw.chance(0.5) ? 0.0 : draw.scale(1e-10, 0.1)};
  std::vector<double> gamma(pate::majority_sizes(teachers));
  const bool monotone = draw.chance(0.5);
  for (double& value : gamma) value = draw.unit();
  if (monotone) std::sort(gamma.begin(), gamma.end());
  c.input("teachers", static_cast<double>(teachers));
  c.input("affected", static_cast<double>(of.affected));
  c.input("epsilon", of.epsilon);
  c.input("delta", of.delta);
  c.input("target", target.epsilon);
  c.input("target delta", target.delta);
  for (const double value : gamma) c.input("gamma", value);
  const Real e = exp(Real(of.epsilon));
  const Real high = (e + Real(of.delta)) / (1 + e);
  const Real d = of.delta;
  std::vector<std::pair<Real, Real>> corners = {{0, 0}, {1, 1}, {high, 1 - high}, {1 - high, high}};
  if (of.delta > 0) corners.insert(corners.end(), {{d, 0}, {0, d}, {1, 1 - d}, {1 - d, 1}});
  const Real growth = exp(Real(target.epsilon));
  Real largest = -1e30;
  std::vector<std::size_t> chosen(static_cast<std::size_t>(teachers), 0);
  const auto mean = [&](bool second) {
    std::vector<Real> law = {1};
    for (const std::size_t corner : chosen) {
      const Real p = second ? corners[corner].second : corners[corner].first;
      std::vector<Real> next(law.size() + 1, Real(0));
      for (std::size_t l = 0; l < law.size(); ++l) {
        next[l] += law[l] * (1 - p);
        next[l + 1] += law[l] * p;
      }
      law = next;
    }
    Real sum = 0;
    for (std::int64_t l = 0; l <= teachers; ++l) {
      if (2 * l == teachers) continue;
      const std::int64_t size = std::max(l, teachers - l) - pate::least_majority(teachers);
      const Real value = gamma[static_cast<std::size_t>(size)];
      sum += law[static_cast<std::size_t>(l)] * (2 * l > teachers ? value : Real(-value));
    }
    return sum;
  };
  const std::function<void(std::size_t, std::size_t, std::int64_t)> all =
      [&](std::size_t i, std::size_t from, std::int64_t moving) {
        if (moving > of.affected) return;
        if (i == chosen.size()) {
          largest = std::max(largest, Real(mean(false) - growth * mean(true)));
          return;
        }
        for (std::size_t k = from; k < corners.size(); ++k) {
          chosen[i] = k;
          all(i + 1, k, moving + (k >= 2 ? 1 : 0));
        }
      };
  all(0, 0, 0);
  const pate::WorstCase worst(of, target, monotone);
  const pate::WorstCase::Certificate certificate = worst.certify(gamma);
  const Real bound = growth - 1 + 2 * Real(target.delta);
  if (worst.corners() != pate::CornerSet::lifted) {
    c.require("the worst case is not below", Real(certificate.worst) >= largest);
    c.require("the bound is not above", Real(certificate.bound) <= bound);
    c.require("the worst case is near", Real(certificate.worst) - largest <= 1e-9 * growth);
  }
  c.require("what is certified holds", !certificate.holds || largest <= bound);

  const std::vector<double> one = pate::one_vote_gamma(teachers, target);
  const auto answers_one = [&](std::int64_t l) {
    if (2 * l == teachers) return Real(0.5);
    const std::int64_t size = std::max(l, teachers - l) - pate::least_majority(teachers);
    const Real value = one[static_cast<std::size_t>(size)];
    return 2 * l > teachers ? Real((1 + value) / 2) : Real((1 - value) / 2);
  };
  for (std::int64_t l = 0; l < teachers; ++l) {
    const Real p = answers_one(l);
    const Real p2 = answers_one(l + 1);
    const Real room = target.delta;
    c.require("one vote of many", p <= growth * p2 + room && p2 <= growth * p + room &&
                                      1 - p <= growth * (1 - p2) + room &&
                                      1 - p2 <= growth * (1 - p) + room);
  }
}

// U(t) of a random curve is below x + (log delta - log phi(x)) / (order - 1) for every x.
void curves(Draw& draw, Case& c) {
  const double order = 1.0 + draw.scale(0.5, 40.0);
  const double s = draw.scale(0.5, 4.0);
  const double delta = draw.scale(1e-12, 1e-2);
  std::vector<double> values;
  double at = draw.unit();
  for (int i = 0; i < 30; ++i) values.push_back(at += draw.scale(1e-4, 0.2));
  c.input("order", order);
  c.input("s", s);
  c.input("delta", delta);
  c.input("least", values.front());
  c.input("most", values.back());
  const pate::DiscreteGaussian noise(s);
  const pate::PublicCurve curve(order, noise, delta, -15, values, -20, -(pate::CostUnits{1} << 62),
                                1);
  const std::int64_t t = draw.integer(-20, 20);
  c.input("t", static_cast<double>(t));
  const Real variance2 = 2 * Real(noise.variance());
  const auto width = static_cast<std::int64_t>(12 * s) + 12;
  std::vector<Real> law;
  Real total = 0;
  for (std::int64_t z = -width; z <= width; ++z) {
    law.push_back(exp(-Real(z * z) / variance2));
    total += law.back();
  }
  const auto value = [&](std::int64_t y) {
    return Real(values[static_cast<std::size_t>(std::clamp<std::int64_t>(y + 15, 0, 29))]);
  };
  const auto covered = [&](const Real& x) {
    Real phi = 0;
    for (int k = -1; k <= 1; ++k) {
      Real sum = 0;
      for (std::int64_t z = -width; z <= width; ++z) {
        const Real r = value(t + z) - Real((z - k) * (z - k) - z * z) / variance2;
        if (r < x) sum -= expm1(r - x) * law[static_cast<std::size_t>(z + width)] / total;
      }
      phi = std::max(phi, sum);
    }
    return phi > 0 ? Real(x + (log(Real(delta)) - log(phi)) / (Real(order) - 1)) : Real(1e30);
  };
  const Real ours = pate::cost_of_units(curve.covered(t));
  for (int i = 0; i < 8; ++i) {
    const double x = draw.between(values.front() - 20.0 / s, values.back() + 20.0 / s);
    c.require("U is not above", ours <= covered(Real(x)));
  }
}

}  // namespace

std::vector<Kind> release_kinds() {
  return {{"release costs", 1, release_costs},
          {"neighbour bounds", 2, neighbour_bounds},
          {"sensitivities", 1, sensitivities},
          {"walks", 1, walks},
          {"constant added", 1, constant_added},
          {"majorities", 1, majorities},
          {"curves", 1, curves}};
}

}  // namespace verify
