#include "pate/accounting/exact_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

constexpr std::int64_t kVotesPerBlock = 1 << 21;
constexpr std::size_t kTeachersPerTask = 64;
// How many orders of the grid are evaluated at once: bounds memory.
constexpr std::size_t kOrdersAtOnce = 8;

// The smallest epsilons at the orders that were taken.
class Minima {
 public:
  Minima(const TeacherSums& sums, std::size_t teachers, std::span<const double> grid, double delta)
      : sums_(sums), grid_(grid), delta_(delta), best_(kOfRun + 2 * teachers) {}

  // Takes the grid orders begin .. end - 1.
  void take(std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; k += kOrdersAtOnce) {
      const auto at = sums_(grid_.subspan(k, std::min(kOrdersAtOnce, end - k)));
      for (std::size_t i = 0; i < at.size(); ++i) take(k + i, at[i]);
    }
  }

  // Whether some minimum is at grid order k, an end of those that were taken.
  [[nodiscard]] bool is_best(std::size_t k) const {
    return std::ranges::count(best_, k, &Best::order) > 0;
  }

  [[nodiscard]] TeacherOptima optima() const {
    TeacherOptima result;
    for (const Best& best : std::span(best_).first(kOfRun)) {
      result.run.push_back(
          {grid_[best.order], best.epsilon, best.order == 0, best.order + 1 == grid_.size()});
    }
    for (std::size_t i = kOfRun; i < best_.size(); i += 2) {
      const double larger = max_or_nan(best_[i].epsilon, best_[i + 1].epsilon);
      result.epsilon.push_back(spent_ ? std::max(larger, 0.0) : 0.0);
    }
    result.spent = spent_;
    return result;
  }

 private:
  struct Best {
    double epsilon = kInfinity;
    std::size_t order = 0;
  };
  // Those of the whole run, by conversion and direction.
  static constexpr std::size_t kOfRun = 6;

  static void improve(Best& best, std::size_t k, double epsilon) {
    // Of equal values the one at the smallest order, whatever was taken first.
    if (epsilon < best.epsilon || (epsilon == best.epsilon && k < best.order)) {
      best = {epsilon, k};
    }
  }

  void take(std::size_t k, const std::vector<TeacherSum>& sums) {
    BothDirections most;
    for (std::size_t t = 0; t < sums.size(); ++t) {
      const BothDirections rdp = sums[t].rdp();
      most = {max_or_nan(most.forward, rdp.forward), max_or_nan(most.reverse, rdp.reverse)};
      const auto epsilon = [&](double value) {
        return epsilon_from_rdp(Conversion::optimal, value, grid_[k], delta_);
      };
      improve(best_[kOfRun + 2 * t], k, epsilon(rdp.forward));
      improve(best_[kOfRun + 2 * t + 1], k, epsilon(rdp.reverse));
    }
    const auto epsilons = exact_epsilons(most, grid_[k], delta_);
    for (std::size_t f = 0; f < kOfRun; ++f) improve(best_[f], k, epsilons[f]);
    spent_ = spent_ || !(most.larger() <= 0.0);
  }

  const TeacherSums& sums_;
  std::span<const double> grid_;
  double delta_;
  std::vector<Best> best_;  // of the run, then by teacher and direction: optimal
  bool spent_ = false;
};

constexpr double kDefaultHint = 16.0;

struct ExactOptima {
  std::vector<OptimalOrder> best;  // by conversion and direction
  bool spent = false;

  // Those of the improved conversion, whose orders say how far losses reach.
  [[nodiscard]] ProfileHints hints() const { return {best[2], best[3]}; }
};

// Fills in the curves too where the orders are given: every one of them is evaluated then.
ExactOptima search_counts(ExactRun& costs, const OrderSearch& search, Account& account) {
  ExactOptima result;
  if (search.grid_only) account.exact.emplace();
  const auto evaluate = [&](std::span<const double> orders) {
    const std::vector<BothDirections> rdp = costs.rdp(orders);
    std::vector<std::vector<double>> epsilons;
    for (std::size_t k = 0; k < orders.size(); ++k) {
      result.spent = result.spent || !(rdp[k].larger() <= 0.0);
      epsilons.push_back(exact_epsilons(rdp[k], orders[k], search.delta));
      if (!account.exact) continue;
      account.exact->forward.push_back(rdp[k].forward);
      account.exact->reverse.push_back(rdp[k].reverse);
    }
    return epsilons;
  };
  const std::size_t functions = 2 * exact_conversions().size();
  result.best = search.grid_only
                    ? optimal_orders_among(account.orders, functions, evaluate)
                    : optimal_orders_in_batches(order_hints(account.costs), functions, evaluate);
  return result;
}

// The smallest, the quartiles and the largest, linear between the values.
std::array<double, 5> quantiles_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::array<double, 5> result{};
  if (values.empty()) return result;
  for (std::size_t q = 0; q < result.size(); ++q) {
    const double at = 0.25 * static_cast<double>(q) * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    result[q] = values[below] + (at - std::floor(at)) * (values[above] - values[below]);
  }
  return result;
}

// The exact (epsilon, delta), which is never above what RDP makes of the same outcomes.
void add_profile(ExactRun& costs, const ExactOptima& exact, const ExactSettings& settings,
                 std::vector<CostEntry>& entries, Account& account) {
  const ProfileHints hints = exact.hints();
  const double delta = settings.profile.delta;
  if (!exact.spent) {
    entries.push_back(profile_entry(Bound::exact, delta, 0.0, 0.0));
    return;
  }
  ExactRun* const run = &costs;
  auto profile = run_profile(std::span(&run, 1), hints, settings.profile, 0.0, settings.threads,
                             settings.begin("privacy profile"));
  if (!profile) {
    account.notices.push_back(no_profile());
    return;
  }
  const double upper = std::min(profile->upper.larger(), entries.front().epsilon);
  entries.push_back(profile_entry(Bound::exact, delta, upper, profile->lower.larger()));
  note_interval(entries.back(), account.notices);
  account.profile = std::move(profile->curve);
}

// The same of every teacher, which is never above that of all.
void add_teacher_profiles(ExactRun& costs, const std::optional<VoteRows>& rows,
                          const ExactOptima& exact, const ExactSettings& settings, double most,
                          std::vector<CostEntry>& entries, Account& account) {
  PerTeacher& teachers = *account.per_teacher;
  const double delta = settings.profile.delta;
  if (!exact.spent) {
    teachers.profile.emplace(teachers.epsilon.size(), 0.0);
    entries.push_back(profile_entry(Bound::exact_per_teacher, delta, 0.0, 0.0));
    return;
  }
  std::optional<TeacherProfiles> found;
  if (rows) {
    TeacherRows votes{teachers.epsilon.size(), rows->groups, {}};
    votes.rows.resize(costs.size());
    for (std::size_t i = 0; i < rows->distinct.size(); ++i) {
      votes.rows[rows->distinct[i]].push_back(static_cast<std::uint32_t>(i));
    }
    found = teacher_profiles(costs, votes, exact.hints(), settings.profile, settings.threads,
                             settings.begin("profiles of teachers"));
  }
  if (!found) {
    account.notices.push_back(
        {"no_teacher_profiles",
         "the exact (epsilon, delta) of every teacher is left out, as it would take more than "
         "minutes or the outcome probabilities of a query are not known: "
         "exact_per_teacher/joint/optimal is there"});
    return;
  }
  most = std::min(most, entries.front().epsilon);
  double largest = 0.0;
  for (std::size_t t = 0; t < found->epsilon.size(); ++t) {
    double& epsilon = found->epsilon[t];
    epsilon = std::min({epsilon, teachers.epsilon[t], most});
    largest = max_or_nan(largest, epsilon);
  }
  entries.push_back(profile_entry(Bound::exact_per_teacher, delta, largest, found->lower));
  note_interval(entries.back(), account.notices);
  teachers.profile = std::move(found->epsilon);
  teachers.refined = std::move(found->refined);
}

std::vector<CostEntry> entries_by_teacher(const TeacherSums& sums, const ExactOptima& exact,
                                          const OrderSearch& search, Account& account) {
  const auto teachers = static_cast<std::size_t>(account.teachers);
  const std::optional<double> hint =
      search.grid_only ? std::nullopt : std::optional(order_hints(account.costs).front());
  TeacherOptima optima = search_teachers(sums, teachers, account.orders, hint, search.delta);
  // Nobody pays more than the teacher whose vote costs most on every query, whose epsilon was
  // looked for between the orders of the grid too.
  for (std::size_t f = 0; f < optima.run.size(); ++f) {
    if (exact.best[f].epsilon < optima.run[f].epsilon) optima.run[f] = exact.best[f];
  }
  const double most = std::max(max_or_nan(exact.best[0].epsilon, exact.best[1].epsilon), 0.0);
  for (double& epsilon : optima.epsilon) epsilon = std::min(epsilon, most);
  account.per_teacher = PerTeacher{optima.epsilon, quantiles_of(optima.epsilon)};
  return exact_entries(Bound::exact_per_teacher, optima.run, optima.spent, search.delta,
                       account.notices);
}

// The classes that have votes, and one beside them that has none, if any has none.
struct VotedClasses {
  std::vector<std::int32_t> ids;  // increasing
  std::vector<std::int32_t> counts;

  void read(std::span<const std::int32_t> votes, std::size_t classes) {
    std::vector<std::int32_t> sorted(votes.begin(), votes.end());
    std::ranges::sort(sorted);
    ids.clear();
    counts.clear();
    for (const std::int32_t id : sorted) {
      if (ids.empty() || ids.back() != id) {
        ids.push_back(id);
        counts.push_back(0);
      }
      ++counts.back();
    }
    if (ids.size() < classes) counts.push_back(0);
  }
  [[nodiscard]] std::size_t place(std::int32_t id) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(ids, id) - ids.begin());
  }
};

}  // namespace

TeacherVotes::TeacherVotes(const Run& run, const PredictionVotes& predictions,
                           const ExactMechanism& mechanism, std::int64_t most)
    : run_(run),
      mechanism_(mechanism),
      teachers_(static_cast<std::size_t>(predictions.teachers())),
      again_(run, &predictions) {
  const std::int64_t queries = run.shard.end(run.rows.size()) - run.shard.begin(run.rows.size());
  kept_ = queries <= most / std::max<std::int64_t>(1, predictions.teachers());
  if (kept_) groups_.resize(static_cast<std::size_t>(queries) * teachers_);
}

void TeacherVotes::keep(const QueryReader& reader, std::int64_t first) {
  if (!kept_) return;
  write_groups(reader, std::span(groups_).subspan(static_cast<std::size_t>(first) * teachers_));
}

void TeacherVotes::write_groups(const QueryReader& reader, std::span<std::uint16_t> groups) const {
  auto next = groups.begin();
  const auto classes = static_cast<std::size_t>(run_.votes.classes());
  VotedClasses voted;
  for (std::int64_t i = 0; i < reader.size(); ++i) {
    // Of more classes than teachers most have no vote; they are one group, whatever their number.
    const bool is_sparse_vector =
        reader.is_sparse_vector() || (reader.scores(i).empty() && classes > teachers_);
    if (is_sparse_vector) voted.read(reader.ids(i), classes);
    const auto histogram =
        is_sparse_vector ? std::span<const std::int32_t>(voted.counts) : reader.counts(i);
    const GroupedVotes votes = mechanism_.group(histogram, reader.scores(i));
    if (votes.groups.size() > std::numeric_limits<std::uint16_t>::max()) {
      throw std::length_error("more groups of classes than an ensemble of this size can have");
    }
    const auto of_class =
        groups_of_classes(votes, histogram, reader.scores(i), mechanism_.teachers());
    for (const std::int32_t id : reader.ids(i)) {
      const std::size_t place = is_sparse_vector ? voted.place(id) : static_cast<std::size_t>(id);
      *next++ = static_cast<std::uint16_t>(of_class[place]);
    }
  }
}

std::span<const std::uint16_t> TeacherVotes::groups(std::int64_t first, std::int64_t count) {
  const std::size_t size = static_cast<std::size_t>(count) * teachers_;
  if (kept_) return std::span(groups_).subspan(static_cast<std::size_t>(first) * teachers_, size);
  groups_.resize(size);
  again_.read(run_.shard.begin(run_.rows.size()) + first, count);
  write_groups(again_, groups_);
  return groups_;
}

std::optional<VoteRows> TeacherVotes::rows() const {
  const auto teachers = std::max<std::int64_t>(1, static_cast<std::int64_t>(teachers_));
  const auto queries = static_cast<std::int64_t>(run_.rows.size());
  if (!kept_ || queries > kMaxRows / teachers) return std::nullopt;
  return VoteRows{distinct_of_query_, groups_};
}

std::vector<std::vector<TeacherSum>> TeacherVotes::sums(ExactRun& costs,
                                                        std::span<const double> orders,
                                                        unsigned threads) {
  std::vector<std::vector<TeacherSum>> terms(costs.size());
  {
    const auto by_group = costs.by_group(orders);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (const BothDirections& cost : by_group[i]) {
        terms[i].push_back({UpwardSum(cost.forward), UpwardSum(cost.reverse)});
      }
    }
  }
  std::vector<std::vector<TeacherSum>> sums(orders.size(), std::vector<TeacherSum>(teachers_));
  const std::int64_t block = std::max<std::int64_t>(
      1, kVotesPerBlock / std::max<std::int64_t>(1, static_cast<std::int64_t>(teachers_)));
  const auto queries = static_cast<std::int64_t>(distinct_of_query_.size());
  for (std::int64_t first = 0; first < queries; first += block) {
    const std::int64_t count = std::min(block, queries - first);
    const auto all_votes = groups(first, count);
    parallel_for(
        (teachers_ + kTeachersPerTask - 1) / kTeachersPerTask, threads, [&](std::size_t c) {
          const std::size_t begin = c * kTeachersPerTask;
          const std::size_t end = std::min(begin + kTeachersPerTask, teachers_);
          for (std::int64_t i = 0; i < count; ++i) {
            const std::size_t distinct = distinct_of_query_[static_cast<std::size_t>(first + i)];
            const std::size_t groups = costs.votes(distinct).groups.size();
            const auto votes = all_votes.subspan(static_cast<std::size_t>(i) * teachers_);
            for (std::size_t k = 0; k < orders.size(); ++k) {
              const TeacherSum* const cost = terms[distinct].data() + k * groups;
              for (std::size_t t = begin; t < end; ++t) sums[k][t].add(cost[votes[t]]);
            }
          }
        });
  }
  return sums;
}

TeacherOptima search_teachers(const TeacherSums& sums, std::size_t teachers,
                              std::span<const double> grid, std::optional<double> hint,
                              double delta) {
  Minima minima(sums, teachers, grid, delta);
  if (!hint) {
    minima.take(0, grid.size());
    return minima.optima();
  }
  const auto near = static_cast<std::size_t>(
      std::lower_bound(grid.begin(), grid.end(), 1.0 + (*hint - 1.0) / 1.2) - grid.begin());
  std::size_t begin = std::min(near, grid.size() - 1);
  std::size_t end = std::min(begin + kOrdersAtOnce, grid.size());
  minima.take(begin, end);
  while (begin > 0 && minima.is_best(begin)) {
    const std::size_t further = begin - std::min(begin, kOrdersAtOnce);
    minima.take(further, begin);
    begin = further;
  }
  while (end < grid.size() && minima.is_best(end - 1)) {
    const std::size_t further = std::min(end + kOrdersAtOnce, grid.size());
    minima.take(end, further);
    end = further;
  }
  return minima.optima();
}

void fill_teacher_sums(TeacherVotes& votes, const ExactMechanism& mechanism,
                       std::span<const double> orders, unsigned threads, ExactPartials& exact) {
  ExactRun costs(mechanism, exact.distinct, threads);
  exact.orders.assign(orders.begin(), orders.end());
  for (std::size_t k = 0; k < orders.size(); k += kOrdersAtOnce) {
    auto sums =
        votes.sums(costs, orders.subspan(k, std::min(kOrdersAtOnce, orders.size() - k)), threads);
    std::move(sums.begin(), sums.end(), std::back_inserter(exact.teachers));
  }
}

CostEntry profile_entry(Bound bound, double delta, double upper, double lower) {
  CostEntry entry{bound, GuaranteeKind::joint, EpsilonMethod::profile, upper, delta};
  entry.data_dependent = true;
  entry.lower = std::min(lower, upper);
  entry.parts = {{"steps", upper}};
  return entry;
}

void note_interval(const CostEntry& entry, std::vector<Notice>& notices) {
  if (!(entry.epsilon > 1.01 * *entry.lower)) return;
  notices.push_back({"profile_interval",
                     fmt::format("{} is certified from {:.6g} to {:.6g}: the interval is wider "
                                 "than 1 %",
                                 label(entry), *entry.lower, entry.epsilon)});
}

Notice no_profile() {
  return {"no_profile",
          "the exact (epsilon, delta) is not known: with noise far below one vote outcome "
          "probabilities are beyond doubles"};
}

Notice exact_private() {
  return {"exact_private",
          "exact costs are for the owner of the data: they depend on the votes and must not be "
          "published as they are"};
}

std::vector<double> order_hints(std::span<const CostEntry> costs) {
  std::vector<double> hints;
  for (const CostEntry& cost : costs) {
    if (cost.bound == Bound::tradeoff && cost.order) hints.push_back(*cost.order);
  }
  for (const CostEntry& cost : costs) {
    if (hints.empty() && cost.order) hints.push_back(*cost.order);
  }
  if (hints.empty()) hints.push_back(kDefaultHint);
  return hints;
}

void insert_entries(std::span<const CostEntry> entries, Account& account) {
  const auto first_public =
      std::find_if(account.costs.begin(), account.costs.end(),
                   [](const CostEntry& cost) { return cost.bound == Bound::data_independent; });
  const auto position = static_cast<std::size_t>(first_public - account.costs.begin());
  if (account.headline >= position) account.headline += entries.size();
  account.costs.insert(first_public, entries.begin(), entries.end());
}

void add_exact_costs(const ExactPartials& partials, TeacherVotes* votes,
                     const ExactMechanism& mechanism, const ExactSettings& settings,
                     Account& account) {
  const OrderSearch& search = settings.search;
  ExactRun costs(mechanism, partials.distinct, settings.threads);
  TeacherSums teachers;
  std::optional<VoteRows> rows = partials.rows;
  if (!partials.orders.empty()) {
    teachers = [&](std::span<const double> orders) {
      const auto first =
          std::lower_bound(partials.orders.begin(), partials.orders.end(), orders.front());
      const auto sums = partials.teachers.begin() + (first - partials.orders.begin());
      return std::vector(sums, sums + static_cast<std::ptrdiff_t>(orders.size()));
    };
  } else if (votes != nullptr) {
    teachers = [&](std::span<const double> orders) {
      return votes->sums(costs, orders, settings.threads);
    };
    rows = votes->rows();
  }

  const ExactOptima exact = search_counts(costs, search, account);
  std::vector<CostEntry> entries =
      exact_entries(Bound::exact, exact.best, exact.spent, search.delta, account.notices);
  if (!settings.is_part) add_profile(costs, exact, settings, entries, account);
  if (teachers) {
    std::vector<CostEntry> more = entries_by_teacher(teachers, exact, search, account);
    if (entries.back().conversion == EpsilonMethod::profile) {
      add_teacher_profiles(costs, rows, exact, settings, entries.back().epsilon, more, account);
    }
    entries.insert(entries.end(), more.begin(), more.end());
  }
  add_order_notices(entries, account.orders, search.grid_only, account.notices);
  insert_entries(entries, account);
  account.notices.push_back(exact_private());
}

}  // namespace pate
