#include "pate/mechanisms/union_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "pate/base/error.hpp"

namespace pate {

namespace {

constexpr std::int64_t kMaxTable = std::int64_t{1} << 20;
// Below this a sum of probabilities may lose digits to underflow: add logarithms instead.
constexpr double kMinProbability = 1e-250;
constexpr std::size_t kFewClasses = 64;
constexpr std::size_t kRanked = 16;

// Sorts up to 16 counts into decreasing order by how many are before each, without branches; false
// if one is too large for that, or negative.
bool sort_by_rank(std::span<const std::int32_t> counts, std::int32_t* sorted) {
  std::array<std::int32_t, kRanked> keys{};  // all different
  keys.fill(std::numeric_limits<std::int32_t>::min());
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto count = static_cast<std::uint32_t>(counts[i]);
    all |= count;
    keys[i] = static_cast<std::int32_t>(count * kRanked + (kRanked - 1 - i));
  }
  if (all >= (1U << 27U)) return false;
  std::array<std::int32_t, kRanked> before{};
  for (std::size_t j = 0; j < counts.size(); ++j) {
    const std::int32_t key = keys[j];
    for (std::size_t i = 0; i < kRanked; ++i) before[i] += key > keys[i] ? 1 : 0;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sorted[static_cast<std::size_t>(before[i])] = counts[i];
  }
  return true;
}

// A copy of the counts in decreasing order, on the stack for the usual number of classes. Of more
// classes most may have no vote: these are counted, not sorted.
class SortedCounts {
 public:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled as far as it is used.
  SortedCounts(std::span<const std::int32_t> counts, std::size_t zeros)
      : size_(counts.size() + zeros), is_few_(counts.size() <= kFewClasses) {
    if (is_few_) {
      std::int32_t* data = few_.data();
      listed_ = counts.size();
      if (listed_ <= kRanked && sort_by_rank(counts, data)) return;
      for (std::size_t i = 0; i < listed_; ++i) {  // insertion sort: most histograms are short
        std::size_t j = i;
        for (; j > 0 && data[j - 1] < counts[i]; --j) data[j] = data[j - 1];
        data[j] = counts[i];
      }
    } else {
      std::ranges::copy_if(counts, std::back_inserter(many_), [](auto count) { return count > 0; });
      std::sort(many_.begin(), many_.end(), std::greater<>());
      listed_ = many_.size();
    }
  }
  // Of counts that are not listed, zeros.
  [[nodiscard]] std::size_t left_out() const { return size_ - listed_; }
  [[nodiscard]] std::span<const std::int32_t> get() const {
    return is_few_ ? std::span(few_).first(listed_) : std::span(many_);
  }
  [[nodiscard]] std::int64_t operator[](std::size_t i) const {
    return i < get().size() ? get()[i] : 0;
  }

 private:
  std::size_t size_;
  bool is_few_;
  std::size_t listed_;
  std::array<std::int32_t, kFewClasses> few_;
  std::vector<std::int32_t> many_;
};

// Calls f(gap, number of classes with this gap) for every class but the plurality, nearest first.
template <class Function>
void for_each_gap(const SortedCounts& counts, Function&& f) {
  const auto sorted = counts.get();
  const std::int64_t top = counts[0];
  for (std::size_t i = 1; i < sorted.size();) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
    f(top - sorted[i], static_cast<double>(end - i));
    i = end;
  }
  const std::size_t zeros = counts.left_out() - (sorted.empty() ? 1 : 0);
  if (counts.left_out() > 0 && zeros > 0) f(top, static_cast<double>(zeros));
}

template <class LogTerm, class Probability>
double union_bound(std::span<const std::int32_t> counts, std::size_t zeros, const LogTerm& log_term,
                   const Probability& probability) {
  const std::size_t size = counts.size() + zeros;
  if (size == 0) throw parameter_error("a histogram must have at least one class, got none");
  if (size == 1) return -std::numeric_limits<double>::infinity();
  const SortedCounts sorted(counts, zeros);
  const std::int64_t nearest = sorted[0] - sorted[1];
  double sum = 0.0;
  if (probability(nearest) > kMinProbability) {
    for_each_gap(sorted,
                 [&](std::int64_t gap, double classes) { sum += classes * probability(gap); });
    // The cap is at least 1/2.
    if (sum <= 0.5) return std::log(sum);
    return std::min(std::log(sum), std::log1p(-1.0 / static_cast<double>(size)));
  }
  const double largest = log_term(nearest);
  for_each_gap(sorted, [&](std::int64_t gap, double classes) {
    sum += classes * std::exp(log_term(gap) - largest);
  });
  return std::min(largest + std::log(sum), std::log1p(-1.0 / static_cast<double>(size)));
}

}  // namespace

double log_union_bound(std::span<const std::int32_t> counts, const LogPairTerm& term) {
  return log_union_bound(counts, 0, term);
}

double log_union_bound(std::span<const std::int32_t> counts, std::size_t zeros,
                       const LogPairTerm& term) {
  return union_bound(counts, zeros, term, [&](std::int64_t gap) { return std::exp(term(gap)); });
}

UnionBoundTable::UnionBoundTable(LogPairTerm term, std::int64_t teachers) : term_(std::move(term)) {
  if (teachers > kMaxTable) return;
  for (std::int64_t gap = 0; gap <= teachers; ++gap) {
    log_terms_.push_back(term_(gap));
    probabilities_.push_back(std::exp(log_terms_.back()));
  }
}

double UnionBoundTable::log_q(std::span<const std::int32_t> counts, std::size_t zeros) const {
  return union_bound(
      counts, zeros, [this](std::int64_t gap) { return log_term(gap); },
      [this](std::int64_t gap) { return probability(gap); });
}

}  // namespace pate
