#include "pate/as_published/gap_terms.hpp"

#include <algorithm>
#include <cmath>

namespace pate {

namespace {

// Below this a sum of probabilities may lose digits to underflow: add logarithms instead.
constexpr double kSmallestProbability = 1e-250;
// What all further classes together may add without being looked at, relative.
constexpr double kNegligible = 1e-17;

}  // namespace

GapTerms::GapTerms(const GaussianNoisyMax& mechanism, std::int64_t teachers) {
  for (std::int64_t gap = 0; gap <= teachers; ++gap) {
    log_terms_.push_back(log_pair_probability(mechanism, gap));
    terms_.push_back(std::exp(log_terms_.back()));
  }
}

double GapTerms::log_q(std::span<const Gap> gaps, double classes_behind, std::int64_t shift) const {
  const auto index = [shift](const Gap& gap) {
    return static_cast<std::size_t>(gap.votes + shift);
  };
  const auto sum = [&](const auto& term) {
    double total = 0.0;
    double left = classes_behind;
    for (const Gap& gap : gaps) {
      const double one = term(index(gap));
      if (left * one < kNegligible * total) break;
      total += gap.classes * one;
      left -= gap.classes;
    }
    return total;
  };
  const double cap = std::log1p(-1.0 / (classes_behind + 1.0));
  const std::size_t nearest = index(gaps.front());
  if (terms_[nearest] > kSmallestProbability) {
    return std::min(std::log(sum([this](std::size_t i) { return terms_[i]; })), cap);
  }
  const double largest = log_terms_[nearest];
  return largest + std::log(sum([&](std::size_t i) { return std::exp(log_terms_[i] - largest); }));
}

}  // namespace pate
