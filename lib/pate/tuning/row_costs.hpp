#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/tuning/tuning_settings.hpp"
#include "pate/tuning/vote_sums.hpp"

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

/// Those of a statistic v >= 0 of so many teachers, for the neighbours of a check.
[[nodiscard]] Sides sides_of(const Neighbours& neighbours, std::int64_t v, std::int64_t teachers);

/// The threshold check at some leads, the statistics less the threshold: what does not depend on
/// the order.
struct Leads {
  /// values: rising. check: its threshold is added to the leads' own.
  Leads(const ThresholdCheck& check, std::vector<std::int64_t> values, Bound bound);

  ThresholdCheck check;
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
  [[nodiscard]] std::int64_t reach() const { return leads_.check.neighbours.teachers; }
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

/// The costs of grid points that share sigma1: for some thresholds, the threshold check's part,
/// made for an order when it is first needed; put together with the sums of the votes for any noise
/// of the maximum. For one thread.
class RowCosts {
 public:
  /// check: whose sigma1 and neighbours count. thresholds: increasing. statistics: all values of v
  /// that will be asked for. interpolate: whether costs at many thresholds may come from those at a
  /// few. `orders` must outlive this.
  RowCosts(const ThresholdCheck& check, std::span<const double> thresholds,
           std::span<const CostInputs::Statistic> statistics, CostKind kind,
           const TuningOrders& orders, bool interpolate);

  /// Expected number of answers, sum of queries * Pr[answered | v].
  [[nodiscard]] double answered(const VoteSums& sums, std::size_t threshold) const;
  /// Expected number of right answers (`VoteSums::right`), and of those that are the plurality.
  [[nodiscard]] double right(const VoteSums& sums, std::size_t threshold) const {
    return answered_of(sums.right(), sums, threshold);
  }
  [[nodiscard]] double agreeing(const VoteSums& sums, std::size_t threshold) const {
    return answered_of(sums.agreeing(), sums, threshold);
  }

  /// RDP of the run at an order: at least that of `run_costs`, by less than 3e-3.
  ///
  /// Reading joint: queries with equal v and equal worst neighbour are one term,
  /// sum of log(A + B x_i) <= count log(A + B mean x) (Jensen). Where several neighbours are the
  /// worst, or where the x are far apart, they are taken in groups. O(distinct v).
  /// Reading expected: sum over v of the checks and of Pr[answered | v] times the noisy maxima.
  ///
  /// Thresholds within two sigma1, if they are more than the nodes of an interpolation over them,
  /// have its value, raised by ten times the last two coefficients; where these are not small the
  /// sum itself.
  [[nodiscard]] double rdp(const VoteSums& sums, std::size_t threshold, std::size_t order);
  /// Whether the costs at a threshold are interpolated.
  [[nodiscard]] bool is_interpolated(std::size_t threshold) const {
    return panel_of(threshold) < panels_.size();
  }
  /// Where they are: the RDP at a threshold nearby, which takes a fraction of the time.
  [[nodiscard]] double rdp_nearby(const VoteSums& sums, std::size_t threshold, std::size_t order);

 private:
  // Of so many queries with each statistic those that are answered.
  [[nodiscard]] double answered_of(std::span<const double> queries, const VoteSums& sums,
                                   std::size_t threshold) const;
  // Thresholds whole votes apart see the same leads.
  struct Chain {
    ThresholdCheck check;  // with what is left of the threshold
    std::vector<std::int64_t> values;
    bool is_gapless;               // else of one threshold, a lead for each statistic
    std::vector<double> answered;  // Pr[answered], by lead
    std::optional<Leads> leads;    // when a cost is needed
    std::map<std::size_t, std::unique_ptr<LeadCosts>> by_order;
  };
  struct Place {
    std::size_t chain = 0;
    std::int64_t whole = 0;  // the whole votes of the threshold: the lead is v less these
  };
  // Thresholds over which costs are interpolated, from those at its nodes.
  struct Panel {
    static constexpr std::size_t kNodes = 12;
    using Nodes = std::array<double, kNodes>;
    struct Costs {
      std::optional<double> nearby;  // at the node in the middle
      Nodes at_nodes{};
      std::optional<double> raised;  // by this factor; 0 where the interpolant has not converged
    };
    // Of thresholds from .. to - 1; what its nodes are is appended.
    Panel(std::size_t from, std::size_t to, std::vector<double>& thresholds);

    std::size_t begin, end;
    std::size_t first_node;        // in places_
    std::vector<Nodes> weights;    // by threshold, of the costs at the nodes
    Nodes last{}, last_but_one{};  // likewise, for coefficients of the interpolant
    std::map<std::pair<const VoteSums*, std::size_t>, Costs> by_order;
  };
  // Its number, or that of panels_ for none.
  [[nodiscard]] std::size_t panel_of(std::size_t threshold) const;
  void add_panels(std::vector<double>& thresholds);
  void add_chains(std::span<const double> thresholds,
                  std::span<const CostInputs::Statistic> statistics);
  // Which lead of the chain v has.
  [[nodiscard]] std::size_t lead(const Place& place, std::int64_t v) const;
  // Pr[answered | v].
  [[nodiscard]] double answered(const Place& place, std::int64_t v) const {
    return chains_[place.chain].answered[lead(place, v)];
  }
  [[nodiscard]] const LeadCosts& costs(const Place& place, std::size_t order);
  [[nodiscard]] double rdp(const VoteSums& sums, const Place& place, std::size_t order);
  [[nodiscard]] const Panel::Costs& costs(Panel& panel, const VoteSums& sums, std::size_t order);
  [[nodiscard]] double joint(const VoteSums& sums, const Place& place, std::size_t order);
  [[nodiscard]] double expected(const VoteSums& sums, const Place& place, std::size_t order);

  ThresholdCheck check_;  // whose threshold is not looked at
  CostKind kind_;
  const TuningOrders& orders_;
  std::size_t kept_ = 0;  // leads of costs in chains
  std::vector<Chain> chains_;
  std::vector<Place> places_;  // of the thresholds, then of the panels' nodes
  std::vector<Panel> panels_;  // by their thresholds
};

}  // namespace pate
