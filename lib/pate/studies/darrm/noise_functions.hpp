#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pate/studies/darrm/worst_case.hpp"

namespace pate {

// Noise functions of K votes that need no optimisation, as values at least_majority(K) .. K, and
// what they are good for. None is certified here: `certified` (worst_case.hpp) does that.

/// The majority of `subsample` teachers drawn without replacement, ties by a fair coin:
///
///     gamma(l) = 2 Pr[H > n/2] + Pr[H = n/2] - 1,     H ~ hypergeometric(K, l, n),  n = subsample.
///
/// An even n gives what n - 1 does. Domain: 1 <= n <= K, else `parameter_error`. Source: Jiang et
/// al., Lemma 3.1.
[[nodiscard]] std::vector<double> subsampling_gamma(std::int64_t teachers, std::int64_t subsample);

/// How many teachers double subsampling asks for m teachers' worth of epsilon: 2 floor(m) - 1, at
/// most K, or the odd number below it.
///
/// An answer of it is (floor(m) epsilon, 1 - (1 - delta)^(2 floor(m) - 1))-DP for any independent
/// teachers: floor(m) of them who agree are a witness of the answer, and each survives the change
/// of a record with probability e^-epsilon. For 5 to 15 teachers 1 - (1 - delta)^floor(m) is
/// enough, as the certificate says of them all (a test), equal or not; Jiang et al., Theorem 4.1,
/// have it for equal teachers. Witnesses may be shared: with teachers that are trained once, any
/// number Q of answers are (min(Q floor(m), K) epsilon, 1 - (1 - delta)^K)-DP together.
[[nodiscard]] std::int64_t double_subsample(std::int64_t teachers, double m);

/// Jiang et al., Appendix A.1: a constant that is enough where the majority itself costs
/// (epsilon, delta) = `all`:
///
///     (E - 1 + 2 delta) / (2 (T - E + (1 + E) lambda) / (T + 1) + E - 1),  at most 1,
///
/// with E = e^(target epsilon), T = e^(all's epsilon), lambda all's delta. A constant between it
/// and `best_constant` is private too.
[[nodiscard]] double published_constant(const AnswerTarget& target, const AnswerTarget& all);

/// The largest constant: min(1, B / f(1)), from the worst multiset of the majority itself.
[[nodiscard]] double best_constant(const PrivateTeachers& teachers, const AnswerTarget& target);

/// Of teachers that promise nothing: one arbitrary vote may change, the others stay. The largest
/// noise function at every l at once. r(l) is the probability of not answering the majority:
///
///     r(mid) = (1 - delta) / (1 + E)  (K odd),
///     r(mid) = max(0, 1 - min(E / 2 + delta, 1 - (1/2 - delta) / E))  (K even, from the tie),
///     r(l + 1) = max(0, (r(l) - delta) / E),     gamma = 1 - 2 r.
///
/// A fair coin decides with probability 2^-36 more (1e-14 / (E - 1) where that is larger), so that
/// both ratios hold for the doubles as they are. An answer costs (epsilon, delta) of the target,
/// and answers compose. Throws `parameter_error` as `validate` does, and for an epsilon below
/// 2e-14.
[[nodiscard]] std::vector<double> one_vote_gamma(std::int64_t teachers, const AnswerTarget& target);

/// What an answer must be for one changed vote, so that it is `target` for `votes` changed ones, by
/// group privacy, one vote after the other:
///
///     (epsilon / S, delta (e^(epsilon/S) - 1) / (e^epsilon - 1)),   S = votes >= 1
///
/// Rounded downwards, by 1e-14 relative; with S = 1 the target itself. Source: Vadhan, "The
/// Complexity of Differential Privacy" (2017), Lemma 2.2, with delta (e^(S e) - 1)/(e^e - 1) for
/// its S e^(S e) delta.
[[nodiscard]] AnswerTarget target_of_one_vote(const AnswerTarget& target, std::int64_t votes);

/// What an objective weighs: w(l) at l = least_majority(K) .. K.
///
/// uniform: 2 / (K + 1), every number of ones equally likely. binomial: Bin(K, mu)(l) + Bin(K,
/// mu)(K - l), votes that are 1 with probability mu. Half of 1 + sum w gamma is then the expected
/// agreement with the majority, for odd K. agreement: the mean of binomial at mu = 0.75, 0.9 and
/// 0.99, ensembles that mostly agree. published: Bin(K, mu)(l) - Bin(K, mu)(K - l), what the
/// objective of Jiang et al. comes to (mu = 3/4 for their uniform prior, 0.95 for clear
/// majorities). total_variation: 2 C(K, l) 2^-K (2 q(l) - 1), q(l) = Pr[sum p > K/2 | L = l] for
/// p_i uniform on [0, 1]: then sum w (1 - gamma) / 2 is at most the mean distance |Pr[answer] -
/// Pr[majority]|.
[[nodiscard]] std::vector<double> uniform_weights(std::int64_t teachers);
[[nodiscard]] std::vector<double> binomial_weights(std::int64_t teachers, double mu);
[[nodiscard]] std::vector<double> agreement_weights(std::int64_t teachers);
[[nodiscard]] std::vector<double> published_weights(std::int64_t teachers, double mu);
[[nodiscard]] std::vector<double> total_variation_weights(std::int64_t teachers);

/// The probability that the answer is the true majority (1/2 on a tie) where each of K votes is 1
/// with probability p, independently.
[[nodiscard]] double agreement(std::span<const double> gamma, std::int64_t teachers, double p);

/// The mean of |Pr[answer = 1] - Pr[majority = 1]| over p_i uniform on [0, 1], independently, and
/// the standard error of this estimate of it.
struct MeanError {
  double mean = 0.0;
  double standard_error = 0.0;
};
/// One estimate for each noise function, from the same `samples` draws of a fixed seed. The exact
/// `total_variation_weights` stand for nearly all of it; only the rest is sampled.
[[nodiscard]] std::vector<MeanError> mean_errors(std::span<const std::vector<double>> gammas,
                                                 std::int64_t teachers, std::int64_t samples);

}  // namespace pate
