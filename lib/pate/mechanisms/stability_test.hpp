#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "pate/numerics/bernoulli_pair.hpp"

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

/// How a stability test draws its noise.
enum class TestNoise {
  laplace,          ///< given by epsilon = 1/scale
  gaussian,         ///< given by its standard deviation sigma
  sparse,           ///< Laplace noise of the threshold, too, which stays until the next refusal
  sparse_gaussian,  ///< the same with Gaussian noise of both
};

/// No delta of a stability test is larger, or smaller.
inline constexpr double kMaxTestDelta = 0.1;
inline constexpr double kMinTestDelta = 1e-100;

/// Throws `parameter_error`, which calls it `name`, unless a test can have this delta.
void require_test_delta(double delta, const char* name);

/// Propose-test-release on the plurality (PTR): a query with stability q is answered with its
/// plurality where q and noise together reach a threshold, and is refused otherwise. One vote moves
/// q by at most 1, and q = 0 on both sides of every change of the plurality; the threshold is so
/// large that there it is reached with probability delta at most. Its neighbours are those with one
/// vote that moves.
///
/// A test cannot be invalid: what makes one throws `parameter_error` for noise out of range
/// (`require_positive`), for a delta outside kMinTestDelta..kMaxTestDelta, for a threshold that
/// leaves q = 0 more than delta, and for a number of refusals, or of queries, below 1 or beyond
/// 2^53.
///
/// Source: Dwork and Lei, "Differential Privacy and Robust Statistics" (2009).
class StabilityTest {
 public:
  /// The test of every query apart, by Laplace noise with epsilon or by Gaussian noise with sigma.
  /// Its threshold is
  ///
  ///     Laplace   ln(1/(2 delta)) / epsilon        Gaussian   sigma Phi^-1(1 - delta),
  ///
  /// rounded up by less than 1e-12. But for the event that some query is answered whose plurality
  /// is another on the neighbour, of at most the sum of the deltas, all outcomes are functions of
  /// the noisy q: over many queries, adaptive or not, deltas and costs of the tests add up apart.
  [[nodiscard]] static StabilityTest with_laplace(double epsilon, double delta);
  [[nodiscard]] static StabilityTest with_gaussian(double sigma, double delta);

  /// PTR's sparse form, which costs only where it refuses. A round begins with the run and after
  /// every refusal, with a threshold T + Lap(2/epsilon) that stays until the next refusal; a query
  /// is answered where q + Lap(4/epsilon) reaches it. The run ends with the last of
  /// `max_refusals`. T is such that q = 0 reaches it with probability delta at most when it is the
  /// first of a round:
  ///
  ///     Pr = (4 y - y^2)/6,   y = e^(-T epsilon/4),   T = -4/epsilon log( 6 delta/(2 + sqrt(4 - 6
  ///     delta)) )
  ///
  /// rounded up by less than 1e-12. A round is (epsilon, delta)-DP, however many queries it
  /// answers:
  ///
  /// * Which queries of it are answered is epsilon-DP: AboveThreshold, the one refusal being what
  ///   exceeds. (Answers alone would be epsilon/2.)
  /// * But for the event E that a query is answered whose plurality is another on the neighbour,
  ///   the answers are a function of that. Such a query has q = 0 on both sides, and a round asks
  ///   one at most before E: where it is refused the round is over. Which one that would be is
  ///   fixed when the round begins, as all before it in the round are answered, with pluralities
  ///   that are the same. So E needs Lap(4/epsilon) - Lap(2/epsilon) >= T of two noises that were
  ///   drawn apart from that, and not given how long the round lasted, which would tell of the
  ///   threshold: delta.
  ///
  /// Source: Dwork and Roth, "The Algorithmic Foundations of Differential Privacy" (2014),
  /// Algorithms 1 and 2.
  [[nodiscard]] static StabilityTest sparse(double epsilon, double delta,
                                            std::int64_t max_refusals);

  /// The sparse form with Gaussian noise: N(0, sigma^2) for a query and N(0, sigma^2/2) for the
  /// threshold of a round. The run ends with the last of `max_refusals`, and after `max_queries`:
  /// what its rounds cost at most grows, slowly, with how many queries they may ask
  /// (`sparse_round_cost`). Its threshold is
  ///
  ///     T = sqrt(3/2) sigma Phi^-1(1 - delta),
  ///
  /// rounded up by less than 1e-12: q = 0 reaches it with probability delta at most when it is the
  /// first of a round, and a round has a query one at most where that counts, as above.
  ///
  /// Source: Zhu and Wang, "Improving Sparse Vector Technique with Renyi Differential Privacy"
  /// (2020), whose generalized SVT this is.
  [[nodiscard]] static StabilityTest sparse_gaussian(double sigma, double delta,
                                                     std::int64_t max_refusals,
                                                     std::int64_t max_queries);

  /// A test as it was written down; `max_refusals` counts for the sparse forms only, `max_queries`
  /// for that with Gaussian noise.
  StabilityTest(TestNoise noise, double threshold, double scale, double delta,
                std::int64_t max_refusals = 0, std::int64_t max_queries = 0);

  /// "ptr", "ptr_laplace", "ptr_sparse" or "ptr_sparse_gaussian".
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] TestNoise noise() const { return noise_; }
  /// Whether every query is one Gaussian mechanism.
  [[nodiscard]] bool is_gaussian() const { return noise_ == TestNoise::gaussian; }
  [[nodiscard]] bool is_sparse() const {
    return noise_ == TestNoise::sparse || noise_ == TestNoise::sparse_gaussian;
  }
  /// Whether its noise is given by a standard deviation.
  [[nodiscard]] bool has_gaussian_noise() const {
    return noise_ == TestNoise::gaussian || noise_ == TestNoise::sparse_gaussian;
  }
  [[nodiscard]] double threshold() const { return threshold_; }
  /// Of the noise of a query, in votes: standard deviation or scale.
  [[nodiscard]] double scale() const { return scale_; }
  /// Of the noise of the sparse form's threshold: half of it, with Gaussian noise 1/sqrt 2 of it.
  [[nodiscard]] double threshold_scale() const;
  /// What a query costs by being asked, of the sparse form a round.
  [[nodiscard]] double delta() const { return delta_; }
  /// The refusals that end a run of the sparse form.
  [[nodiscard]] std::int64_t max_refusals() const { return max_refusals_; }
  /// The queries that end a run of the sparse form with Gaussian noise.
  [[nodiscard]] std::int64_t max_queries() const { return max_queries_; }
  /// The smallest epsilon for which a query, or a round, is (epsilon, 0)-DP but for its delta; none
  /// with Gaussian noise.
  [[nodiscard]] std::optional<double> pure_epsilon() const;

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const StabilityTest&, const StabilityTest&) = default;

 private:
  TestNoise noise_;
  double threshold_, scale_, delta_;
  std::int64_t max_refusals_, max_queries_;
};

/// log Pr[answered | q]: with Laplace noise log( e^-(T - q)/scale / 2 ) for q <= T and
/// log( 1 - e^-(q - T)/scale / 2 ) above; of the sparse form, its threshold's noise just drawn,
/// x = |T - q|/scale, log( (4 e^-x - e^-2x) / 6 ) and likewise; with Gaussian noise as of a
/// threshold check, of the sparse form with sqrt(3/2) of its noise. Relative accuracy 1e-14.
[[nodiscard]] double log_answered(const StabilityTest& test, std::int64_t q);

/// log Pr[refused | q].
[[nodiscard]] double log_refused(const StabilityTest& test, std::int64_t q);

/// The answer at q compared with that at a neighbour's.
[[nodiscard]] LogBernoulliPair answer_pair(const StabilityTest& test, std::int64_t q,
                                           std::int64_t q_neighbour);

/// The epsilon of a round of the sparse form, by the scale of its queries' Laplace noise.
[[nodiscard]] double round_epsilon(double scale);

}  // namespace pate
