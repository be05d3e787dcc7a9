#include "pate/divergence/keys/count_rows.hpp"

#include <algorithm>
#include <cmath>

#include "pate/numerics/normal.hpp"
#include "pate/numerics/whole_division.hpp"

namespace pate {

namespace {

// An integrand of e^-36 of its largest value, shared by all classes, ends a sum.
constexpr double kLogNegligible = 36.0;
// Nodes are at least so many fractions of a vote apart: their distance is within an eighth of what
// the rule allows.
constexpr double kLeastFractions = 8.0;
// For what rounding makes of tilted counts, beside those after a move.
constexpr std::int64_t kRoom = 2;

// In units of the noise. With these the error of the rule is a few 1e-15 where so many classes are
// level, and less elsewhere.
double step_for(std::int64_t classes) {
  if (classes <= 5) return 0.36;
  if (classes <= 10) return 0.3;
  if (classes <= 20) return 0.25;
  if (classes <= 150) return 0.15;
  if (classes <= 1000) return 0.11;
  return classes <= 100'000 ? 0.085 : 0.06;
}

}  // namespace

CountRows::CountRows(const GaussianNoisyMax& noise, std::int64_t teachers, std::int64_t classes,
                     std::span<const double> orders, std::int64_t moved)
    : sigma_(noise.sigma),
      teachers_(teachers),
      classes_(classes),
      orders_(orders.begin(), orders.end()),
      moved_(moved),
      tilt_(orders.empty() ? 0.0
                           : static_cast<double>(moved) *
                                 std::max(*std::ranges::max_element(orders) - 1.0, 0.0)),
      reach_(kLogNegligible + std::log(static_cast<double>(classes))) {
  validate(noise);
  const double step = step_for(classes) * sigma_;
  q_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(kLeastFractions / step)));
  g_ = static_cast<std::int64_t>(std::floor(step * static_cast<double>(q_) * (1.0 + 1e-12)));
  // A row starts at the lowest node that the highest count is asked for, less the shift of that.
  const auto room = static_cast<std::int64_t>(std::ceil(tilt_)) + moved + kRoom;
  const Nodes lowest = all_nodes(0, 0);
  const Nodes highest = all_nodes(teachers, teachers);
  const std::int64_t last = highest.first + static_cast<std::int64_t>(highest.size);
  const std::int64_t largest_shift = floor_divide((teachers + room) * q_, g_);
  const std::int64_t least_shift = floor_divide(-room * q_, g_);
  first_shift_ = lowest.first - largest_shift;
  length_ = last - least_shift - first_shift_ + static_cast<std::int64_t>(kLanes);
  // Counts are -room..teachers + room. Where nodes are more votes apart than that there are as many
  // rows as counts, not as votes between two nodes.
  last_row_ = teachers + room;
  if (q_ == 1) left_out_ = std::max<std::int64_t>(0, g_ - room - 1 - last_row_);
  plain_ = table(0.0);
  for (std::int64_t b = 0; b < g_; b = after(b)) {
    for (std::int64_t j = 0; j < length_; ++j) {
      const double z = argument(b, j);
      const double log = log_normal_cdf(z);
      log_below_.push_back(log);
      hazard_.push_back(std::exp(log_normal_density(z) - log) * static_cast<double>(g_) /
                        (static_cast<double>(q_) * sigma_));
    }
  }
  for (std::size_t order = 0; order < orders_.size(); ++order) {
    for (const double change : {-1.0, 1.0}) {
      const double by = -change * tilt(order);
      const double whole = std::floor(by);
      tilts_.push_back({table(by - whole), static_cast<std::int64_t>(whole)});
    }
  }
}

double CountRows::argument(std::int64_t b, std::int64_t j) const {
  return static_cast<double>((j + first_shift_) * g_ - b) / (static_cast<double>(q_) * sigma_);
}

CountRows::Table CountRows::table(double shift) const {
  Table result;
  const double weight = static_cast<double>(g_) / (static_cast<double>(q_) * sigma_);
  for (std::int64_t b = 0; b < g_; b = after(b)) {
    for (std::int64_t j = 0; j < length_; ++j) {
      const double z = argument(b, j) - shift / sigma_;
      result.below.push_back(normal_cdf(z));
      result.density.push_back(std::exp(log_normal_density(z)) * weight);
    }
  }
  return result;
}

std::size_t CountRows::place(std::int64_t count, std::int64_t first) const {
  const std::int64_t a = floor_divide(count * q_, g_);
  const std::int64_t b = count * q_ - a * g_;
  const std::int64_t row = b > last_row_ ? b - left_out_ : b;
  return static_cast<std::size_t>(row * length_ + first - a - first_shift_);
}

CountRows::Nodes CountRows::all_nodes(std::int64_t low, std::int64_t high) const {
  Nodes nodes = nodes_for(low, high, tilt_);
  nodes.size += kLanes;
  return nodes;
}

CountRows::Nodes CountRows::nodes_for(std::int64_t low, std::int64_t high, double tilt) const {
  // Of classes g behind, the integrand of one that wins has its mode at most g/2 below the top
  // count, and falls as e^(-t^2) from there, whoever else is ahead; above the top count as its
  // density does. Counts are 0 or more, or `moved` less after a move.
  const auto moved = static_cast<double>(moved_);
  const double in_nodes = static_cast<double>(q_) / static_cast<double>(g_);
  const double least = 0.5 * static_cast<double>(low) - moved - tilt - std::sqrt(reach_) * sigma_;
  const double most = static_cast<double>(high) + moved + tilt + std::sqrt(2.0 * reach_) * sigma_;
  const auto first = static_cast<std::int64_t>(std::floor(least * in_nodes));
  const auto last = static_cast<std::int64_t>(std::ceil(most * in_nodes));
  const auto size = static_cast<std::size_t>(last - first + 1);
  return {first, (size + kLanes - 1) / kLanes * kLanes};
}

}  // namespace pate
