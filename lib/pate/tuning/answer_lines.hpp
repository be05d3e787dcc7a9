#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/aggregators/answer_line.hpp"

namespace pate {

/// The threshold check at one sigma1 as a function of the lead, the statistic less the threshold,
/// at consecutive leads `first - shift, first + 1 - shift, ...`: grid points with thresholds whole
/// votes apart share it.
class AnswerLeads {
 public:
  /// Covers the whole votes first .. last and one more at either side; shift in [0, 1) is the
  /// fraction of the thresholds, sigma1 > 0.
  AnswerLeads(double sigma1, double shift, std::int64_t first, std::int64_t last);

  [[nodiscard]] double sigma1() const { return sigma1_; }
  [[nodiscard]] std::size_t size() const { return answered_.size() - 2; }
  [[nodiscard]] std::int64_t first() const { return first_; }
  /// Pr[answered] at the i-th lead.
  [[nodiscard]] double answered(std::size_t i) const { return answered_[i + 1]; }
  [[nodiscard]] double log_answered(std::size_t i) const { return log_answered_[i + 1]; }
  /// log of the less likely answer's probability at the i-th lead.
  [[nodiscard]] double log_q(std::size_t i) const { return log_q_[i + 1]; }
  /// The i-th lead less one compared with the i-th, 0 <= i <= size().
  [[nodiscard]] const LogBernoulliPair& step(std::size_t i) const { return steps_[i]; }

 private:
  double sigma1_;
  std::int64_t first_;
  std::vector<double> log_answered_, answered_, log_q_;
  std::vector<LogBernoulliPair> steps_;
};

/// The excess of a query's joint moment in one direction as a function of the noisy maximum's, x,
/// at one lead: the largest of the lines of its neighbours (aggregators/answer_line.hpp).
class LineEnvelope {
 public:
  using Line = AnswerLine<double>;
  /// answered: Pr[answered] on the votes, the line of a neighbour with the same statistic.
  explicit LineEnvelope(double answered) : lines_{Line{0.0, answered}} {}
  void add(const Line& line) { lines_[count_++] = line; }
  /// Finds out where the outermost lines lead. Call once, after the last line.
  void finish();

  /// The largest of the lines at x >= 0, +inf where no double holds it.
  [[nodiscard]] double at(double x) const;
  /// The line that is the largest on all of [lowest, highest]; null where it is not seen at once.
  [[nodiscard]] const Line* single(double lowest, double highest) const {
    if (lowest >= high_from_) return &high_;
    return highest <= low_until_ ? &low_ : nullptr;
  }

 private:
  std::array<Line, 3> lines_;
  std::size_t count_ = 1;
  Line low_, high_;         // the largest at x = 0 and at x = infinity
  double low_until_ = 0.0;  // `low` is the largest up to here
  double high_from_ = 0.0;  // `high` is the largest from here on
};

/// The envelopes of both directions.
struct LinePair {
  LineEnvelope forward, reverse;
};

/// The checks of `AnswerLeads` at one order: envelopes for the reading joint, costs of the checks
/// for the reading expected.
class LeadCosts {
 public:
  LeadCosts(const AnswerLeads& leads, double order, Bound bound, Reading reading);

  /// Reading joint. Neighbours a vote higher and a vote lower exist unless the statistic is 0 or
  /// the number of teachers.
  [[nodiscard]] const LinePair& lines(std::size_t i) const { return lines_[i]; }
  [[nodiscard]] LinePair lines(std::size_t i, bool has_lower, bool has_higher) const;
  /// log of the largest of all lines of both directions at e^log_x.
  [[nodiscard]] double log_excess(std::size_t i, bool has_lower, bool has_higher,
                                  double log_x) const;

  /// Reading expected: the cost of the check alone.
  [[nodiscard]] double selection_cost(std::size_t i) const { return selection_[i]; }
  [[nodiscard]] double selection_cost(std::size_t i, bool has_lower, bool has_higher) const;

 private:
  const AnswerLeads& leads_;
  double order_;
  Bound bound_;
  double selection_cap_;
  std::vector<LineEnvelope::Line> up_, down_;  // by step, each in one direction
  std::vector<double> up_log_, down_log_;      // log of the checks' excesses
  std::vector<LinePair> lines_;
  std::vector<double> selection_;
};

}  // namespace pate
