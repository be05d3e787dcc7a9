#include "pate/accounting/pld_account.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "pate/accounting/neighbour_covers.hpp"
#include "pate/accounting/pld_queries.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

// Products at nodes, a direction: beyond the first neighbours are covered, beyond the second the
// grid is coarser (a minute).
constexpr double kManyTerms = 6e9;
constexpr double kMaxTerms = 1e11;
// Losses further from 0 are told apart by no profile: of such epsilons none is made for others.
constexpr double kMostToldApart = 1e4;
// Where delta is told.
constexpr std::array kEpsilons{0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0,  1.5,  2.0,
                               2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0};

// Of epsilon by Renyi DP, the part that grows with the queries is about this.
constexpr double kRdpShare = 0.3;

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
      !std::isfinite(hint.epsilon) || !(settings.told_apart <= kMostToldApart)) {
    return std::nullopt;
  }
  Grids grids = grids_of({hint, hint}, settings, count);
  while (grids.nodes(grids.step) * 3.0 * count > kMaxProducts) grids.step *= 2.0;
  if (!grids.is_feasible()) return std::nullopt;
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
  if (!std::isfinite(hints.larger().epsilon) || !(settings.told_apart <= kMostToldApart)) {
    return std::nullopt;
  }
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
    ExactRun& run = *runs[place.run];
    const ExactCost& cost = run[place.query];
    const bool is_ball = cost.is_ball() && !place.selection_only;
    const double neighbours =
        is_ball ? static_cast<double>(cost.ball_size()) : place.neighbours(run.votes(place.query));
    const auto kinds =
        static_cast<double>(is_ball ? ball_kinds(cost.most_changed()) : kKinds * kKinds);
    const double terms = run.count(place.query) * place.terms(run.votes(place.query));
    all += terms * neighbours;
    with_covers += terms * std::min(neighbours, kinds);
  }
  const bool covers = grids.nodes(grids.step) * all > kManyTerms;
  while (!settings.step && grids.nodes(grids.step) * (covers ? with_covers : all) > kMaxTerms) {
    grids.step *= 2.0;
  }
  if (!grids.is_feasible()) return std::nullopt;

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
      const ExactCost& cost = run[place.query];
      if (is_covered) {
        kinds = cost.is_ball()
                    ? sort_by_kind(cost.kinds_in_ball(), ball_kinds(cost.most_changed()), *tables)
                    : sort_by_kind(votes, only, *tables);
      }
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

}  // namespace pate
