#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/complex/complex_certificate.hpp"
#include "pate/divergence/complex/key_moduli.hpp"
#include "pate/release/curve/top_count_costs.hpp"
#include "pate/release/sensitivity/vote_profile.hpp"

namespace pate {

/// What a run and all runs within d teachers certify by complex orders: sums over queries of the
/// largest log |m(a + i k w)| of the keys within d, as integers of either sign,
///
///     U_D(d)(a, k) for d = 0 .. size-1,    U_D'(d) <= U_D(d + 1) between neighbours,
///
/// for each (a, k) on its own. From M teachers on they are the same for all votes.
struct ComplexCosts {
  std::int64_t teachers = 0;
  ComplexOrders orders;
  /// By distance, then real part, then k; as many distances as were asked for, M + 1 at most.
  std::vector<std::vector<CostUnits>> units;

  /// The certificate of all runs within d teachers. Domain: d < units.size() or all M + 1 are
  /// there.
  [[nodiscard]] ComplexCertificate certificate(std::size_t d) const;
};

/// The keys (v, x2, x3) of a run, with how often each occurs; one may be there more than once.
struct KeyCount {
  std::int64_t v = 0, x2 = 0, x3 = 0;
  std::int64_t count = 0;
};
[[nodiscard]] std::vector<KeyCount> keys_of(const VoteProfile& votes);

/// Their costs within so many distances, 1 .. M + 1. Keys are those of `KeyCosts`:
///
///     x2' <= min(x2 + A, v', M - v'),    x2' + x3' <= min(x2 + x3 + A, M - v'),
///     A = d - max(v' - v, 0),    |v' - v| <= d,
///
/// each evaluated once, in a stream over v'; the maximum is taken for every (a, k) on its own. The
/// same bits with any threads. Throws `validity_error` where the sums are more than units hold.
[[nodiscard]] ComplexCosts complex_costs(const KeyModuli& moduli, const std::vector<KeyCount>& keys,
                                         std::size_t distances, unsigned threads = 0,
                                         const ProgressCallback& progress = {});
/// The same of several runs: the same bits, in one pass over all keys.
[[nodiscard]] std::vector<ComplexCosts> complex_costs(const KeyModuli& moduli,
                                                      std::span<const std::vector<KeyCount>> runs,
                                                      std::size_t distances, unsigned threads = 0,
                                                      const ProgressCallback& progress = {});

}  // namespace pate
