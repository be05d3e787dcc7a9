#include "pate/accounting/sampled_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pate/accounting/circumstances.hpp"
#include "pate/accounting/complex_account.hpp"
#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/count_distinct.hpp"
#include "pate/accounting/exact_account.hpp"
#include "pate/accounting/neighbour_covers.hpp"
#include "pate/accounting/pld_grids.hpp"
#include "pate/accounting/pld_queries.hpp"
#include "pate/accounting/run_curve.hpp"
#include "pate/accounting/sampled_profile.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/bounds/sampled_cost.hpp"
#include "pate/divergence/exact/sampled_outcomes.hpp"
#include "pate/divergence/pld/sampled_pair.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// As of other profiles: products at nodes, a direction, beyond which neighbours are covered, and
// the grid is coarser.
constexpr double kManySampledTerms = 2e9;
constexpr double kMaxSampledTerms = 3e10;
// Of epsilon by RDP, the part that grows with the queries is about this.
constexpr double kSampledRdpShare = 0.3;
// Of delta: what losses of the pair for any votes that are taken for infinite may add.
constexpr double kBeyondShare = 1e-6;

struct DistinctSample {
  GroupedVotes votes;
  std::int64_t count = 0;
  std::optional<SampledOutcomes> outcomes;  // none: not looked at, or beyond numbers
};

std::vector<DistinctSample> distinct_of(const Run& run, const AccountSettings& settings) {
  const DistinctQueries counted =
      count_distinct(run, sorted_histogram(), {settings.threads, settings.progress, nullptr, {}});
  std::vector<DistinctSample> result;
  for (std::size_t i = 0; i < counted.keys.size(); ++i) {
    const std::span<const std::int32_t> counts = counted.keys[i].subspan(1);  // the statistic
    const auto zeros = static_cast<std::size_t>(run.votes.classes()) - counts.size();
    result.push_back({group_votes(counts, zeros), counted.times(i).count, {}});
  }
  return result;
}

void count_answered(const SampledQuery& query, std::span<const DistinctSample> distinct,
                    Account& account) {
  CompensatedSum expected;
  CompensatedSum variance;
  for (const DistinctSample& one : distinct) {
    const double answered =
        one.outcomes ? one.outcomes->answered() : sampled_answered(query, one.votes);
    const auto count = static_cast<double>(one.count);
    expected.add(count * answered);
    variance.add(count * answered * (1.0 - answered));
  }
  account.answered_expected = expected.value();
  account.answered_sd = std::sqrt(variance.value());
}

using Change = SampledOutcomes::Change;
constexpr std::array kChanges{Change::more, Change::less};

// The exact costs of all queries, in each direction. A neighbour has a teacher more on every query
// or one less on every query: each of the two has a sum of its own, and the larger one is told.
class ExactSamples {
 public:
  ExactSamples(const SampledQuery& query, std::span<const DistinctSample> distinct,
               unsigned threads)
      : query_(query),
        distinct_(distinct),
        any_known_(std::ranges::any_of(
            distinct, [](const DistinctSample& one) { return one.outcomes.has_value(); })),
        threads_(threads) {}

  [[nodiscard]] BothDirections rdp(double order) const {
    const double cap = sampled_cost(query_.noise, order);
    std::vector<std::array<BothDirections, kChanges.size()>> costs(distinct_.size());
    parallel_for(distinct_.size(), threads_, [&](std::size_t i) {
      costs[i].fill({cap, cap});
      if (!distinct_[i].outcomes) return;
      for (std::size_t c = 0; c < kChanges.size(); ++c) {
        const BothDirections excess = distinct_[i].outcomes->log_excess(order, kChanges.at(c));
        costs[i].at(c) = {cost_of_log_excess(excess.forward, order, cap, kExactCostMargin),
                          cost_of_log_excess(excess.reverse, order, cap, kExactCostMargin)};
      }
    });
    BothDirections largest;
    for (std::size_t c = 0; c < kChanges.size(); ++c) {
      CompensatedSum forward;
      CompensatedSum reverse;
      for (std::size_t i = 0; i < distinct_.size(); ++i) {
        const auto count = static_cast<double>(distinct_[i].count);
        forward.add(count * costs[i].at(c).forward);
        reverse.add(count * costs[i].at(c).reverse);
      }
      largest = larger_of(largest, {forward.value(), reverse.value()});
    }
    return {with_margin(largest.forward, kSumMargin), with_margin(largest.reverse, kSumMargin)};
  }

  // The epsilon of the composition; none where that takes too long.
  [[nodiscard]] std::optional<double> epsilon(const ProfileHints& hints,
                                              const ProfileSettings& settings,
                                              const ProgressCallback& progress) const;

 private:
  [[nodiscard]] std::vector<DistributionPair> tables(std::size_t i, Direction direction,
                                                     Change change, double step,
                                                     double beyond) const {
    const auto& outcomes = distinct_[i].outcomes;
    if (outcomes) return outcomes->tables(direction, change);
    std::vector<DistributionPair> pairs{sampled_pair(query_.noise, direction, step, beyond)};
    // Of a teacher more and of one less these are the same in opposite directions: beside known
    // queries both are taken for either.
    if (any_known_) {
      const bool is_forward = direction == Direction::forward;
      pairs.push_back(sampled_pair(
          query_.noise, is_forward ? Direction::reverse : Direction::forward, step, beyond));
    }
    return pairs;
  }
  // Few pairs that dominate those of the neighbours.
  [[nodiscard]] std::vector<DistributionPair> few(std::size_t i, Direction direction, Change change,
                                                  const OptimalOrder& best, double step,
                                                  double mean) const;

  const SampledQuery& query_;
  std::span<const DistinctSample> distinct_;
  bool any_known_;
  unsigned threads_;
};

std::vector<DistributionPair> ExactSamples::few(std::size_t i, Direction direction, Change change,
                                                const OptimalOrder& best, double step,
                                                double mean) const {
  std::vector<DistributionPair> all = distinct_[i].outcomes->tables(direction, change);
  if (all.empty()) return all;
  const auto neighbours = distinct_[i].outcomes->neighbours(change);
  std::size_t most = 0;
  double largest = -kInfinity;
  for (std::size_t n = 0; n < all.size(); ++n) {
    const double its = neighbours[n].log_excess(best.order).of(direction);
    if (!(its > largest)) continue;
    largest = its;
    most = n;
  }
  const std::array<std::size_t, 2> kinds{0, all.size()};
  return covered(all, kinds, all[most], best.order - 1.0, step, mean);
}

std::optional<double> ExactSamples::epsilon(const ProfileHints& hints,
                                            const ProfileSettings& settings,
                                            const ProgressCallback& progress) const {
  if (!std::isfinite(hints.larger().epsilon)) return std::nullopt;
  double queries = 0.0;
  double terms = 0.0;
  double terms_of_few = 0.0;
  bool all_known = true;
  for (const DistinctSample& one : distinct_) {
    const auto count = static_cast<double>(one.count);
    queries += count;
    all_known = all_known && one.outcomes.has_value();
    if (!one.outcomes) continue;
    const auto& neighbours = one.outcomes->neighbours();
    const auto outcomes = static_cast<double>(neighbours.front().elements.size());
    terms += count * outcomes * static_cast<double>(neighbours.size());
    terms_of_few += count * outcomes * 2.0;
  }
  Grids grids = grids_of(hints, settings, queries);
  const bool covers = grids.nodes(grids.step) * terms > kManySampledTerms;
  const double beyond = kBeyondShare * least_delta(settings) / std::max(queries, 1.0);
  const auto work = [&] {
    double total = covers ? terms_of_few : terms;
    if (!all_known) {
      // A pair for any votes has as many losses as there are steps of the grid.
      const auto losses = static_cast<double>(
          sampled_pair(query_.noise, Direction::forward, grids.step, beyond).size() *
          (any_known_ ? 2 * kChanges.size() : 1));
      for (const DistinctSample& one : distinct_) {
        if (!one.outcomes) total += losses * static_cast<double>(one.count);
      }
    }
    return total * grids.nodes(grids.step);
  };
  while (!settings.step && grids.step <= kMaxStep && work() > kMaxSampledTerms) grids.step *= 2.0;
  if (!grids.is_feasible()) return std::nullopt;
  // Where no query is known either change is as costly as the other.
  const std::size_t changes = any_known_ ? kChanges.size() : 1;
  ProgressCounter counter(progress, static_cast<std::int64_t>(2 * changes * distinct_.size()));
  std::vector<double> epsilons(2 * changes);
  parallel_for(epsilons.size(), threads_, [&](std::size_t k) {
    const Direction direction = kDirections.at(k % 2);
    const Change change = kChanges.at(k / 2);
    const OptimalOrder& best = direction == Direction::forward ? hints.forward : hints.reverse;
    PessimisticProfile profile(grids.grid(direction, grids.step));
    for (std::size_t i = 0; i < distinct_.size(); ++i) {
      const double mean =
          kSampledRdpShare * grids.epsilon * (best.order - 1.0) / std::max(queries, 1.0);
      const std::vector<DistributionPair> pairs =
          covers && distinct_[i].outcomes ? few(i, direction, change, best, grids.step, mean)
                                          : tables(i, direction, change, grids.step, beyond);
      profile.compose_query(DiscretizedPairs(pairs, grids.step), 0, pairs.size(),
                            distinct_[i].count);
      counter.add(1);
    }
    epsilons[k] = profile.epsilon(settings.delta);
  });
  double result = -kInfinity;
  for (const double epsilon : epsilons) result = max_or_nan(result, epsilon);
  return std::isfinite(result) ? std::optional(result) : std::nullopt;
}

// Better known are outcomes to which complex orders give a phase.
constexpr double kKnownOutcome = 1e-12;

// A query beside the neighbours with such a change.
ComparedQuery compared(const SampledQuery& query, const DistinctSample& one, Change change) {
  ComparedQuery result{one.count};
  result.known = one.outcomes.has_value();
  result.cap = [&query](double order, Direction) { return sampled_cost(query.noise, order); };
  if (!result.known) return result;
  const auto neighbours = one.outcomes->neighbours(change);
  for (const Direction direction : kDirections) {
    ComparedQuery::Tables& to = direction == Direction::forward ? result.forward : result.reverse;
    for (const DistributionPair& all : one.outcomes->tables(direction, change)) {
      const auto& elements = neighbours[to.known.size()].elements;
      DistributionPair& known = to.known.emplace_back();
      DistributionPair& uncertain = to.uncertain.emplace_back();
      for (std::size_t e = 0; e < all.size(); ++e) {
        (elements[e].uncertainty < kKnownOutcome ? known : uncertain).push_back(all[e]);
      }
    }
  }
  return result;
}

double certified_epsilon(const SampledQuery& query, std::span<const DistinctSample> distinct,
                         unsigned threads, const Account& account) {
  return certified_epsilon(account, [&](const ComplexOrders& orders, double /*limit*/) {
    std::vector<ComplexSums> sums;
    for (const Change change : kChanges) {
      const auto at = [&](std::size_t i) { return compared(query, distinct[i], change); };
      sums.push_back(complex_sums(distinct.size(), at, orders, threads));
    }
    return sums;
  });
}

void add_exact(const SampledQuery& query, std::span<const DistinctSample> distinct,
               const AccountSettings& settings, Account& account) {
  const ExactSamples samples(query, distinct, settings.threads);
  const auto rdp_at = [&](std::span<const double> orders) {
    std::vector<BothDirections> rdp;
    for (const double order : orders) rdp.push_back(samples.rdp(order));
    return rdp;
  };
  auto [entries, best, spent] =
      directed_costs(Bound::exact, rdp_at, OrderSearch{settings.delta, settings.orders.has_value()},
                     account.orders, account.costs, account.notices, &account.exact);
  ProfileSettings profile{.delta = settings.delta, .step = settings.profile_step};
  profile.deltas = {settings.delta};
  // Those of the improved conversion, whose orders say how far losses reach.
  const ProfileHints hints{best[2], best[3]};
  const ProgressCallback progress =
      settings.when_profiling ? settings.when_profiling("privacy profile") : ProgressCallback{};
  if (const auto epsilon = spent ? samples.epsilon(hints, profile, progress) : std::nullopt) {
    CostEntry entry{Bound::exact, GuaranteeKind::joint, EpsilonMethod::profile,
                    std::min(*epsilon, entries.front().epsilon), settings.delta};
    entry.data_dependent = true;
    entry.parts = {{"steps", entry.epsilon}};
    entries.push_back(std::move(entry));
  }
  add_order_notices(entries, account.orders, settings.orders.has_value(), account.notices);
  insert_entries(entries, account);
  std::int64_t unknown = 0;
  for (const DistinctSample& one : distinct) unknown += one.outcomes ? 0 : one.count;
  if (unknown > 0) {
    account.notices.push_back(
        {"samples_at_any_votes",
         fmt::format("{} of {} queries have outcomes that are too rare to be told exactly, and "
                     "cost what any votes cost",
                     unknown, account.queries)});
  }
  account.notices.push_back(exact_private());
}

}  // namespace

SampledGaussian sampled_query(const Mechanism& mechanism, const Neighbours& neighbours,
                              const Sampling& sampling) {
  require(asked_of(sampling.of), {mechanism, neighbours});
  const Aggregator& aggregator = mechanism.noisy();
  const auto& selection = aggregator.selection;
  const SampledGaussian sampled{sampling.rate, aggregator.noisy_max.parameter(),
                                selection ? selection->sigma1 : 0.0, sampling.of};
  validate(sampled);
  return sampled;
}

Account sampled_any_votes(const Run& run, const Sampling& sampling,
                          const AccountSettings& settings) {
  Account account;
  account.aggregator = run.aggregator;
  account.teachers = run.votes.teachers();
  account.classes = run.votes.classes();
  account.queries = run.rows.size();
  account.delta = settings.delta;
  account.steps.neighbours = run.neighbours;
  account.steps.sampled_queries[sampled_query(run.aggregator, run.neighbours, sampling)] =
      account.queries;
  account.orders = settings.orders
                       ? validated_orders(*settings.orders)
                       : std::vector<double>(default_orders().begin(), default_orders().end());
  const OrderSearch search{settings.delta, settings.orders.has_value()};
  account.costs = data_independent_entries(account.steps, account.orders, search, account.notices);
  for (const auto& [sampled, count] : account.steps.sampled_queries) {
    if (count < 1) continue;
    if (auto entry = sampled_profile_entry(sampled, count, settings.delta, account.costs)) {
      account.costs.push_back(std::move(*entry));
    }
  }
  add_order_notices(account.costs, account.orders, search.grid_only, account.notices);
  return account;
}

Account account_sampled(const Run& run, double rate, const AccountSettings& settings) {
  const Sampling sampling{rate};
  const Circumstances circumstances = circumstances_of(run).with(Given::samples);
  require(Asked::samples_of_teachers, circumstances);
  require(settings, circumstances);
  const SampledGaussian sampled = sampled_query(run.aggregator, run.neighbours, sampling);
  validate_delta(settings.delta);
  const auto& selection = run.aggregator.noisy().selection;
  const SampledQuery query{sampled, selection ? selection->threshold : 0.0};
  if (settings.has(Bound::exact) || settings.has(Bound::complex)) {
    SampledOutcomes::require(query, run.votes.teachers(), run.votes.classes());
  }
  std::vector<DistinctSample> distinct = distinct_of(run, settings);
  if (settings.when_read) settings.when_read();
  Account account = sampled_any_votes(run, sampling, settings);
  if (settings.has(Bound::exact) || settings.has(Bound::complex)) {
    parallel_for(distinct.size(), settings.threads, [&](std::size_t i) {
      distinct[i].outcomes = SampledOutcomes::make(query, distinct[i].votes);
    });
  }
  count_answered(query, distinct, account);
  if (settings.has(Bound::complex)) {
    add_complex_entry(certified_epsilon(query, distinct, settings.threads, account), account);
  }
  if (settings.has(Bound::exact) && account.queries > 0)
    add_exact(query, distinct, settings, account);
  settle_headline(settings, account);
  return account;
}

}  // namespace pate
