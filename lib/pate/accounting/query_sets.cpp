#include "pate/accounting/query_sets.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "pate/math/log_space.hpp"

namespace pate {

QuerySets::QuerySets(const Tally& tally) : loose_(tally.distinct.size()) {
  std::iota(loose_.begin(), loose_.end(), std::uint32_t{0});
}

QuerySets::QuerySets(const Tally& tally, const QCells& cells, bool by_statistic) {
  struct Placed {
    std::uint32_t query;
    double s;
  };
  std::map<std::pair<std::int64_t, std::size_t>, std::vector<Placed>> found;
  auto last = found.end();  // neighbours mostly share their set
  for (std::uint32_t i = 0; i < tally.distinct.size(); ++i) {
    const DistinctQuery& query = tally.distinct[i];
    QCells::Place place;
    if (query.log_q != -kInfinity) place = cells.place(query.log_q);
    if (place.cell == QCells::kNoCell) {
      loose_.push_back(i);
      continue;
    }
    const std::pair key(by_statistic ? query.statistic : 0, place.cell);
    if (last == found.end() || last->first != key) last = found.try_emplace(key).first;
    last->second.push_back({i, place.s});
  }
  for (const auto& [key, queries] : found) {
    const std::size_t begin = queries_.size();
    for (const auto& [query, s] : queries) {
      queries_.push_back(query);
      places_.push_back(s);
    }
    const auto added = std::span(queries_).subspan(begin);
    if (added.size() <= QCells::kNodes) {
      loose_.insert(loose_.end(), added.begin(), added.end());
      queries_.resize(begin);
      places_.resize(begin);
      continue;
    }
    const auto [smallest, largest] = std::ranges::minmax_element(
        added, {}, [&](std::uint32_t i) { return tally.distinct[i].log_q; });
    sets_.push_back({begin, queries_.size(), key.second, *smallest, *largest});
  }
  std::ranges::sort(loose_);
}

}  // namespace pate
