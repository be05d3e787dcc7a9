#include "pate/inspection/spread.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pate {

namespace {

constexpr std::int64_t kOneBinEach = 1000;
constexpr std::int64_t kMostBins = 100;
constexpr int kDeciles = 10;

}  // namespace

Consensus consensus(std::span<const std::int32_t> histogram) {
  Consensus result;
  for (const std::int32_t votes : histogram) {
    result.second = std::max(result.second, std::min(votes, result.top));
    result.top = std::max(result.top, votes);
  }
  result.gap = result.top - result.second;
  result.tied = result.top > 0 && result.gap == 0;
  result.unanimous = result.top > 0 && result.second == 0;
  return result;
}

void Frequencies::add(std::vector<std::int32_t> values) {
  std::sort(values.begin(), values.end());
  for (auto run = values.begin(); run != values.end();) {
    const auto end = std::upper_bound(run, values.end(), *run);
    add(*run, end - run);
    run = end;
  }
}

std::vector<double> Frequencies::deciles() const {
  std::int64_t total = 0;
  for (const auto& [value, times] : times_) total += times;
  if (total == 0) return {};
  std::vector<double> result;
  auto here = times_.begin();
  std::int64_t before = 0;  // how many values are smaller than that of `here`
  for (int k = 0; k <= kDeciles; ++k) {
    const double position = static_cast<double>(total - 1) * (static_cast<double>(k) / kDeciles);
    const auto index = std::min(static_cast<std::int64_t>(position), total - 1);
    while (before + here->second <= index) {
      before += here->second;
      ++here;
    }
    const auto low = static_cast<double>(here->first);
    // The value at index + 1, which is the same unless the run ends here.
    const auto next = std::next(here);
    const bool last = before + here->second == index + 1 && next != times_.end();
    const double step = last ? static_cast<double>(next->first) - low : 0.0;
    const double share = position - static_cast<double>(index);
    // As numpy rounds it: from the nearer end.
    result.push_back(share < 0.5 ? low + step * share : (low + step) - step * (1.0 - share));
  }
  return result;
}

Bins Bins::over(std::int64_t largest) {
  const std::int64_t values = largest + 1;
  const std::int64_t width =
      largest <= kOneBinEach ? 1 : values / kMostBins + (values % kMostBins != 0 ? 1 : 0);
  return {width, values / width + (values % width != 0 ? 1 : 0)};
}

std::vector<std::int64_t> histogram(const Frequencies& frequencies, const Bins& bins) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(bins.count));
  for (const auto& [value, times] : frequencies.times()) {
    result[static_cast<std::size_t>(value / bins.width)] += times;
  }
  return result;
}

}  // namespace pate
