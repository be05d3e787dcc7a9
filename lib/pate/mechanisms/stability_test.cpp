#include "pate/mechanisms/stability_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pate/base/error.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// More than a threshold can be off by, relative to it.
constexpr double kThresholdMargin = 1e-13;

// How many votes must change for class j to take the place of the plurality.
std::int64_t votes_for(std::span<const std::int32_t> counts, std::size_t plurality, std::size_t j) {
  const std::int64_t gap = std::int64_t{counts[plurality]} - counts[j];
  return j > plurality ? gap / 2 + 1 : (gap + 1) / 2;
}

std::size_t plurality_of(std::span<const std::int32_t> counts) {
  if (counts.empty()) throw parameter_error("the histogram must have at least one class");
  return static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
}

}  // namespace

std::int64_t votes_to_flip(std::span<const std::int32_t> counts) {
  const std::size_t top = plurality_of(counts);
  if (counts.size() == 1) return std::int64_t{counts[0]} + 1;
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (j != top) fewest = std::min(fewest, votes_for(counts, top, j));
  }
  return fewest;
}

std::int64_t stability(std::span<const std::int32_t> counts) {
  return votes_to_flip(counts) - 1;
}

StabilityMoves stability_moves(std::span<const std::int32_t> counts) {
  const std::size_t top = plurality_of(counts);
  const std::int64_t fewest = votes_to_flip(counts);
  StabilityMoves moves;
  std::optional<std::size_t> giver;  // of a vote to the plurality
  std::int64_t stuck = 0;            // classes that stay as close unless the vote is theirs
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (j == top) continue;
    const bool closest = votes_for(counts, top, j) == fewest;
    if (closest && fewest > 1 && !moves.less) moves.less = VoteMove{top, j};
    const bool even = (counts[top] - counts[j]) % 2 == 0;
    if (closest && (j > top) == even) {
      ++stuck;
      giver = j;
    } else if (stuck == 0 && !giver && counts[j] > 0) {
      giver = j;
    }
  }
  if (giver && stuck <= 1 && counts[*giver] > 0) moves.more = VoteMove{*giver, top};
  return moves;
}

ThresholdCheck stability_test(TestNoise noise, double parameter, double delta) {
  const bool laplace = noise == TestNoise::laplace;
  require_positive(parameter, laplace ? "ptr-laplace" : "ptr-sigma");
  validate(PtrPlurality{delta});
  const double scale = laplace ? 1.0 / parameter : parameter;
  require_positive(scale, laplace ? "1 / ptr-laplace" : "ptr-sigma");
  const double scales =
      laplace ? -std::numbers::ln2 - std::log(delta) : normal_upper_quantile(std::log(delta));
  ThresholdCheck check{scale * scales * (1.0 + kThresholdMargin), scale, laplace};
  validate(check);
  return check;
}

ThresholdCheck sparse_stability_test(double epsilon, double delta) {
  require_positive(epsilon, "ptr-sparse");
  validate(PtrPlurality{delta});
  const double scale = 4.0 / epsilon;
  require_positive(scale, "4 / ptr-sparse");
  const double scales = std::log((2.0 + std::sqrt(4.0 - 6.0 * delta)) / 6.0) - std::log(delta);
  ThresholdCheck check{scale * scales * (1.0 + kThresholdMargin), scale, true, 0.5 * scale};
  validate(check);
  return check;
}

double round_epsilon(const ThresholdCheck& sparse) {
  return 4.0 / sparse.sigma1;
}

}  // namespace pate
