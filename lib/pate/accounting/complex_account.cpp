#include "pate/accounting/complex_account.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "pate/accounting/exact_account.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/complex/largest_moduli.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/numerics/infinity.hpp"

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

ComparedQuery compared(ExactRun& run, std::size_t i, double limit) {
  ExactCost& cost = run[i];
  ComparedQuery result;
  result.count = static_cast<std::int64_t>(run.count(i));
  result.cap = [&cost](double order, Direction direction) {
    return cost.bound(order, cost.tradeoff_excess(order)).of(direction);
  };
  if (adds_at_most(cost.log_other_outcomes(), limit)) {
    result.left_out = true;
    return result;
  }
  if (adds_at_most(cost.log_q_any_neighbour(), limit)) {
    result.left_out = true;
    result.set(cost.selection_tables());
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
  if (tables) result.set(*std::move(tables));
  return result;
}

// Of a query in one direction.
class QueryModuli {
 public:
  QueryModuli(const ComplexOrders& orders, Direction direction)
      : orders_(orders), direction_(direction), largest_(orders), logs_(orders.size()) {}

  // Adds them, as often as the query occurs.
  void add(const ComparedQuery& query, LogModulusSums& to) {
    largest_.clear();
    const ComparedQuery::Tables& its = query.of(direction_);
    for (std::size_t k = 0; k < its.known.size(); ++k) {
      largest_.add(its.known[k], k < its.uncertain.size() ? moments(its.uncertain[k])
                                                          : std::span<const double>());
    }
    std::vector<double> caps(orders_.reals.size(), kInfinity);
    largest_.logs(caps, logs_);
    if (!query.known ||
        !std::ranges::all_of(logs_, [](double log) { return std::isfinite(log); })) {
      // Moduli at k = 0 are Renyi moments, and those are the largest.
      for (std::size_t i = 0; i < caps.size(); ++i) {
        caps[i] = query.cap(orders_.reals[i] + 1.0, direction_);
      }
      largest_.logs(caps, logs_);
      for (std::size_t j = 0; !query.known && j < logs_.size(); ++j) {
        const std::size_t i = j / orders_.row();
        logs_[j] = orders_.reals[i] * caps[i] * (1.0 + 1e-15);
      }
    }
    to.add(logs_, query.count);
  }

 private:
  // What such outcomes add to a modulus at most, by real part.
  std::span<const double> moments(const DistributionPair& outcomes) {
    moments_.assign(orders_.reals.size(), 0.0);
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      for (const OutcomeMass& outcome : outcomes) {
        moments_[i] += outcome.p * std::exp(orders_.reals[i] * outcome.loss) * (1.0 + 1e-12);
      }
    }
    return moments_;
  }

  const ComplexOrders& orders_;
  Direction direction_;
  LargestModuli largest_;
  std::vector<double> logs_, moments_;
};

}  // namespace

void ComparedQuery::set(std::vector<DistributionPair> tables) {
  for (const DistributionPair& table : tables) reverse.known.push_back(reversed(table));
  forward.known = std::move(tables);
}

ComplexSums::ComplexSums(const ComplexOrders& by)
    : orders(by), forward(by.size()), reverse(by.size()) {}

void ComplexSums::add(const ComplexSums& other) {
  forward.add(other.forward);
  reverse.add(other.reverse);
  left_out += other.left_out;
}

ComplexSums complex_sums(std::size_t size, const CompareQuery& query, const ComplexOrders& orders,
                         unsigned threads) {
  validate(orders);
  const std::size_t tasks = (size + kQueriesPerTask - 1) / kQueriesPerTask;
  std::vector<ComplexSums> parts(tasks, ComplexSums(orders));
  parallel_for(tasks, threads, [&](std::size_t task) {
    QueryModuli forward(orders, Direction::forward);
    QueryModuli reverse(orders, Direction::reverse);
    const std::size_t end = std::min(size, (task + 1) * kQueriesPerTask);
    for (std::size_t i = task * kQueriesPerTask; i < end; ++i) {
      const ComparedQuery its = query(i);
      forward.add(its, parts[task].forward);
      reverse.add(its, parts[task].reverse);
      if (its.left_out) parts[task].left_out += its.count;
    }
  });
  ComplexSums result(orders);
  for (const ComplexSums& part : parts) result.add(part);
  return result;
}

ComplexSums complex_sums(ExactRun& run, const ComplexOrders& orders, double limit,
                         unsigned threads) {
  return complex_sums(
      run.size(), [&](std::size_t i) { return compared(run, i, limit); }, orders, threads);
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

double certified_epsilon(const Account& account, const ComplexSumsAt& sums_at) {
  if (account.queries == 0) return 0.0;
  double known = kInfinity;
  for (const CostEntry& cost : account.costs) {
    if (cost.promise == Promise::fixed && cost.delta == account.delta) {
      known = std::min(known, cost.epsilon);
    }
  }
  const double limit = kLeftOutShare * account.delta / static_cast<double>(account.queries);
  // Whatever they are chosen by, a certificate holds.
  constexpr double kLeastEpsilon = 1e-3;
  constexpr double kMostEpsilon = 1e3;
  double about = std::clamp(kExpectedShare * known, kLeastEpsilon, kMostEpsilon);
  double result = kInfinity;
  for (int round = 0; round < kRounds; ++round) {
    double epsilon = 0.0;
    for (const ComplexSums& sums : sums_at(orders_for(account, about), limit)) {
      epsilon = max_or_nan(epsilon, complex_epsilon(sums, limit, account.delta).larger());
    }
    result = std::min(result, epsilon);
    if (!std::isfinite(result)) break;
    about = std::clamp(result, kLeastEpsilon, kMostEpsilon);
  }
  return result;
}

void add_complex_entry(double epsilon, Account& account) {
  CostEntry entry{Bound::complex, GuaranteeKind::joint, EpsilonMethod::profile, epsilon,
                  account.delta};
  entry.data_dependent = true;
  entry.parts = {{"steps", epsilon}};
  insert_entries(std::span(&entry, 1), account);
  account.notices.push_back(
      {"complex_private",
       "the certificate by complex orders is for the owner of the data: it depends on the votes "
       "and must not be published as it is"});
}

double certified_epsilon(const ExactMechanism& mechanism, std::span<const ExactQuery> queries,
                         unsigned threads, const Account& account) {
  ExactRun run(mechanism, {queries.begin(), queries.end()}, threads);
  return certified_epsilon(account, [&](const ComplexOrders& orders, double limit) {
    return std::vector{complex_sums(run, orders, limit, threads)};
  });
}

}  // namespace pate
