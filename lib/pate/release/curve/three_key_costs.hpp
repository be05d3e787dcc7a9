#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/divergence/bounds/tilted_cost.hpp"
#include "pate/divergence/keys/key_line.hpp"
#include "pate/release/curve/cost_units.hpp"

namespace pate {

/// H(v, x2, x3) of `KeyCosts`, every key by itself, at several orders at once: who wins before and
/// after a move does not depend on the order, the tilted counts alone do.
class ThreeKeyCosts {
 public:
  /// Costs of the same run that differ by the order; they must outlive it.
  explicit ThreeKeyCosts(std::span<const TiltedCost> costs);

  [[nodiscard]] std::size_t orders() const { return costs_.size(); }

  /// What is needed beside, one for each thread.
  class Scratch {
   public:
    explicit Scratch(const ThreeKeyCosts& of);

   private:
    friend class ThreeKeyCosts;
    std::optional<KeyLine> line_;
    std::vector<double> largest_, rest_;
    std::int64_t s_ = -1;
    std::vector<CostUnits> far_;  // by top count, then order: of s_, `kNoKey` where it is not far
  };
  /// The costs of (v, s - v, x3), first <= v <= last, by v and then order. All of them are keys
  /// that some histogram has.
  void compute(std::int64_t s, std::int64_t x3, std::int64_t first, std::int64_t last,
               Scratch& scratch, std::span<CostUnits> to) const;

 private:
  // What the top count may be after a move: between these, and more than v only where both are.
  struct Statistics {
    std::int64_t least, most;
  };
  [[nodiscard]] Statistics after(std::int64_t v, std::int64_t x2, std::int64_t x3, std::int64_t y,
                                 const KeyMove& move) const;
  void set_far(std::int64_t s, Scratch& scratch) const;
  void raise(std::int64_t v, std::int64_t x2, std::int64_t x3, const KeyLine& line,
             bool third_apart, Scratch& scratch) const;

  std::span<const TiltedCost> costs_;
  std::int64_t teachers_;
  std::int64_t classes_;
  std::int64_t moved_;
  std::vector<std::size_t> summed_;  // orders for which there is something to sum up
  std::optional<CountRows> rows_;    // of those
  std::vector<double> orders_, growth_;
  std::vector<double> selection_, answered_;  // by top count, rise, order
};

}  // namespace pate
