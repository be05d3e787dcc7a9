#include "pate/accounting/query_sets.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "pate/numerics/infinity.hpp"

namespace pate {

QuerySets::QuerySets(const QueryCounts& query_counts) : loose_(query_counts.distinct.size()) {
  std::iota(loose_.begin(), loose_.end(), std::uint32_t{0});
}

QuerySets::QuerySets(const QueryCounts& query_counts, const QCells& cells, bool by_statistic) {
  std::map<std::pair<std::int64_t, std::size_t>, std::vector<QueryInCell>> found;
  auto last = found.end();  // neighbours mostly share their set
  for (std::uint32_t i = 0; i < query_counts.distinct.size(); ++i) {
    const DistinctQuery& query = query_counts.distinct[i];
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
    if (queries.size() <= QCells::kNodes) {
      for (const QueryInCell& placed : queries) loose_.push_back(placed.query);
      continue;
    }
    const auto [smallest, largest] = std::ranges::minmax_element(
        queries, {},
        [&](const QueryInCell& placed) { return query_counts.distinct[placed.query].log_q; });
    const std::size_t begin = queries_.size();
    queries_.insert(queries_.end(), queries.begin(), queries.end());
    sets_.push_back({begin, queries_.size(), key.second, *smallest, *largest});
  }
  std::ranges::sort(loose_);
}

std::vector<QuerySets::Part> QuerySets::halves(const Part& part,
                                               std::vector<QueryInCell>& queries) {
  // The smaller q is, the larger its place.
  queries.assign(part.queries.begin(), part.queries.end());
  const auto split =
      std::stable_partition(queries.begin(), queries.end(),
                            [&](const QueryInCell& placed) { return placed.s > part.middle; });
  const auto smaller = static_cast<std::size_t>(split - queries.begin());
  std::vector<Part> result;
  for (const bool lower : {true, false}) {
    const auto found =
        lower ? std::span(queries).first(smaller) : std::span(queries).subspan(smaller);
    if (found.empty()) continue;
    const auto [least, most] = std::ranges::minmax_element(found, {}, &QueryInCell::s);
    const double half = 0.5 * part.half;
    result.push_back({part.cell, part.middle + (lower ? half : -half), half, found, *most, *least});
  }
  return result;
}

}  // namespace pate
