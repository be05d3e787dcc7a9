#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/exact/exact_mechanism.hpp"
#include "pate/divergence/exact/neighbour_outcomes.hpp"
#include "pate/divergence/exact/vote_groups.hpp"
#include "pate/divergence/pld/distribution_pair.hpp"

namespace pate {

/// The exact cost of one query: the largest Renyi divergence between what the aggregator answers on
/// the votes and on a neighbour, in both directions, the selection and the noisy maximum seen as
/// one mechanism with the outcomes {refused} and the classes (design of the reading `joint`).
///
/// Relative accuracy 1e-11, rounded outwards by kExactCostMargin; at most the data-independent
/// cost. An upper bound that is not exact, the trade-off bound, takes its place
/// * for noise far below one vote, or counts a million standard deviations apart
///   (ExactMechanism::outcomes);
/// * where it is larger by less than 1e-11 of the cost: the selection dominates.
///
/// For neighbours within several teachers all of them are listed (`BallOutcomes`); each costs what
/// it costs, raised by what its probabilities may be wrong, and has a statistic of its own. There
/// are no costs by group then.
class ExactCost {
 public:
  /// The mechanism must outlive this. Throws `parameter_error` where a query has more neighbours
  /// than are listed.
  ExactCost(const ExactMechanism& mechanism, GroupedVotes votes);

  [[nodiscard]] const GroupedVotes& votes() const { return votes_; }

  // Excesses are convex in the order: what is known of a neighbour at two orders bounds it between
  // them, and neighbours that cannot be the largest are passed over. Results do not depend on which
  // orders were asked for before; speed does: ask for the ends of a range first.

  /// log of the bound on Pr[output is not the plurality], as the trade-off bound knows the query.
  [[nodiscard]] double log_q() const { return log_q_; }
  /// The log excess of the trade-off bound of the noisy maximum.
  [[nodiscard]] BothDirections tradeoff_excess(double order) const;

  /// The cost by the group of the class whose vote is the one to move: the largest over the classes
  /// it may move to. 0 for a group without votes. tradeoff: `tradeoff_excess(order)`, or from a
  /// table; no cost is above what it proves, and what is not a number costs that.
  void by_group(double order, const BothDirections& tradeoff, std::vector<BothDirections>& costs);
  void by_group(double order, std::vector<BothDirections>& costs) {
    by_group(order, tradeoff_excess(order), costs);
  }

  /// The largest of these in each direction.
  [[nodiscard]] BothDirections largest(double order, const BothDirections& tradeoff);
  [[nodiscard]] BothDirections largest(double order) {
    return largest(order, tradeoff_excess(order));
  }

  /// What the trade-off bound proves of these: an upper bound, without outcome probabilities.
  [[nodiscard]] BothDirections bound(double order, const BothDirections& tradeoff) const;

  /// log of an upper bound d on the probability of all outcomes but one, on the votes and on every
  /// neighbour. With d <= 0.05 every neighbour's sum over o of (P(o) - gamma Q(o))+ is at most
  /// (1 - gamma)+ + 2.1 d, in both directions. 0 where nothing is known.
  [[nodiscard]] double log_other_outcomes() const;

  /// log of an upper bound d on the probability that the noisy maximum is not the plurality, on the
  /// votes and on every neighbour. With d <= 0.05 every neighbour's sum over o of (P(o) - gamma
  /// Q(o))+ is at most that of `selection_tables` and 2.1 d, in both directions. 0 where nothing is
  /// known.
  [[nodiscard]] double log_q_any_neighbour() const;

  /// The neighbour that attains the larger direction of `largest`, as groups. None where there is
  /// no neighbour, or where the trade-off bound took the place of the exact cost.
  [[nodiscard]] std::optional<NeighbourOutcomes::Neighbour> worst_neighbour_at(double order);
  /// The same of neighbours within several teachers, of which `worst_neighbour_at` has none: what
  /// changes in the first that attains it.
  [[nodiscard]] std::optional<BallNeighbour> worst_in_ball(double order);

  /// Positions of neighbours one of which costs most at every order of first .. last, in either
  /// direction, as far as that is known from the orders that were asked for; none: any may.
  [[nodiscard]] std::vector<std::uint32_t> possible_maxima(double first, double last) const;

  /// How many groups, from the first on, are near: all classes of the others are so far behind that
  /// of neighbours that differ in those alone, and change the statistic alike, any one may stand
  /// for all: the sum over o of (P(o) - gamma Q(o))+ of the others is above its by at most `limit`
  /// > 0, in both directions and for every gamma.
  [[nodiscard]] std::size_t contending_groups(double limit) const;

  /// Which neighbour stands for each when so many groups are near: the first that it may.
  [[nodiscard]] std::vector<std::uint32_t> representatives(std::size_t near) const;

  /// The outcomes of the query, refusals among them, against every neighbour, in the order of
  /// `NeighbourOutcomes::neighbours`, or against those at the positions `only`. None where outcomes
  /// are not known.
  [[nodiscard]] std::optional<std::vector<DistributionPair>> tables(
      std::span<const std::uint32_t> only = {});

  /// The same of what a query with a selection tells when all answers are taken for one: refused
  /// or answered, against every change of the statistic that a moved vote brings about, the one of
  /// 0 only where there is no other; `from`: a vote of that group.
  [[nodiscard]] std::vector<DistributionPair> selection_tables(
      std::optional<std::size_t> from = {}) const;

  /// Whether neighbours are those within several teachers; how many there are then, and each one's
  /// kind, by what happens to the two largest groups (`kind_of`).
  [[nodiscard]] bool is_ball() const { return !mechanism_.moves_together(); }
  [[nodiscard]] std::size_t ball_size() const { return ball_size_; }
  [[nodiscard]] std::vector<std::size_t> kinds_in_ball() const;
  [[nodiscard]] std::int64_t most_changed() const { return mechanism_.neighbours().teachers; }

  /// Outcome probabilities on the votes and their neighbours; none for noise far below one vote.
  [[nodiscard]] const NeighbourOutcomes* outcomes();

  /// Whether the outcomes of all neighbours are in memory.
  [[nodiscard]] bool holds_outcomes() const { return (outcomes_ && !is_reduced_) || ball_; }
  /// Memory of what is kept to be used again, about, in bytes.
  [[nodiscard]] std::size_t bytes() const;
  /// Forgets them: they are computed anew when needed. Where a range of orders was looked at, it is
  /// remembered which neighbours can be the largest within: only theirs are, for `largest`.
  void drop_outcomes();

 private:
  [[nodiscard]] std::vector<DistributionPair> tables_of(const NeighbourOutcomes& outcomes,
                                                        std::span<const std::uint32_t> only) const;

  // A change of the selection statistic in one direction at an order.
  struct Line {
    AffineExcess<double> line;
    LogAnswerLine log;
  };
  // By change of the statistic.
  struct Lines {
    std::vector<Line> forward;
    std::vector<Line> reverse;
  };
  // Upper bounds of every neighbour's excesses at an order, rounded upwards.
  struct Known {
    double order;
    std::vector<std::array<float, 2>> excess;
    std::vector<char> is_tight;  // whether that is the excess, rounded, of the neighbour
  };
  // Neighbours, by position, one of which is the largest at every order from `first` to `last`.
  struct Candidates {
    double first = 0.0, last = 0.0;
    std::vector<std::uint32_t> neighbours;  // none: not known
  };
  // A neighbour is passed over when it is surely not the largest, whatever rounding did.
  static constexpr double kMaxRatioToSkip = 1.0 - 1e-9;
  // A chord above the excesses between two orders: weights of what is known at each.
  struct Chord {
    const Known* low = nullptr;
    const Known* high = nullptr;
    double low_weight = 0.0;
    double high_weight = 0.0;

    [[nodiscard]] BothDirections at(std::size_t k) const;
  };
  [[nodiscard]] Chord chord(double order) const;
  void keep(Known known);
  [[nodiscard]] Candidates candidates() const;
  // Makes outcomes_ those of the candidates, if they are enough, or of all; null where there are
  // none.
  const NeighbourOutcomes* outcomes_for(double order, bool by_group);
  // The largest costs by group or, where `by_group` is false, of the query as a whole: then only
  // the largest of `costs` means anything.
  void evaluate(double order, const BothDirections& tradeoff, bool by_group,
                std::vector<BothDirections>& costs);
  [[nodiscard]] Lines lines(double order) const;
  // Which of the lines a neighbour is on.
  [[nodiscard]] std::size_t line_of(std::size_t from, std::size_t to) const {
    return lines_of_[from * votes_.groups.size() + to];
  }
  bool tradeoff_suffices(const Lines& lines, const BothDirections& log_excess) const;
  void bound_by_tradeoff(double order, const Lines& lines, const BothDirections& log_excess,
                         double margin, std::vector<BothDirections>& costs) const;
  // Brings the costs down to the trade-off bound where they are above it by an error.
  void cap_at_tradeoff(double order, const Lines& lines, const BothDirections& tradeoff,
                       bool by_group, std::vector<BothDirections>& costs) const;
  [[nodiscard]] static BothDirections joint_log_excess(const Lines& lines, std::size_t line,
                                                       const BothDirections& log_excess);
  [[nodiscard]] BothDirections costs(const BothDirections& log_excess, double order,
                                     double margin) const;

  // Of neighbours within several teachers; null where their outcomes are not known.
  const BallOutcomes* ball();
  void make_ball();
  [[nodiscard]] BothDirections bound_of_ball(double order, const BothDirections& tradeoff) const;
  [[nodiscard]] BothDirections largest_in_ball(double order, const BothDirections& tradeoff);
  [[nodiscard]] std::vector<DistributionPair> tables_of(const BallOutcomes& outcomes) const;

  const ExactMechanism& mechanism_;
  GroupedVotes votes_;
  double log_q_ = 0.0;
  void place_lines();
  // Sets of lines, each sorted.
  using LineSet = std::vector<std::uint16_t>;

  // By line: by change of the statistic, increasing; of several teachers the furthest down, 0, the
  // furthest up.
  std::vector<LogBernoulliPair> answers_;
  std::size_t zero_line_ = 0;  // whose change is 0
  std::optional<BallOutcomes> ball_;
  std::size_t ball_size_ = 0;
  std::vector<std::uint16_t> lines_of_;  // by (from, to)
  std::optional<NeighbourOutcomes> outcomes_;
  bool tried_ = false;
  bool is_reduced_ = false;  // outcomes_ are those of the candidates
  Candidates candidates_;
  std::vector<LineSet> line_sets_;         // the first is empty
  std::vector<std::uint16_t> lines_from_;  // by group that loses the vote: which set
  std::vector<Known> known_;               // by increasing order; of the neighbours in outcomes_
};

}  // namespace pate
