#include "pate/divergence/exact/ball_outcomes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "pate/numerics/infinity.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/range_maximum.hpp"

namespace pate {

namespace {

// Below this a sum of products is made of logarithms instead.
constexpr double kFaint = 1e-200;
// A ratio further from one than this has no moments that doubles hold.
constexpr double kMaxLogRatio = 600.0;

// The noise around every count that a query or a neighbour may have.
class NoiseOfCounts {
 public:
  NoiseOfCounts(const GroupedVotes& votes, std::int32_t reach, const NoiseRule& rule) {
    std::map<std::int32_t, std::int32_t, std::greater<>> classes;  // by count
    for (const VoteGroup& group : votes.groups) {
      for (std::int32_t change = -std::min(reach, group.count); change <= reach; ++change) {
        // A rule counts the classes above a node, and all of them: each where it may be highest.
        classes[group.count + change] += change == reach ? group.classes : 0;
      }
    }
    GroupedVotes all;
    for (const auto& [count, its] : classes) {
      place_[count] = all.groups.size();
      all.groups.push_back({count, LeadRank::lower, its});
    }
    rule.at(all, noise_);
    for (const NoiseRow& row : noise_.rows) {
      std::vector<double>& hazard = hazards_.emplace_back(noise_.nodes);
      for (std::size_t i = 0; i < noise_.nodes; ++i) {
        hazard[i] = std::exp(row.log_density[i] - row.log_cdf[i]);
      }
    }
  }

  [[nodiscard]] bool is_known() const { return !noise_.rows.empty(); }
  [[nodiscard]] std::size_t nodes() const { return noise_.nodes; }
  [[nodiscard]] const NoiseRow& row(std::int32_t count) const {
    return noise_.rows[place_.at(count)];
  }
  [[nodiscard]] const std::vector<double>& hazard(std::int32_t count) const {
    return hazards_[place_.at(count)];
  }

 private:
  NoiseAtNodes noise_;
  std::map<std::int32_t, std::size_t> place_;
  std::vector<std::vector<double>> hazards_;  // f / F, weighted
};

// The classes of one histogram, seen from all nodes: log of the product of all F, and that product
// over its largest value.
class Product {
 public:
  Product(const NoiseOfCounts& noise, std::vector<double> log_total)
      : noise_(noise),
        log_total_(std::move(log_total)),
        weight_(log_total_.size()),
        most_(largest_of(std::span<const double>(log_total_))) {
    for (std::size_t i = 0; i < weight_.size(); ++i) weight_[i] = std::exp(log_total_[i] - most_);
  }

  // log Pr[a class with so many votes wins], of every count. Sums run side by side, since each by
  // itself waits for its last addition; no bit of one depends on the others.
  void log_wins(std::span<const std::int32_t> counts, std::vector<double>& wins) const {
    constexpr std::size_t kSums = 4;
    wins.resize(counts.size());
    for (std::size_t begin = 0; begin < counts.size(); begin += kSums) {
      const std::size_t size = std::min(kSums, counts.size() - begin);
      std::array<const double*, kSums> hazard{};
      for (std::size_t k = 0; k < kSums; ++k) {  // the first once more where there are fewer
        hazard.at(k) = noise_.hazard(counts[begin + (k < size ? k : 0)]).data();
      }
      std::array<double, kSums> sum{};
      for (std::size_t i = 0; i < weight_.size(); ++i) {
        for (std::size_t k = 0; k < kSums; ++k) sum[k] += weight_[i] * hazard[k][i];
      }
      for (std::size_t k = 0; k < size; ++k) {
        wins[begin + k] =
            sum.at(k) > kFaint ? most_ + std::log(sum.at(k)) : log_faint_wins(counts[begin + k]);
      }
    }
  }

 private:
  // The same by logarithms, where doubles do not hold the sum.
  [[nodiscard]] double log_faint_wins(std::int32_t count) const {
    const NoiseRow& row = noise_.row(count);
    const auto log_term = [&](std::size_t i) {
      return log_total_[i] - row.log_cdf[i] + row.log_density[i];
    };
    double largest = -kInfinity;
    for (std::size_t i = 0; i < weight_.size(); ++i) largest = std::max(largest, log_term(i));
    if (!(largest > -kInfinity)) return -kInfinity;
    double scaled = 0.0;
    for (std::size_t i = 0; i < weight_.size(); ++i) scaled += std::exp(log_term(i) - largest);
    return largest + std::log(scaled);
  }

  const NoiseOfCounts& noise_;
  std::vector<double> log_total_;
  std::vector<double> weight_;
  double most_;
};

// Gives the likeliest element what the others leave it.
void settle_likeliest(std::vector<BallOutcomes::Element>& elements) {
  const auto most = std::ranges::max_element(elements, {}, &BallOutcomes::Element::mass);
  double gained = 0.0;  // by the others
  double others = 0.0;
  for (auto e = elements.begin(); e != elements.end(); ++e) {
    if (e == most) continue;
    gained += e->mass * std::expm1(e->log_ratio);
    others += e->mass * std::max(1.0, std::exp(e->log_ratio));
  }
  const double own = most->mass;
  const double change = -gained / own;
  // Where that cancels, the element's own numbers say more.
  if (!(change > -0.5)) return;
  // Every mass, and every ratio, is wrong by its share; so is the own mass.
  const double uncertainty =
      BallOutcomes::kLogAccuracy * (3.0 * others / own + std::abs(change)) / (1.0 + change);
  if (!(uncertainty < most->uncertainty)) return;
  most->log_ratio = std::log1p(change);
  most->uncertainty = uncertainty;
}

}  // namespace

namespace {

// An excess and how much more it may be.
struct Excess {
  double value = 0.0;
  double spread = 0.0;
};

// Of an element with e^l = 1 + l + tail in one direction, p = 1 - order or order, over its mass.
// The excess changes with l by |p| |e^(p l) - e^l|, and that by at most |p| (|p| + 1) e^max(p l,
// l).
void add_excess(const BallOutcomes::Element& e, double tail, double p, double excess, Excess& sum) {
  const double power = std::exp(p * e.log_ratio);
  const double ratio = 1.0 + (e.log_ratio + tail);
  const double slope = std::abs(p) * (std::abs(power - ratio) + 1e-15 * (power + ratio));
  const double bend = std::abs(p) * (std::abs(p) + 1.0) * std::max(power, ratio);
  sum.value += e.mass * excess;
  sum.spread += e.mass * e.uncertainty * (slope + bend * e.uncertainty);
}

constexpr double kMinMass = 1e-280;
constexpr double kMaxExponent = 600.0;
// Below this order the terms of the reverse direction cancel.
constexpr double kReverseCancels = 1.25;

// The same by logarithms, where doubles do not hold it.
double log_excess_of(const std::vector<BallOutcomes::Element>& elements, double p, double order) {
  double sum = -kInfinity;
  for (const BallOutcomes::Element& e : elements) {
    const double log_mass = std::log(e.classes) + e.log_p;
    const double l = e.log_ratio;
    sum = log_add(
        sum, log_mass + (p < 0.0 ? l + log_power_excess(-l, order) : log_power_excess(l, order)));
    const double log_bend =
        std::log(4.0 * std::abs(p) * (std::abs(p) + 1.0)) + std::max({p * l, l, 0.0});
    sum = log_add(sum, log_mass + std::log(e.uncertainty) + log_bend);
  }
  return sum;
}

}  // namespace

BothDirections BallOutcomes::OfNeighbour::log_excess(double order) const {
  Excess forward;
  Excess reverse;
  bool is_held = true;
  for (const Element& e : elements) {
    const double l = e.log_ratio;
    is_held = is_held && e.mass > kMinMass && order * std::abs(l) < kMaxExponent;
    if (!is_held) break;
    const double tail = expm1_minus_x(l);
    add_excess(e, tail, 1.0 - order, expm1_minus_x((1.0 - order) * l) + (order - 1.0) * tail,
               forward);
    add_excess(
        e, tail, order,
        order < kReverseCancels ? power_excess(l, order) : expm1_minus_x(order * l) - order * tail,
        reverse);
  }
  if (!is_held) {
    return {log_excess_of(elements, 1.0 - order, order), log_excess_of(elements, order, order)};
  }
  return {std::log(forward.value + forward.spread), std::log(reverse.value + reverse.spread)};
}

std::optional<BallOutcomes> BallOutcomes::make(const GroupedVotes& votes,
                                               const Neighbours& neighbours,
                                               const NoiseRule& rule) {
  const auto ball = neighbours_in_ball(votes, neighbours);
  if (!ball) return std::nullopt;
  const auto reach = static_cast<std::int32_t>(neighbours.teachers);
  const NoiseOfCounts noise(votes, reach, rule);
  if (!noise.is_known()) return std::nullopt;
  std::vector<double> log_total(noise.nodes(), 0.0);
  for (const VoteGroup& group : votes.groups) {
    const NoiseRow& row = noise.row(group.count);
    for (std::size_t i = 0; i < log_total.size(); ++i) {
      log_total[i] += static_cast<double>(group.classes) * row.log_cdf[i];
    }
  }
  const Product on_votes(noise, log_total);
  std::vector<std::int32_t> counts;
  for (const VoteGroup& group : votes.groups) counts.push_back(group.count);
  std::vector<double> log_p;
  on_votes.log_wins(counts, log_p);
  std::vector<double> p;
  for (const double log : log_p) p.push_back(std::exp(log));

  BallOutcomes result;
  result.neighbours_.reserve(ball->size());
  std::vector<double> wins;
  for (const BallNeighbour& changes : *ball) {
    std::vector<double> its = log_total;
    for (const ChangedClasses& changed : changes) {
      const std::int32_t count = votes.groups[changed.group].count;
      const NoiseRow& before = noise.row(count);
      const NoiseRow& after = noise.row(count + changed.change);
      const double classes = changed.classes;
      for (std::size_t i = 0; i < its.size(); ++i) {
        its[i] += classes * (after.log_cdf[i] - before.log_cdf[i]);
      }
    }
    const Product on_neighbour(noise, std::move(its));
    OfNeighbour one;
    one.statistic = top_count(votes, changes);
    one.elements.reserve(votes.groups.size() + changes.size());
    counts.clear();
    const auto add = [&](std::size_t g, std::int32_t change, std::int32_t classes) {
      counts.push_back(votes.groups[g].count + change);
      one.elements.push_back(
          {static_cast<double>(classes), classes * p[g], log_p[g], 0.0, kLogAccuracy});
    };
    std::size_t next = 0;
    for (std::size_t g = 0; g < votes.groups.size(); ++g) {
      std::int32_t unchanged = votes.groups[g].classes;
      for (; next < changes.size() && changes[next].group == g; ++next) {
        unchanged -= changes[next].classes;
        add(g, changes[next].change, changes[next].classes);
      }
      if (unchanged > 0) add(g, 0, unchanged);
    }
    on_neighbour.log_wins(counts, wins);
    for (std::size_t e = 0; e < wins.size(); ++e) {
      BallOutcomes::Element& element = one.elements[e];
      element.log_ratio = wins[e] - element.log_p;
      const bool is_held =
          std::isfinite(element.log_p) && std::abs(element.log_ratio) < kMaxLogRatio;
      if (!is_held) return std::nullopt;
    }
    settle_likeliest(one.elements);
    result.neighbours_.push_back(std::move(one));
  }
  return result;
}

std::size_t BallOutcomes::bytes() const {
  std::size_t result = sizeof(*this);
  for (const OfNeighbour& one : neighbours_) {
    result += sizeof(one) + one.elements.capacity() * sizeof(Element);
  }
  return result;
}

}  // namespace pate
