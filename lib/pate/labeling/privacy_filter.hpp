#pragma once

#include <cstdint>
#include <optional>

#include "pate/accounting/mechanism_counts.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/mechanisms/aggregator.hpp"

namespace pate {

/// What a run may do at most, fixed before it begins.
struct RunLimits {
  std::int64_t queries = 0;                 ///< how many are put to the ensemble at most
  std::optional<std::int64_t> max_answers;  ///< the run stops after so many answers
  std::optional<double> max_epsilon;        ///< ... before a query that could cost more than this
};

/// Throws `parameter_error` unless max_answers >= 1 and max_epsilon >= 0 and finite.
void validate(const RunLimits& limits);

/// What is left of delta when the deltas of all queries of a run are set aside, asked or not.
/// Throws `parameter_error` where nothing is.
[[nodiscard]] double left_delta(const Mechanism& aggregator, const Neighbours& neighbours,
                                const RunLimits& limits, double delta);

/// The steps of a run that asks and answers as much as its limits other than max_epsilon allow.
[[nodiscard]] MechanismCounts most_steps(const Mechanism& aggregator, const Neighbours& neighbours,
                                         const RunLimits& limits);

/// The order at which a run will be accounted while it goes on; it depends on the settings alone,
/// never on votes or answers. If all queries (answered as far as max_answers allows) fit into
/// max_epsilon, or there is none: the best order for that worst case. Otherwise the order at which
/// max_epsilon allows the most answers: the largest (max_epsilon - conversion term) / cost of an
/// answered query. Throws `parameter_error` for bad parameters.
[[nodiscard]] double filter_order(const Mechanism& aggregator, const Neighbours& neighbours,
                                  const RunLimits& limits, double delta);

/// Decides before each query of a run whether it may still be asked, by what is public: the
/// settings and which queries were answered.
///
/// Every query has a threshold check, of RDP c1, and if answered a noisy maximum, of RDP c2, for
/// any votes (data_independent.hpp). After `asked` queries and `answered` answers a further query
/// is allowed when
///
///     (asked + 1) c1 + (answered + 1) c2 + conversion term (improved)  <=  max_epsilon
///
/// at the one order, rounded outwards; in PTR's sparse form rounds that have begun
/// take the place of queries, and the sum of their pure epsilons will do, too. Then
/// the costs of the steps of a run add up to at most max_epsilon less the conversion term, whatever
/// is answered; each is known before its step from answers alone; so the run as a whole has that
/// RDP at this order (a Renyi filter: Feldman, Zrnic, "Individual Privacy Accounting via a Renyi
/// Filter" (2021), Theorem 4.3; exp((order - 1)(loss - cost so far)) is a supermartingale) and is
/// (max_epsilon, delta)-DP, also when queries depend on earlier answers. A filter that looked at
/// costs that depend on the votes would stop at a moment that depends on the votes: where it
/// stopped would itself have to be paid for.
class PrivacyFilter {
 public:
  /// Throws `parameter_error` for bad parameters, order <= 1, or delta outside (0, 1).
  PrivacyFilter(const Mechanism& aggregator, const Neighbours& neighbours, const RunLimits& limits,
                double delta, double order);

  /// What is counted: its queries, at the order.
  [[nodiscard]] const Mechanism& mechanism() const { return aggregator_; }
  [[nodiscard]] const Neighbours& neighbours() const { return neighbours_; }
  [[nodiscard]] double order() const { return order_; }
  [[nodiscard]] std::int64_t asked() const { return asked_; }
  [[nodiscard]] std::int64_t answered() const { return answered_; }

  /// Whether max_answers answers were given.
  [[nodiscard]] bool enough_answers() const;
  /// Whether as many queries were refused as end a run of PTR's sparse form.
  [[nodiscard]] bool enough_refusals() const;
  /// Whether the cost of a further query, answered, stays within max_epsilon.
  [[nodiscard]] bool can_afford_next() const;
  /// Counts a query that was asked.
  void count(bool was_answered);

  /// RDP at the order of what was asked, by step.
  [[nodiscard]] QueryCost rdp() const { return rdp(asked_, answered_, rounds_); }
  /// The same as epsilon (improved), at least 0, of the sparse form at most the sum of the rounds';
  /// 0 when nothing was asked.
  [[nodiscard]] double epsilon() const;

 private:
  [[nodiscard]] QueryCost rdp(std::int64_t asked, std::int64_t answered, std::int64_t rounds) const;
  [[nodiscard]] double epsilon(std::int64_t asked, std::int64_t answered,
                               std::int64_t rounds) const;

  Mechanism aggregator_;
  Neighbours neighbours_;
  RunLimits limits_;
  double delta_;  // what the deltas of all queries leave
  double order_;
  std::int64_t asked_ = 0;
  std::int64_t answered_ = 0;
  std::int64_t rounds_ = 0;  // of the sparse form, that have begun
  bool in_round_ = false;    // whether the last query was answered, which goes on with its round
};

}  // namespace pate
