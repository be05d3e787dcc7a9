#pragma once

#include <cstdint>
#include <vector>

#include "pate/release/sensitivity/local_sensitivity.hpp"
#include "pate/release/sensitivity/vote_profile.hpp"

namespace pate {

/// log of the excess of D_order( {1 - p, p P, p (1 - P)} || the same on a neighbour ) of a query
/// with two classes, forward: v votes for a class, w on the neighbour (w - v is 1 or -1), where the
/// check sees a top count of `seen`. p and P as in TwoClassCost.
[[nodiscard]] double two_class_log_excess(const Aggregator& aggregator, std::int64_t teachers,
                                          std::int64_t v, std::int64_t w, std::int64_t seen,
                                          double order);

/// The exact forward cost of one query of the GNMax or Confident aggregator with two classes. It
/// depends on one integer, the top count v: with p_v = Pr[answered | v] and P_v = Pr[the plurality
/// wins | answered] = Phi((2v - M) / (sqrt(2) sigma)),
///
///     E(v) = max over w = v - 1, v + 1 with w <= M of
///            D_order( {1 - p_v, p_v P_v, p_v (1 - P_v)} || the same at w ).
///
/// It is the divergence itself, but for the least v, about M/2: there w = v - 1 stands for a tie
/// that is broken the other way, whose check sees v again; taking p_w for it can only add, and
/// leaves E without a jump at ties, which its sensitivity would have to pay for. A walk over
/// integers, so that the local sensitivity is exact up to the error of computed costs, which is
/// added.
class TwoClassCost {
 public:
  /// Throws `parameter_error` unless there are two classes, Gaussian noise and no student.
  TwoClassCost(const Aggregator& aggregator, const Neighbours& neighbours, std::int64_t teachers,
               std::int64_t classes, double order);

  /// E(v) for a top count v, rounded outwards. Domain: M/2 <= v <= M.
  [[nodiscard]] double cost(std::int64_t v) const {
    return costs_[static_cast<std::size_t>(v - least_)];
  }

  /// LS(d) of the run, d = 0..teachers.
  [[nodiscard]] LocalSensitivity local_sensitivity(const VoteProfile& votes) const;

 private:
  std::int64_t least_;         // the smallest top count
  std::vector<double> costs_;  // by v - least_
};

}  // namespace pate
