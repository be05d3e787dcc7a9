#include "pate/divergence/exact/neighbour_outcomes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "pate/divergence/exact/neighbour_kernel.hpp"
#include "pate/numerics/kernels/kernels.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

// Probabilities below e^-650 are handled as logarithms.
constexpr double kMinLogProbability = -650.0;
// e^l is beyond doubles from here on.
constexpr double kSteep = 650.0;
// Below this order the terms of the reverse direction cancel.
constexpr double kNearOne = 1.25;

// What an outcome of probability P adds to the excess of either direction, over P, where l =
// log(P'/P) and tail = e^l - 1 - l; `power_excess` with less to compute.
double forward_term(double l, double tail, double order) {
  return expm1_minus_x((1.0 - order) * l) + (order - 1.0) * tail;
}

double reverse_term(double l, double tail, double order) {
  if (order < kNearOne) return power_excess(l, order);
  return expm1_minus_x(order * l) - order * tail;
}

double log_forward_term(double l, double order) {
  return l + log_power_excess(-l, order);
}

}  // namespace

NeighbourOutcomes::NeighbourOutcomes(const GroupedVotes& votes, const NoiseAtNodes& noise,
                                     std::span<const std::uint32_t> only)
    : groups_(votes.groups.size()) {
  for (std::size_t a = 0; a < groups_; ++a) {
    classes_.push_back(votes.groups[a].classes);
    for (std::size_t b = 0; b < groups_; ++b) {
      if (can_move(votes, a, b)) {
        neighbours_.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
      }
    }
  }
  if (!only.empty()) {
    std::vector<Neighbour> wanted;
    for (const std::uint32_t k : only) wanted.push_back(neighbours_[k]);
    neighbours_ = std::move(wanted);
  }
  const std::size_t elements = groups_ + 2;
  log_probabilities_.resize(groups_);
  log_ratios_.assign(neighbours_.size() * elements, 0.0);
  Kernel kernel(votes, noise, neighbours_);
  // A few classes at a time, so that what is known of a neighbour is written in one place.
  constexpr std::size_t kBlock = 8;
  std::array<std::vector<double>, kBlock> others;
  for (std::size_t begin = 0; begin < groups_; begin += kBlock) {
    const std::size_t size = std::min(kBlock, groups_ - begin);
    for (std::size_t i = 0; i < size; ++i) {
      log_probabilities_[begin + i] = kernel.run(begin + i);
      others.at(i).swap(kernel.other);
      for (std::size_t k = 0; k < neighbours_.size(); ++k) {
        const auto [a, b] = neighbours_[k];
        double* const l = log_ratios_.data() + k * elements;
        if (a == begin + i) l[groups_] = kernel.lost[b];
        if (b == begin + i) l[groups_ + 1] = kernel.gained[a];
      }
    }
    for (std::size_t k = 0; k < neighbours_.size(); ++k) {
      double* const l = log_ratios_.data() + k * elements + begin;
      for (std::size_t i = 0; i < size; ++i) l[i] = others.at(i)[k];
    }
  }
  for (const double log_p : log_probabilities_) {
    probabilities_.push_back(std::exp(log_p));
    faint_ = faint_ || log_p < kMinLogProbability;
  }
  for (std::size_t g = 0; g < groups_; ++g) weights_.push_back(classes_[g] * probabilities_[g]);
  expm1_tails_.resize(log_ratios_.size());
  most_.resize(neighbours_.size());
  for (std::size_t k = 0; k < neighbours_.size(); ++k) {
    double* const l = log_ratios_.data() + k * elements;
    // Of one class that lost or gained the vote nothing is left in its group.
    for (const std::size_t e : {neighbours_[k].from, neighbours_[k].to}) {
      if (classes(k, e) == 0.0) l[e] = 0.0;
    }
    fill_tails(k);
  }
  take_plurality_from_others(votes);
  for (const double l : log_ratios_) complete_ = complete_ && std::isfinite(l);
}

void NeighbourOutcomes::fill_tails(std::size_t k) {
  const std::size_t elements = groups_ + 2;
  const double* const l = log_ratios_.data() + k * elements;
  double* const its = expm1_tails_.data() + k * elements;
  // What is not a number stays that, and is noticed by the caller.
  const double most = kernels().largest_size(l, elements);
  most_[k] = most;
  if (most <= kMaxExpArgument) {
    kernels().expm1_minus_x(l, 1.0, most, elements, its);
  } else {
    for (std::size_t e = 0; e < elements; ++e) its[e] = expm1_minus_x(l[e]);
  }
}

// A plurality of its own wins with what the others leave: its change may be far below rounding.
// Where it loses more than half, that would cancel, and its own ratio is good.
void NeighbourOutcomes::take_plurality_from_others(const GroupedVotes& votes) {
  if (votes.groups.front().classes != 1 ||
      (groups_ > 1 && votes.groups[1].count == votes.groups.front().count)) {
    return;
  }
  const std::size_t elements = groups_ + 2;
  std::vector<double> weights(elements);
  for (std::size_t k = 0; k < neighbours_.size(); ++k) {
    double* const l = log_ratios_.data() + k * elements;
    const std::size_t own = neighbours_[k].from == 0 ? groups_
                            : neighbours_[k].to == 0 ? groups_ + 1
                                                     : 0;
    double rest = 0.0;
    if (most_[k] <= kMaxExpArgument) {
      write_weights(k, weights.data());
      weights[own] = 0.0;
      rest = kernels().sum_changes(weights.data(), l, expm1_tails_.data() + k * elements, elements);
    } else {
      for (std::size_t e = 0; e < elements; ++e) {
        if (e == own || classes(k, e) == 0.0) continue;
        const double log_p = log_probability(k, e);
        rest += classes(k, e) * (l[e] < kSteep ? std::exp(log_p) * std::expm1(l[e])
                                               : std::exp(log_p + l[e]) - std::exp(log_p));
      }
    }
    const double share = rest / probabilities_.front();
    if (share > 0.5) continue;
    l[own] = std::log1p(-share);
    expm1_tails_[k * elements + own] = expm1_minus_x(l[own]);
    most_[k] = std::max(most_[k], std::abs(l[own]));
  }
}

void NeighbourOutcomes::write_weights(std::size_t k, double* weights) const {
  const Neighbour& neighbour = neighbours_[k];
  std::copy(weights_.begin(), weights_.end(), weights);
  for (const std::size_t e : {neighbour.from, neighbour.to}) {
    weights[e] = classes(k, e) * probabilities_[e];
  }
  weights[groups_] = probabilities_[neighbour.from];
  weights[groups_ + 1] = probabilities_[neighbour.to];
}

double NeighbourOutcomes::classes(std::size_t k, std::size_t e) const {
  if (e >= groups_) return 1.0;
  const Neighbour& neighbour = neighbours_[k];
  return classes_[e] - (neighbour.from == e ? 1 : 0) - (neighbour.to == e ? 1 : 0);
}

double NeighbourOutcomes::log_probability(std::size_t k, std::size_t e) const {
  if (e < groups_) return log_probabilities_[e];
  return log_probabilities_[e == groups_ ? neighbours_[k].from : neighbours_[k].to];
}

BothDirections NeighbourOutcomes::excess(std::size_t k, double order) const {
  const double* const l = log_ratios_.data() + k * (groups_ + 2);
  const double* const tail = expm1_tails_.data() + k * (groups_ + 2);
  const Neighbour& neighbour = neighbours_[k];
  if (!faint_ && order >= kNearOne && order * most_[k] <= kMaxExpArgument) {
    const std::size_t elements = groups_ + 2;
    thread_local std::vector<double> room;
    room.resize(3 * elements);
    double* const weights = room.data();
    double* const forward = weights + elements;
    double* const reverse = forward + elements;
    write_weights(k, weights);
    kernels().expm1_minus_x(l, 1.0 - order, order * most_[k], elements, forward);
    kernels().expm1_minus_x(l, order, order * most_[k], elements, reverse);
    std::array<double, 2> sums{};
    kernels().sum_excess(weights, forward, reverse, tail, elements, order, sums.data());
    return {sums[0], sums[1]};
  }
  BothDirections sum;
  const auto add = [&](std::size_t e, double p, double log_p) {
    if (log_p < kMinLogProbability) {
      sum.forward += std::exp(log_p + log_forward_term(l[e], order));
      sum.reverse += std::exp(log_p + log_power_excess(l[e], order));
      return;
    }
    sum.forward += p * forward_term(l[e], tail[e], order);
    sum.reverse += p * reverse_term(l[e], tail[e], order);
  };
  for (std::size_t e = 0; e < groups_; ++e) {
    const double classes =
        classes_[e] - (neighbour.from == e ? 1 : 0) - (neighbour.to == e ? 1 : 0);
    if (classes > 0.0) {
      add(e, classes * probabilities_[e], faint_ ? std::log(classes) + log_probabilities_[e] : 0.0);
    }
  }
  add(groups_, probabilities_[neighbour.from], log_probabilities_[neighbour.from]);
  add(groups_ + 1, probabilities_[neighbour.to], log_probabilities_[neighbour.to]);
  return sum;
}

BothDirections NeighbourOutcomes::log_excess(std::size_t k, double order) const {
  BothDirections sum{-kInfinity, -kInfinity};
  for (std::size_t e = 0; e < groups_ + 2; ++e) {
    const double number = classes(k, e);
    if (number == 0.0) continue;
    const double log_p = std::log(number) + log_probability(k, e);
    const double l = log_ratios_[k * (groups_ + 2) + e];
    sum.forward = log_add(sum.forward, log_p + log_forward_term(l, order));
    sum.reverse = log_add(sum.reverse, log_p + log_power_excess(l, order));
  }
  return sum;
}

std::size_t NeighbourOutcomes::bytes() const {
  return sizeof(*this) + 2 * log_ratios_.size() * sizeof(double) +
         neighbours_.size() * (sizeof(Neighbour) + sizeof(double)) + 4 * groups_ * sizeof(double);
}

}  // namespace pate
