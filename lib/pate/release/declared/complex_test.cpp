#include "pate/release/declared/complex_test.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"

namespace pate {

namespace {

// More than a quotient, a logarithm and a difference lose.
constexpr double kConditionRounding = 1e-12;

}  // namespace

CertifiedCosts::CertifiedCosts(ComplexCosts costs) : costs_(std::move(costs)) {
  for (std::size_t d = 0; d < costs_.units.size(); ++d) {
    certificates_.push_back(costs_.certificate(d));
  }
}

ComplexTest::ComplexTest(double epsilon, double delta, PassLadder ladder)
    : epsilon_(epsilon), ladder_(std::move(ladder)) {
  validate_delta(delta);
  for (std::size_t i = 0; i < ladder_.last(); ++i) {
    const double share = delta / ladder_.pass(i) * (1.0 - kConditionRounding);
    const double log = std::log(share);
    log_delta_.push_back(log - kConditionRounding * (1.0 + std::abs(log)));
  }
}

bool ComplexTest::holds(std::size_t level, const ComplexCertificate& certificate) const {
  // May be negative: nothing is clamped.
  const double fall = ladder_.fall(level);
  const double left = epsilon_ - fall - kConditionRounding * (epsilon_ + fall);
  return certificate.holds(left, log_delta_[level]);
}

std::size_t ComplexTest::level(const CertifiedCosts& costs) const {
  const std::size_t last = ladder_.last();
  const std::size_t distances = costs.distances();
  const bool is_whole = distances == static_cast<std::size_t>(costs.costs().teachers) + 1;
  if (distances == 0 || (!is_whole && distances < last)) {
    throw parameter_error("a declared budget needs the moduli of the run at every distance");
  }
  // Costs do not fall with the distance, but each condition is looked at all the same.
  for (std::size_t j = 0; j < last; ++j) {
    bool good = true;
    for (std::size_t i = j; i < last && good; ++i) {
      good = holds(i, costs.at(std::min(i - j, distances - 1)));
    }
    if (good) return j;
  }
  return last;
}

std::size_t ComplexTest::best_level(const ComplexOrders& orders) const {
  // A moment of a real part is never below one: its logarithm is 0 at least.
  constexpr double kNothing = -1000.0;
  std::vector<CostUnits> units(orders.size(),
                               static_cast<CostUnits>(std::ldexp(kNothing, -kUnitExponent)));
  for (std::size_t i = 0; i < orders.reals.size(); ++i) units[i * orders.row()] = 0;
  // Of no teacher, so that these are the costs at every distance.
  return level(ComplexCosts{0, orders, {units}});
}

}  // namespace pate
