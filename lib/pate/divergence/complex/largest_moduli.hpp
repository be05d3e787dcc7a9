#pragma once

#include <span>
#include <vector>

#include "pate/divergence/complex/complex_orders.hpp"
#include "pate/divergence/pld/distribution_pair.hpp"
#include "pate/numerics/bernoulli_pair.hpp"
#include "pate/numerics/kernels/kernels.hpp"

namespace pate {

/// log |m(a + i k w)|, the largest over several neighbours of a query, where
///
///     m(z) = E_P e^{z L} = sum over the outcomes of P^{1+z} Q^{-z},    L = log(P/Q).
///
/// An upper bound: whatever errors of the probabilities, of 4e-12 relative, and rounding can make
/// of a modulus is added to it. Each k has a neighbour of its own that is the largest there; moduli
/// are not monotone in anything (README). The other direction is that of reversed pairs.
class LargestModuli {
 public:
  /// Throws `parameter_error` as `validate(orders)` does.
  explicit LargestModuli(const ComplexOrders& orders);

  /// Forgets all neighbours: m = 1, as of a query that nothing can change.
  void clear();
  /// One more neighbour. An outcome that P alone has, or a moment beyond doubles, makes moduli
  /// infinite. `rest`, by real part: an upper bound on the moment of outcomes that are not in the
  /// table; empty: there are none.
  void add(const DistributionPair& table, std::span<const double> rest = {});

  /// An outcome by the logarithm of its probability, and its loss.
  struct LogOutcome {
    double log_p = 0.0;
    double loss = 0.0;
  };
  /// The same of such outcomes.
  void add(std::span<const LogOutcome> table, std::span<const double> rest = {});

  /// How a query is answered or refused, whatever else it tells: the probabilities, and what they
  /// are after a move. Made once for many neighbours.
  class Answer {
   public:
    /// `refused` false: there is no outcome *refused*, log_not_p is not looked at.
    Answer(const ComplexOrders& orders, const LogBernoulliPair& pair, bool refused);

   private:
    friend class LargestModuli;
    LogBernoulliPair pair_;
    bool refused_;
    bool is_plain_;  // no logarithm is so large that products of weights are no doubles
    // Turned by w k (loss of a refusal - that of an answer), by k.
    std::vector<double> cosines_, sines_;
    std::vector<double> answered_, not_answered_;  // p e^{a l}, by real part
  };
  /// The outcomes of an answered query, for the neighbours that follow.
  void set_answers(std::span<const LogOutcome> outcomes);
  /// A neighbour that refuses or answers so, with those outcomes: the same as of a table of all,
  /// and quicker, since a modulus stays where all angles are turned by that of an answer.
  void add(const Answer& answer, std::span<const double> rest);

  /// The logarithms by real part, then k. `cap`: a bound on the Renyi divergence of order a + 1 by
  /// real part, which bounds the moduli at every k by e^{a cap}; it is taken where it is less, and
  /// where a modulus is not a number.
  void logs(std::span<const double> cap, std::span<double> to) const;

 private:
  // Raises the moduli at a real part by the sum of its terms.
  void raise(std::size_t real, const ModulusTerms& terms, double sum);
  // What cannot be told of an outcome, or has no phase, by real part; whether nothing else is.
  bool add_unknown(const LogOutcome& outcome);
  // `Kernels::raise_moduli` beyond what squares hold.
  void raise_large(const ModulusTerms& terms, double* largest) const;

  ComplexOrders orders_;
  std::size_t stride_;           // of rows by k: a multiple of `kLanes`
  std::vector<double> largest_;  // |m|, by real part, then k
  bool is_empty_ = true;
  // Of the neighbour that is being added.
  std::vector<double> cosines_, sines_;  // of k w l, by outcome, then k
  std::vector<const double*> cosine_rows_, sine_rows_;
  std::vector<double> weights_;  // p e^{a l}, by real part, then outcome
  std::vector<double> unknown_;  // what cannot be told, or has no phase
  std::vector<LogOutcome> outcomes_, known_;
  // Of those that are answered.
  std::vector<LogOutcome> answers_, all_;
  bool is_plain_ = true;
  std::vector<double> answer_cosines_, answer_sines_, answer_weights_;
};

}  // namespace pate
