#pragma once

#include <cstdint>
#include <vector>

namespace pate {

/// An ensemble to make up votes of.
struct SimulationSettings {
  std::int64_t teachers = 250;
  std::int64_t classes = 10;
  std::int64_t queries = 1000;
  double accuracy = 0.9;     ///< expected share of the teachers that are right
  double correlation = 0.1;  ///< of two teachers being right about the same query
  std::uint64_t seed = 0;
};

/// Throws `parameter_error` unless teachers and queries are in 1 .. 2^31 - 1, classes in 1 .. 10^6,
/// accuracy in [0, 1] and correlation in [0, 1); NaN is in neither.
void validate(const SimulationSettings& settings);

/// What is known of a simulated query.
struct SimulatedQuery {
  std::int32_t label = 0;            ///< the true class
  std::vector<std::int32_t> counts;  ///< votes per class; they sum to the number of teachers
};

/// Plausible votes of teachers that do not exist, query by query.
///
/// For every query, independently of the others:
/// 1. the true class is uniform over the classes;
/// 2. the share p of teachers that are right is Beta(alpha, beta) distributed,
///
///        alpha = A (1 - C) / C,   beta = (1 - A) (1 - C) / C,
///
///    so that it has mean A (`accuracy`) and variance A (1 - A) C, where C (`correlation`) is the
///    intra-class correlation: there are easy queries and hard ones. p = A for C < 1e-12, which
///    nobody could tell from 0, and for A = 0 or 1;
/// 3. each wrong class has a weight, an independent Gamma(0.3) draw, so that a few classes attract
///    most of the wrong votes (of nine: on average half go to one, a quarter to another); beyond
///    1,000 classes drawn by Polya's urn, which is the same distribution of votes;
/// 4. given p and the weights the teachers vote independently: Binomial(M, p) of them are right,
///    the others are multinomial over the wrong classes.
///
/// So the number of teachers that are right has mean M A and variance M A (1 - A) (1 + (M - 1) C).
/// With one class there is nothing to be wrong about: all vote for it, whatever the accuracy.
///
/// With the accuracy and correlation measured on them (0.765 and 0.185) it comes close to 250 real
/// teachers with 30 MNIST images each: from the first decile of the top count to the ninth, all are
/// within 11 votes. Not modelled: teachers that are better than others or never vote for some
/// class, labels that are not uniform.
///
/// Every query has a random stream of its own, made from the seed and its number: fewer queries are
/// a prefix of more, and they may be asked for in any order, from several threads. Only the C++
/// standard's engine and Boost.Random's distributions are used, so a seed means the same votes
/// everywhere (where log and exp round alike). They are no secret: not fit for privacy noise.
class VoteSimulator {
 public:
  /// Throws `parameter_error` as `validate` does.
  explicit VoteSimulator(const SimulationSettings& settings);

  [[nodiscard]] const SimulationSettings& settings() const { return settings_; }

  /// Query `number`. Domain: 0 <= number < queries; another number is a bug: `std::out_of_range`.
  [[nodiscard]] SimulatedQuery query(std::int64_t number) const;

  /// Who voted so: the class ids of teachers 0 .. M - 1 on query `number`, given the query itself
  /// as `query(number)` returned it. A uniformly random assignment of the counts to the teachers.
  /// Domain: as `query`.
  [[nodiscard]] std::vector<std::int32_t> teacher_votes(std::int64_t number,
                                                        const SimulatedQuery& query) const;

 private:
  void check_number(std::int64_t number) const;

  SimulationSettings settings_;
};

}  // namespace pate
