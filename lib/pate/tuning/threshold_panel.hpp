#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace pate {

/// Fractions of thresholds that are this close are one: what rounding in 60.1, 61.1, ... leaves.
inline constexpr double kSameFraction = 1e-12;

/// A function of the threshold at many thresholds from its values at a few: the polynomial through
/// them. The nodes are those of Chebyshev; with thresholds whole votes apart the whole votes beside
/// them.
class ThresholdPanel {
 public:
  static constexpr std::size_t kNodes = 12;
  using Values = std::array<double, kNodes>;  ///< at the nodes
  static constexpr std::size_t kMiddle = 6;   ///< the node in the middle

  /// Of thresholds[from] .. thresholds[to - 1], which rise, at least two. The nodes are appended.
  ThresholdPanel(std::size_t from, std::size_t to, std::vector<double>& thresholds);

  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t end() const { return end_; }
  /// Where node k is among the thresholds that it was appended to.
  [[nodiscard]] std::size_t node(std::size_t k) const { return first_node_ + k; }

  /// The polynomial at a threshold, begin() <= threshold < end().
  [[nodiscard]] double at(std::size_t threshold, const Values& values) const;
  /// The factor by which the polynomial of positive values is raised to err towards more: by ten
  /// times its last two coefficients, relative to the least value. 0 where that is more than 5e-4:
  /// the polynomial has not converged.
  [[nodiscard]] double raising(const Values& values) const;

 private:
  std::size_t begin_, end_, first_node_;
  std::vector<Values> weights_;     // by threshold, of the values at the nodes
  Values last_{}, last_but_one_{};  // likewise, for coefficients of the polynomial
};

}  // namespace pate
