#include "pate/accounting/complex_account.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pate/accounting/exact_account.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/complex/largest_moduli.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/mechanisms/supports.hpp"

namespace pate {

namespace {

// All that is left out of a run may add this share of delta.
constexpr double kLeftOutShare = 1e-9;
// Up to here sums over 2.1 d are outward (`log_other_outcomes`).
constexpr double kMostSure = 0.05;
constexpr std::size_t kQueriesPerTask = 8;
// Of the epsilon that is known of a run, what its certificate is about.
constexpr double kExpectedShare = 0.8;
// So many times is the epsilon that was found the one to choose orders by.
constexpr int kRounds = 2;

// The neighbours of a query that are compared: of none nothing is, `left_out` stands for it.
struct Compared {
  std::vector<DistributionPair> tables;
  bool known = true;      // whether there are tables
  bool left_out = false;  // whether something was, which adds the limit to delta at most
};

// The orders of the rule for about this epsilon, and those at which Renyi's conversion is the
// smallest that the account has: what they certify is no more than that.
ComplexOrders orders_for(const Account& account, double about) {
  ComplexOrders result = complex_orders(about, account.delta);
  for (const CostEntry& cost : account.costs) {
    if (cost.promise == Promise::fixed && cost.conversion == EpsilonMethod::improved &&
        cost.order) {
      result.reals.push_back(*cost.order - 1.0);
    }
  }
  std::ranges::sort(result.reals);
  result.reals.erase(std::unique(result.reals.begin(), result.reals.end()), result.reals.end());
  return result;
}

bool adds_at_most(double log_bound, double limit) {
  const double d = std::exp(log_bound);
  return d <= kMostSure && 2.1 * d <= limit;
}

Compared compared(ExactRun& run, std::size_t i, double limit) {
  ExactCost& cost = run[i];
  Compared result;
  if (adds_at_most(cost.log_other_outcomes(), limit)) {
    result.left_out = true;
    return result;
  }
  if (adds_at_most(cost.log_q_any_neighbour(), limit)) {
    result.left_out = true;
    result.tables = cost.selection_tables();
    return result;
  }
  std::vector<std::uint32_t> only;
  const std::size_t near = cost.contending_groups(limit);
  if (near < cost.votes().groups.size()) {
    only = cost.representatives(near);
    std::ranges::sort(only);
    only.erase(std::unique(only.begin(), only.end()), only.end());
    result.left_out = true;
  }
  auto tables = run.tables(i, only);
  result.known = tables.has_value();
  if (tables) result.tables = std::move(*tables);
  return result;
}

// Of a query in one direction.
class QueryModuli {
 public:
  QueryModuli(const ComplexOrders& orders, Direction direction)
      : orders_(orders), direction_(direction), largest_(orders), logs_(orders.size()) {}

  // Adds them, so many times.
  void add(ExactCost& cost, const Compared& compared, std::int64_t count, LogModulusSums& to) {
    largest_.clear();
    for (const DistributionPair& table : compared.tables) {
      largest_.add(direction_ == Direction::forward ? table : reversed(table));
    }
    std::vector<double> caps(orders_.reals.size(), kInfinity);
    largest_.logs(caps, logs_);
    if (!compared.known ||
        !std::ranges::all_of(logs_, [](double log) { return std::isfinite(log); })) {
      // Moduli at k = 0 are Renyi moments, and those are the largest.
      for (std::size_t i = 0; i < caps.size(); ++i) {
        const double order = orders_.reals[i] + 1.0;
        caps[i] = cost.bound(order, cost.tradeoff_excess(order)).of(direction_);
      }
      largest_.logs(caps, logs_);
      for (std::size_t j = 0; !compared.known && j < logs_.size(); ++j) {
        const std::size_t i = j / orders_.row();
        logs_[j] = orders_.reals[i] * caps[i] * (1.0 + 1e-15);
      }
    }
    to.add(logs_, count);
  }

 private:
  const ComplexOrders& orders_;
  Direction direction_;
  LargestModuli largest_;
  std::vector<double> logs_;
};

}  // namespace

ComplexSums::ComplexSums(const ComplexOrders& by)
    : orders(by), forward(by.size()), reverse(by.size()) {}

void ComplexSums::add(const ComplexSums& other) {
  forward.add(other.forward);
  reverse.add(other.reverse);
  left_out += other.left_out;
}

ComplexSums complex_sums(ExactRun& run, const ComplexOrders& orders, double limit,
                         unsigned threads) {
  validate(orders);
  const std::size_t tasks = (run.size() + kQueriesPerTask - 1) / kQueriesPerTask;
  std::vector<ComplexSums> parts(tasks, ComplexSums(orders));
  parallel_for(tasks, threads, [&](std::size_t task) {
    QueryModuli forward(orders, Direction::forward);
    QueryModuli reverse(orders, Direction::reverse);
    const std::size_t end = std::min(run.size(), (task + 1) * kQueriesPerTask);
    for (std::size_t i = task * kQueriesPerTask; i < end; ++i) {
      const Compared its = compared(run, i, limit);
      const auto count = static_cast<std::int64_t>(run.count(i));
      forward.add(run[i], its, count, parts[task].forward);
      reverse.add(run[i], its, count, parts[task].reverse);
      if (its.left_out) parts[task].left_out += count;
    }
  });
  ComplexSums result(orders);
  for (const ComplexSums& part : parts) result.add(part);
  return result;
}

BothDirections complex_epsilon(const ComplexSums& sums, double limit, double delta) {
  // Down: what is left of delta.
  const double left =
      (delta - static_cast<double>(sums.left_out) * limit * (1.0 + 1e-12)) * (1.0 - 1e-12);
  if (!(left > 0.0)) return {kInfinity, kInfinity};
  const auto of = [&](const LogModulusSums& direction) {
    return ComplexCertificate(sums.orders, direction.values()).epsilon(left);
  };
  return {of(sums.forward), of(sums.reverse)};
}

void add_complex_costs(std::span<const ExactQuery> queries, unsigned threads, Account& account) {
  require(Asked::complex, {account.aggregator, account.steps.neighbours});
  double known = kInfinity;
  for (const CostEntry& cost : account.costs) {
    if (cost.promise == Promise::fixed && cost.delta == account.delta) {
      known = std::min(known, cost.epsilon);
    }
  }
  CostEntry entry{Bound::complex, GuaranteeKind::joint, EpsilonMethod::profile, 0.0, account.delta};
  entry.data_dependent = true;
  if (account.queries > 0) {
    const ExactMechanism mechanism(account.aggregator.noisy(), account.steps.neighbours,
                                   account.teachers);
    ExactRun run(mechanism, {queries.begin(), queries.end()}, threads);
    const double limit = kLeftOutShare * account.delta / static_cast<double>(account.queries);
    // Whatever they are chosen by, a certificate holds.
    constexpr double kLeastEpsilon = 1e-3;
    constexpr double kMostEpsilon = 1e3;
    double about = std::clamp(kExpectedShare * known, kLeastEpsilon, kMostEpsilon);
    entry.epsilon = kInfinity;
    for (int round = 0; round < kRounds; ++round) {
      const ComplexSums sums = complex_sums(run, orders_for(account, about), limit, threads);
      entry.epsilon = std::min(entry.epsilon, complex_epsilon(sums, limit, account.delta).larger());
      if (!std::isfinite(entry.epsilon)) break;
      about = std::clamp(entry.epsilon, kLeastEpsilon, kMostEpsilon);
    }
  }
  entry.parts = {{"steps", entry.epsilon}};
  insert_entries(std::span(&entry, 1), account);
  account.notices.push_back(
      {"complex_private",
       "the certificate by complex orders is for the owner of the data: it depends on the votes "
       "and must not be published as it is"});
}

}  // namespace pate
