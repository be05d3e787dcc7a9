#include "pate/sensitivity/q_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pate/math/normal.hpp"
#include "pate/parallel/parallel_for.hpp"
#include "pate/sensitivity/neighbour_q.hpp"

namespace pate {

namespace {

// The coordinate in which one vote is about the same step everywhere.
class Coordinate {
 public:
  explicit Coordinate(const Aggregator& aggregator) {
    if (const auto* gaussian = std::get_if<GaussianNoisyMax>(&aggregator.noisy_max)) {
      gaussian_ = true;
      vote_ = std::numbers::sqrt2 / gaussian->sigma;
    } else {
      vote_ = 2.0 * std::get<LaplaceNoisyMax>(aggregator.noisy_max).gamma();
    }
  }
  [[nodiscard]] double vote() const { return vote_; }
  [[nodiscard]] double of(double log_q) const {
    return gaussian_ ? -normal_upper_quantile(log_q) : log_q;
  }
  [[nodiscard]] double log_q(double at) const { return gaussian_ ? log_normal_cdf(at) : at; }

 private:
  bool gaussian_ = false;
  double vote_ = 0.0;
};

// exp in the range of long double.
long double excess(double log_excess) {
  return log_excess > -700.0 && log_excess < 700.0 ? static_cast<long double>(std::exp(log_excess))
                                                   : std::exp(static_cast<long double>(log_excess));
}

}  // namespace

QGrid::QGrid(const ExcessCurve& curve, const Aggregator& aggregator, std::int64_t classes,
             const GridResolution& resolution, unsigned threads) {
  const Coordinate coordinate(aggregator);
  const double cap = std::log1p(-1.0 / static_cast<double>(classes));
  const double begin = coordinate.of(curve.log_q_floor());
  const double end = coordinate.of(cap);
  const double votes = std::max((end - begin) / coordinate.vote(), 1e-9);
  const auto cells =
      static_cast<std::size_t>(std::clamp(std::ceil(votes * resolution.cells_per_vote), 1.0,
                                          static_cast<double>(resolution.most_cells)));
  const double points =
      std::min(votes * resolution.points_per_vote, static_cast<double>(resolution.most_points));
  const auto parts = static_cast<std::size_t>(
      std::clamp(std::ceil(points / static_cast<double>(cells)), 2.0, 1e4));
  const double width = (end - begin) / static_cast<double>(cells);
  const auto log_q_at = [&](std::size_t cell, std::size_t part) {
    if (part == parts) {
      ++cell;
      part = 0;
    }
    if (cell == cells) return cap;
    if (cell == 0 && part == 0) return curve.log_q_floor();
    const double share = static_cast<double>(part) / static_cast<double>(parts);
    return std::min(coordinate.log_q(begin + (static_cast<double>(cell) + share) * width), cap);
  };

  // One more cell, the first: everything below the floor.
  upwards_.resize(cells + 1);
  downwards_.resize(cells + 1);
  log_q_.resize(cells + 1);
  parallel_for(cells, threads, [&](std::size_t cell) {
    ExcessStep up;
    ExcessStep down;
    long double here_before = 0.0L;
    long double lower_before = 0.0L;
    for (std::size_t part = 0; part <= parts; ++part) {
      const double log_q = log_q_at(cell, part);
      const NeighbourQ neighbour = neighbour_q(aggregator, log_q, classes);
      const long double here = excess(curve.log_excess(log_q));
      const long double upper = excess(curve.log_excess(neighbour.log_upper));
      const long double lower = excess(curve.log_excess(neighbour.log_lower));
      if (part == 0) {
        log_q_[cell + 1] = log_q;
        up.low = here;
        down.low = lower;
        if (cell == 0) {
          upwards_[0] = {0.0L, here, upper};
          downwards_[0] = {0.0L, lower, here};
        }
      } else {
        // From the left end of a part to the right end of its image: above every point of it.
        up.rise = std::max(up.rise, upper - here_before);
        down.rise = std::max(down.rise, here - lower_before);
      }
      here_before = here;
      lower_before = lower;
    }
    up.high = here_before;
    down.high = lower_before;
    upwards_[cell + 1] = up;
    downwards_[cell + 1] = down;
  });
}

std::size_t QGrid::find(double log_q, std::size_t near) const {
  std::size_t cell = std::min(near, size() - 1);
  while (cell > 0 && log_q < log_q_[cell]) --cell;
  while (cell + 1 < size() && log_q >= log_q_[cell + 1]) ++cell;
  return cell;
}

}  // namespace pate
