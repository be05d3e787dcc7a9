#include "pate/profile/cover.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "pate/math/log_space.hpp"

namespace pate {

namespace {

// Outward: rounding of the second differences below, for a resolution of 2^-20 and more.
constexpr double kCoverMargin = 1e-10;
// How much a chord may be above the excess where a bend is left out: outward too, and hardly more
// than the first.
constexpr double kLeftOut = 1e-5;
// Losses beyond are infinite, those below its negative are merged with it.
constexpr double kSteepest = 40.0;

// Multiples of `resolution` next to the losses of the tables, on both sides, and to 0: increasing.
// Between them no table bends.
std::vector<double> bends_of(std::span<const OutcomeTable> tables, double resolution) {
  std::vector<double> bends{-resolution, 0.0, resolution};
  for (const OutcomeTable& table : tables) {
    for (const OutcomePair& o : table) {
      if (!(o.p > 0.0 && o.loss < kSteepest)) continue;
      const double position = std::max(o.loss, -kSteepest) / resolution;
      bends.push_back(std::floor(position) * resolution);
      bends.push_back(std::ceil(position) * resolution);
    }
  }
  std::ranges::sort(bends);
  bends.erase(std::unique(bends.begin(), bends.end()), bends.end());
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
                                       std::span<const double> excess, std::size_t zero) {
  const auto is_straight = [&](std::size_t begin, std::size_t end) {
    const double slope = (excess[end] - excess[begin]) / (gammas[end] - gammas[begin]);
    for (std::size_t k = begin + 1; k < end; ++k) {
      const double chord = excess[begin] + slope * (gammas[k] - gammas[begin]);
      if (!(chord <= excess[k] * (1.0 + kLeftOut))) return false;
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

OutcomeTable cover(std::span<const OutcomeTable> tables, double resolution) {
  if (tables.empty()) return {};
  if (tables.size() == 1) return tables.front();
  std::vector<double> bends = bends_of(tables, resolution);
  std::vector<double> gammas;
  for (const double loss : bends) gammas.push_back(std::exp(loss));
  std::vector<double> excess(bends.size());
  for (const OutcomeTable& table : tables) raise_excess(table, bends, gammas, excess);
  const auto zero = static_cast<std::size_t>(std::ranges::find(bends, 0.0) - bends.begin());
  std::size_t kept = 0;
  for (const std::size_t k : bends_to_keep(gammas, excess, zero)) {
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
