#include "pate/accounting/neighbour_covers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "pate/divergence/pld/dominating_pair.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

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

// Fewer covers: whichever another can take in at no cost, or without becoming the most costly.
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

// Puts the tables of all sets behind each other; where each set begins, and the last one ends.
std::vector<std::size_t> join(std::span<std::vector<DistributionPair>> sets,
                              std::vector<DistributionPair>& tables) {
  std::vector<std::size_t> first{0};
  tables.clear();
  for (auto& set : sets) {
    std::ranges::move(set, std::back_inserter(tables));
    first.push_back(tables.size());
  }
  return first;
}

}  // namespace

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
  return join(sets, tables);
}

std::vector<std::size_t> sort_by_kind(std::span<const std::size_t> kind_of, std::size_t kinds,
                                      std::vector<DistributionPair>& tables) {
  std::vector<std::vector<DistributionPair>> sets(kinds);
  for (std::size_t k = 0; k < tables.size(); ++k) {
    sets[kind_of[k]].push_back(std::move(tables[k]));
  }
  return join(sets, tables);
}

// mean: the first of `moments_of` the most costly neighbour.
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

}  // namespace pate
