#include "pate/divergence/complex/complex_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pate/divergence/complex/certificate_terms.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

namespace {

constexpr int kUnitBits = 40;
constexpr double kMostLog = 0x1p20;

}  // namespace

void LogModulusSums::add(std::span<const double> logs, std::int64_t count) {
  if (count == 0) return;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    // A modulus of 0 may be taken for any larger one.
    const double log = std::max(-kMostLog, logs[i]);
    if (!(logs[i] <= kMostLog)) {
      infinite_[i] = 1;
      continue;
    }
    const auto units = static_cast<std::int64_t>(std::ceil(std::ldexp(log, kUnitBits)));
    units_[i] += static_cast<Units>(units) * count;
  }
}

void LogModulusSums::add(const LogModulusSums& other) {
  for (std::size_t i = 0; i < units_.size(); ++i) {
    units_[i] += other.units_[i];
    infinite_[i] = infinite_[i] != 0 || other.infinite_[i] != 0 ? 1 : 0;
  }
}

std::vector<double> LogModulusSums::values() const {
  std::vector<double> result;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const double value = std::ldexp(static_cast<double>(units_[i]), -kUnitBits);
    result.push_back(infinite_[i] != 0
                         ? kInfinity
                         : value + std::numeric_limits<double>::epsilon() * std::abs(value));
  }
  return result;
}

ComplexCertificate::ComplexCertificate(const ComplexOrders& orders, std::span<const double> logs,
                                       std::int64_t distance) {
  validate(orders);
  for (std::size_t i = 0; i < orders.reals.size(); ++i) {
    const double a = orders.reals[i];
    const std::span<const double> row = logs.subspan(i * orders.row(), orders.row());
    const CertificateTerms terms(orders, i, [&](std::size_t k) { return row[k]; });
    const double largest = terms.largest();
    const double size = terms.size;
    double sum = 0.0;
    for (const double exponent : terms.exponents) sum += std::exp(exponent - largest);
    const double renyi = row[0] + a * std::log(a) - (a + 1.0) * std::log1p(a);
    const double log_sum = largest + std::log(sum) + kExponentRounding * size + kSumRounding;
    if (!std::isfinite(log_sum) || !std::isfinite(size)) continue;
    const double least = std::min(log_sum, renyi + kExponentRounding * (size + a * a + 10.0));
    lines_.push_back({a, least + kDistanceStep * static_cast<double>(distance)});
  }
}

double ComplexCertificate::log_delta(double epsilon) const {
  double least = 0.0;
  for (const Line& line : lines_) {
    const double log = line.log_sum - line.real * epsilon;
    const double outward =
        log + kExponentRounding * (std::abs(line.log_sum) + std::abs(line.real * epsilon));
    if (outward < least) least = outward;
  }
  return least;
}

bool ComplexCertificate::holds(double epsilon, double log_delta) const {
  return log_delta < 0.0 && this->log_delta(epsilon) <= log_delta;
}

double ComplexCertificate::epsilon(double delta) const {
  double least = kInfinity;
  const double log_delta = std::log(delta);
  for (const Line& line : lines_) {
    const double epsilon = (line.log_sum - log_delta) / line.real;
    const double outward =
        epsilon + kExponentRounding * (std::abs(line.log_sum) + std::abs(log_delta)) / line.real;
    if (outward < least) least = outward;
  }
  return least > 0.0 ? least * (1.0 + kEpsilonMargin) : 0.0;
}

}  // namespace pate
