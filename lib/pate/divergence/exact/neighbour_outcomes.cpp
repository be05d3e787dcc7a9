#include "pate/divergence/exact/neighbour_outcomes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "pate/numerics/kernels/kernels.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

// Probabilities below e^-650 are handled as logarithms.
constexpr double kMinLogProbability = -650.0;
// Where less than this is left of a probability, it is summed up itself and not its loss; and where
// it grows beyond what doubles hold.
constexpr double kMinRemainingShare = 1e-3;
constexpr double kMaxRelativeGrowth = 1e200;
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

// Nodes whose products are added up together: what is read of them stays in the nearest cache.
constexpr std::size_t kNodes = 16;
}  // namespace

// For one class that wins, the logarithms of its neighbours' probabilities relative to its own.
// They come from P'/P - 1, what the class gains when another loses the vote less what it loses when
// another gains it, averaged over the nodes of a rule.
struct NeighbourOutcomes::Kernel {
  Kernel(const GroupedVotes& query, const NoiseAtNodes& at_nodes, std::span<const Neighbour> wanted)
      : votes(query),
        noise(at_nodes),
        groups(query.groups.size()),
        width((groups + kLanes - 1) / kLanes * kLanes),
        wanted_(wanted) {
    place_products();
    log_total.assign(noise.nodes, 0.0);
    for (std::size_t g = 0; g < groups; ++g) {
      const double classes = votes.groups[g].classes;
      for (std::size_t i = 0; i < noise.nodes; ++i) {
        log_total[i] += classes * noise.rows[g].log_cdf[i];
      }
    }
    fallen.resize(noise.nodes * width);
    risen.resize(noise.nodes * width);
    for (std::size_t g = 0; g < groups; ++g) {
      for (std::size_t i = 0; i < noise.nodes; ++i) {
        fallen[i * width + g] = noise.rows[g].cdf_rise_on_loss[i];
        risen[i * width + g] = noise.rows[g].cdf_drop_on_gain[i];
      }
    }
    gained.resize(width);
    lost.resize(width);
  }

  // Computes everything for a class of group j; the logarithm of its probability is returned.
  double run(std::size_t j) {
    const NoiseRow& row = noise.rows[j];
    const double scale = find_window(row);
    std::vector<double>& gain = gain_;
    gain.assign(width, 0.0);
    products_.assign((rows_.size() + columns_.size()) * width, 0.0);
    double* const in_columns = products_.data() + rows_.size() * width;
    other.resize(wanted_.size());
    gained.assign(width, 0.0);
    lost.assign(width, 0.0);
    node_weights_.clear();
    double sum = 0.0;
    double own_loss = 0.0;
    double own_gain = 0.0;
    for (std::size_t i = begin_; i < end_; ++i) {
      const double w = std::exp(log_total[i] - row.log_cdf[i] + row.log_density[i] - scale);
      const double w_lost = w * (1.0 + row.fallen_density[i]);
      const double w_gained = w * (1.0 + row.risen_density[i]);
      const double* const up = fallen.data() + i * width;
      const double* const down = risen.data() + i * width;
      sum += w;
      own_loss += w * row.fallen_density[i];
      own_gain += w * row.risen_density[i];
      for (std::size_t g = 0; g < width; ++g) {
        gain[g] += w * up[g];
        gained[g] += w_gained * up[g];
        lost[g] += w_lost * down[g];
      }
      node_weights_.push_back(w);
      kernels().add_columns(w, up, down, width, columns_.data(), columns_.size(), in_columns);
    }
    for (std::size_t i = begin_; i < end_; i += kNodes) {
      kernels().add_products(node_weights_.data() + (i - begin_), std::min(kNodes, end_ - i),
                             fallen.data() + i * width, risen.data() + i * width, width,
                             rows_.data(), rows_.size(), products_.data());
    }
    const double log_sum = std::log(sum);
    changes_.resize(wanted_.size());
    for (std::size_t k = 0; k < other.size(); ++k) {
      changes_[k] = (gain[wanted_[k].from] - products_[product_of_[k]]) / sum;
    }
    other = changes_;
    kernels().log1p_near_zero(other.data(), other.size());
    for (std::size_t k = 0; k < other.size(); ++k) {
      if (is_near_zero(changes_[k])) continue;
      const auto [a, b] = wanted_[k];
      other[k] = is_moderate(changes_[k]) ? std::log1p(changes_[k])
                                          : log_moved(row, scale, noise.rows[a].log_fallen_cdf,
                                                      noise.rows[b].log_risen_cdf) -
                                                log_sum;
    }
    for (std::size_t g = 0; g < groups; ++g) {
      const double more = (own_gain + gained[g]) / sum;
      gained[g] = is_moderate(more)
                      ? std::log1p(more)
                      : log_moved(row, scale, noise.rows[g].log_fallen_cdf, row.log_risen_density) -
                            log_sum;
      const double less = (own_loss - lost[g]) / sum;
      lost[g] = is_moderate(less)
                    ? std::log1p(less)
                    : log_moved(row, scale, noise.rows[g].log_risen_cdf, row.log_fallen_density) -
                          log_sum;
    }
    return scale + log_sum;
  }

  const GroupedVotes& votes;
  const NoiseAtNodes& noise;
  std::size_t groups;
  std::size_t width;              // of a row of numbers by group: whole vectors, zeros at the end
  std::vector<double> log_total;  // log prod_k F(x - n_k), by node
  std::vector<double> fallen, risen;  // by node, then group
  // log(P'/P) of the class by wanted neighbour, when it is neither end of the vote's move; by the
  // group that the vote goes to when it lost the vote; by that it comes from when it gained it.
  std::vector<double> other, lost, gained;

 private:
  // Which products are computed: a row for a group that most moves from are wanted of, of others a
  // column for each that votes go to, unless these are more.
  void place_products() {
    std::vector<std::uint32_t> from(groups, 0);
    for (const Neighbour& neighbour : wanted_) ++from[neighbour.from];
    const auto has_row = [&](std::uint32_t a) { return std::size_t{2} * from[a] > groups; };
    const auto missing = static_cast<std::uint32_t>(-1);
    std::vector<std::uint32_t> row(groups, missing);
    std::vector<std::uint32_t> column(groups, missing);
    std::size_t others = 0;
    for (std::uint32_t a = 0; a < groups; ++a)
      if (from[a] > 0 && !has_row(a)) ++others;
    for (const Neighbour& neighbour : wanted_) {
      if (has_row(neighbour.from) || column[neighbour.to] != missing) continue;
      column[neighbour.to] = static_cast<std::uint32_t>(columns_.size());
      columns_.push_back(neighbour.to);
    }
    const bool by_column = columns_.size() < others;
    if (!by_column) columns_.clear();
    for (std::uint32_t a = 0; a < groups; ++a) {
      if (from[a] == 0 || (by_column && !has_row(a))) continue;
      row[a] = static_cast<std::uint32_t>(rows_.size());
      rows_.push_back(a);
    }
    for (const auto& [a, b] : wanted_) {
      product_of_.push_back(row[a] != missing ? row[a] * width + b
                                              : (rows_.size() + column[b]) * width + a);
    }
  }

  // The nodes that matter for the class whose row this is; returns the largest logarithm there.
  double find_window(const NoiseRow& row) {
    const auto log_integrand = [&](std::size_t i) {
      return log_total[i] - row.log_cdf[i] + row.log_density[i];
    };
    double largest = -kInfinity;
    for (std::size_t i = 0; i < noise.nodes; ++i) largest = std::max(largest, log_integrand(i));
    begin_ = 0;
    end_ = noise.nodes;
    while (begin_ + 1 < end_ && log_integrand(begin_) < largest - noise.depth) ++begin_;
    while (end_ - 1 > begin_ && log_integrand(end_ - 1) < largest - noise.depth) --end_;
    begin_ -= std::min(begin_, noise.widening);
    end_ = std::min(end_ + noise.widening, noise.nodes);
    return largest;
  }

  static bool is_moderate(double change) {
    return change > kMinRemainingShare - 1.0 && change < kMaxRelativeGrowth;
  }

  // log of the sum over the window of the integrand, changed by two factors, each as a logarithm.
  double log_moved(const NoiseRow& row, double scale, const double* log_first,
                   const double* log_second) const {
    const auto log_term_at = [&](std::size_t i) {
      return log_total[i] - row.log_cdf[i] + row.log_density[i] - scale + log_first[i] +
             log_second[i];
    };
    double largest = -kInfinity;
    for (std::size_t i = begin_; i < end_; ++i) largest = std::max(largest, log_term_at(i));
    double sum = 0.0;
    for (std::size_t i = begin_; i < end_; ++i) sum += std::exp(log_term_at(i) - largest);
    return largest + std::log(sum);
  }

  std::span<const Neighbour> wanted_;
  std::vector<std::uint32_t> rows_;      // groups that votes come from, of the products
  std::vector<std::uint32_t> columns_;   // groups that votes go to, of further products
  std::vector<std::size_t> product_of_;  // of each wanted neighbour
  std::vector<double> products_;         // rows, then columns
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::vector<double> gain_;
  std::vector<double> node_weights_;  // of the window
  std::vector<double> changes_;       // P'/P - 1, where `other` has the logarithm of P'/P
};

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
