#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pate {

/// Histograms with weights, each sorted in non-increasing order: row after row in `counts`.
struct WeightedHistograms {
  std::size_t classes = 0;
  std::vector<std::int32_t> counts;
  std::vector<double> weights;  ///< one per row
};

/// Histograms ordered by the paths on which votes move from the largest count to the second: a
/// chain holds those that agree in all other counts, so that each lies on the path of the one
/// before it. Equal histograms are one, with the sum of their weights.
class VoteChains {
 public:
  /// Rows of weight zero are left out. The result does not depend on the order of the rows.
  /// Domain: at least two classes.
  explicit VoteChains(const WeightedHistograms& histograms);

  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }

  /// One histogram of a chain; in a chain the largest counts decrease.
  struct Link {
    std::span<const std::int32_t> counts;
    double weight;
  };
  /// Links of chain i are numbers begin(i) up to, not including, begin(i + 1).
  [[nodiscard]] std::size_t begin(std::size_t chain) const { return first_[chain]; }
  [[nodiscard]] Link link(std::size_t number) const {
    return {std::span(counts_).subspan(number * classes_, classes_), weights_[number]};
  }

 private:
  std::size_t classes_;
  std::vector<std::int32_t> counts_;
  std::vector<double> weights_;
  std::vector<std::size_t> first_;
};

}  // namespace pate
