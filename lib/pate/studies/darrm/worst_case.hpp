#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pate/accounting/names.hpp"

namespace pate {

/// Teachers whose votes of one bit are private themselves: each is (epsilon, delta)-DP on its own,
/// with coins independent of all others.
struct PrivateTeachers {
  std::int64_t teachers = 0;  ///< K
  double epsilon = 0.0;       ///< of one teacher's vote
  double delta = 0.0;
  std::int64_t affected = 0;  ///< how many of them the changed record can reach; 1 .. K
};

/// What one answer must be: (epsilon, delta)-DP.
struct AnswerTarget {
  double epsilon = 0.0;
  double delta = 0.0;
};

inline constexpr std::int64_t kMaxMajorityTeachers = 4096;
/// e^epsilon is a double.
inline constexpr double kMaxAnswerEpsilon = 600.0;

/// Throws `parameter_error` unless 1 <= teachers <= 4096, 1 <= affected <= teachers,
/// epsilon > 0, 0 <= delta < 1, and, for the target, 0 < epsilon <= 600 and 0 <= delta < 1.
void validate(const PrivateTeachers& teachers);
void validate(const AnswerTarget& target);

/// The extreme pairs (p, p') of a teacher's probabilities of voting 1 on two data sets that differ
/// in one record: the corners of what (epsilon, delta)-DP allows. high = (e^epsilon + delta) /
/// (1 + e^epsilon), low = 1 - high.
enum class Corner {
  zero,        ///< (0, 0)
  one,         ///< (1, 1)
  high_low,    ///< (high, low)
  low_high,    ///< (low, high)
  delta_zero,  ///< (delta, 0), and the following: with delta > 0 only
  zero_delta,  ///< (0, delta)
  one_shy,     ///< (1, 1 - delta)
  shy_one,     ///< (1 - delta, 1)
};
template <>
inline constexpr std::array<Named<Corner>, 8> kNames<Corner>{{
    {Corner::zero, "0/0"},
    {Corner::one, "1/1"},
    {Corner::high_low, "high/low"},
    {Corner::low_high, "low/high"},
    {Corner::delta_zero, "delta/0"},
    {Corner::zero_delta, "0/delta"},
    {Corner::one_shy, "1/1-delta"},
    {Corner::shy_one, "1-delta/1"},
}};

/// Both probabilities of a corner, (p, p').
[[nodiscard]] std::pair<long double, long double> probabilities(Corner corner,
                                                                const PrivateTeachers& teachers);

/// How many teachers are at each corner; they add up to K.
using Multiset = std::array<std::int32_t, kNames<Corner>.size()>;

/// Which multisets of corners decide. With a noise function that does not fall from least_majority
/// to K those suffice that have p as large and p' as small as can be.
enum class CornerSet {
  monotone,  ///< the dominating corners: three with all teachers affected
  all,       ///< all four (delta = 0) or eight
  lifted,    ///< the four of delta = 0, with the target's delta lowered instead
};
template <>
inline constexpr std::array<Named<CornerSet>, 3> kNames<CornerSet>{{
    {CornerSet::monotone, "monotone"},
    {CornerSet::all, "all"},
    {CornerSet::lifted, "lifted"},
}};

/// A multiset and what it costs: f = E_p[h(L)] - e^epsilon E_p'[h(L)], with the target's epsilon.
struct CornerCost {
  double cost = 0.0;
  Multiset teachers{};
};

/// The test that decides whether an answer of gamma is (epsilon, delta)-DP for all teachers of a
/// class. The answer is the majority with probability gamma(l), l of K votes being ones, and a fair
/// coin otherwise; the majority of a tie is a fair coin. It is private for every member of the
/// class if and only if
///
///     f = E_p[h(L)] - E E_p'[h(L)] <= B = E - 1 + 2 delta,     E = e^epsilon,
///
/// at every multiset of corners, because f is linear in each teacher's pair and both events and
/// both directions are reflections of the class onto itself. h(l) = gamma(l) for a majority of ones
/// and -gamma(l) for one of zeros.
///
/// Where all corners are too many (C(s + 6, 6) (1 + (K - s) / 8) above 2^26 with delta > 0), the
/// multisets of delta = 0 decide, against the smaller delta d' with 1 - (1 - D)^s (1 - d') = delta:
/// `lifted`. s is the number of teachers that are affected, D their delta: each (epsilon, D)-DP
/// vote is an epsilon-DP one with probability 1 - D. d' may be negative, which B bears down to -(E
/// - 1) / 2.
///
/// Source: Jiang, Zhang, Joshi, "Optimized Tradeoffs for Private Prediction with Majority
/// Ensembling", Lemmas 3.4 and 5.1 (which say nothing of `affected`, of even K, or of which corners
/// dominate).
class WorstCase {
 public:
  /// `monotone` promises noise functions that do not fall. Throws `parameter_error` as `validate`
  /// does, where all corners are too many and lifting leaves nothing of B, and where epsilon is too
  /// small for the certificate's arithmetic (below about 1e-12).
  WorstCase(const PrivateTeachers& teachers, const AnswerTarget& target, bool monotone);

  [[nodiscard]] const PrivateTeachers& teachers() const { return teachers_; }
  [[nodiscard]] const AnswerTarget& target() const { return target_; }
  [[nodiscard]] CornerSet corners() const { return corners_; }
  /// B, rounded down, of the multisets that are looked at.
  [[nodiscard]] double bound() const { return static_cast<double>(bound_); }
  /// How much larger B is without lifting; 1 where nothing is lifted. What is private passes the
  /// corners of delta = 0 against that B.
  [[nodiscard]] double lift() const { return lift_; }

  /// The most costly multisets, at most `most` of those above `above`, by falling cost; in doubles.
  /// The first is the worst of all there are where `above` is -infinity.
  [[nodiscard]] std::vector<CornerCost> most_costly(std::span<const double> gamma, std::size_t most,
                                                    double above) const;

  /// Coefficients a(l), l = least_majority .. K, with f = sum a(l) gamma(l).
  [[nodiscard]] std::vector<double> coefficients(const Multiset& multiset) const;

  /// The largest f, from above: computed in long double, with a bound on every rounding added; and
  /// where it is attained. `holds` compares it with B from below.
  struct Certificate {
    double worst = 0.0;  ///< rounded up
    double bound = 0.0;  ///< rounded down
    bool holds = false;
    CornerCost at;
    double multisets = 0.0;  ///< how many decide
  };
  [[nodiscard]] Certificate certify(std::span<const double> gamma) const;

 private:
  template <class Real>
  class Search;

  PrivateTeachers teachers_;
  AnswerTarget target_;
  CornerSet corners_ = CornerSet::all;
  PrivateTeachers at_corners_;  // whose pairs are looked at: lifted, those of delta = 0
  std::vector<Corner> moving_;  // all but 0/0 and 1/1
  bool full_ = false;           // whether all K teachers are at a moving corner
  long double factor_;          // E, rounded down
  long double bound_;
  double lift_ = 1.0;
  long double error_;  // of any f in long double
};

/// A noise function that may be released: the largest multiple of `gamma`, times 1 - 2^-36, that
/// `certify` lets pass; so a fair coin decides with probability 2^-36 at least.
struct CertifiedGamma {
  std::vector<double> gamma;
  double scale = 1.0;  ///< of what was given
  CornerSet corners = CornerSet::monotone;
  WorstCase::Certificate certificate;
};

/// Looks at all corners where gamma falls somewhere, at those that dominate otherwise. Throws as
/// `WorstCase` does, and `parameter_error` for values outside [0, 1] or not majority_sizes(K) of
/// them.
[[nodiscard]] CertifiedGamma certified(std::span<const double> gamma,
                                       const PrivateTeachers& teachers, const AnswerTarget& target);

}  // namespace pate
