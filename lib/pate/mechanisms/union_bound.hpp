#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

/// log q, q = min( sum over the classes other than the plurality of e^term(gap), 1 - 1/m ).
/// Depends on the multiset of counts only, bit for bit: equal gaps are taken once and gaps are
/// added in increasing order. -inf for one class. Throws `parameter_error` for no classes.
[[nodiscard]] double log_union_bound(std::span<const std::int32_t> counts, const LogPairTerm& term);

/// The same of classes with `counts` > 0 and `zeros` >= 0 more without a vote, bit for bit.
[[nodiscard]] double log_union_bound(std::span<const std::int32_t> counts, std::size_t zeros,
                                     const LogPairTerm& term);

/// The same for many histograms of one ensemble: counts are integers in 0..teachers, so the terms
/// are a table, and a q costs no special function but one logarithm. Equal to the above bit for
/// bit. Ensembles beyond a million teachers compute terms as they go.
class UnionBoundTable {
 public:
  UnionBoundTable(LogPairTerm term, std::int64_t teachers);

  /// Of classes with `counts`, and `zeros` more without a vote.
  [[nodiscard]] double log_q(std::span<const std::int32_t> counts, std::size_t zeros = 0) const;

  /// The term of one class `gap` >= 0 votes behind, and its exponential.
  [[nodiscard]] double log_term(std::int64_t gap) const {
    const auto index = static_cast<std::size_t>(gap);
    return index < log_terms_.size() ? log_terms_[index] : term_(gap);
  }
  [[nodiscard]] double probability(std::int64_t gap) const {
    const auto index = static_cast<std::size_t>(gap);
    return index < probabilities_.size() ? probabilities_[index] : std::exp(term_(gap));
  }

 private:
  LogPairTerm term_;
  std::vector<double> log_terms_;
  std::vector<double> probabilities_;
};

}  // namespace pate
