#include "pate/profile/cover.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/math/log_space.hpp"

namespace pate {

namespace {

// Outward: rounding of the second differences below, for a resolution of 2^-20 and more.
constexpr double kCoverMargin = 1e-10;
// Losses further from 0 than 2^kDigits steps are told apart to that many binary digits: what lies
// between is put on a chord, outward again, which adds some 1e-5 of itself to a second moment.
constexpr int kDigits = 6;
// Losses beyond are infinite, those below its negative are merged with it.
constexpr double kSteepest = 40.0;

// Whole steps from 0 that may be bends: all of them at first, then those of kDigits + 1 binary
// digits. The number of those below the largest that is at most `steps`.
std::size_t bend_below(std::uint64_t steps) {
  const int spare = std::max(static_cast<int>(std::bit_width(steps)) - (kDigits + 1), 0);
  return (static_cast<std::size_t>(spare) << kDigits) + static_cast<std::size_t>(steps >> spare);
}

// The inverse: the steps of a bend.
std::uint64_t steps_of(std::size_t bend) {
  const std::size_t spare = std::max<std::size_t>(bend >> kDigits, 1) - 1;
  return static_cast<std::uint64_t>(bend - (spare << kDigits)) << spare;
}

// Where the cover may bend: on both sides of the losses of the tables, and around 0: increasing.
// Between bends of a fine grid no table bends.
std::vector<double> bends_of(std::span<const OutcomeTable> tables, double resolution) {
  std::array<std::vector<char>, 2> wanted;  // of losses below 0, above 0: by bend
  for (auto& side : wanted) {
    side.assign(bend_below(static_cast<std::uint64_t>(kSteepest / resolution) + 1) + 2, 0);
    side[1] = 1;
  }
  for (const OutcomeTable& table : tables) {
    for (const OutcomePair& o : table) {
      if (!(o.p > 0.0 && o.loss < kSteepest)) continue;
      const double position = std::max(o.loss, -kSteepest) / resolution;
      const double steps = std::abs(position);
      const auto whole = static_cast<std::uint64_t>(steps);
      const std::size_t bend = bend_below(whole);
      auto& side = wanted[position < 0.0 ? 0 : 1];
      side[bend] = 1;
      if (static_cast<double>(steps_of(bend)) < steps) side[bend + 1] = 1;
    }
  }
  std::vector<double> bends;
  for (std::size_t k = wanted[0].size(); k-- > 1;) {
    if (wanted[0][k] != 0) bends.push_back(-static_cast<double>(steps_of(k)) * resolution);
  }
  bends.push_back(0.0);
  for (std::size_t k = 1; k < wanted[1].size(); ++k) {
    if (wanted[1][k] != 0) bends.push_back(static_cast<double>(steps_of(k)) * resolution);
  }
  return bends;
}

// Raises excess[k] to that of the table at gamma = e^bends[k]: sum_o (p - gamma q)+, and for gamma
// < 1 less 1 - gamma, which is sum_o (gamma q - p)+.
void raise_excess(OutcomeTable table, std::span<const double> bends, std::span<const double> gammas,
                  std::vector<double>& excess) {
  std::sort(table.begin(), table.end(),
            [](const OutcomePair& a, const OutcomePair& b) { return a.loss < b.loss; });
  double p = 0.0;
  double q = 0.0;
  std::size_t next = 0;
  for (std::size_t k = 0; k < bends.size() && bends[k] < 0.0; ++k) {
    for (; next < table.size() && table[next].loss < bends[k]; ++next) {
      p += table[next].p;
      q += table[next].q;
    }
    excess[k] = std::max(excess[k], gammas[k] * q - p);
  }
  p = q = 0.0;
  next = table.size();
  for (std::size_t k = bends.size(); k-- > 0 && bends[k] >= 0.0;) {
    for (; next > 0 && table[next - 1].loss > bends[k]; --next) {
      p += table[next - 1].p;
      q += table[next - 1].q;
    }
    excess[k] = std::max(excess[k], p - gammas[k] * q);
  }
}

// Which bends must stay: chords between them are above the excess, which is convex, and hardly so.
std::vector<std::size_t> bends_to_keep(std::span<const double> gammas,
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
    // At 0 it bends by 1.
    while (next != zero && next + 1 < gammas.size() && is_straight(kept.back(), next + 1)) ++next;
    kept.push_back(next);
  }
  return kept;
}

}  // namespace

OutcomeTable cover(std::span<const OutcomeTable> tables, double resolution, double left_out) {
  if (tables.empty()) return {};
  if (tables.size() == 1) return tables.front();
  std::vector<double> bends = bends_of(tables, resolution);
  std::vector<double> gammas;
  for (const double loss : bends) gammas.push_back(std::exp(loss));
  std::vector<double> excess(bends.size());
  for (const OutcomeTable& table : tables) raise_excess(table, bends, gammas, excess);
  const auto zero = static_cast<std::size_t>(std::ranges::find(bends, 0.0) - bends.begin());
  std::size_t kept = 0;
  for (const std::size_t k : bends_to_keep(gammas, excess, zero, left_out)) {
    bends[kept] = bends[k];
    gammas[kept] = gammas[k];
    excess[kept++] = excess[k];
  }
  bends.resize(kept);
  gammas.resize(kept);
  excess.resize(kept);

  // Between bends the excess is linear in gamma, a chord; its slope changes by the neighbour's mass
  // there. At 0 it bends by 1 more, the mass of what does not change. Beyond the last bend it is
  // constant: losses that are infinite. Below the first, the line to 0 at gamma = 0 bends there: an
  // outcome that the votes never have.
  OutcomeTable result;
  const double margin = 1.0 + kCoverMargin;
  if (excess.back() > 0.0) result.push_back({excess.back() * margin, 0.0, kInfinity});
  double before = excess.front() / gammas.front();
  for (std::size_t k = 0; k < bends.size(); ++k) {
    const double after =
        k + 1 == bends.size()
            ? 0.0
            : (excess[k + 1] - excess[k]) / (gammas[k] * std::expm1(bends[k + 1] - bends[k]));
    double q = after - before;
    if (bends[k] == 0.0) q += 1.0;
    if (q > 0.0) result.push_back({q * gammas[k] * margin, q, bends[k]});
    before = after;
  }
  return result;
}

}  // namespace pate
