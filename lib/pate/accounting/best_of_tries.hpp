#pragma once

#include <array>
#include <optional>
#include <vector>

#include "pate/accounting/mechanism_counts.hpp"
#include "pate/accounting/names.hpp"
#include "pate/mechanisms/sampling/number_of_tries.hpp"

namespace pate {

template <>
inline constexpr std::array<Named<TriesLaw>, 3> kNames<TriesLaw>{{
    {TriesLaw::geometric, "geometric"},
    {TriesLaw::poisson, "poisson"},
    {TriesLaw::logarithmic, "logarithmic"},
}};

/// What it costs, for any votes, to run a mechanism a number of times that is drawn, each time with
/// fresh noise, and to release the best output. "Best" is by a score that depends on the output
/// alone, and of equal scores the first one is taken (which is to add a random number to each
/// output that decides ties, for the tries are alike). Neither the number of tries nor the other
/// outputs are released.
///
/// With eps(a) the RDP of one try at order a, K the number of tries, Papernot and Steinke,
/// "Hyperparameter Tuning with Renyi Differential Privacy" (2022), prove at every order a > 1
///
///     geometric, logarithmic (Theorem 2, eta = 1 and 0), with any order b >= 1:
///         eps(a) + (1 + eta) ((1 - 1/b) eps(b) + log(1/gamma) / b) + log E[K] / (a - 1)
///     poisson (Theorem 6), where one try is (e, d)-DP with e <= log(1 + 1/(a - 1)):
///         eps(a) + mu d + log(mu) / (a - 1)
///
/// b is looked for among the default orders and around the best of them, at 1 and, of pure steps,
/// at infinity; d is that of the Gaussian profile, else what the RDP of the default orders gives by
/// the improved conversion, and 0 where pure steps need none. RDP rises with the order: the least
/// of what is found at default orders above counts, too.
///
/// No try at all (poisson) releases a constant. It has probability e^-mu whatever the votes are,
/// and is covered where mu >= 1: with s and t the probabilities of better outputs on the votes and
/// on the neighbour, the a-th moment is e^-mu + mu times the integral over t of e^(-mu g)
/// (ds/dt)^a, g = a s - (a - 1) t >= -(a - 1) d. As (ds/dt)^a >= dg/dt, it is below the moment of
/// the theorem, mu e^(mu (a - 1) d) times the integral of (ds/dt)^a, by at least mu e^(mu (a - 1)
/// d) - (1 - e^-mu) - e^-mu, which is not negative for mu >= 1.
class BestOfTriesCost {
 public:
  /// one_try: its steps at most, whichever parameters it is drawn with. Throws `parameter_error`
  /// for a number of tries out of its domain and for steps with a delta of their own.
  BestOfTriesCost(const NumberOfTries& tries, const MechanismCounts& one_try);

  /// RDP at an order > 1, an upper bound: less than 1e-9 above the theorem's number.
  [[nodiscard]] double rdp(double order) const;

 private:
  // (1 + eta) min over b of (1 - 1/b) eps(b) + log(1/gamma) / b.
  [[nodiscard]] double least_second_term(double eta) const;
  // The delta with which one try is (epsilon, delta)-DP.
  [[nodiscard]] double delta_of_one_try(double epsilon) const;
  // The theorem at one order.
  [[nodiscard]] double at(double order, double rdp_of_one_try) const;

  NumberOfTries tries_;
  MechanismCounts steps_;
  std::vector<double> of_one_try_;  // RDP at the default orders
  std::optional<double> squared_mu_;
  std::optional<double> pure_;  // epsilon of one try, where all steps are pure
  double log_expected_ = 0.0;
  double second_term_ = 0.0;
  std::vector<double> least_above_;  // the least at this default order or a larger one
};

}  // namespace pate
