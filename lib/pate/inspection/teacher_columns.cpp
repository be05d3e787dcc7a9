#include "pate/inspection/teacher_columns.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <numeric>

#include "pate/votes/fingerprint.hpp"

namespace pate {

namespace {

constexpr std::size_t kBits = 64;

}  // namespace

TeacherColumns::TeacherColumns(std::int64_t teachers, std::int64_t classes)
    : classes_(classes),
      words_((static_cast<std::size_t>(classes) + kBits - 1) / kBits),
      sums_(static_cast<std::size_t>(teachers)),
      seen_(static_cast<std::size_t>(teachers) * words_) {}

void TeacherColumns::add(std::int64_t position, std::span<const std::int32_t> ids,
                         std::int64_t begin, std::int64_t end) {
  const std::size_t teachers = sums_.size();
  const auto last = static_cast<std::size_t>(end);
  auto query = static_cast<std::uint64_t>(position);
  for (std::size_t row = 0; row < ids.size(); row += teachers, ++query) {
    const std::uint64_t first_weight = mix_bits(2 * query);
    const std::uint64_t second_weight = mix_bits(2 * query + 1);
    for (auto t = static_cast<std::size_t>(begin); t < last; ++t) {
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
  std::vector<std::size_t> sorted(sums_.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  // Teachers that agree beside each other, in their own order.
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
    return sums_[a] != sums_[b] ? sums_[a] < sums_[b] : a < b;
  });
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sums_[sorted[end]] == sums_[sorted[begin]]) ++end;
    const auto size = static_cast<std::int64_t>(end - begin);
    ++result.distinct;
    result.identical_pairs += size * (size - 1) / 2;
    // Of a group only its first pairs can be among the first of all.
    const std::size_t some = std::min(end, begin + kShown + 1);
    for (std::size_t i = begin; i < some; ++i) {
      for (std::size_t j = i + 1; j < some; ++j) {
        result.first_identical.emplace_back(sorted[i], sorted[j]);
      }
    }
    std::sort(result.first_identical.begin(), result.first_identical.end());
    if (result.first_identical.size() > kShown) result.first_identical.resize(kShown);
    begin = end;
  }
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
