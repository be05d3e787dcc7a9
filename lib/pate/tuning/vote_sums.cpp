#include "pate/tuning/vote_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pate/aggregators/aggregator.hpp"
#include "pate/bounds/tradeoff_table.hpp"
#include "pate/error.hpp"

namespace pate {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Orders that are computed together: those nearby are wanted next, and the search for the best
// split of q at one helps the others.
constexpr std::size_t kBatch = 4;
// Groups that the queries of one statistic are put into.
constexpr std::size_t kGroups = 12;

// The queries of one statistic as excesses and how often they occur, in increasing order.
struct Excess {
  double value;
  double queries;
};

VoteSums::Group group_of(std::span<const Excess> excesses) {
  VoteSums::Group group;
  double sum = 0.0;
  group.lowest = kInfinity;
  for (const Excess& excess : excesses) {
    group.queries += excess.queries;
    sum += excess.queries * excess.value;
    group.lowest = std::min(group.lowest, excess.value);
    group.highest = std::max(group.highest, excess.value);
  }
  group.mean = std::clamp(sum / group.queries, group.lowest, group.highest);
  return group;
}

void add_groups(std::vector<Excess>& excesses, VoteSums::AtOrder& at) {
  std::sort(excesses.begin(), excesses.end(),
            [](const Excess& a, const Excess& b) { return a.value < b.value; });
  VoteSums::Cost cost;
  cost.all = group_of(excesses);
  cost.first = static_cast<std::uint32_t>(at.groups.size());
  const std::size_t groups = std::min(kGroups, excesses.size());
  for (std::size_t k = 0; k < groups; ++k) {
    const std::size_t begin = excesses.size() * k / groups;
    const std::size_t end = excesses.size() * (k + 1) / groups;
    at.groups.push_back(group_of(std::span(excesses).subspan(begin, end - begin)));
  }
  cost.last = static_cast<std::uint32_t>(at.groups.size());
  at.costs.push_back(cost);
}

}  // namespace

VoteSums::VoteSums(const Run& run, Kind kind, const TuningOrders& orders, unsigned threads)
    : kind_(kind),
      orders_(orders),
      noisy_max_{std::nullopt, run.aggregator.noisy_max, false},
      tally_(pate::tally(run, threads)),
      filled_(std::make_unique<std::once_flag[]>(  // NOLINT(*-avoid-c-arrays)
          (orders.size() + kBatch - 1) / kBatch)),
      at_(orders.size()) {
  if (!run.aggregator.selection) throw parameter_error("sums by statistic need a selection");
  // Without a selection: the checks are the grid point's.
  inputs_ = std::make_unique<CostInputs>(tally_, noisy_max_);
  for (std::size_t i = 0; i < tally_.distinct.size(); ++i) {
    const DistinctQuery& query = tally_.distinct[i];
    if (statistics_.empty() || statistics_.back().v != query.statistic) {
      statistics_.push_back({query.statistic, 0.0, 0.0});
      first_query_.push_back(i);
    }
    statistics_.back().queries += static_cast<double>(query.count);
  }
  first_query_.push_back(tally_.distinct.size());
}

void VoteSums::set_right(std::span<const double> right) {
  if (right.size() != statistics_.size()) {
    throw parameter_error("there must be one number of right labels per statistic");
  }
  for (std::size_t i = 0; i < right.size(); ++i) statistics_[i].right = right[i];
}

const VoteSums::AtOrder& VoteSums::at(std::size_t order) const {
  std::call_once(filled_[order / kBatch], [&] { fill(order / kBatch); });
  return at_[order];
}

void VoteSums::fill(std::size_t batch) const {
  const std::size_t first = batch * kBatch;
  const auto orders = orders_.all().subspan(first, std::min(kBatch, orders_.size() - first));
  if (kind_.reading == Reading::joint) {
    fill_joint(orders, first);
  } else {
    fill_expected(orders, first);
  }
}

void VoteSums::fill_joint(std::span<const double> orders, std::size_t first) const {
  const double sigma = std::get<GaussianNoisyMax>(noisy_max_.noisy_max).sigma;
  const GaussianTradeoffTable table(inputs_->cells(), std::numbers::sqrt2 / sigma);
  const auto tables = table.at_orders(orders, 1);
  std::vector<Excess> excesses;
  for (std::size_t j = 0; j < orders.size(); ++j) {
    AtOrder& at = at_[first + j];
    at.noisy_max_cap = data_independent_cost(noisy_max_, orders[j]).noisy_max;
    for (std::size_t i = 0; i < statistics_.size(); ++i) {
      excesses.clear();
      for (std::size_t k = first_query_[i]; k < first_query_[i + 1]; ++k) {
        const DistinctQuery& query = tally_.distinct[k];
        const double excess =
            query.log_q == -kInfinity
                ? 0.0
                : std::exp(table.log_excess(tables[j], inputs_->position(k)).larger());
        excesses.push_back({excess, static_cast<double>(query.count)});
      }
      add_groups(excesses, at);
    }
  }
}

void VoteSums::fill_expected(std::span<const double> orders, std::size_t first) const {
  const auto bound = bound_at_orders(kind_.bound, *inputs_, orders, 1);
  for (std::size_t j = 0; j < orders.size(); ++j) {
    at_[first + j].noisy_max_cap = data_independent_cost(noisy_max_, orders[j]).noisy_max;
    at_[first + j].costs.resize(statistics_.size());
  }
  QueryCosts costs;
  for (std::size_t i = 0; i < statistics_.size(); ++i) {
    for (std::size_t k = first_query_[i]; k < first_query_[i + 1]; ++k) {
      bound->query(k, costs);
      for (std::size_t j = 0; j < orders.size(); ++j) {
        at_[first + j].costs[i].noisy_max +=
            static_cast<double>(tally_.distinct[k].count) * costs.noisy_max[j];
      }
    }
  }
}

}  // namespace pate
