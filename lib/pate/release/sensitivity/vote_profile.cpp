#include "pate/release/sensitivity/vote_profile.hpp"

#include <algorithm>
#include <iterator>

namespace pate {

VoteProfile VoteProfile::without_queries() const {
  VoteProfile result = *this;
  result.distinct.clear();
  result.counts_.clear();
  result.ends_.clear();
  return result;
}

void VoteProfile::add(const Query& query, std::span<const std::int32_t> histogram) {
  distinct.push_back(query);
  std::ranges::copy_if(histogram, std::back_inserter(counts_),
                       [](std::int32_t count) { return count > 0; });
  ends_.push_back(counts_.size());
}

std::span<const std::int32_t> VoteProfile::voted(std::size_t i) const {
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::span(counts_).subspan(begin, ends_[i] - begin);
}

std::vector<std::int32_t> VoteProfile::histogram(std::size_t i) const {
  const auto its = voted(i);
  std::vector<std::int32_t> result(its.begin(), its.end());
  result.resize(static_cast<std::size_t>(classes), 0);
  return result;
}

}  // namespace pate
