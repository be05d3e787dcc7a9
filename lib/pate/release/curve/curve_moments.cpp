#include "pate/release/curve/curve_moments.hpp"

#include <algorithm>
#include <cmath>

#include "pate/divergence/complex/certificate_terms.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/kernels/kernels.hpp"

namespace pate {

namespace {

// Of |Phi| / Phi(a): what is cut off, and rounding; besides, by which a turned angle may be wrong.
constexpr double kShareRounding = 1e-11;
constexpr double kAngleRounding = 1e-15;
// Terms that are less than this of the largest are left out: many of them are still rounding.
constexpr double kLeastTerm = 1e-18;

}  // namespace

// Beyond it Phi has less than e^-90 of what it is.
std::int64_t CurveMoments::half_width(const ComplexOrders& orders, const DiscreteGaussian& noise,
                                      double span) {
  const double a = orders.reals.back();
  const double s = noise.s();
  const double exponent = 90.0 + a * (span + 1.0) + (a + a * a) / (2.0 * s * s);
  return static_cast<std::int64_t>(std::ceil(a + 1.0 + s * std::sqrt(2.0 * exponent)));
}

CurveMoments::CurveMoments(const ComplexOrders& orders, const DiscreteGaussian& noise, double span)
    : orders_(orders),
      half_(half_width(orders, noise, span)),
      stride_((orders.row() + kLanes - 1) / kLanes * kLanes) {
  for (std::int64_t z = -half_; z <= half_; ++z) {
    log_p_.push_back(noise.log_probability(z));
    for (const std::int64_t shift : {-1, 0, 1}) log_ratios_.push_back(noise.log_ratio(z, shift));
  }
}

void CurveMoments::compute(std::span<const double> values, Scratch& scratch,
                           std::span<double> log_moments, std::span<double> shares) const {
  const std::size_t size = log_p_.size();
  const std::size_t reals = orders_.reals.size();
  const std::size_t row = orders_.row();
  const Kernels& its = kernels();
  scratch.weights.resize(reals * size + kLanes);
  scratch.r.resize(size);
  for (std::size_t shift = 0; shift < kShifts; ++shift) {
    double most = 0.0;
    for (std::size_t n = 0; n < size; ++n) {
      scratch.r[n] = values[n] - log_ratios_[n * kShifts + shift];
      most = max_or_nan(most, std::abs(scratch.r[n]));
    }
    // Terms by real part over the largest one, and those that count for any.
    for (std::size_t i = 0; i < reals; ++i) {
      const double a = orders_.reals[i];
      double* const terms = scratch.weights.data() + i * size;
      double largest = -kInfinity;
      for (std::size_t n = 0; n < size; ++n) {
        terms[n] = log_p_[n] - a * scratch.r[n];
        largest = std::max(largest, terms[n]);
      }
      for (std::size_t n = 0; n < size; ++n) terms[n] -= largest;
      log_moments[shift * reals + i] = largest;
    }
    its.exponentials(scratch.weights.data(), reals * size);
    scratch.places.clear();
    for (std::size_t n = 0; n < size; ++n) {
      for (std::size_t i = 0; i < reals; ++i) {
        if (scratch.weights[i * size + n] < kLeastTerm) continue;
        scratch.places.push_back(n);
        break;
      }
    }
    const std::size_t count = scratch.places.size();
    scratch.angles.resize(std::max(scratch.angles.size(), 2 * count * stride_));
    scratch.cosines.resize(count);
    scratch.sines.resize(count);
    for (std::size_t o = 0; o < count; ++o) {
      const double angle = orders_.step * scratch.r[scratch.places[o]];
      double* const cosines = scratch.angles.data() + 2 * o * stride_;
      double* const sines = cosines + stride_;
      its.multiples_of_angle(std::cos(angle), std::sin(angle), stride_, cosines, sines);
      scratch.cosines[o] = cosines;
      scratch.sines[o] = sines;
    }
    for (std::size_t i = 0; i < reals; ++i) {
      const double a = orders_.reals[i];
      double* const terms = scratch.weights.data() + i * size;
      double sum = 0.0;
      for (std::size_t o = 0; o < count; ++o) {
        terms[o] = terms[scratch.places[o]];
        sum += terms[o];
      }
      double& log_moment = log_moments[shift * reals + i];
      log_moment += std::log(sum);
      log_moment += kSumRounding + kExponentRounding * (std::abs(log_moment) + a * most + 1.0);
      scratch.moduli.assign(stride_, 0.0);
      its.raise_moduli({scratch.cosines.data(), scratch.sines.data(), terms, count,
                        kShareRounding * sum, kAngleRounding * orders_.step * most * sum},
                       stride_, scratch.moduli.data());
      for (std::size_t j = 0; j < row; ++j) {
        shares[(shift * reals + i) * row + j] = scratch.moduli[j] / sum;
      }
    }
  }
}

}  // namespace pate
