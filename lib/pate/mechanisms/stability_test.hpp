#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "pate/mechanisms/threshold_check.hpp"

namespace pate {

/// The fewest teachers who must vote differently so that the plurality (the lowest class on ties)
/// becomes another class: with i the plurality
///
///     min over j != i of   floor((n_i - n_j)/2) + 1  for j > i,   ceil((n_i - n_j)/2)  for j < i.
///
/// >= 1; changes by at most 1 with one teacher's vote. One more than there are teachers for one
/// class, which nobody can change. Throws `parameter_error` for an empty histogram.
[[nodiscard]] std::int64_t votes_to_flip(std::span<const std::int32_t> counts);

/// The stability q = votes_to_flip - 1: the statistic of a stability test.
[[nodiscard]] std::int64_t stability(std::span<const std::int32_t> counts);

/// A vote that moves from a class to another.
struct VoteMove {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// One vote that lowers the stability q by 1 and leaves the plurality, and one that raises it; none
/// where no vote does: with q = 0, or where two classes at least are as close to the plurality as
/// can be. In time proportional to the classes. Throws `parameter_error` for an empty histogram.
struct StabilityMoves {
  std::optional<VoteMove> less, more;
};
[[nodiscard]] StabilityMoves stability_moves(std::span<const std::int32_t> counts);

/// The noise of a stability test.
enum class TestNoise {
  laplace,   ///< given by epsilon = 1/scale
  gaussian,  ///< given by its standard deviation sigma
};

/// The test of propose-test-release on the plurality (PTR): a query with stability q is answered
/// with its plurality where q and noise together reach the threshold, and is refused otherwise. One
/// vote moves q by at most 1, and q = 0 on both sides of every change of the plurality; the
/// threshold is so large that there it is reached with probability delta at most:
///
///     Laplace   ln(1/(2 delta)) / epsilon        Gaussian   sigma Phi^-1(1 - delta),
///
/// rounded up by less than 1e-12. But for the event that some query is answered whose plurality is
/// another on the neighbour, of at most the sum of the deltas, all outcomes are functions of the
/// noisy q: over many queries, adaptive or not, deltas and costs of the tests add up apart.
///
/// Domain: the parameter is noise (`require_positive`), kMinTestDelta <= delta <=
/// kMaxTestDelta; throws `parameter_error`. Source: Dwork and Lei, "Differential Privacy and
/// Robust Statistics" (2009), for propose-test-release.
[[nodiscard]] ThresholdCheck stability_test(TestNoise noise, double parameter, double delta);

/// The test of PTR's sparse form, which costs only where it refuses. A round begins with the run
/// and after every refusal, with a threshold T + Lap(2/epsilon) that stays until the next refusal;
/// a query is answered where q + Lap(4/epsilon) reaches it. T is such that q = 0 does so with
/// probability delta at most when it is the first of a round:
///
///     Pr = (4 y - y^2)/6,   y = e^(-T epsilon/4),   T = -4/epsilon log( 6 delta/(2 + sqrt(4 - 6
///     delta)) )
///
/// rounded up by less than 1e-12. A round is (epsilon, delta)-DP, however many queries it answers:
///
/// * Which queries of it are answered is epsilon-DP: AboveThreshold, the one refusal being what
///   exceeds. (Answers alone would be epsilon/2.)
/// * But for the event E that a query is answered whose plurality is another on the neighbour, the
///   answers are a function of that. Such a query has q = 0 on both sides, and a round asks one at
///   most before E: where it is refused the round is over. Which one that would be is fixed when
///   the round begins, as all before it in the round are answered, with pluralities that are the
///   same. So E needs Lap(4/epsilon) - Lap(2/epsilon) >= T of two noises that were drawn apart from
///   that, and not given how long the round lasted, which would tell of the threshold: delta.
///
/// Domain and errors as above. Source: Dwork and Roth, "The Algorithmic Foundations of Differential
/// Privacy" (2014), Algorithms 1 and 2.
[[nodiscard]] ThresholdCheck sparse_stability_test(double epsilon, double delta);

/// The epsilon of a round of such a test.
[[nodiscard]] double round_epsilon(const ThresholdCheck& sparse);

}  // namespace pate
