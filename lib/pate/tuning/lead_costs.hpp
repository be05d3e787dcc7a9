#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/mechanisms/threshold_check.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/tuning/tuning_settings.hpp"

namespace pate {

/// The excess of a query's joint moment in one direction as a function of the noisy maximum's, x:
/// the largest of the lines of its neighbours.
class LineEnvelope : public AnswerLines<AffineExcess<double>> {
 public:
  using Line = AffineExcess<double>;
  /// answered: Pr[answered] on the votes, the line of a neighbour with the same statistic.
  explicit LineEnvelope(double answered) { add(Line{0.0, answered}); }
  /// Finds out where the outermost lines lead. Call once, after the last line.
  void finish();

  /// The largest of the lines at x >= 0, +inf where no double holds it.
  [[nodiscard]] double at(double x) const {
    const double largest = AnswerLines::at(x);
    if (largest < kMaxLinearExcess) return largest;
    return kInfinity;
  }
  /// The line that is the largest on all of [lowest, highest]; null where it is not seen at once.
  [[nodiscard]] const Line* single(double lowest, double highest) const {
    if (lowest >= high_from_) return &high_;
    return highest <= low_until_ ? &low_ : nullptr;
  }

 private:
  Line low_, high_;         // the largest at x = 0 and at x = infinity
  double low_until_ = 0.0;  // `low` is the largest up to here
  double high_from_ = 0.0;  // `high` is the largest from here on
};

/// The envelopes of both directions.
struct LinePair {
  LineEnvelope forward, reverse;
};

/// How many votes lower and higher the statistic of a neighbour may be: as many as teachers may
/// vote otherwise, down to 0 and up to the number of teachers, those that are added among them. The
/// furthest cost most (`JointCost`).
struct Sides {
  std::int64_t lower = 1;
  std::int64_t higher = 1;

  friend bool operator==(const Sides&, const Sides&) = default;
};

/// Those of a statistic v >= 0 of so many teachers.
[[nodiscard]] Sides sides_of(const Neighbours& neighbours, std::int64_t v, std::int64_t teachers);

/// The threshold check at some leads, the statistics less the threshold: what does not depend on
/// the order.
struct Leads {
  /// values: rising. check: its threshold is added to the leads' own.
  Leads(const ThresholdCheck& check, const Neighbours& neighbours, std::vector<std::int64_t> values,
        Bound bound);

  ThresholdCheck check;
  Neighbours neighbours;
  std::vector<std::int64_t> values;
  std::vector<double> log_answered;  ///< log Pr[answered], by lead
  /// The steps up to a lead, and from it, as far as neighbours go.
  std::vector<LogBernoulliPair> below, above;
  std::vector<GaussianPublishedBound> published;  ///< instead, for that bound
};

/// The same at one order: envelopes for the reading joint, costs of the check for the reading
/// expected. Leads are named by their place.
class LeadCosts {
 public:
  /// leads: must outlive this.
  LeadCosts(const Leads& leads, double order, CostKind kind);

  /// Reading joint.
  [[nodiscard]] const LinePair& lines(std::size_t lead) const { return lines_[lead]; }
  [[nodiscard]] LinePair lines(std::size_t lead, Sides sides) const;
  /// log of the largest of all lines of both directions at e^log_x.
  [[nodiscard]] double log_excess(std::size_t lead, Sides sides, double log_x) const;

  /// Reading expected: the cost of the check alone.
  [[nodiscard]] double selection_cost(std::size_t lead) const { return selection_[lead]; }
  [[nodiscard]] double selection_cost(std::size_t lead, Sides sides) const;

 private:
  // Of one step, seen from below and from above.
  struct StepLines {
    LogAnswerLine up, down;
  };
  [[nodiscard]] StepLines lines_of(const LogBernoulliPair& step) const;
  [[nodiscard]] std::int64_t reach() const { return leads_.neighbours.teachers; }
  // The step between two statistics, the lower one first.
  [[nodiscard]] StepLines step(std::int64_t from, std::int64_t to) const {
    return lines_of(answer_pair(leads_.check, from, to));
  }
  // Calls add(forward, reverse) with the lines of every neighbour with another statistic.
  template <class Add>
  void each_line(std::size_t lead, Sides sides, const Add& add) const;

  const Leads& leads_;
  double order_;
  CostKind kind_;
  double selection_cap_;
  std::vector<StepLines> below_, above_;
  std::vector<LinePair> lines_;
  std::vector<double> selection_;
};

}  // namespace pate
