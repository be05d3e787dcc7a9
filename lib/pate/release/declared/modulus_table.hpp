#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pate/base/large_pages.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/release/declared/complex_costs.hpp"
#include "pate/release/declared/key_planes.hpp"

namespace pate {

/// The largest moduli of all keys at once, which `complex_costs` computes some at a time: so that
/// they can be kept. Public: they depend on the mechanism, teachers, classes and orders alone.
class ModulusTable {
 public:
  /// Bytes that one takes.
  [[nodiscard]] static double memory(const KeyModuli& moduli);

  /// Computes them; the same bits with any threads.
  explicit ModulusTable(const KeyModuli& moduli, unsigned threads = 0,
                        const ProgressCallback& progress = {});
  /// The same from the `values` of another, which `owner` holds. Throws `parameter_error` where
  /// they cannot be those: their number; none may fall where the keys grow; and `kChecked` keys
  /// picked by `seed` are computed anew, whose moduli must be no more. What that finds and what not
  /// is as with `CostsWithinDistance`.
  ModulusTable(const KeyModuli& moduli, std::shared_ptr<const void> owner,
               std::span<const ModulusUnits> values, std::uint64_t seed, unsigned threads = 0);
  static constexpr int kChecked = 200;

  [[nodiscard]] const KeyPlanes& planes() const { return planes_; }
  [[nodiscard]] std::span<const ModulusUnits> values() const { return values_; }

 private:
  void check(const KeyModuli& moduli, std::uint64_t seed, unsigned threads) const;

  KeyPlanes planes_;
  LargeVector<ModulusUnits> own_;
  std::shared_ptr<const void> owner_;
  std::span<const ModulusUnits> values_;
};

/// `complex_costs` from a table: the same bits.
[[nodiscard]] std::vector<ComplexCosts> complex_costs(const KeyModuli& moduli,
                                                      const ModulusTable& table,
                                                      std::span<const std::vector<KeyCount>> runs,
                                                      std::size_t distances, unsigned threads = 0,
                                                      const ProgressCallback& progress = {});

}  // namespace pate
