#include "pate/studies/multilabel/tau_account.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/exact_account.hpp"
#include "pate/accounting/run_curve.hpp"
#include "pate/accounting/teacher_votes.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// So many queries are looked at together: what they need is kept, and their sums are added in the
// order of the queries.
constexpr std::int64_t kQueriesAtOnce = 512;

// Calls use(query, TauQuery) for every query, in threads, then add(query) one after the other.
template <class Use, class Add>
void each_query(const TauVote& vote, const LabelBallots& ballots, unsigned threads, const Use& use,
                const Add& add) {
  for (std::int64_t first = 0; first < ballots.queries(); first += kQueriesAtOnce) {
    const std::int64_t count = std::min(kQueriesAtOnce, ballots.queries() - first);
    parallel_for(static_cast<std::size_t>(count), threads, [&](std::size_t i) {
      use(i, TauQuery(vote, ballots, first + static_cast<std::int64_t>(i)));
    });
    for (std::int64_t i = 0; i < count; ++i) add(static_cast<std::size_t>(i));
  }
}

BothDirections tradeoff_cost(double log_q, double mu, double order) {
  if (log_q == -kInfinity) return {};
  const double cap = with_margin(0.5 * order * mu * mu);
  // Certain to be turned is no more than what any votes cost.
  if (!(log_q < 0.0)) return {cap, cap};
  const BothDirections log_excess = gaussian_tradeoff_log_excess(log_q, mu, order);
  return {cost_of_log_excess(log_excess.forward, order, cap),
          cost_of_log_excess(log_excess.reverse, order, cap)};
}

// What q of every query, and of its labels, proves.
class TradeoffRun {
 public:
  TradeoffRun(const TauVote& vote, const LabelBallots& ballots, unsigned threads)
      : mu_(vote.as_noisy_max(ballots.labels()).mu()),
        mu_of_label_(1.0 / vote.sigma),
        labels_(static_cast<std::size_t>(ballots.labels())),
        threads_(threads) {
    const auto queries = static_cast<std::size_t>(ballots.queries());
    of_query_.resize(queries);
    of_label_.resize(queries * labels_);
    std::size_t done = 0;
    std::vector<std::pair<double, std::vector<double>>> piece(kQueriesAtOnce);
    each_query(
        vote, ballots, threads,
        [&](std::size_t i, const TauQuery& query) {
          piece[i] = {query.log_q(), {query.log_turned().begin(), query.log_turned().end()}};
        },
        [&](std::size_t i) {
          of_query_[done] = piece[i].first;
          std::ranges::copy(piece[i].second,
                            of_label_.begin() + static_cast<std::ptrdiff_t>(done * labels_));
          ++done;
        });
    different_.assign(of_label_.begin(), of_label_.end());
    std::ranges::sort(different_);
    different_.erase(std::unique(different_.begin(), different_.end()), different_.end());
  }

  [[nodiscard]] std::vector<BothDirections> rdp(std::span<const double> orders) const {
    std::vector<BothDirections> result;
    for (const double order : orders) result.push_back(rdp_at(order));
    return result;
  }

 private:
  [[nodiscard]] BothDirections rdp_at(double order) const {
    std::vector<BothDirections> of_labels(different_.size());
    parallel_for(different_.size(), threads_, [&](std::size_t i) {
      of_labels[i] = tradeoff_cost(different_[i], mu_of_label_, order);
    });
    std::vector<BothDirections> costs(of_query_.size());
    parallel_for(of_query_.size(), threads_, [&](std::size_t i) {
      BothDirections sum;
      for (std::size_t k = 0; k < labels_; ++k) {
        const auto known = std::ranges::lower_bound(different_, of_label_[i * labels_ + k]);
        const auto& cost = of_labels[static_cast<std::size_t>(known - different_.begin())];
        sum.forward += cost.forward;
        sum.reverse += cost.reverse;
      }
      const BothDirections whole = tradeoff_cost(of_query_[i], mu_, order);
      costs[i] = {sum.forward < whole.forward ? sum.forward : whole.forward,
                  sum.reverse < whole.reverse ? sum.reverse : whole.reverse};
    });
    TeacherSum run;
    for (const BothDirections& cost : costs) {
      run.add({UpwardSum(cost.forward), UpwardSum(cost.reverse)});
    }
    return run.rdp();
  }

  double mu_, mu_of_label_;
  std::size_t labels_;
  unsigned threads_;
  std::vector<double> of_query_, of_label_;  // log q
  std::vector<double> different_;            // of the labels, increasing
};

// The exact costs: of the worst ballot of each query, and of every teacher.
struct ExactSums {
  std::vector<TeacherSum> run;                    // by order
  std::vector<std::vector<TeacherSum>> teachers;  // by order, then teacher
};

ExactSums exact_sums(const TauVote& vote, const LabelBallots& ballots,
                     std::span<const double> orders, unsigned threads) {
  const auto teachers = static_cast<std::size_t>(ballots.teachers());
  ExactSums sums{std::vector<TeacherSum>(orders.size()),
                 {orders.size(), std::vector<TeacherSum>(teachers)}};
  struct OfQuery {
    std::vector<std::uint32_t> of_teacher;
    std::vector<std::vector<BothDirections>> costs;
  };
  std::vector<OfQuery> piece(kQueriesAtOnce);
  each_query(
      vote, ballots, threads,
      [&](std::size_t i, const TauQuery& query) {
        piece[i] = {{query.of_teacher().begin(), query.of_teacher().end()},
                    query.replace_costs(orders)};
      },
      [&](std::size_t i) {
        for (std::size_t o = 0; o < orders.size(); ++o) {
          BothDirections most;
          std::vector<TeacherSum> terms;
          for (const BothDirections& cost : piece[i].costs[o]) {
            most = larger_of(most, cost);
            terms.push_back({UpwardSum(cost.forward), UpwardSum(cost.reverse)});
          }
          sums.run[o].add({UpwardSum(most.forward), UpwardSum(most.reverse)});
          for (std::size_t t = 0; t < teachers; ++t) {
            sums.teachers[o][t].add(terms[piece[i].of_teacher[t]]);
          }
        }
      });
  return sums;
}

void add(std::vector<CostEntry> entries, std::vector<CostEntry>& costs) {
  std::ranges::move(entries, std::back_inserter(costs));
}

}  // namespace

TauAccount account_tau(const TauVote& vote, const LabelBallots& ballots, double delta, bool exact,
                       unsigned threads, std::vector<Notice>& notices) {
  validate(vote, ballots.labels());
  validate_delta(delta);
  TauAccount account;
  account.steps.maxima[NoisyMax{vote.as_noisy_max(ballots.labels())}] = ballots.queries();
  std::vector<CostEntry> independent =
      data_independent_entries(account.steps, default_orders(), {delta, false}, notices);
  const TradeoffRun tradeoff(vote, ballots, threads);
  const OrderSearch search{delta, false};
  add(directed_costs(
          Bound::tradeoff, [&](std::span<const double> orders) { return tradeoff.rdp(orders); },
          search, default_orders(), independent, notices)
          .entries,
      account.costs);
  if (exact) {
    const auto run = [&](std::span<const double> orders) {
      std::vector<BothDirections> rdp;
      for (const TeacherSum& sum : exact_sums(vote, ballots, orders, threads).run) {
        rdp.push_back(sum.rdp());
      }
      return rdp;
    };
    const double hint = order_hints(account.costs).front();
    const DirectedCosts of_run =
        directed_costs(Bound::exact, run, search, default_orders(), account.costs, notices);
    add(of_run.entries, account.costs);
    TeacherOptima teachers = search_teachers(
        [&](std::span<const double> orders) {
          return exact_sums(vote, ballots, orders, threads).teachers;
        },
        static_cast<std::size_t>(ballots.teachers()), default_orders(), hint, delta);
    teachers.cap(of_run.best);
    add(directed_entries(Bound::exact_per_teacher, teachers.run, teachers.spent, delta, notices),
        account.costs);
    account.teachers = std::move(teachers.epsilon);
  }
  add(std::move(independent), account.costs);
  return account;
}

}  // namespace pate
