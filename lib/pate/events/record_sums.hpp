#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/pld_account.hpp"
#include "pate/events/event_costs.hpp"

namespace pate {

/// The events of a record in their canonical order, and sums over them of what they cost. A number
/// that was told of a run whose event is not in the record brings that run along, at its cost for
/// any votes.
class RecordSums {
 public:
  RecordSums(const Record& record, unsigned threads);
  RecordSums(const RecordSums&) = delete;
  RecordSums& operator=(const RecordSums&) = delete;
  ~RecordSums() = default;

  [[nodiscard]] const std::deque<Event>& events() const { return events_; }
  /// Deltas that are added apart, rounded upwards.
  [[nodiscard]] double delta_apart() const;

  // Of any votes.

  /// The noisy steps of all events; none where an event is something else, or where a cap may be
  /// less than its steps.
  [[nodiscard]] std::optional<MechanismCounts> only_steps() const;
  /// All noisy steps, whatever else there is.
  [[nodiscard]] MechanismCounts steps() const;
  /// Sensitivity of all events as one Gaussian mechanism, squared, but for `delta_apart`; none
  /// where one is another mechanism.
  [[nodiscard]] std::optional<double> squared_mu() const;
  /// How often each epsilon of a pure step occurs; none where an event is something else.
  [[nodiscard]] std::optional<std::vector<PureSteps>> pure_steps() const;
  /// Gaussian events as one mechanism, and the pure steps of the others; none where an event is
  /// neither.
  struct Mixture {
    double squared_mu = 0.0;
    std::vector<PureSteps> pure;
  };
  [[nodiscard]] std::optional<Mixture> mixture() const;
  [[nodiscard]] double any_votes(double order) const;

  // Of these votes, the lists of queries fixed beforehand. An event whose list was made from
  // answers of others enters with its cost for any votes.

  [[nodiscard]] bool has_votes() const;
  [[nodiscard]] std::vector<double> tradeoff(std::span<const double> orders,
                                             QuerySum how = QuerySum::interpolated);
  [[nodiscard]] bool has_exact() const;
  [[nodiscard]] std::vector<BothDirections> exact(std::span<const double> orders);
  /// What a privacy profile is made of; none where an event is neither a list of queries nor
  /// Gaussian.
  struct Profiled {
    std::vector<ExactRun*> runs;
    double mu = 0.0;  ///< of all other events
  };
  [[nodiscard]] std::optional<Profiled> profiled();

  // What was realized, and expectations.

  /// Whether costs of answers differ from those of the lists: some are told by what was asked.
  [[nodiscard]] bool tells_answers() const;
  /// The order that all events named whose cost was decided by answers; none where one did not.
  [[nodiscard]] std::optional<double> named_order() const;
  [[nodiscard]] std::vector<EventCosts::Spent> realized(std::span<const double> orders);
  /// The same for any votes: whether numbers of answers decide, the order that all such events
  /// named, and the sum at an order.
  [[nodiscard]] bool counts_answers() const;
  [[nodiscard]] std::optional<double> counted_order() const;
  [[nodiscard]] double counted(double order) const;
  [[nodiscard]] bool has_expected(Bound bound) const;
  [[nodiscard]] std::vector<EventCosts::Spent> expected(Bound bound, std::span<const double> orders,
                                                        QuerySum how = QuerySum::interpolated);

  /// Whether an event's list was made from answers of others in this record.
  [[nodiscard]] bool is_adaptive() const;

 private:
  // Whether what is known of the event's votes holds as a constant.
  [[nodiscard]] bool is_fixed(const Event& event) const;
  [[nodiscard]] bool is_decided_by_answers(const EventCosts& costs) const;

  std::deque<Event> events_;
  std::deque<EventCosts> costs_;
};

}  // namespace pate
