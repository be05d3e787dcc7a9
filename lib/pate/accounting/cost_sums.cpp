#include "pate/accounting/cost_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/q_tables.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// Positions are a hundred bytes each; beyond this many they are found anew at every order.
constexpr std::size_t kKeptPositions = 100'000;

std::vector<double> finite_log_q(const QueryCounts& query_counts) {
  std::vector<double> values;
  values.reserve(query_counts.distinct.size());
  for (const DistinctQuery& query : query_counts.distinct) {
    if (query.log_q != -kInfinity) values.push_back(query.log_q);
  }
  return values;
}

// Of a query without a cell.
QCells::Position no_cell(double log_q) {
  return {log_q, QCells::kNoCell, {}};
}

std::vector<std::size_t> positions_of(std::span<const double> orders) {
  std::vector<std::size_t> positions(orders.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return positions;
}

class Published : public BoundAtOrders {
 public:
  Published(const CostInputs& inputs, std::span<const double> orders, unsigned threads)
      : inputs_(inputs),
        orders_(orders.begin(), orders.end()),
        all_(positions_of(orders)),
        table_(published_table(inputs.cells(), inputs.aggregator().noisy().noisy_max)) {
    if (table_) tables_ = table_->at_orders(orders, threads);
  }

  void query(std::size_t query, QueryCosts& costs) const override {
    costs.noisy_max.assign(orders_.size(), 0.0);
    noisy_max(inputs_.position(query), all_, costs.noisy_max);
  }

  void noisy_max(const QCells::Position& q, std::span<const std::size_t> at,
                 std::span<double> costs) const override {
    if (q.log_q == -kInfinity) {
      for (const std::size_t j : at) costs[j] = 0.0;
    } else if (table_) {
      const GaussianPublishedBound bound = table_->bound(q.log_q);
      for (const std::size_t j : at) {
        costs[j] = GaussianPublishedTable::cost(tables_[j], q, bound);
      }
    } else {
      for (const std::size_t j : at) {
        costs[j] = published_cost(inputs_.aggregator().noisy().noisy_max, q.log_q, orders_[j]);
      }
    }
  }

  [[nodiscard]] double selection(std::size_t order, std::int64_t statistic) const override {
    return published_selection_cost(*inputs_.ladder(), statistic, orders_[order]);
  }

 private:
  const CostInputs& inputs_;
  std::vector<double> orders_;
  std::vector<std::size_t> all_;
  std::optional<GaussianPublishedTable> table_;
  std::vector<GaussianPublishedTable::AtOrder> tables_;
};

class Tradeoff : public BoundAtOrders {
 public:
  Tradeoff(const CostInputs& inputs, std::span<const double> orders, unsigned threads)
      : inputs_(inputs),
        orders_(orders.begin(), orders.end()),
        all_(positions_of(orders)),
        table_(inputs.aggregator().is_gaussian()
                   ? tradeoff_table(inputs.cells(), inputs.aggregator().noisy().noisy_max)
                   : std::nullopt) {
    if (table_) tables_ = table_->at_orders(orders, threads);
    if (!inputs.ladder()) return;
    if (table_) fill_nodes();
    std::vector<std::optional<JointCost>> made(orders.size());
    parallel_for(orders.size(), threads, [&](std::size_t j) {
      const double cap = data_independent_cost(inputs.aggregator(), orders[j]).noisy_max;
      made[j].emplace(*inputs.ladder(), orders[j], cap, &*inputs.places());
    });
    for (auto& joint : made) joints_.push_back(std::move(*joint));
  }

  void query(std::size_t query, QueryCosts& costs) const override {
    costs.noisy_max.assign(orders_.size(), 0.0);
    noisy_max(inputs_.position(query), all_, costs.noisy_max);
    costs.joint = costs.noisy_max;
    if (joints_.empty()) return;
    joint(inputs_.query_counts().distinct[query].statistic, inputs_.position(query), all_,
          costs.joint);
  }

  void noisy_max(const QCells::Position& q, std::span<const std::size_t> at,
                 std::span<double> costs) const override {
    if (q.log_q == -kInfinity) {
      for (const std::size_t j : at) costs[j] = 0.0;
    } else if (table_) {
      for (const std::size_t j : at) {
        const BothDirections log_excess = table_->log_excess(tables_[j], q);
        const double excess = std::exp(log_excess.larger());
        costs[j] = fits_double(excess)
                       ? cost_of_excess(excess, orders_[j], tables_[j].cap)
                       : cost_of_log_excess(log_excess.larger(), orders_[j], tables_[j].cap);
      }
    } else if (inputs_.ladder()) {
      throw parameter_error("a selection goes with Gaussian noise, or with PTR");
    } else {
      for (const std::size_t j : at) {
        costs[j] =
            tradeoff_cost(inputs_.aggregator().noisy().noisy_max, q.log_q, orders_[j]).larger();
      }
    }
  }

  void joint(std::int64_t statistic, const QCells::Position& q, std::span<const std::size_t> at,
             std::span<double> costs) const override {
    // The maximum cannot go wrong (one class, or PTR): only the selection costs anything.
    const bool is_sure = q.log_q == -kInfinity;
    for (const std::size_t j : at) {
      costs[j] = joints_[j].cost(statistic, is_sure ? BothDirections{-kInfinity, -kInfinity}
                                                    : table_->log_excess(tables_[j], q));
    }
  }

  [[nodiscard]] QCells::Nodes joint_at_nodes(std::size_t order, std::int64_t statistic,
                                             std::size_t cell) const override {
    QCells::Nodes costs;
    joints_[order].cost(statistic,
                        std::span(nodes_[order]).subspan(cell * QCells::kNodes, QCells::kNodes),
                        costs.data());
    return costs;
  }

  [[nodiscard]] double selection(std::size_t order, std::int64_t statistic) const override {
    return joints_[order].selection_cost(statistic);
  }

 private:
  void fill_nodes() {
    nodes_.resize(orders_.size());
    for (std::size_t j = 0; j < orders_.size(); ++j) {
      for (std::size_t cell = 0; cell < inputs_.cells().size(); ++cell) {
        for (const BothDirections& log : table_->at_nodes(tables_[j], cell)) {
          nodes_[j].push_back({log, {std::exp(log.forward), std::exp(log.reverse)}});
        }
      }
    }
  }

  const CostInputs& inputs_;
  std::vector<double> orders_;
  std::vector<std::size_t> all_;
  std::optional<GaussianTradeoffTable> table_;
  std::vector<GaussianTradeoffTable::AtOrder> tables_;
  std::vector<std::vector<JointCost::Node>> nodes_;  // by order; wide cell, then node
  std::vector<JointCost> joints_;
};

constexpr std::size_t kPiece = 512;
// Pairs of order and selection statistic that are tabulated at once, a hundred bytes each.
constexpr std::size_t kTabulated = 1'000'000;

// Sums over one piece of the distinct queries, by order.
struct Piece {
  std::vector<RunCost> sums;          // but for the checks
  std::vector<double> by_checkpoint;  // by checkpoint, then order; empty without a trajectory
};

// Cost of the threshold check by order and distinct statistic; empty without a selection.
using SelectionCosts = std::vector<std::vector<double>>;

SelectionCosts selection_costs(const CostInputs& inputs, const BoundAtOrders& costs,
                               std::size_t orders, unsigned threads) {
  SelectionCosts result(inputs.ladder() ? orders : 0);
  parallel_for(result.size(), threads, [&](std::size_t j) {
    for (const auto& statistic : inputs.statistics()) {
      result[j].push_back(costs.selection(j, statistic.value));
    }
  });
  return result;
}

// How far a cost may be from what the nodes say of the queries at the ends of a part.
constexpr double kEndTolerance = 1e-10;
// With fewer queries, the nodes of two halves are more work.
constexpr std::size_t kFewQueries = 4 * QCells::kNodes;
constexpr double kMinPart = 0x1p-8;

// The ends of a part, for costs by order.
struct Ends {
  std::array<QCells::Nodes, 2> weights{};
  std::array<std::vector<double>, 2> costs;

  // cost(query, costs) fills in the costs of a query.
  template <class Cost>
  Ends(const QuerySets::Part& part, std::size_t orders, const Cost& cost) {
    const std::array queries{part.smallest_q, part.largest_q};
    for (const std::size_t i : {0U, 1U}) {
      weights[i] = QCells::weights_at(part.within(queries[i].s));
      costs[i].resize(orders);
      cost(queries[i].query, costs[i]);
    }
  }

  // Whether values at the nodes determine what the function of q at an order is for all queries
  // of the part: the interpolant has converged, and beyond the last nodes, where they see nothing,
  // it fits.
  [[nodiscard]] bool determined_by(const QCells::Nodes& values, std::size_t order) const {
    if (!QCells::converged(values, *std::ranges::min_element(values))) return false;
    return std::ranges::all_of(std::array{std::size_t{0}, std::size_t{1}}, [&](std::size_t i) {
      const double error = QCells::interpolate(weights[i], values) - costs[i][order];
      return std::abs(error) <= kEndTolerance * costs[i][order];
    });
  }
};

// Adds the queries of a set at orders at which its nodes do not determine their sums: by the nodes
// of its halves, and of halves of these, or at last one by one.
template <class Sums>
void add_halves(Sums& sums, const QuerySets::Part& whole, std::vector<std::size_t> undetermined) {
  struct Open {
    QuerySets::Part part;
    std::vector<QuerySets::QueryInCell> queries;  // of the part
    std::vector<std::size_t> at;
  };
  std::vector<Open> open;
  const auto keep = [&open](const QuerySets::Part& part, std::vector<std::size_t> at) {
    if (at.empty()) return;
    Open added{part, {part.queries.begin(), part.queries.end()}, std::move(at)};
    added.part.queries = added.queries;
    open.push_back(std::move(added));
  };
  keep(whole, std::move(undetermined));
  while (!open.empty()) {
    const Open next = std::move(open.back());
    open.pop_back();
    std::vector<QuerySets::QueryInCell> queries;
    for (const QuerySets::Part& half : QuerySets::halves(next.part, queries)) {
      if (half.queries.size() > kFewQueries && half.half > kMinPart) {
        keep(half, sums.add_part(half, next.at));
        continue;
      }
      for (const QuerySets::QueryInCell& placed : half.queries) {
        sums.add_query_of_set(placed.query, next.at);
      }
    }
  }
}

QCells::Nodes squares(QCells::Nodes values) {
  for (double& value : values) value *= value;
  return values;
}

// What the sums over pieces of a run share.
struct Summation {
  const CostInputs& inputs;
  const BoundAtOrders& bound;
  const SelectionCosts& selection;
  std::vector<std::size_t> all;          // positions of the orders
  std::optional<GuaranteeKind> reading;  // of the trajectory, if it is wanted

  [[nodiscard]] Piece empty_piece(bool in_trajectory) const {
    const std::size_t checkpoints = in_trajectory ? inputs.query_counts().checkpoints.size() : 0;
    return {std::vector<RunCost>(all.size()), std::vector<double>(all.size() * checkpoints, 0.0)};
  }
  [[nodiscard]] bool joint_in_trajectory() const {
    return reading == GuaranteeKind::joint && inputs.ladder();
  }
};

// The noisy maxima of a piece: costs by q.
class NoisyMaxSums {
 public:
  explicit NoisyMaxSums(const Summation& run)
      : run_(run),
        trajectory_(run.reading && !run.joint_in_trajectory()),
        piece_(run.empty_piece(trajectory_)),
        costs_(run.all.size()) {}

  void add_loose(std::span<const std::uint32_t> queries) {
    for (const std::uint32_t i : queries) add_query(i, run_.all, !run_.selection.empty());
  }

  // But for what the trajectory charges for the check of the set's queries.
  void add_set(const QuerySets::Set& set, const CostInputs::QWeights& weights) {
    const QuerySets::Part whole = run_.inputs.by_q().whole(set);
    add_halves(*this, whole, add_by_nodes(whole, weights, run_.all, [&](std::size_t k) {
      return run_.inputs.node(set.cell, k);
    }));
  }
  // Returns the orders at which the part's nodes do not determine its sums; nothing is added there.
  [[nodiscard]] std::vector<std::size_t> add_part(const QuerySets::Part& part,
                                                  std::span<const std::size_t> at) {
    return add_by_nodes(part, run_.inputs.q_weights(part), at, [&](std::size_t k) {
      const double s = part.in_cell(QCells::node_places()[k]);
      return run_.inputs.cells().locate(run_.inputs.narrow_cells().log_q({part.cell, s}));
    });
  }
  void add_query_of_set(std::size_t i, std::span<const std::size_t> at) { add_query(i, at, false); }

  [[nodiscard]] Piece take() { return std::move(piece_); }

 private:
  template <class Node>
  std::vector<std::size_t> add_by_nodes(const QuerySets::Part& part,
                                        const CostInputs::QWeights& weights,
                                        std::span<const std::size_t> at, const Node& node) {
    const Ends ends(part, run_.all.size(), [&](std::size_t query, std::span<double> costs) {
      run_.bound.noisy_max(run_.inputs.position(query), at, costs);
    });
    std::vector<QCells::Nodes> at_nodes(run_.all.size());
    for (std::size_t k = 0; k < QCells::kNodes; ++k) {
      run_.bound.noisy_max(node(k), at, costs_);
      for (const std::size_t j : at) at_nodes[j][k] = costs_[j];
    }
    if (trajectory_) weigh_checkpoints(part);
    std::vector<std::size_t> undetermined;
    for (const std::size_t j : at) {
      const QCells::Nodes squared = squares(at_nodes[j]);
      if (!ends.determined_by(at_nodes[j], j) ||
          !QCells::converged(squared, *std::ranges::min_element(squared))) {
        undetermined.push_back(j);
        continue;
      }
      RunCost& sum = piece_.sums[j];
      sum.noisy_max_expected += QCells::dot(weights.expected, at_nodes[j]);
      sum.noisy_max_realized += QCells::dot(weights.answered, at_nodes[j]);
      sum.spent_variance += QCells::dot(weights.spread, squared);
      for (std::size_t k = 0; trajectory_ && k < by_checkpoint_.size(); ++k) {
        piece_.by_checkpoint[k * run_.all.size() + j] +=
            QCells::dot(by_checkpoint_[k], at_nodes[j]);
      }
    }
    return undetermined;
  }

  void add_query(std::size_t i, std::span<const std::size_t> at, bool with_check) {
    const CostInputs& inputs = run_.inputs;
    run_.bound.noisy_max(inputs.position(i), at, costs_);
    const DistinctQuery& query = inputs.query_counts().distinct[i];
    const double p = inputs.answered(i);
    const auto count = static_cast<double>(query.count);
    const auto answered = static_cast<double>(query.answered);
    const double spread = count * p * (1.0 - p);
    for (const std::size_t j : at) {
      const double noisy_max = costs_[j];
      RunCost& sum = piece_.sums[j];
      sum.noisy_max_expected += count * p * noisy_max;
      if (answered > 0.0) sum.noisy_max_realized += answered * noisy_max;
      sum.spent_variance += spread * noisy_max * noisy_max;
    }
    if (trajectory_) add_to_checkpoints(i, at, with_check);
  }

  void add_to_checkpoints(std::size_t i, std::span<const std::size_t> at, bool with_check) {
    const CostInputs& inputs = run_.inputs;
    const bool realized = run_.reading == GuaranteeKind::realized;
    charge_.assign(run_.all.size(), 0.0);  // of every query, answered or not
    for (const std::size_t j : at) {
      if (with_check) charge_[j] = run_.selection[j][inputs.statistic_of(i)];
      if (!realized) charge_[j] += inputs.answered(i) * costs_[j];
    }
    for (const Occurrence& occurrence : inputs.query_counts().occurrences_of(i)) {
      double* const sums = &piece_.by_checkpoint[occurrence.checkpoint * run_.all.size()];
      for (const std::size_t j : at) sums[j] += occurrence.count * charge_[j];
      if (!realized) continue;
      for (const std::size_t j : at) sums[j] += occurrence.answered * costs_[j];
    }
  }

  // What the reading charges for, between the checkpoints.
  void weigh_checkpoints(const QuerySets::Part& part) {
    const CostInputs& inputs = run_.inputs;
    by_checkpoint_.assign(inputs.query_counts().checkpoints.size(), {});
    for (const auto& [i, s] : part.queries) {
      const QCells::Nodes at = QCells::polynomials(part.within(s));
      for (const Occurrence& occurrence : inputs.query_counts().occurrences_of(i)) {
        const double times = run_.reading == GuaranteeKind::realized
                                 ? occurrence.answered
                                 : occurrence.count * inputs.answered(i);
        QCells::add(times, at, by_checkpoint_[occurrence.checkpoint]);
      }
    }
    for (QCells::Nodes& moments : by_checkpoint_) moments = QCells::weights(moments);
  }

  const Summation& run_;
  bool trajectory_;
  Piece piece_;
  std::vector<double> costs_, charge_;
  std::vector<QCells::Nodes> by_checkpoint_;
};

// The queries of a piece as one mechanism each: costs by statistic and q.
class JointSums {
 public:
  explicit JointSums(const Summation& run)
      : run_(run),
        trajectory_(run.joint_in_trajectory()),
        piece_(run.empty_piece(trajectory_)),
        costs_(run.all.size()) {}

  void add_loose(std::span<const std::uint32_t> queries) {
    for (const std::uint32_t i : queries) add_query(i, run_.all);
  }

  void add_set(const QuerySets::Set& set, const QCells::Nodes& weights) {
    const std::int64_t statistic = statistic_of(set.smallest_q);
    std::vector<QCells::Nodes> at_nodes(run_.all.size());
    for (const std::size_t j : run_.all) {
      at_nodes[j] = run_.bound.joint_at_nodes(j, statistic, set.cell);
    }
    const QuerySets::Part whole = run_.inputs.by_answer().whole(set);
    add_halves(*this, whole, add_by_nodes(whole, weights, run_.all, at_nodes));
  }
  // As for noisy maxima.
  [[nodiscard]] std::vector<std::size_t> add_part(const QuerySets::Part& part,
                                                  std::span<const std::size_t> at) {
    const QCells& cells = run_.inputs.cells();
    std::vector<QCells::Nodes> at_nodes(run_.all.size());
    for (std::size_t k = 0; k < QCells::kNodes; ++k) {
      const double s = part.in_cell(QCells::node_places()[k]);
      const QCells::Position node{cells.log_q({part.cell, s}), part.cell, QCells::weights_at(s)};
      run_.bound.joint(statistic_of(part.smallest_q), node, at, costs_);
      for (const std::size_t j : at) at_nodes[j][k] = costs_[j];
    }
    return add_by_nodes(part, run_.inputs.answer_weights(part), at, at_nodes);
  }
  void add_query_of_set(std::size_t i, std::span<const std::size_t> at) { add_query(i, at); }

  [[nodiscard]] Piece take() { return std::move(piece_); }

 private:
  [[nodiscard]] std::int64_t statistic_of(const QuerySets::QueryInCell& placed) const {
    return run_.inputs.query_counts().distinct[placed.query].statistic;
  }
  void cost(std::size_t i, std::span<const std::size_t> at, std::span<double> costs) const {
    run_.bound.joint(run_.inputs.query_counts().distinct[i].statistic, run_.inputs.position(i), at,
                     costs);
  }

  std::vector<std::size_t> add_by_nodes(const QuerySets::Part& part, const QCells::Nodes& weights,
                                        std::span<const std::size_t> at,
                                        std::span<const QCells::Nodes> at_nodes) {
    const Ends ends(part, run_.all.size(),
                    [&](std::size_t query, std::span<double> costs) { cost(query, at, costs); });
    if (trajectory_) weigh_checkpoints(part);
    std::vector<std::size_t> undetermined;
    for (const std::size_t j : at) {
      if (!ends.determined_by(at_nodes[j], j)) {
        undetermined.push_back(j);
        continue;
      }
      piece_.sums[j].joint += QCells::dot(weights, at_nodes[j]);
      for (std::size_t k = 0; trajectory_ && k < by_checkpoint_.size(); ++k) {
        piece_.by_checkpoint[k * run_.all.size() + j] +=
            QCells::dot(by_checkpoint_[k], at_nodes[j]);
      }
    }
    return undetermined;
  }

  void add_query(std::size_t i, std::span<const std::size_t> at) {
    const QueryCounts& query_counts = run_.inputs.query_counts();
    cost(i, at, costs_);
    const auto count = static_cast<double>(query_counts.distinct[i].count);
    for (const std::size_t j : at) piece_.sums[j].joint += count * costs_[j];
    if (!trajectory_) return;
    for (const Occurrence& occurrence : query_counts.occurrences_of(i)) {
      double* const sums = &piece_.by_checkpoint[occurrence.checkpoint * run_.all.size()];
      for (const std::size_t j : at) sums[j] += occurrence.count * costs_[j];
    }
  }

  void weigh_checkpoints(const QuerySets::Part& part) {
    const QueryCounts& query_counts = run_.inputs.query_counts();
    by_checkpoint_.assign(query_counts.checkpoints.size(), {});
    for (const auto& [i, s] : part.queries) {
      const QCells::Nodes at = QCells::polynomials(part.within(s));
      for (const Occurrence& occurrence : query_counts.occurrences_of(i)) {
        QCells::add(occurrence.count, at, by_checkpoint_[occurrence.checkpoint]);
      }
    }
    for (QCells::Nodes& moments : by_checkpoint_) moments = QCells::weights(moments);
  }

  const Summation& run_;
  bool trajectory_;
  Piece piece_;
  std::vector<double> costs_;
  std::vector<QCells::Nodes> by_checkpoint_;
};

// Ranges of at least kPiece queries, but for the last: what is added up by one thread, in order.
template <class Weights, class MakeSums>
void add_pieces(const QuerySets& queries, std::span<const Weights> weights,
                const MakeSums& make_sums, std::vector<std::function<Piece()>>& tasks) {
  const auto ungrouped = queries.ungrouped();
  for (std::size_t begin = 0; begin < ungrouped.size(); begin += kPiece) {
    const auto part = ungrouped.subspan(begin, std::min(kPiece, ungrouped.size() - begin));
    tasks.push_back([part, make_sums] {
      auto sums = make_sums();
      sums.add_loose(part);
      return sums.take();
    });
  }
  const auto sets = queries.sets();
  for (std::size_t begin = 0; begin < sets.size();) {
    std::size_t end = begin;
    std::size_t size = 0;
    while (end < sets.size() && size < kPiece) size += queries.queries(sets[end++]).size();
    tasks.push_back([=] {
      auto sums = make_sums();
      for (std::size_t i = begin; i < end; ++i) sums.add_set(sets[i], weights[i]);
      return sums.take();
    });
    begin = end;
  }
}

// Queries of the sets by q, by checkpoint and statistic: the trajectory charges for their checks.
std::vector<std::vector<double>> checks_in_sets(const CostInputs& inputs) {
  const QueryCounts& query_counts = inputs.query_counts();
  std::vector<std::vector<double>> checks(query_counts.checkpoints.size(),
                                          std::vector<double>(inputs.statistics().size(), 0.0));
  for (const QuerySets::Set& set : inputs.by_q().sets()) {
    for (const auto& [i, s] : inputs.by_q().queries(set)) {
      for (const Occurrence& occurrence : query_counts.occurrences_of(i)) {
        checks[occurrence.checkpoint][inputs.statistic_of(i)] += occurrence.count;
      }
    }
  }
  return checks;
}

void add_checkpoints(const Summation& run, std::span<const Piece> pieces, CheckpointCosts& at) {
  const std::size_t orders = run.all.size();
  const bool has_checks = !run.selection.empty() && !run.joint_in_trajectory();
  const auto checks = has_checks ? checks_in_sets(run.inputs) : std::vector<std::vector<double>>();
  for (std::size_t j = 0; j < orders; ++j) {
    double total = 0.0;
    auto& by_checkpoint = at.rdp.emplace_back();
    for (std::size_t k = 0; k < run.inputs.query_counts().checkpoints.size(); ++k) {
      for (const Piece& piece : pieces) {
        if (!piece.by_checkpoint.empty()) total += piece.by_checkpoint[k * orders + j];
      }
      for (std::size_t v = 0; has_checks && v < checks[k].size(); ++v) {
        total += checks[k][v] * run.selection[j][v];
      }
      by_checkpoint.push_back(total);
    }
  }
}

std::vector<RunCost> sum_up(const CostInputs& inputs, Bound bound, std::span<const double> orders,
                            unsigned threads, CheckpointCosts* at) {
  const auto costs = bound_at_orders(bound, inputs, orders, threads);
  const SelectionCosts selection = selection_costs(inputs, *costs, orders.size(), threads);
  const Summation run{inputs, *costs, selection, positions_of(orders),
                      at == nullptr ? std::nullopt : std::optional(at->reading)};
  std::vector<std::function<Piece()>> tasks;
  add_pieces(
      inputs.by_q(), inputs.q_weights(), [&run] { return NoisyMaxSums(run); }, tasks);
  if (bound == Bound::tradeoff && inputs.ladder()) {
    add_pieces(
        inputs.by_answer(), inputs.answer_weights(), [&run] { return JointSums(run); }, tasks);
  }
  std::vector<Piece> pieces(tasks.size());
  parallel_for(tasks.size(), threads, [&](std::size_t k) { pieces[k] = tasks[k](); });

  std::vector<RunCost> result(orders.size());
  for (std::size_t j = 0; j < orders.size(); ++j) {
    CompensatedSum checks;
    for (std::size_t k = 0; !selection.empty() && k < selection[j].size(); ++k) {
      checks.add(inputs.statistics()[k].queries * selection[j][k]);
    }
    result[j].order = orders[j];
    result[j].selection = checks.value();
    for (const auto part : {&RunCost::noisy_max_expected, &RunCost::noisy_max_realized,
                            &RunCost::joint, &RunCost::spent_variance}) {
      CompensatedSum sum;
      for (const Piece& piece : pieces) sum.add(piece.sums[j].*part);
      result[j].*part = sum.value();
    }
    // Without a selection a query is its noisy maximum.
    if (bound == Bound::tradeoff && !inputs.ladder()) {
      result[j].joint = result[j].noisy_max_expected;
    }
  }
  if (at != nullptr) add_checkpoints(run, pieces, *at);
  return result;
}

}  // namespace

CostInputs::CostInputs(const QueryCounts& query_counts, const Mechanism& aggregator,
                       unsigned threads)
    : query_counts_(query_counts),
      aggregator_(aggregator),
      cells_(finite_log_q(query_counts)),
      narrow_(finite_log_q(query_counts), QCells::Width::narrow) {
  const bool has_sets = aggregator.is_gaussian();
  parallel_for(2, threads, [&](std::size_t i) {
    if (i == 0) {
      by_q_ = has_sets ? QuerySets(query_counts, narrow_, /*by_statistic=*/false)
                       : QuerySets(query_counts);
    } else {
      by_answer_ = has_sets && aggregator.refuses()
                       ? QuerySets(query_counts, cells_, /*by_statistic=*/true)
                       : QuerySets(query_counts);
    }
  });
  const auto rule = aggregator.answer_rule();
  if (rule && !query_counts.distinct.empty()) {
    ladder_.emplace(*rule, query_counts.distinct.front().statistic,
                    query_counts.distinct.back().statistic, query_counts.teachers);
  }
  answered_.reserve(query_counts.distinct.size());
  statistic_of_.reserve(query_counts.distinct.size());
  double answered = 1.0;
  for (const DistinctQuery& query : query_counts.distinct) {
    if (statistics_.empty() || statistics_.back().value != query.statistic) {
      statistics_.push_back({query.statistic, 0.0});
      answered = ladder_ ? std::exp(ladder_->log_answered(query.statistic)) : 1.0;
    }
    statistics_.back().queries += static_cast<double>(query.count);
    statistic_of_.push_back(statistics_.size() - 1);
    answered_.push_back(answered);
  }
  if (ladder_) {
    std::vector<std::int64_t> values;
    for (const Statistic& statistic : statistics_) values.push_back(statistic.value);
    places_.emplace(*ladder_, std::move(values));
  }
  if (!aggregator.is_gaussian()) return;
  if (query_counts.distinct.size() <= kKeptPositions) {
    for (const DistinctQuery& query : query_counts.distinct) {
      positions_.push_back(query.log_q == -kInfinity ? no_cell(query.log_q)
                                                     : cells_.locate(query.log_q));
    }
  }
  for (std::size_t cell = 0; cell < narrow_.size(); ++cell) {
    for (const double log_q : narrow_.nodes(cell)) nodes_.push_back(cells_.locate(log_q));
  }
  const auto sets = by_q_.sets();
  q_weights_.resize(sets.size());
  parallel_for(sets.size(), threads,
               [&](std::size_t i) { q_weights_[i] = q_weights(by_q_.whole(sets[i])); });
  const auto answers = by_answer_.sets();
  answer_weights_.resize(answers.size());
  parallel_for(answers.size(), threads, [&](std::size_t i) {
    answer_weights_[i] = answer_weights(by_answer_.whole(answers[i]));
  });
}

CostInputs::QWeights CostInputs::q_weights(const QuerySets::Part& part) const {
  QWeights moments;
  for (const auto& [i, s] : part.queries) {
    const DistinctQuery& query = query_counts_.distinct[i];
    const QCells::Nodes at = QCells::polynomials(part.within(s));
    const double p = answered_[i];
    const double expected = static_cast<double>(query.count) * p;
    QCells::add(expected, at, moments.expected);
    QCells::add(expected * (1.0 - p), at, moments.spread);
    if (query.answered > 0) {
      QCells::add(static_cast<double>(query.answered), at, moments.answered);
    }
  }
  return {QCells::weights(moments.expected), QCells::weights(moments.answered),
          QCells::weights(moments.spread)};
}

QCells::Nodes CostInputs::answer_weights(const QuerySets::Part& part) const {
  QCells::Nodes moments{};
  for (const auto& [i, s] : part.queries) {
    QCells::add(static_cast<double>(query_counts_.distinct[i].count),
                QCells::polynomials(part.within(s)), moments);
  }
  return QCells::weights(moments);
}

BothDirections CostInputs::log_excess(const GaussianTradeoffTable& table,
                                      const GaussianTradeoffTable::AtOrder& at,
                                      std::size_t query) const {
  if (query_counts_.distinct[query].log_q == -kInfinity) return {-kInfinity, -kInfinity};
  return table.log_excess(at, position(query));
}

QCells::Position CostInputs::position(std::size_t query) const {
  if (!positions_.empty()) return positions_[query];
  const double log_q = query_counts_.distinct[query].log_q;
  return !aggregator_.is_gaussian() || log_q == -kInfinity ? no_cell(log_q) : cells_.locate(log_q);
}

void BoundAtOrders::joint(std::int64_t /*statistic*/, const QCells::Position& /*q*/,
                          std::span<const std::size_t> /*at*/, std::span<double> /*costs*/) const {
  throw std::logic_error("only the trade-off bound sees a query as one mechanism");
}

QCells::Nodes BoundAtOrders::joint_at_nodes(std::size_t /*order*/, std::int64_t /*statistic*/,
                                            std::size_t /*cell*/) const {
  throw std::logic_error("only the trade-off bound sees a query as one mechanism");
}

std::unique_ptr<BoundAtOrders> bound_at_orders(Bound bound, const CostInputs& inputs,
                                               std::span<const double> orders, unsigned threads) {
  switch (bound) {
    case Bound::published:
      return std::make_unique<Published>(inputs, orders, threads);
    case Bound::tradeoff:
      return std::make_unique<Tradeoff>(inputs, orders, threads);
    case Bound::data_independent:
    case Bound::tilted:
    case Bound::complex:
    case Bound::exact:
    case Bound::exact_per_teacher:
    case Bound::released:
    case Bound::declared:
      break;
  }
  throw parameter_error("only the published and the trade-off bound depend on queries through q");
}

double published_selection_cost(const AnswerTable& ladder, std::int64_t statistic, double order) {
  return threshold_published(
      std::min(ladder.log_answered(statistic), ladder.log_refused(statistic)),
      ladder.check().sigma1_per_move(), order);
}

double RunCost::rdp(GuaranteeKind reading) const {
  switch (reading) {
    case GuaranteeKind::joint:
      return joint;
    case GuaranteeKind::expected:
      return selection + noisy_max_expected;
    case GuaranteeKind::realized:
      return selection + noisy_max_realized;
    case GuaranteeKind::worst_case:
    case GuaranteeKind::released:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

std::vector<RunCost> run_costs(const CostInputs& inputs, Bound bound,
                               std::span<const double> orders, unsigned threads,
                               CheckpointCosts* checkpoints) {
  // In batches that keep what is tabulated per selection statistic small. How they are cut depends
  // on the votes alone.
  const std::size_t statistics = std::max<std::size_t>(inputs.statistics().size(), 1);
  const std::size_t batch = std::clamp<std::size_t>(kTabulated / statistics, 1, orders.size());
  std::vector<RunCost> result;
  if (checkpoints != nullptr) checkpoints->rdp.clear();
  for (std::size_t begin = 0; begin < orders.size(); begin += batch) {
    const auto part = orders.subspan(begin, std::min(batch, orders.size() - begin));
    const auto costs = sum_up(inputs, bound, part, threads, checkpoints);
    result.insert(result.end(), costs.begin(), costs.end());
  }
  return result;
}

}  // namespace pate
