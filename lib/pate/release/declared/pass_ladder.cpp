#include "pate/release/declared/pass_ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"

namespace pate {

namespace {

constexpr double kLadderRounding = 1e-12;

Integer whole_pass() {
  Integer whole = 1;
  whole <<= static_cast<unsigned>(PassLadder::kBits);
  return whole;
}

// floor(2^bits x) for x >= 0.
Integer units_rounded_down(double x, unsigned bits) {
  const Dyadic exact(x);
  const int shift = exact.exponent() + static_cast<int>(bits);
  if (shift >= 0) return exact.mantissa() << static_cast<unsigned>(shift);
  return exact.mantissa() >> static_cast<unsigned>(-shift);
}

void validate_ladder(const LadderTerms& terms) {
  const auto within = [](double value, double least) {
    return value >= least && value <= kLargestDeclaredEpsilon;
  };
  if (!within(terms.epsilon, kLeastDeclaredEpsilon)) {
    throw parameter_error(
        fmt::format("an epsilon that is told beforehand must be from {} to {}, got {}",
                    kLeastDeclaredEpsilon, kLargestDeclaredEpsilon, terms.epsilon));
  }
  if (!within(terms.growth, 0.5 * kLeastDeclaredEpsilon)) {
    throw parameter_error(fmt::format("the growth of a ladder must be from {} to {}, got {}",
                                      0.5 * kLeastDeclaredEpsilon, kLargestDeclaredEpsilon,
                                      terms.growth));
  }
  require(terms.delta >= kLeastDeclaredDelta && terms.delta < 1.0,
          "the delta of a declared budget must be from {} to 1, got {}", kLeastDeclaredDelta,
          terms.delta);
}

std::vector<Integer> made_passes(const LadderTerms& terms) {
  const double growth = std::exp(kLadderGrowth * terms.growth);
  const double fall = std::exp(-kLadderFall * terms.epsilon);
  const Integer whole = whole_pass();
  const Dyadic most(terms.delta);
  double p = 1.0 - kLadderStart;
  double q = kLadderStart;  // 1 - p, which keeps its digits while p is near 1
  std::vector<Integer> passes;
  for (;;) {
    // Rounded so that p is the smaller of the two nearest.
    Integer units = q < 0.5 ? Integer(whole - units_rounded_down(q, PassLadder::kBits) - 1)
                            : units_rounded_down(p, PassLadder::kBits);
    if (!passes.empty()) units = std::min(units, passes.back());
    passes.push_back(units);
    if (Dyadic(units, -PassLadder::kBits) <= most) return passes;
    const double risen = q * growth;
    if (risen < 0.5 && 1.0 - risen >= p * fall) {
      q = risen;
      p = 1.0 - q;
    } else {
      p = std::max(p * fall, 1.0 - risen);
      q = 1.0 - p;
    }
  }
}

// log(a / b) of whole numbers a >= b > 0, rounded upwards.
double log_ratio_upwards(const Integer& a, const Integer& b) {
  const Integer more = a - b;
  return std::log1p(more.convert_to<double>() / b.convert_to<double>()) * (1.0 + kLadderRounding);
}

}  // namespace

Integer exp_rounded_down(double x, unsigned bits) {
  require(x >= 0.0 && x <= kLargestDeclaredEpsilon, "e^x is wanted for x from 0 to {}, got {}",
          kLargestDeclaredEpsilon, x);
  const Dyadic exact(x);
  const auto shift = static_cast<unsigned>(std::max(-exact.exponent(), 0));
  const auto more = static_cast<unsigned>(std::max(exact.exponent(), 0));
  Integer sum = 0;
  Integer term = 1;  // every term is positive: what is cut off makes it smaller
  term <<= bits;
  for (unsigned k = 1; term > 0; ++k) {
    sum += term;
    term = ((((term * exact.mantissa()) << more) >> shift)) / k;
  }
  return sum;
}

PassLadder::PassLadder(const LadderTerms& terms) : terms_(terms) {
  validate_ladder(terms);
  passes_ = made_passes(terms);
  if (const char* const wrong = fault(); *wrong != '\0') {
    throw std::logic_error(std::string("a ladder does not keep what it must: ") + wrong);
  }
}

PassLadder::PassLadder(const LadderTerms& terms, std::vector<Integer> passes)
    : terms_(terms), passes_(std::move(passes)) {
  validate_ladder(terms);
  if (const char* const wrong = fault(); *wrong != '\0') {
    throw parameter_error(std::string("a ladder does not keep what it must: ") + wrong);
  }
}

const char* PassLadder::fault() const {
  constexpr unsigned kExpBits = 192;
  const Integer whole = whole_pass();
  const Integer growth = exp_rounded_down(terms_.growth, kExpBits);
  if (passes_.empty()) return "it has no levels";
  for (std::size_t j = 0; j < passes_.size(); ++j) {
    if (!(passes_[j] > 0 && passes_[j] < whole)) return "probabilities are between 0 and 1";
    if (j == 0) continue;
    if (passes_[j] > passes_[j - 1]) return "probabilities do not rise";
    const Integer risen = growth * Integer(whole - passes_[j - 1]);
    if ((Integer(whole - passes_[j]) << kExpBits) > risen) {
      return "failing is at most e^growth times as likely a level below";
    }
  }
  if (Dyadic(passes_.back(), -kBits) > Dyadic(terms_.delta)) return "the last one is at most delta";
  return "";
}

double PassLadder::pass(std::size_t level) const {
  return std::ldexp(passes_[level].convert_to<double>(), -kBits);
}

double PassLadder::fail(std::size_t level) const {
  return std::ldexp(Integer(whole_pass() - passes_[level]).convert_to<double>(), -kBits);
}

double PassLadder::fall(std::size_t level) const {
  return log_ratio_upwards(passes_[level], passes_[level + 1]);
}

double PassLadder::rise(std::size_t level) const {
  const Integer whole = whole_pass();
  return log_ratio_upwards(Integer(whole - passes_[level]), Integer(whole - passes_[level - 1]));
}

bool PassLadder::toss(std::size_t level, BitSource& source) const {
  Integer drawn = 0;
  for (int k = 0; k < kBits / 32; ++k) drawn = (drawn << 32U) | source.bits(32);
  return drawn < passes_[level];
}

}  // namespace pate
