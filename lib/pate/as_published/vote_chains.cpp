#include "pate/as_published/vote_chains.hpp"

#include <algorithm>

namespace pate {

VoteChains::VoteChains(const WeightedHistograms& histograms) : classes_(histograms.classes) {
  const auto row = [&](std::size_t i) {
    return std::span(histograms.counts).subspan(i * classes_, classes_);
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < histograms.weights.size(); ++i) {
    if (histograms.weights[i] > 0.0) order.push_back(i);
  }
  // By the counts from the third on, then the largest first, then weight: rows that compare equal
  // are interchangeable.
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    const auto a = row(i);
    const auto b = row(j);
    const auto [x, y] = std::mismatch(a.begin() + 2, a.end(), b.begin() + 2);
    if (x != a.end()) return *x < *y;
    if (a[0] != b[0]) return a[0] > b[0];
    if (a[1] != b[1]) return a[1] > b[1];
    return histograms.weights[i] < histograms.weights[j];
  });
  for (const std::size_t i : order) {
    const auto counts = row(i);
    const std::size_t links = weights_.size();
    const auto last = std::span(counts_).last(links == 0 ? 0 : classes_);
    if (links > 0 && std::equal(counts.begin(), counts.end(), last.begin())) {
      weights_.back() += histograms.weights[i];
      continue;
    }
    if (links == 0 || !std::equal(counts.begin() + 2, counts.end(), last.begin() + 2) ||
        counts[0] + counts[1] != last[0] + last[1]) {
      first_.push_back(links);
    }
    counts_.insert(counts_.end(), counts.begin(), counts.end());
    weights_.push_back(histograms.weights[i]);
  }
  first_.push_back(weights_.size());
}

}  // namespace pate
