#include "pate/accounting/cost_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "pate/aggregators/joint_cost.hpp"
#include "pate/bounds/q_tables.hpp"
#include "pate/bounds/step_cost.hpp"
#include "pate/error.hpp"
#include "pate/math/log_space.hpp"
#include "pate/math/sums.hpp"
#include "pate/parallel/parallel_for.hpp"

namespace pate {

namespace {

// Positions are a hundred bytes each; beyond this many they are found anew at every order.
constexpr std::size_t kKeptPositions = 100'000;

std::vector<double> finite_log_q(const Tally& tally) {
  std::vector<double> values;
  values.reserve(tally.distinct.size());
  for (const DistinctQuery& query : tally.distinct) {
    if (query.log_q != -kInfinity) values.push_back(query.log_q);
  }
  return values;
}

class Published : public BoundAtOrders {
 public:
  Published(const CostInputs& inputs, std::span<const double> orders, unsigned threads)
      : inputs_(inputs),
        orders_(orders.begin(), orders.end()),
        table_(published_table(inputs.cells(), inputs.aggregator().noisy_max)) {
    if (table_) tables_ = table_->at_orders(orders, threads);
  }

  void query(std::size_t query, QueryCosts& costs) const override {
    const double log_q = inputs_.tally().distinct[query].log_q;
    costs.noisy_max.assign(orders_.size(), 0.0);
    if (log_q == -kInfinity) return;
    if (table_) {
      const GaussianPublishedBound bound = table_->bound(log_q);
      const QCells::Position position = inputs_.position(query);
      for (std::size_t j = 0; j < orders_.size(); ++j) {
        costs.noisy_max[j] = GaussianPublishedTable::cost(tables_[j], position, bound);
      }
    } else {
      for (std::size_t j = 0; j < orders_.size(); ++j) {
        costs.noisy_max[j] = published_cost(inputs_.aggregator().noisy_max, log_q, orders_[j]);
      }
    }
  }

  [[nodiscard]] double selection(std::size_t order, std::int64_t statistic) const override {
    const AnswerLadder& ladder = *inputs_.ladder();
    if (ladder.check().laplace) return threshold_data_independent(ladder.check(), orders_[order]);
    return threshold_published(
        std::min(ladder.log_answered(statistic), ladder.log_refused(statistic)),
        ladder.check().sigma1, orders_[order]);
  }

 private:
  const CostInputs& inputs_;
  std::vector<double> orders_;
  std::optional<GaussianPublishedTable> table_;
  std::vector<GaussianPublishedTable::AtOrder> tables_;
};

class Tradeoff : public BoundAtOrders {
 public:
  Tradeoff(const CostInputs& inputs, std::span<const double> orders, unsigned threads)
      : inputs_(inputs),
        orders_(orders.begin(), orders.end()),
        table_(tradeoff_table(inputs.cells(), inputs.aggregator().noisy_max)) {
    if (table_) tables_ = table_->at_orders(orders, threads);
    if (!inputs.ladder()) return;
    std::vector<std::optional<JointCost>> made(orders.size());
    parallel_for(orders.size(), threads, [&](std::size_t j) {
      const double cap = data_independent_cost(inputs.aggregator(), orders[j]).noisy_max;
      made[j].emplace(*inputs.ladder(), orders[j], cap);
    });
    for (auto& joint : made) joints_.push_back(std::move(*joint));
  }

  void query(std::size_t query, QueryCosts& costs) const override {
    const DistinctQuery& input = inputs_.tally().distinct[query];
    costs.noisy_max.assign(orders_.size(), 0.0);
    if (input.log_q == -kInfinity) {
      certain(input.statistic, costs);
    } else if (table_) {
      tabulated(query, costs);
    } else if (inputs_.ladder()) {
      throw parameter_error("a selection goes with Gaussian noise, or with PTR");
    } else {
      for (std::size_t j = 0; j < orders_.size(); ++j) {
        costs.noisy_max[j] =
            tradeoff_cost(inputs_.aggregator().noisy_max, input.log_q, orders_[j]).larger();
      }
      costs.joint = costs.noisy_max;
    }
  }

  [[nodiscard]] double selection(std::size_t order, std::int64_t statistic) const override {
    return joints_[order].selection_cost(statistic);
  }

 private:
  // The maximum cannot go wrong (one class, or PTR): only the selection costs anything.
  void certain(std::int64_t statistic, QueryCosts& costs) const {
    costs.joint.assign(orders_.size(), 0.0);
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      costs.joint[j] = joints_[j].cost(statistic, {-kInfinity, -kInfinity});
    }
  }

  void tabulated(std::size_t query, QueryCosts& costs) const {
    const DistinctQuery& input = inputs_.tally().distinct[query];
    const QCells::Position position = inputs_.position(query);
    costs.joint.resize(orders_.size());
    for (std::size_t j = 0; j < orders_.size(); ++j) {
      const BothDirections log_excess = table_->log_excess(tables_[j], position);
      const BothDirections excess{std::exp(log_excess.forward), std::exp(log_excess.reverse)};
      costs.noisy_max[j] =
          is_held(excess.larger())
              ? cost_of_excess(excess.larger(), orders_[j], tables_[j].cap)
              : cost_of_log_excess(log_excess.larger(), orders_[j], tables_[j].cap);
      costs.joint[j] = joints_.empty() ? costs.noisy_max[j]
                                       : joints_[j].cost(input.statistic, log_excess, excess);
    }
  }

  const CostInputs& inputs_;
  std::vector<double> orders_;
  std::optional<GaussianTradeoffTable> table_;
  std::vector<GaussianTradeoffTable::AtOrder> tables_;
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

void add_scaled(std::span<double> sums, double factor, const std::vector<double>& values) {
  for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += factor * values[j];
}

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

// Adds what the reading charges for the occurrences of query i, checkpoint by checkpoint.
void add_to_checkpoints(const CostInputs& inputs, std::size_t i, const QueryCosts& costs,
                        const SelectionCosts& selection, Reading reading,
                        std::vector<double>& scratch, Piece& piece) {
  const std::size_t orders = costs.noisy_max.size();
  scratch.assign(orders, 0.0);  // charge of every query
  if (reading == Reading::joint) {
    scratch = costs.joint;
  } else {
    for (std::size_t j = 0; j < selection.size(); ++j) {
      scratch[j] = selection[j][inputs.statistic_of(i)];
    }
    if (reading == Reading::expected) add_scaled(scratch, inputs.answered(i), costs.noisy_max);
  }
  for (const Occurrence& occurrence : inputs.tally().occurrences_of(i)) {
    const std::span sums =
        std::span(piece.by_checkpoint).subspan(occurrence.checkpoint * orders, orders);
    add_scaled(sums, occurrence.count, scratch);
    if (reading == Reading::realized) add_scaled(sums, occurrence.answered, costs.noisy_max);
  }
}

Piece sum_piece(const CostInputs& inputs, const BoundAtOrders& bound, std::size_t orders,
                std::size_t begin, std::size_t end, const SelectionCosts& selection,
                std::optional<Reading> reading) {
  const Tally& tally = inputs.tally();
  Piece piece;
  piece.sums.resize(orders);
  piece.by_checkpoint.assign(reading ? orders * tally.checkpoints.size() : 0, 0.0);
  QueryCosts costs;
  std::vector<double> scratch;
  for (std::size_t i = begin; i < end; ++i) {
    bound.query(i, costs);
    const double p = inputs.answered(i);
    const auto count = static_cast<double>(tally.distinct[i].count);
    const auto answered = static_cast<double>(tally.distinct[i].answered);
    const double spread = count * p * (1.0 - p);
    for (std::size_t j = 0; j < orders; ++j) {
      const double noisy_max = costs.noisy_max[j];
      RunCost& sum = piece.sums[j];
      sum.noisy_max_expected += count * p * noisy_max;
      if (answered > 0.0) sum.noisy_max_realized += answered * noisy_max;
      if (!costs.joint.empty()) sum.joint += count * costs.joint[j];
      sum.spent_variance += spread * noisy_max * noisy_max;
    }
    if (reading) add_to_checkpoints(inputs, i, costs, selection, *reading, scratch, piece);
  }
  return piece;
}

std::vector<RunCost> sum_up(const CostInputs& inputs, Bound bound, std::span<const double> orders,
                            unsigned threads, CheckpointCosts* at) {
  const Tally& tally = inputs.tally();
  const auto costs = bound_at_orders(bound, inputs, orders, threads);
  const SelectionCosts selection = selection_costs(inputs, *costs, orders.size(), threads);
  std::vector<Piece> pieces((tally.distinct.size() + kPiece - 1) / kPiece);
  parallel_for(pieces.size(), threads, [&](std::size_t k) {
    pieces[k] = sum_piece(inputs, *costs, orders.size(), k * kPiece,
                          std::min((k + 1) * kPiece, tally.distinct.size()), selection,
                          at == nullptr ? std::nullopt : std::optional(at->reading));
  });

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
  }
  if (at == nullptr) return result;
  for (std::size_t j = 0; j < orders.size(); ++j) {
    double total = 0.0;
    auto& by_checkpoint = at->rdp.emplace_back();
    for (std::size_t k = 0; k < tally.checkpoints.size(); ++k) {
      for (const Piece& piece : pieces) total += piece.by_checkpoint[k * orders.size() + j];
      by_checkpoint.push_back(total);
    }
  }
  return result;
}

}  // namespace

CostInputs::CostInputs(const Tally& tally, const Aggregator& aggregator)
    : tally_(tally), aggregator_(aggregator), cells_(finite_log_q(tally)) {
  if (aggregator.selection && !tally.distinct.empty()) {
    ladder_.emplace(*aggregator.selection, tally.distinct.front().statistic,
                    tally.distinct.back().statistic, tally.teachers);
  }
  answered_.reserve(tally.distinct.size());
  statistic_of_.reserve(tally.distinct.size());
  for (const DistinctQuery& query : tally.distinct) {
    if (statistics_.empty() || statistics_.back().value != query.statistic) {
      statistics_.push_back({query.statistic, 0.0});
    }
    statistics_.back().queries += static_cast<double>(query.count);
    statistic_of_.push_back(statistics_.size() - 1);
    answered_.push_back(ladder_ ? std::exp(ladder_->log_answered(query.statistic)) : 1.0);
  }
  if (!aggregator.is_gaussian() || tally.distinct.size() > kKeptPositions) return;
  positions_.resize(tally.distinct.size());
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const double log_q = tally.distinct[i].log_q;
    if (log_q != -kInfinity) positions_[i] = cells_.locate(log_q);
  }
}

BothDirections CostInputs::log_excess(const GaussianTradeoffTable& table,
                                      const GaussianTradeoffTable::AtOrder& at,
                                      std::size_t query) const {
  if (tally_.distinct[query].log_q == -kInfinity) return {-kInfinity, -kInfinity};
  return table.log_excess(at, position(query));
}

QCells::Position CostInputs::position(std::size_t query) const {
  return positions_.empty() ? cells_.locate(tally_.distinct[query].log_q) : positions_[query];
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
    case Bound::exact:
    case Bound::exact_per_teacher:
    case Bound::released:
      break;
  }
  throw parameter_error("only the published and the trade-off bound depend on queries through q");
}

double RunCost::rdp(Reading reading) const {
  switch (reading) {
    case Reading::joint:
      return joint;
    case Reading::expected:
      return selection + noisy_max_expected;
    case Reading::realized:
      return selection + noisy_max_realized;
    case Reading::worst_case:
    case Reading::released:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

std::vector<RunCost> run_costs(const CostInputs& inputs, Bound bound,
                               std::span<const double> orders, unsigned threads,
                               CheckpointCosts* checkpoints) {
  // In batches that keep what is tabulated per selection statistic small. How they are cut depends
  // on the votes alone.
  const std::size_t statistics = std::max<std::size_t>(inputs.ladder_size(), 1);
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
