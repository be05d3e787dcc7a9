#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "pate/divergence/exact/neighbour_outcomes.hpp"
#include "pate/numerics/kernels/kernels.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

// For one class that wins, the logarithms of its neighbours' probabilities relative to its own.
// They come from P'/P - 1, what the class gains when another loses the vote less what it loses when
// another gains it, averaged over the nodes of a rule.
struct NeighbourOutcomes::Kernel {
  // Nodes whose products are added up together: what is read of them stays in the nearest cache.
  static constexpr std::size_t kNodes = 16;
  // Where less than this is left of a probability, it is summed up itself and not its loss; and
  // where it grows beyond what doubles hold.
  static constexpr double kMinRemainingShare = 1e-3;
  static constexpr double kMaxRelativeGrowth = 1e200;

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

}  // namespace pate
