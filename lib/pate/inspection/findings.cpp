#include "pate/inspection/inspection.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include "pate/base/require.hpp"
#include "pate/votes/fingerprint.hpp"

namespace pate {

namespace {

constexpr std::size_t kBits = 64;

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

void Frequencies::add(std::vector<std::int64_t> values) {
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
  constexpr int kDeciles = 10;
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

std::optional<double> Frequencies::mean() const {
  double sum = 0.0;
  std::int64_t total = 0;
  for (const auto& [value, times] : times_) {
    sum += static_cast<double>(value) * static_cast<double>(times);
    total += times;
  }
  return total > 0 ? std::optional(sum / static_cast<double>(total)) : std::nullopt;
}

Bins Bins::over(std::int64_t largest, std::optional<std::int64_t> most) {
  constexpr std::int64_t kOneBinEach = 1000;
  constexpr std::int64_t kMaxBins = 100;
  if (most) require(*most >= 1, "the number of bins must be at least 1, got {}", *most);
  const std::int64_t values = largest + 1;
  const std::int64_t bins = most.value_or(largest <= kOneBinEach ? values : kMaxBins);
  const std::int64_t width = values / bins + (values % bins != 0 ? 1 : 0);
  return {width, values / width + (values % width != 0 ? 1 : 0)};
}

std::vector<std::int64_t> histogram(const Frequencies& frequencies, const Bins& bins) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(bins.count));
  for (const auto& [value, times] : frequencies.times()) {
    result[static_cast<std::size_t>(value / bins.width)] += times;
  }
  return result;
}

void DistinctCounter::settle() {
  std::ranges::sort(kept_);
  kept_.erase(std::unique(kept_.begin(), kept_.end()), kept_.end());
  next_ = std::max<std::size_t>(1024, 2 * kept_.size());
}

TeacherColumns::TeacherColumns(std::int64_t teachers, std::int64_t classes)
    : classes_(classes),
      words_((static_cast<std::size_t>(classes) + kBits - 1) / kBits),
      sums_(static_cast<std::size_t>(teachers)),
      seen_(static_cast<std::size_t>(teachers) * words_) {}

void TeacherColumns::add(std::int64_t position, std::span<const std::int32_t> ids) {
  const std::size_t teachers = sums_.size();
  auto query = static_cast<std::uint64_t>(position);
  for (std::size_t row = 0; row < ids.size(); row += teachers, ++query) {
    const std::uint64_t first_weight = mix_bits(2 * query);
    const std::uint64_t second_weight = mix_bits(2 * query + 1);
    for (std::size_t t = 0; t < teachers; ++t) {
      const auto id = static_cast<std::uint64_t>(ids[row + t]);
      sums_[t].first += first_weight * id;
      sums_[t].second += second_weight * id;
      seen_[t * words_ + id / kBits] |= std::uint64_t{1} << (id % kBits);
    }
  }
}

TeacherFindings TeacherColumns::findings() const {
  TeacherFindings result;
  result.teachers = static_cast<std::int64_t>(sums_.size());
  find_identical(result);
  find_missing(result);
  return result;
}

void TeacherColumns::find_identical(TeacherFindings& result) const {
  std::map<Sums, std::vector<std::int64_t>> groups;
  for (std::size_t t = 0; t < sums_.size(); ++t) {
    groups[sums_[t]].push_back(static_cast<std::int64_t>(t));
  }
  result.distinct = std::ssize(groups);
  auto& pairs = result.first_identical;
  for (const auto& [sums, group] : groups) {
    result.identical_pairs += std::ssize(group) * (std::ssize(group) - 1) / 2;
    // Of a group only its first pairs can be among the first of all.
    const std::size_t some = std::min(group.size(), kShown + 1);
    for (std::size_t i = 0; i < some; ++i) {
      for (std::size_t j = i + 1; j < some; ++j) pairs.emplace_back(group[i], group[j]);
    }
  }
  std::ranges::sort(pairs);
  pairs.resize(std::min(pairs.size(), kShown));
}

void TeacherColumns::find_missing(TeacherFindings& result) const {
  result.missing.resize(static_cast<std::size_t>(classes_));
  for (std::size_t t = 0; t < sums_.size(); ++t) {
    std::int64_t voted = 0;
    for (std::size_t j = 0; j < result.missing.size(); ++j) {
      const bool votes = (seen_[t * words_ + j / kBits] >> (j % kBits) & 1U) != 0;
      voted += votes ? 1 : 0;
      result.missing[j] += votes ? 0 : 1;
    }
    if (voted < classes_) ++result.missing_some_class;
    if (voted != 1) continue;
    ++result.constant;
    if (result.first_constant.size() < kShown) {
      result.first_constant.push_back(static_cast<std::int64_t>(t));
    }
  }
}

}  // namespace pate
