#pragma once

#include <cstddef>
#include <vector>

#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/numerics/dyadic.hpp"

namespace pate {

/// What a ladder of pass probabilities is made for. Public, and fixed before votes are seen.
struct LadderTerms {
  /// Passing probabilities fall by e^(-kLadderFall * epsilon) a level at most.
  double epsilon = 0.0;
  /// Probabilities of failing rise by e^growth a level at most.
  double growth = 0.0;
  /// The last probability of passing is at most this.
  double delta = 0.0;
};

/// The shape of every ladder: constants of the program, so that nobody can fit them to votes.
inline constexpr double kLadderStart = 1e-9;  ///< 1 - p_0
inline constexpr double kLadderFall = 0.11;
inline constexpr double kLadderGrowth = 0.98;  ///< of `growth`, that rounding has room

/// The budgets for which there are ladders: below, levels are too many; above, nobody wants one.
inline constexpr double kLeastDeclaredEpsilon = 0.01;
inline constexpr double kLargestDeclaredEpsilon = 100.0;
/// The smallest delta: the last probabilities still have digits as multiples of 2^-128.
inline constexpr double kLeastDeclaredDelta = 0x1p-96;

/// Probabilities of passing 1 > p_0 >= p_1 >= ... >= p_J > 0 as multiples of 2^-128:
///
///     p_0 = 1 - kLadderStart,
///     p_(j+1) = max(1 - e^(kLadderGrowth growth) (1 - p_j), p_j e^(-kLadderFall epsilon)),
///
/// up to the first that is at most delta. What the guarantee rests on is verified for the rounded
/// numbers, in integers, each time a ladder is made:
///
///     1 - p_j <= e^growth (1 - p_(j-1)),    p_J <= delta,    they do not rise.
class PassLadder {
 public:
  /// The exponent of the unit of probabilities.
  static constexpr int kBits = 128;

  /// Throws `parameter_error` for an epsilon or growth outside kLeastDeclaredEpsilon ..
  /// kLargestDeclaredEpsilon (growth from half of the least) or a delta outside
  /// kLeastDeclaredDelta .. 1, and
  /// `std::logic_error` should a condition not hold.
  explicit PassLadder(const LadderTerms& terms);

  /// Probabilities given as multiples of 2^-128: for tests of what a ladder must keep. Throws
  /// `parameter_error` where they do not keep it.
  PassLadder(const LadderTerms& terms, std::vector<Integer> passes);

  [[nodiscard]] const LadderTerms& terms() const { return terms_; }
  /// J: there are so many levels below the first.
  [[nodiscard]] std::size_t last() const { return passes_.size() - 1; }

  /// 2^128 p_j.
  [[nodiscard]] const Integer& pass_units(std::size_t level) const { return passes_[level]; }
  /// p_j and 1 - p_j to the nearest double or so: to be told, not to be drawn from.
  [[nodiscard]] double pass(std::size_t level) const;
  [[nodiscard]] double fail(std::size_t level) const;

  /// log(p_j / p_(j+1)), rounded upwards by 1e-12 of it. Domain: level < last().
  [[nodiscard]] double fall(std::size_t level) const;
  /// log((1 - p_j) / (1 - p_(j-1))), rounded upwards likewise. Domain: 0 < level <= last().
  [[nodiscard]] double rise(std::size_t level) const;

  /// Tosses the coin of a level: true with probability p_j, exactly, from 128 fair bits whatever
  /// comes out.
  [[nodiscard]] bool toss(std::size_t level, BitSource& source) const;

 private:
  // What is wrong with the probabilities; "" where nothing is.
  [[nodiscard]] const char* fault() const;

  LadderTerms terms_;
  std::vector<Integer> passes_;
};

/// floor(2^bits e^x) or a little less, never more: the Taylor series in integers, rounded down.
/// Domain: 0 <= x <= kLargestDeclaredEpsilon.
[[nodiscard]] Integer exp_rounded_down(double x, unsigned bits);

}  // namespace pate
