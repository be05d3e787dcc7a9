#include "pate/accounting/pld_queries.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "pate/numerics/kernels/kernels.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

// How many neighbours a query has by the group that loses the vote, added up: those of group a are
// at [a] up to, not including, [a + 1], in the order of `tables`.
std::vector<std::size_t> neighbours_by_group(const GroupedVotes& votes) {
  const std::size_t groups = votes.groups.size();
  std::vector<std::size_t> first{0};
  for (std::size_t a = 0; a < groups; ++a) {
    std::size_t its = 0;
    for (std::size_t b = 0; b < groups; ++b)
      if (can_move(votes, a, b)) ++its;
    first.push_back(first.back() + its);
  }
  return first;
}

// The sum of p e^(slope loss), for the reverse direction of q e^(-slope loss).
double moment_of(const DistributionPair& table, double slope, Direction direction) {
  const bool is_forward = direction == Direction::forward;
  if (!is_forward) slope = -slope;
  thread_local std::vector<double> losses;
  thread_local std::vector<double> bent;
  losses.clear();
  double most = 0.0;
  for (const OutcomeMass& o : table) {
    losses.push_back((is_forward ? o.p : o.q) > 0.0 ? o.loss : 0.0);
    most = max_or_nan(most, std::abs(slope * losses.back()));
  }
  bent.resize(losses.size());
  const bool is_short = most <= kMaxExpArgument;
  if (is_short) kernels().expm1_minus_x(losses.data(), slope, most, losses.size(), bent.data());
  double moment = 0.0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double z = slope * losses[i];
    moment +=
        (is_forward ? table[i].p : table[i].q) * (is_short ? 1.0 + (z + bent[i]) : std::exp(z));
  }
  return moment;
}

}  // namespace

void reverse_all(std::vector<DistributionPair>& tables) {
  for (DistributionPair& table : tables) table = reversed(std::move(table));
}

std::optional<std::vector<DistributionPair>> QueryRef::tables(
    std::span<ExactRun* const> runs, std::span<const std::uint32_t> only) const {
  if (selection_only) return (*runs[run])[query].selection_tables();
  return runs[run]->tables(query, only);
}

std::optional<std::vector<DistributionPair>> QueryRef::tables_by_group(
    ExactRun& of, std::vector<std::size_t>& first) const {
  if (!selection_only) {
    first = neighbours_by_group(of.votes(query));
    return of.tables(query);
  }
  std::vector<DistributionPair> result;
  first = {0};
  for (std::size_t a = 0; a < of.votes(query).groups.size(); ++a) {
    std::ranges::move(of[query].selection_tables(a), std::back_inserter(result));
    first.push_back(result.size());
  }
  return result;
}

double QueryRef::neighbours(const GroupedVotes& votes) const {
  return selection_only ? 2.0 : static_cast<double>(neighbours_by_group(votes).back());
}

std::vector<QueryRef> split_near_certain(std::span<ExactRun* const> runs, double limit, bool merges,
                                         double& rest) {
  std::vector<QueryRef> places;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::size_t i = 0; i < runs[r]->size(); ++i) {
      const auto excess = [](double log_bound) { return 2.1 * std::exp(log_bound); };
      const ExactCost& cost = (*runs[r])[i];
      double its = excess(cost.log_other_outcomes());
      if (!(its <= limit)) {
        its = excess(cost.log_q_any_neighbour());
        places.push_back({r, i, its <= limit, cost.votes().groups.size()});
        if (merges && !(its <= limit)) {
          places.back().near = cost.contending_groups(limit);
          if (places.back().near < cost.votes().groups.size()) its = limit;
        }
      }
      if (its <= limit) rest += runs[r]->count(i) * its;
    }
  }
  std::stable_sort(places.begin(), places.end(), [&](const QueryRef& a, const QueryRef& b) {
    return runs[b.run]->votes(b.query) < runs[a.run]->votes(a.query);
  });
  return places;
}

std::vector<std::uint32_t> increasing(std::vector<std::uint32_t> numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::vector<std::uint32_t> positions_in(std::span<const std::uint32_t> only,
                                        std::span<const std::uint32_t> stands_for,
                                        std::span<const std::uint32_t> neighbours) {
  std::vector<std::uint32_t> result;
  for (const std::uint32_t k : neighbours) {
    const auto its = std::ranges::lower_bound(only, stands_for[k]);
    result.push_back(static_cast<std::uint32_t>(its - only.begin()));
  }
  return increasing(std::move(result));
}

DistributionPair most_costly(std::span<const DistributionPair> tables,
                             std::span<const std::uint32_t> among, double order,
                             Direction direction) {
  const DistributionPair* best = nullptr;
  double largest = -kInfinity;
  for (std::size_t i = 0; i < (among.empty() ? tables.size() : among.size()); ++i) {
    const DistributionPair& table = tables[among.empty() ? i : among[i]];
    const double moment = moment_of(table, order - 1.0, direction);
    if (best != nullptr && !(moment > largest)) continue;
    largest = moment;
    best = &table;
  }
  if (best == nullptr) return {};
  return direction == Direction::forward ? *best : reversed(*best);
}

void add_infinity_mass(double rest, PessimisticProfile& profile) {
  if (!(rest > 0.0)) return;
  // Outward: what rounding does to the sum.
  profile.compose_query(
      std::array{DistributionPair{{rest * (1.0 + 1e-6), 0.0, kInfinity}, {1.0, 1.0, 0.0}}});
}

}  // namespace pate
