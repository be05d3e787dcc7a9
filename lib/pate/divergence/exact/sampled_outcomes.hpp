#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/exact/ball_outcomes.hpp"
#include "pate/divergence/exact/vote_groups.hpp"
#include "pate/divergence/pld/distribution_pair.hpp"
#include "pate/mechanisms/sampled_gaussian.hpp"

namespace pate {

/// A query that a sample of the teachers answers, on votes that are known. Without a check (sigma1
/// 0) the threshold is of no meaning.
struct SampledQuery {
  SampledGaussian noise;
  double threshold = 0.0;  ///< in votes of the sample
};

/// What comes out of such a query, exactly: on the votes, and on every neighbour with one teacher
/// more or less.
///
/// Of a class with n votes B are in the sample, a binomial number of n and the rate, independent of
/// those of other classes; its noisy count has the distribution function F(x) = E Phi((x - B)/s2)
/// and the density f. A class k is answered with probability
///
///     integral f_k prod_{j != k} F_j                                            without a check
///     sum over m of Phi((m - T)/s1) (A_k(m) - A_k(m - 1))                       with one,
///
/// A_k(m) the same integral with all B <= m: both steps look at one sample. Refused is the
/// rest, sum over m of (Phi((m + 1 - T)/s1) - Phi((m - T)/s1)) prod_j Pr[B_j <= m].
///
/// Integrals are sums at equidistant points, at most s2/r apart. An integrand is a mixture with
/// weights >= 0 of products of normal densities and distribution functions of m classes, so that
/// it is at most e^(m a^2 / 2 s2^2) times as large a from the real axis as on it; with the a that
/// suits best the sum is off by less than 2.1 e^(-2 pi^2 r^2 / m) of itself, below 1e-16 for
/// r^2 >= 2 m: the error is the Fourier transform at multiples of 2 pi over the step. Points go
/// from 10 s2 below no votes to as far above all of them that less than 1e-16 of any integral is
/// beyond. Sums are of terms >= 0, in `Extended`; only those over m with a check cancel. What all
/// of that may be wrong by is the uncertainty of every element.
class SampledOutcomes {
 public:
  /// None where probabilities leave the numbers, or cancel. Throws as `require`
  /// does. Domain: a valid query,
  /// groups with counts >= 0, by falling count.
  [[nodiscard]] static std::optional<SampledOutcomes> make(const SampledQuery& query,
                                                           const GroupedVotes& votes);

  /// Throws `parameter_error` where there are too many points for the counts that so many teachers
  /// may have: the same for all of their votes.
  static void require(const SampledQuery& query, std::int64_t teachers, std::int64_t classes);

  /// Of each neighbour, first those with a teacher more, by the group that it votes for, then those
  /// with one less. An outcome that is refused is an element as classes are. Statistics are those
  /// of all teachers.
  [[nodiscard]] const std::vector<BallOutcomes::OfNeighbour>& neighbours() const {
    return neighbours_;
  }
  /// How many of them have a teacher more.
  [[nodiscard]] std::size_t added() const { return added_; }
  /// The probability of an answer; 1 without a check.
  [[nodiscard]] double answered() const { return answered_; }

  /// Whether a neighbour has a teacher more than the votes or one less: on every query the same.
  enum class Change { more, less };
  /// The neighbours with such a change.
  [[nodiscard]] std::span<const BallOutcomes::OfNeighbour> neighbours(Change change) const {
    const std::span all(neighbours_);
    return change == Change::more ? all.first(added_) : all.subspan(added_);
  }

  /// log of the largest excess over the neighbours, by direction; never too small. Of those with
  /// one change only: -infinity where there are none.
  [[nodiscard]] BothDirections log_excess(double order) const;
  [[nodiscard]] BothDirections log_excess(double order, Change change) const;

  /// All outcomes against every neighbour; in reverse the neighbour's come first. What is uncertain
  /// of a probability is added to the first one, and to its loss.
  [[nodiscard]] std::vector<DistributionPair> tables(Direction direction) const;
  [[nodiscard]] std::vector<DistributionPair> tables(Direction direction, Change change) const;

 private:
  std::vector<BallOutcomes::OfNeighbour> neighbours_;
  std::size_t added_ = 0;
  double answered_ = 1.0;
};

/// The probability that the query is answered, to 1e-12: what the check says of the top count of a
/// sample. 1 without one.
[[nodiscard]] double sampled_answered(const SampledQuery& query, const GroupedVotes& votes);

}  // namespace pate
