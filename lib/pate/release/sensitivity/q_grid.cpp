#include "pate/release/sensitivity/q_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/numerics/normal.hpp"
#include "pate/release/sensitivity/neighbour_q.hpp"

namespace pate {

namespace {

constexpr double kLogNegligible = -90.0;
// More than the nodes of a cell of QCells in its width of 1/4.
constexpr double kSpacing = 0.25 / 32.0;

double unanimous_log_q(const NoisyMax& noisy_max, std::int64_t teachers, std::int64_t classes) {
  const auto m = static_cast<double>(classes);
  return std::min(pair_term(noisy_max)(teachers) + std::log(m - 1.0), std::log1p(-1.0 / m));
}

// exp in the range of extended numbers.
Extended excess(double log_excess) {
  using std::exp;
  return log_excess > -700.0 && log_excess < 700.0 ? Extended(std::exp(log_excess))
                                                   : exp(Extended(log_excess));
}

}  // namespace

ExcessCurve::ExcessCurve(const NoisyMax& noisy_max, std::int64_t teachers, std::int64_t classes,
                         double order, unsigned threads)
    : noisy_max_(noisy_max),
      order_(order),
      log_cap_(log_excess_cap({noisy_max, {}}, order)),
      floor_(unanimous_log_q(noisy_max, teachers, classes)),
      unanimous_(floor_) {
  double high = std::log1p(-1.0 / static_cast<double>(classes));
  const double cap = high;
  if (direct(floor_) < kLogNegligible) {
    // The excess grows with q: halve until the floor is known to a thousandth.
    while (high - floor_ > 1e-3 * std::abs(floor_)) {
      const double middle = 0.5 * (floor_ + high);
      (direct(middle) < kLogNegligible ? floor_ : high) = middle;
    }
  }
  std::vector<double> covered;
  const double first = std::log(-cap) - kSpacing;
  const double last = std::log(-floor_) + 2.0 * kSpacing;
  const auto steps = static_cast<int>(std::ceil((last - first) / kSpacing));
  for (int i = 0; i < steps; ++i) covered.push_back(-std::exp(first + i * kSpacing));
  cells_ = QCells(covered);
  table_ = tradeoff_table(cells_, {noisy_max, {}});
  if (table_) at_order_ = std::move(table_->at_orders(std::span(&order, 1), threads).front());
}

double ExcessCurve::direct(double log_q) const {
  if (log_q == -std::numeric_limits<double>::infinity()) return log_q;
  return std::min(tradeoff_log_excess({noisy_max_, {}}, log_q, order_).forward, log_cap_);
}

double ExcessCurve::log_excess(double log_q) const {
  if (!table_ || log_q < floor_) return direct(log_q);
  return std::min(table_->log_excess(at_order_, cells_.locate(log_q)).forward, log_cap_);
}

QGrid::QGrid(const ExcessCurve& curve, const NoisyMax& noisy_max, std::int64_t classes,
             const GridResolution& resolution, unsigned threads) {
  const QCoordinate coordinate = q_coordinate(noisy_max);
  const double cap = std::log1p(-1.0 / static_cast<double>(classes));
  const double begin = coordinate.of(curve.log_q_floor());
  const double end = coordinate.of(cap);
  const double votes = std::max((end - begin) / coordinate.vote, 1e-9);
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
    NearbySplits nearby;
    Extended here_before = 0;
    Extended lower_before = 0;
    for (std::size_t part = 0; part <= parts; ++part) {
      const double log_q = log_q_at(cell, part);
      if (part == parts) nearby = {};  // the next cell begins with the same bits
      const NeighbourQ neighbour = neighbour_q(noisy_max, log_q, classes, nearby);
      const Extended here = excess(curve.log_excess(log_q));
      const Extended upper = excess(curve.log_excess(neighbour.log_upper));
      const Extended lower = excess(curve.log_excess(neighbour.log_lower));
      if (part == 0) {
        log_q_[cell + 1] = log_q;
        up.low = here;
        down.low = lower;
        if (cell == 0) {
          upwards_[0] = {0, here, upper};
          downwards_[0] = {0, lower, here};
        }
      } else {
        // From the left end of a part to the right end of its image: above every point of it.
        up.rise = max_or_nan(up.rise, Extended(upper - here_before));
        down.rise = max_or_nan(down.rise, Extended(here - lower_before));
      }
      here_before = here;
      lower_before = lower;
    }
    up.high = here_before;
    down.high = lower_before;
    upwards_[cell + 1] = up;
    downwards_[cell + 1] = down;
  });
  // No votes have a smaller q than unanimous ones: theirs is in the first cell that is told apart.
  if (!(curve.log_q_floor() > curve.log_q_unanimous())) log_q_[1] = -kInfinity;
}

std::size_t QGrid::find(double log_q, std::size_t near) const {
  std::size_t cell = std::min(near, size() - 1);
  while (cell > 0 && log_q < log_q_[cell]) --cell;
  while (cell + 1 < size() && log_q >= log_q_[cell + 1]) ++cell;
  return cell;
}

}  // namespace pate
