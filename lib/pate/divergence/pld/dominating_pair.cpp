#include "pate/divergence/pld/dominating_pair.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "pate/numerics/infinity.hpp"
#include "pate/numerics/kernels/kernels.hpp"

namespace pate {

namespace {

// Outward: rounding of the second differences below, for a resolution of 2^-20 and more.
constexpr double kCoverMargin = 1e-10;
// Losses further from 0 than 2^kDigits steps are told apart to that many binary digits: what lies
// between is put on a chord, outward again, which adds some 1e-5 of itself to a second moment.
constexpr int kDigits = 6;
// Losses beyond are infinite, those below its negative are merged with it.
constexpr double kSteepest = 40.0;

// Whole steps from 0 that may be breakpoints: all of them at first, then those of kDigits + 1
// binary digits. The number of those below the largest that is at most `steps`.
std::size_t breakpoint_below(std::uint64_t steps) {
  const int spare = std::max(static_cast<int>(std::bit_width(steps)) - (kDigits + 1), 0);
  return (static_cast<std::size_t>(spare) << kDigits) + static_cast<std::size_t>(steps >> spare);
}

// The inverse: the steps of a breakpoint.
std::uint64_t steps_of(std::size_t breakpoint) {
  const std::size_t spare = std::max<std::size_t>(breakpoint >> kDigits, 1) - 1;
  return static_cast<std::uint64_t>(breakpoint - (spare << kDigits)) << spare;
}

// Where the dominating pair may have breakpoints: on both sides of the losses of the tables, and
// around 0: increasing. Between breakpoints of a fine grid no table has one.
struct Breakpoints {
  std::vector<double> losses;
  std::size_t zero = 0;  // which one is 0
  // By outcome, of all tables: the breakpoint that is its loss or the next one towards 0; none for
  // one that asks for none.
  static constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> nearest;
};

Breakpoints breakpoints_of(std::span<const DistributionPair> tables, double resolution) {
  Breakpoints result;
  std::vector<char> is_below;                        // by outcome
  std::array<std::vector<std::uint32_t>, 2> wanted;  // of losses below 0, from 0 on: by breakpoint
  for (auto& side : wanted) {
    side.assign(breakpoint_below(static_cast<std::uint64_t>(kSteepest / resolution) + 1) + 2,
                Breakpoints::kNone);
    side[0] = side[1] = 0;
  }
  for (const DistributionPair& table : tables) {
    for (const OutcomeMass& o : table) {
      is_below.push_back(o.loss < 0.0 ? 1 : 0);
      result.nearest.push_back(Breakpoints::kNone);
      if (!(o.p > 0.0 && o.loss < kSteepest)) continue;
      const double steps = std::abs(std::max(o.loss, -kSteepest) / resolution);
      const std::size_t breakpoint = breakpoint_below(static_cast<std::uint64_t>(steps));
      result.nearest.back() = static_cast<std::uint32_t>(breakpoint);
      auto& side = wanted[o.loss < 0.0 ? 0 : 1];
      side[breakpoint] = 0;
      if (static_cast<double>(steps_of(breakpoint)) < steps) side[breakpoint + 1] = 0;
    }
  }
  const auto add = [&](std::uint32_t& its, double loss) {
    if (its == Breakpoints::kNone) return;
    its = static_cast<std::uint32_t>(result.losses.size());
    result.losses.push_back(loss);
  };
  for (std::size_t k = wanted[0].size(); k-- > 1;) {
    add(wanted[0][k], -static_cast<double>(steps_of(k)) * resolution);
  }
  result.zero = result.losses.size();
  for (std::size_t k = 0; k < wanted[1].size(); ++k) {
    add(wanted[1][k], static_cast<double>(steps_of(k)) * resolution);
  }
  wanted[0][0] = wanted[1][0];
  for (std::size_t i = 0; i < result.nearest.size(); ++i) {
    std::uint32_t& its = result.nearest[i];
    if (its != Breakpoints::kNone) its = wanted[is_below[i] != 0 ? 0 : 1][its];
  }
  return result;
}

// Tables that are looked at together, one in each place of a row.
using Row = std::array<double, kLanes>;

// The largest excess of the tables at every breakpoint: at gamma = e^breakpoint, sum_o (p - gamma
// q)+, and for gamma < 1 less 1 - gamma, which is sum_o (gamma q - p)+.
std::vector<double> largest_excess(std::span<const DistributionPair> tables,
                                   const Breakpoints& breakpoints, std::span<const double> gammas) {
  const std::vector<double>& losses = breakpoints.losses;
  std::vector<Row> p(losses.size());
  std::vector<Row> q(losses.size());
  std::vector<Row> excess(losses.size());
  const std::uint32_t* nearest = breakpoints.nearest.data();
  for (std::size_t first = 0; first < tables.size(); first += kLanes) {
    std::ranges::fill(p, Row{});
    std::ranges::fill(q, Row{});
    for (std::size_t i = 0; i < std::min(kLanes, tables.size() - first); ++i) {
      for (const OutcomeMass& o : tables[first + i]) {
        // Where an outcome lies on a breakpoint it adds nothing there.
        std::size_t k = *nearest++;
        if (o.loss < 0.0) {
          if (k == Breakpoints::kNone) k = 0;
          while (k < breakpoints.zero && !(losses[k] > o.loss)) ++k;
          if (k == breakpoints.zero) continue;
        } else if (o.loss > 0.0) {
          if (k == Breakpoints::kNone) k = losses.size() - 1;
          while (!(losses[k] < o.loss)) --k;
        } else if (o.loss == 0.0) {
          continue;
        } else {  // not a number: nor is anything that is made of it
          k = breakpoints.zero;
          p[k][i] = o.loss;
        }
        p[k][i] += o.p;
        q[k][i] += o.q;
      }
    }
    // p, q: the masses of the outcomes between a breakpoint and the next one away from 0.
    kernels().raise_excess(gammas.data(), breakpoints.zero, losses.size(), p.front().data(),
                           q.front().data(), excess.front().data());
  }
  std::vector<double> result;
  for (const Row& row : excess) {
    double most = row.front();
    for (const double its : row) most = max_or_nan(most, its);
    result.push_back(most);
  }
  return result;
}

// Which breakpoints must stay: chords between them are above the excess, which is convex, and
// hardly so.
std::vector<std::size_t> breakpoints_to_keep(std::span<const double> gammas,
                                             std::span<const double> excess, std::size_t zero,
                                             double left_out) {
  const auto is_straight = [&](std::size_t begin, std::size_t end) {
    const double slope = (excess[end] - excess[begin]) / (gammas[end] - gammas[begin]);
    for (std::size_t k = begin + 1; k < end; ++k) {
      const double chord = excess[begin] + slope * (gammas[k] - gammas[begin]);
      if (!(chord <= excess[k] * (1.0 + left_out))) return false;
    }
    return true;
  };
  std::vector<std::size_t> kept{0};
  while (kept.back() + 1 < gammas.size()) {
    std::size_t next = kept.back() + 1;
    // At 0 its slope changes by 1.
    while (next != zero && next + 1 < gammas.size() && is_straight(kept.back(), next + 1)) ++next;
    kept.push_back(next);
  }
  return kept;
}

}  // namespace

DistributionPair dominating_pair(std::span<const DistributionPair> tables, double resolution,
                                 double left_out) {
  DistributionPair result = cover_but_rounding(tables, resolution, left_out);
  return tables.size() == 1 ? result : cover_rounded(std::move(result));
}

DistributionPair cover_rounded(DistributionPair dominating_pair) {
  for (OutcomeMass& outcome : dominating_pair) outcome.p *= 1.0 + kCoverMargin;
  return dominating_pair;
}

DistributionPair cover_but_rounding(std::span<const DistributionPair> tables, double resolution,
                                    double left_out) {
  if (tables.empty()) return {};
  if (tables.size() == 1) return tables.front();
  const Breakpoints all = breakpoints_of(tables, resolution);
  std::vector<double> breakpoints = all.losses;
  std::vector<double> gammas;
  for (const double loss : breakpoints) gammas.push_back(std::exp(loss));
  std::vector<double> excess = largest_excess(tables, all, gammas);
  std::size_t kept = 0;
  for (const std::size_t k : breakpoints_to_keep(gammas, excess, all.zero, left_out)) {
    breakpoints[kept] = breakpoints[k];
    gammas[kept] = gammas[k];
    excess[kept++] = excess[k];
  }
  breakpoints.resize(kept);
  gammas.resize(kept);
  excess.resize(kept);

  // Between breakpoints the excess is linear in gamma, a chord; its slope changes by the
  // neighbour's mass there. At 0 its slope changes by 1 more, the mass of what does not change.
  // Beyond the last breakpoint it is constant: losses that are infinite. Below the first, the line
  // to 0 at gamma = 0 ends there: an outcome that the votes never have.
  DistributionPair result;
  // What is not a number stays that.
  if (!(excess.back() <= 0.0)) result.push_back({excess.back(), 0.0, kInfinity});
  double before = excess.front() / gammas.front();
  if (!(before <= 0.0)) result.push_back({0.0, before, -kInfinity});
  for (std::size_t k = 0; k < breakpoints.size(); ++k) {
    const double after = k + 1 == breakpoints.size()
                             ? 0.0
                             : (excess[k + 1] - excess[k]) /
                                   (gammas[k] * std::expm1(breakpoints[k + 1] - breakpoints[k]));
    double q = after - before;
    if (breakpoints[k] == 0.0) q += 1.0;
    if (!(q <= 0.0)) result.push_back({q * gammas[k], q, breakpoints[k]});
    before = after;
  }
  return result;
}

}  // namespace pate
