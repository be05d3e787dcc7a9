#include "pate/accounting/pld_account.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "pate/divergence/pld/dominating_pair.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/numerics/kernels/kernels.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

// How much of epsilon the chords between the nodes may add, and the coarsest grid.
constexpr double kAccuracy = 1e-4;
constexpr double kCoarsest = 0x1p-9;
constexpr double kFinest = 0x1p-20;
constexpr double kMaxNodes = 0x1p22;
// Products at nodes, a direction: beyond the first neighbours are covered, beyond the second the
// grid is coarser (a minute). Of all teachers: beyond this there are no profiles of theirs.
constexpr double kManyTerms = 6e9;
constexpr double kMaxTerms = 1e11;
constexpr double kMaxTeacherTerms = 4e11;
// Products of what is refined of teachers.
constexpr double kMaxRefined = 1e11;
constexpr double kCoarsestOfTeachers = 0x1p-6;
// Queries whose tables are in memory at once, and profiles that are refined at once.
constexpr std::size_t kBatch = 64;
constexpr std::size_t kRefinedAtOnce = 4;
// Where delta is told.
constexpr std::array kEpsilons{0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0,  1.5,  2.0,
                               2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0};
constexpr std::array kDirections{Direction::forward, Direction::reverse};

void reverse_all(std::vector<DistributionPair>& tables) {
  for (DistributionPair& table : tables) table = reversed(std::move(table));
}

double& of(BothDirections& both, Direction direction) {
  return direction == Direction::forward ? both.forward : both.reverse;
}

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

// Kinds of classes: that of the plurality, the next, all others. Neighbours are covered by those
// that lose and gain the vote.
constexpr std::size_t kKinds = 3;

// Puts neighbours of a kind beside each other; those of kind k are at [k] up to [k + 1] then.
// `only`: their positions among all, increasing; none: they are all.
std::vector<std::size_t> sort_by_kind(const GroupedVotes& votes,
                                      std::span<const std::uint32_t> only,
                                      std::vector<DistributionPair>& tables) {
  std::array<std::vector<DistributionPair>, kKinds * kKinds> sets;
  std::size_t position = 0;
  std::size_t next = 0;
  for (std::size_t a = 0; a < votes.groups.size(); ++a) {
    for (std::size_t b = 0; b < votes.groups.size(); ++b) {
      if (!can_move(votes, a, b)) continue;
      const std::size_t its = position++;
      if (!only.empty() && (next == only.size() || only[next] != its)) continue;
      auto& set = sets[std::min(a, kKinds - 1) * kKinds + std::min(b, kKinds - 1)];
      set.push_back(std::move(tables[next++]));
    }
  }
  std::vector<std::size_t> first{0};
  tables.clear();
  for (auto& set : sets) {
    std::ranges::move(set, std::back_inserter(tables));
    first.push_back(tables.size());
  }
  return first;
}

// What covers that take the place of two may add to the moments; up to the second, as a share of
// the largest, they are not the largest anywhere that matters.
constexpr double kJoined = 1e-5;
constexpr double kCheap = 0.9;
// What covers may add of their own; queries that cost less than the mean one may add as much as
// that may, up to this many times their share.
constexpr double kLeftOut = 1e-5;
constexpr double kMaxShares = 100.0;

// About what a table costs at some orders: its moments less one, as sums of terms >= 0.
using Moments = std::array<double, 3>;
Moments moments_of(const DistributionPair& table, double slope) {
  Moments result{};
  for (const OutcomeMass& o : table) {
    if (!(o.p > 0.0 && std::isfinite(o.loss))) continue;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const double at = slope * std::array{1.0, 0.4, 2.5}[i];
      result[i] += o.p * (expm1_minus_x(at * o.loss) + at * expm1_minus_x(-o.loss));
    }
  }
  return result;
}

// One table, or what covers several.
struct Cover {
  DistributionPair table;
  bool is_of_several;
  Moments moments;
};

// Fewer covers: whichever another can take in at no cost, or without becoming the dearest.
std::vector<DistributionPair> joined(std::vector<Cover> covers, double slope, double resolution,
                                     double shares) {
  Moments most{};
  for (const Cover& cover : covers) {
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = max_or_nan(most[i], cover.moments[i]);
  }
  std::ranges::stable_sort(covers, std::ranges::greater(),
                           [](const Cover& cover) { return cover.moments.front(); });
  std::vector<Cover> kept;
  for (Cover& next : covers) {
    const bool is_taken = std::ranges::any_of(kept, [&](Cover& other) {
      Cover both{
          cover_but_rounding(std::array{other.table, next.table}, resolution, kLeftOut * shares),
          true,
          {}};
      both.moments = moments_of(both.table, slope);
      for (std::size_t i = 0; i < most.size(); ++i) {
        if (!(both.moments[i] <=
              std::max(kCheap * most[i], other.moments[i] * (1.0 + kJoined * shares)))) {
          return false;
        }
      }
      other = std::move(both);
      return true;
    });
    if (!is_taken) kept.push_back(std::move(next));
  }
  std::vector<DistributionPair> result;
  for (Cover& cover : kept) {
    result.push_back(cover.is_of_several ? cover_rounded(std::move(cover.table))
                                         : std::move(cover.table));
  }
  return result;
}

// mean: the first of `moments_of` the dearest neighbour, of all queries.
std::vector<DistributionPair> covered(std::span<const DistributionPair> tables,
                                      std::span<const std::size_t> kinds,
                                      const DistributionPair& most_costly, double slope,
                                      double resolution, double mean) {
  const double own = moments_of(most_costly, slope).front();
  const double shares = own > 0.0 ? std::clamp(mean / own, 1.0, kMaxShares) : 1.0;
  std::vector<Cover> covers;
  for (std::size_t k = 0; k + 1 < kinds.size(); ++k) {
    const auto set = tables.subspan(kinds[k], kinds[k + 1] - kinds[k]);
    if (set.empty()) continue;
    covers.push_back({cover_but_rounding(set, resolution, kLeftOut * shares), set.size() > 1, {}});
    covers.back().moments = moments_of(covers.back().table, slope);
  }
  return joined(std::move(covers), slope, resolution, shares);
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

// The table of the neighbour with the largest moment in a direction, seen from there; among those
// that may have it, none: among all.
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

// Of epsilons of millions no grid of losses is kept that tells anything.
constexpr double kMaxStep = 1.0;

// A distinct query of one of several runs.
struct QueryRef {
  std::size_t run, query;
  bool selection_only;  // the plurality is nearly sure, where the query is answered
  std::size_t near;     // groups that are told apart, the first ones; all: every group

  // Of these neighbours; none: of all.
  [[nodiscard]] std::optional<std::vector<DistributionPair>> tables(
      std::span<ExactRun* const> runs, std::span<const std::uint32_t> only) const {
    if (selection_only) return (*runs[run])[query].selection_tables();
    return runs[run]->tables(query, only);
  }
  // By the group that loses the vote, and where those of each begin; the last is where all end.
  [[nodiscard]] std::optional<std::vector<DistributionPair>> tables_by_group(
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
  // How many tables there are, about, and of each the products at a node.
  [[nodiscard]] double neighbours(const GroupedVotes& votes) const {
    return selection_only ? 2.0 : static_cast<double>(neighbours_by_group(votes).back());
  }
  [[nodiscard]] double terms(const GroupedVotes& votes) const {
    return (selection_only ? 1.0 : static_cast<double>(votes.groups.size())) + 3.0;
  }
};

// All queries with an outcome or an answer that is nearly sure on every neighbour may together add
// this share of the smallest delta.
constexpr double kSureShare = 1e-9;

// The queries whose outcomes must be looked at; sure ones come late in time, and first here. What
// all others, and all other answers than the plurality, add to delta at most is added to `rest`: to
// leave a query out or to take its answers for one is to see less, and (P - gamma Q)+ summed over
// its outcomes is what it is then and `rest` at most. So it is where one neighbour stands for many
// (`ExactCost::contending_groups`), which is asked for where all neighbours are compared.
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

// Each number once, in order.
std::vector<std::uint32_t> increasing(std::vector<std::uint32_t> numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// Where those that stand for some neighbours are in a list of all that stand for others.
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

void add_infinity_mass(double rest, PessimisticProfile& profile) {
  if (!(rest > 0.0)) return;
  // Outward: what rounding does to the sum.
  profile.compose_query(
      std::array{DistributionPair{{rest * (1.0 + 1e-6), 0.0, kInfinity}, {1.0, 1.0, 0.0}}});
}

// How fine and how far profiles are.
struct Grids {
  double step = 0.0;
  double least_delta = 0.0;
  double slope_forward = 1.0, slope_reverse = 1.0;
  double epsilon = 0.0;
  double told_apart = 0.5;

  [[nodiscard]] double highest(Direction direction) const {
    return std::max(told_apart,
                    14.0 / (direction == Direction::forward ? slope_forward : slope_reverse));
  }
  [[nodiscard]] PessimisticProfile::Grid grid(Direction direction, double h) const {
    return {h, highest(direction), least_delta};
  }
  [[nodiscard]] OptimisticProfile lower(double h) const {
    return {h, -1.5, 1.5 * epsilon + 1.0, least_delta};
  }
  // About, in the middle of a run.
  [[nodiscard]] double nodes(double h) const {
    const double slope = std::max(slope_forward, slope_reverse);
    return 0.7 * (epsilon + 25.0 / slope + highest(Direction::reverse)) / h;
  }
};

double least_delta(const ProfileSettings& settings) {
  double result = settings.delta;
  for (const double delta : settings.deltas) result = std::min(result, delta);
  return result;
}

// Of epsilon by Renyi DP, the part that grows with the queries is about this.
constexpr double kRdpShare = 0.3;

// queries: those with outcomes that are looked at.
Grids grids_of(const ProfileHints& hints, const ProfileSettings& settings, double queries) {
  const auto slope = [](const OptimalOrder& at) { return std::max(1.0, at.order - 1.0); };
  Grids result;
  result.slope_forward = slope(hints.forward);
  result.slope_reverse = slope(hints.reverse);
  result.epsilon = std::max(hints.larger().epsilon, 1e-3);
  result.least_delta = least_delta(settings);
  result.told_apart = settings.told_apart;
  if (settings.step) {
    result.step = *settings.step;
    return result;
  }
  // An order that suits the epsilon is within some times log(1/delta) / epsilon: one that was named
  // and is far beyond asks for no finer grid.
  constexpr double kBeyond = 1000.0;
  const double steepest = std::max(1.0, kBeyond * std::log(1.0 / settings.delta) / result.epsilon);
  const double wanted =
      std::sqrt(12.0 * kAccuracy * result.epsilon /
                (std::max(queries, 1.0) * std::min(slope(hints.larger()), steepest)));
  result.step = std::clamp(std::exp2(std::floor(std::log2(wanted))), kFinest, kCoarsest);
  while (result.nodes(result.step) > kMaxNodes) result.step *= 2.0;
  return result;
}

std::function<double(double)> gaussian_start(double mu) {
  return [mu](double s) {
    // delta(-s), and beyond the mirror of it: Phi(a) - e^-s Phi(a - mu) = 1 - e^-s + e^-s delta(s).
    if (s <= 0.0) return std::exp(log_gaussian_dp_delta(mu, -s));
    return -std::expm1(-s) + std::exp(-s + log_gaussian_dp_delta(mu, s));
  };
}

PessimisticProfile upper_of(const PessimisticProfile::Grid& grid, double gaussian_mu) {
  if (!(gaussian_mu > 0.0)) return PessimisticProfile(grid);
  return {grid, gaussian_start(gaussian_mu)};
}

// One query in one direction, ready for profiles.
struct Step {
  DiscretizedPairs losses;
  DistributionPair most_costly;
};

// The steps of begin .. end of the places, by direction; false where outcomes are not known.
template <class Make>
bool make_batch(std::size_t size, unsigned threads, const Make& make,
                std::array<std::vector<std::unique_ptr<Step>>, 2>& steps) {
  std::vector<char> known(size, 1);
  for (auto& of_direction : steps) {
    of_direction.clear();
    of_direction.resize(size);
  }
  parallel_for(size, threads, [&](std::size_t j) { known[j] = make(j, steps[0][j], steps[1][j]); });
  return std::ranges::count(known, 0) == 0;
}

}  // namespace

ProfileCurve profile_curve(double step, std::span<const double> deltas,
                           std::span<const double> epsilons,
                           std::span<const PessimisticProfile> upper,
                           std::span<const OptimisticProfile> lower) {
  ProfileCurve curve;
  curve.step = step;
  curve.deltas.assign(deltas.begin(), deltas.end());
  curve.epsilons.assign(epsilons.begin(), epsilons.end());
  for (const double delta : deltas) {
    curve.epsilon_at.push_back({{upper[0].epsilon(delta), upper[1].epsilon(delta)},
                                {lower[0].epsilon(delta), lower[1].epsilon(delta)}});
  }
  for (const double epsilon : epsilons) {
    curve.delta_at.push_back({{upper[0].delta(epsilon), upper[1].delta(epsilon)},
                              {lower[0].delta(epsilon), lower[1].delta(epsilon)}});
  }
  return curve;
}

std::optional<PessimisticProfile> mixture_profile(double gaussian_mu,
                                                  std::span<const PureSteps> steps,
                                                  const ProfileSettings& settings,
                                                  const OptimalOrder& hint) {
  // Beyond so many steps their RDP is near the truth.
  constexpr double kMaxPureSteps = 1e5;
  constexpr double kMaxProducts = 2e9;
  double count = 0.0;
  for (const PureSteps& its : steps) {
    // Losses from 40 on count as infinite.
    if (!(its.epsilon < 30.0)) return std::nullopt;
    count += static_cast<double>(its.count);
  }
  if (!(count > 0.0 || gaussian_mu > 0.0) || !(count <= kMaxPureSteps) ||
      !std::isfinite(hint.epsilon)) {
    return std::nullopt;
  }
  Grids grids = grids_of({hint, hint}, settings, count);
  while (grids.nodes(grids.step) * 3.0 * count > kMaxProducts) grids.step *= 2.0;
  if (grids.step > kMaxStep) return std::nullopt;
  PessimisticProfile profile = upper_of(grids.grid(Direction::forward, grids.step), gaussian_mu);
  for (const PureSteps& its : steps) {
    if (its.epsilon == 0.0) continue;
    const double less = 1.0 / (1.0 + std::exp(its.epsilon));
    const DistributionPair response{{1.0 - less, less, its.epsilon},
                                    {less, 1.0 - less, -its.epsilon}};
    profile.compose_query(DiscretizedPairs(std::array{response}, grids.step), 0, 1, its.count);
  }
  return profile;
}

std::optional<double> mixture_epsilon(double gaussian_mu, std::span<const PureSteps> steps,
                                      double delta, const OptimalOrder& hint) {
  if (steps.empty()) return std::nullopt;
  const auto profile = mixture_profile(gaussian_mu, steps, {delta, {}, {}}, hint);
  const double epsilon = profile ? profile->epsilon(delta) : kInfinity;
  return std::isfinite(epsilon) ? std::optional(epsilon) : std::nullopt;
}

std::optional<RunProfile> run_profile(std::span<ExactRun* const> runs, const ProfileHints& hints,
                                      const ProfileSettings& settings, double gaussian_mu,
                                      unsigned threads, const ProgressCallback& progress) {
  if (!std::isfinite(hints.larger().epsilon)) return std::nullopt;
  double queries = 0.0;
  for (const ExactRun* run : runs) {
    for (std::size_t i = 0; i < run->size(); ++i) queries += run->count(i);
  }
  double rest = 0.0;
  const std::vector<QueryRef> places = split_near_certain(
      runs, kSureShare * least_delta(settings) / std::max(queries, 1.0), true, rest);
  double contested = 0.0;
  for (const QueryRef& place : places) contested += runs[place.run]->count(place.query);
  Grids grids = grids_of(hints, settings, contested);
  double all = 0.0;
  double with_covers = 0.0;
  for (const QueryRef& place : places) {
    const ExactRun& run = *runs[place.run];
    const double neighbours = place.neighbours(run.votes(place.query));
    const double terms = run.count(place.query) * place.terms(run.votes(place.query));
    all += terms * neighbours;
    with_covers += terms * std::min(neighbours, 1.0 * kKinds * kKinds);
  }
  const bool covers = grids.nodes(grids.step) * all > kManyTerms;
  while (!settings.step && grids.nodes(grids.step) * (covers ? with_covers : all) > kMaxTerms) {
    grids.step *= 2.0;
  }
  if (grids.step > kMaxStep) return std::nullopt;

  std::array<PessimisticProfile, 2> upper{
      upper_of(grids.grid(Direction::forward, grids.step), gaussian_mu),
      upper_of(grids.grid(Direction::reverse, grids.step), gaussian_mu)};
  std::array<OptimisticProfile, 2> lower{grids.lower(grids.step), grids.lower(grids.step)};
  for (PessimisticProfile& profile : upper) add_infinity_mass(rest, profile);
  ProgressCounter counter(progress, static_cast<std::int64_t>(places.size()));
  std::array<std::vector<std::unique_ptr<Step>>, 2> steps;
  for (std::size_t begin = 0; begin < places.size(); begin += kBatch) {
    const std::size_t size = std::min(kBatch, places.size() - begin);
    const auto make = [&](std::size_t j, std::unique_ptr<Step>& forward,
                          std::unique_ptr<Step>& reverse) {
      const QueryRef& place = places[begin + j];
      ExactRun& run = *runs[place.run];
      const GroupedVotes& votes = run.votes(place.query);
      std::vector<std::uint32_t> only;
      std::vector<std::uint32_t> stands_for;
      if (place.near < votes.groups.size()) {
        stands_for = run[place.query].representatives(place.near);
        only = increasing(stands_for);
      }
      auto tables = place.tables(runs, only);
      if (!tables) return false;
      const bool is_covered = covers && !place.selection_only;
      const auto order = [&](Direction direction) {
        return direction == Direction::forward ? hints.forward.order : hints.reverse.order;
      };
      std::vector<std::uint32_t> among;
      if (!place.selection_only) {
        const auto [first, last] = std::minmax(hints.forward.order, hints.reverse.order);
        among = run[place.query].possible_maxima(first, last);
        if (!only.empty()) among = positions_in(only, stands_for, among);
      }
      std::array<DistributionPair, 2> ones;
      for (std::size_t d = 0; d < 2; ++d) {
        ones.at(d) = most_costly(*tables, among, order(kDirections[d]), kDirections[d]);
      }
      std::vector<std::size_t> kinds;
      if (is_covered) kinds = sort_by_kind(votes, only, *tables);
      for (const Direction direction : kDirections) {
        if (direction == Direction::reverse) reverse_all(*tables);
        DistributionPair& one = ones.at(direction == Direction::forward ? 0 : 1);
        std::vector<DistributionPair> few;
        if (is_covered && !tables->empty()) {
          const double slope = order(direction) - 1.0;
          few = covered(*tables, kinds, one, slope, grids.step,
                        kRdpShare * grids.epsilon * slope / contested);
        }
        (direction == Direction::forward ? forward : reverse) = std::make_unique<Step>(
            Step{DiscretizedPairs(is_covered ? few : *tables, grids.step), std::move(one)});
      }
      return true;
    };
    if (!make_batch(size, threads, make, steps)) return std::nullopt;
    // Of each direction the upper end, then the lower.
    parallel_for(4, threads, [&](std::size_t task) {
      const std::size_t d = task % 2;
      for (std::size_t j = 0; j < size; ++j) {
        const QueryRef& place = places[begin + j];
        const auto times = static_cast<std::int64_t>(runs[place.run]->count(place.query));
        const Step& step = *steps[d][j];
        if (task < 2) {
          upper[d].compose_query(step.losses, 0, step.losses.neighbours(), times);
        } else {
          lower[d].append(step.most_costly, times);
        }
      }
    });
    counter.add(static_cast<std::int64_t>(size));
  }
  const double delta = settings.delta;
  RunProfile result{{upper[0].epsilon(delta), upper[1].epsilon(delta)},
                    {lower[0].epsilon(delta), lower[1].epsilon(delta)},
                    profile_curve(grids.step, settings.deltas, kEpsilons, upper, lower),
                    {}};
  std::ranges::move(upper, std::back_inserter(result.profiles));
  return result;
}

namespace {

// One teacher's profile in one direction.
struct Pair {
  std::size_t teacher = 0;
  std::size_t direction = 0;
  double epsilon = 0.0;
};

// What all passes over the queries share.
class TeacherPasses {
 public:
  TeacherPasses(ExactRun& run, const TeacherRows& votes, const Grids& grids,
                std::span<const QueryRef> places, double rest, const ProfileSettings& settings,
                const ProfileHints& hints, unsigned threads)
      : run_(run),
        votes_(votes),
        places_(places),
        rest_(rest),
        grids_(grids),
        delta_(settings.delta),
        orders_{hints.forward.order, hints.reverse.order},
        threads_(threads) {}

  // Fills in the epsilons of the pairs, from above at this step; false where the outcomes of some
  // query are not known.
  [[nodiscard]] bool upper(std::span<Pair> pairs, double step, ProgressCounter& counter) {
    std::vector<PessimisticProfile> profiles;
    for (const Pair& pair : pairs) {
      profiles.emplace_back(grids_.grid(kDirections[pair.direction], step));
      add_infinity_mass(rest_, profiles.back());
    }
    const bool known =
        pass(step, pairs, counter,
             [&](std::size_t k, const Step& its, std::size_t, std::size_t begin, std::size_t end,
                 std::int64_t times) { profiles[k].compose_query(its.losses, begin, end, times); });
    for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k].epsilon = profiles[k].epsilon(delta_);
    return known;
  }

  double lower(Pair pair, double step) {
    OptimisticProfile profile = grids_.lower(step);
    ProgressCounter nobody({}, 1);
    pass(step, std::span(&pair, 1), nobody,
         [&](std::size_t, const Step& its, std::size_t d, std::size_t begin, std::size_t end,
             std::int64_t times) {
           const auto of_group = std::span(its.tables).subspan(begin, end - begin);
           if (of_group.empty()) return;
           profile.append(most_costly(of_group, {}, orders_[d], Direction::forward), times);
         });
    return profile.epsilon(delta_);
  }

 private:
  struct Step {
    DiscretizedPairs losses;
    std::vector<DistributionPair> tables;
  };

  // Calls take(pair, step, direction, neighbours begin, end, times) query by query; false where the
  // outcomes of one are not known.
  template <class Take>
  bool pass(double step, std::span<const Pair> pairs, ProgressCounter& counter, const Take& take) {
    for (std::size_t done = 0; done < places_.size();) {
      const std::size_t size = std::min(kBatch, places_.size() - done);
      const auto query = [&](std::size_t j) { return places_[done + j].query; };
      std::vector<std::array<std::unique_ptr<Step>, 2>> steps(size);
      std::vector<std::vector<std::size_t>> ranges(size);
      std::vector<char> known(size, 0);
      parallel_for(size, threads_, [&](std::size_t j) {
        auto outcomes = places_[done + j].tables_by_group(run_, ranges[j]);
        if (!outcomes) return;
        known[j] = 1;
        std::vector<DistributionPair> tables = std::move(*outcomes);
        for (std::size_t d = 0; d < 2; ++d) {
          if (kDirections[d] == Direction::reverse) reverse_all(tables);
          steps[j][d] = std::make_unique<Step>(Step{DiscretizedPairs(tables, step), tables});
        }
      });
      if (std::ranges::count(known, 0) > 0) return false;
      parallel_for(pairs.size(), threads_, [&](std::size_t k) {
        std::vector<std::int64_t> times;
        for (std::size_t j = 0; j < size; ++j) {
          times.assign(ranges[j].size() - 1, 0);
          for (const std::uint32_t row : votes_.rows[query(j)]) {
            ++times[votes_.groups[row * votes_.teachers + pairs[k].teacher]];
          }
          const std::size_t d = pairs[k].direction;
          for (std::size_t g = 0; g < times.size(); ++g) {
            if (times[g] == 0) continue;
            take(k, *steps[j][d], d, ranges[j][g], ranges[j][g + 1], times[g]);
          }
        }
        counter.add(static_cast<std::int64_t>(size));
      });
      done += size;
    }
    return true;
  }

  ExactRun& run_;
  const TeacherRows& votes_;
  std::span<const QueryRef> places_;
  double rest_;
  Grids grids_;
  double delta_;
  std::array<double, 2> orders_;
  unsigned threads_;
};

}  // namespace

std::optional<TeacherProfiles> teacher_profiles(ExactRun& run, const TeacherRows& votes,
                                                const ProfileHints& hints,
                                                const ProfileSettings& settings, unsigned threads,
                                                const ProgressCallback& progress) {
  double queries = 0.0;
  for (std::size_t i = 0; i < run.size(); ++i) queries += run.count(i);
  ExactRun* const one = &run;
  double rest = 0.0;
  const std::vector<QueryRef> places = split_near_certain(
      std::span(&one, 1), kSureShare * settings.delta / std::max(queries, 1.0), false, rest);
  double contested = 0.0;
  for (const QueryRef& place : places) contested += run.count(place.query);
  Grids grids = grids_of(hints, {settings.delta, {}, settings.step}, contested);
  if (grids.step > kMaxStep) return std::nullopt;
  double terms = 0.0;  // of a teacher, at a node
  for (const QueryRef& place : places) {
    const GroupedVotes& its = run.votes(place.query);
    const auto neighbours = place.selection_only ? 2.0 : static_cast<double>(its.groups.size());
    terms += run.count(place.query) * neighbours * place.terms(its);
  }
  TeacherProfiles result;
  result.step = grids.step;
  result.coarse_step = std::max(grids.step, kCoarsest);
  const auto teachers = static_cast<double>(votes.teachers);
  const auto work = [&](double step) { return 2.0 * grids.nodes(step) * terms; };
  while (work(result.coarse_step) * teachers > 0.5 * kMaxTeacherTerms) {
    if (result.coarse_step >= kCoarsestOfTeachers) return std::nullopt;
    result.coarse_step *= 2.0;
  }

  TeacherPasses passes(run, votes, grids, places, rest, settings, hints, threads);
  std::vector<Pair> pairs;
  for (std::size_t t = 0; t < votes.teachers; ++t) {
    for (std::size_t d = 0; d < 2; ++d) pairs.push_back({t, d});
  }
  ProgressCounter counter(progress, static_cast<std::int64_t>(pairs.size() * places.size()));
  if (!passes.upper(pairs, result.coarse_step, counter)) return std::nullopt;

  // From the dearest on, while one may be dearer than the dearest that is known.
  std::vector<Pair> order = pairs;
  std::stable_sort(order.begin(), order.end(),
                   [](const Pair& a, const Pair& b) { return a.epsilon > b.epsilon; });
  ProgressCounter nobody({}, 1);
  Pair largest{0, 0, -1.0};
  double spent = 0.0;
  std::size_t refined = 0;
  if (result.step < result.coarse_step) {
    while (refined < order.size() && order[refined].epsilon > largest.epsilon &&
           spent < kMaxRefined) {
      const std::size_t size = std::min(kRefinedAtOnce, order.size() - refined);
      const std::span batch(order.begin() + static_cast<std::ptrdiff_t>(refined), size);
      const std::vector<Pair> coarse(batch.begin(), batch.end());
      if (!passes.upper(batch, result.step, nobody)) return std::nullopt;
      for (std::size_t k = 0; k < size; ++k) {
        batch[k].epsilon = std::min(batch[k].epsilon, coarse[k].epsilon);
        result.refined.push_back(static_cast<std::int64_t>(batch[k].teacher));
        if (batch[k].epsilon > largest.epsilon) largest = batch[k];
      }
      refined += size;
      spent += 0.5 * work(result.step) * static_cast<double>(size);
    }
    std::ranges::sort(result.refined);
    result.refined.erase(std::unique(result.refined.begin(), result.refined.end()),
                         result.refined.end());
  }
  result.epsilon.assign(votes.teachers, 0.0);
  for (const Pair& pair : order) {
    double& epsilon = result.epsilon[pair.teacher];
    double& upper = of(result.upper, kDirections[pair.direction]);
    epsilon = std::max(epsilon, pair.epsilon);
    upper = std::max(upper, pair.epsilon);
    if (refined == 0 && pair.epsilon > largest.epsilon) largest = pair;
  }
  result.lower = passes.lower(largest, result.step);
  return result;
}

}  // namespace pate
