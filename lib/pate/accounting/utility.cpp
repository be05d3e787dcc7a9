#include "pate/accounting/utility.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "pate/error.hpp"
#include "pate/math/sums.hpp"
#include "pate/mechanisms/outcomes.hpp"
#include "pate/parallel/parallel_for.hpp"

namespace pate {

namespace {

// What the probability of a right label depends on: the label's count first, then the other
// classes' counts in order. A key has the selection statistic and whether the plurality is the
// label behind it.
std::span<const std::int32_t> counts_of(std::span<const std::int32_t> key) {
  return key.first(key.size() - 2);
}
std::int32_t statistic_of(std::span<const std::int32_t> key) {
  return key[key.size() - 2];
}

void append_key(std::span<const std::int32_t> histogram, std::int64_t statistic,
                std::int32_t label_id, std::vector<std::int32_t>& key) {
  const auto label = static_cast<std::size_t>(label_id);
  key.insert(key.end(), histogram.begin(), histogram.end());
  const auto top = std::max_element(key.begin(), key.end()) - key.begin();
  std::swap(key.front(), key[label]);
  std::sort(key.begin() + 1, key.end());
  key.push_back(static_cast<std::int32_t>(statistic));
  key.push_back(static_cast<std::size_t>(top) == label ? 1 : 0);
}

// Pr[output = label] of every key; keys of equal counts are beside each other.
std::vector<double> right_probabilities(const Aggregator& aggregator, const KeyList& keys,
                                        unsigned threads) {
  std::vector<std::size_t> first;  // of all with equal counts
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool same = i > 0 && std::ranges::equal(counts_of(keys[i]), counts_of(keys[i - 1]));
    if (!same) first.push_back(i);
  }
  std::vector<double> right(keys.size());
  parallel_for(first.size(), threads, [&](std::size_t k) {
    const std::size_t end = k + 1 < first.size() ? first[k + 1] : keys.size();
    const double probability =
        outcome_probability(aggregator.noisy_max, counts_of(keys[first[k]]), 0);
    std::fill(right.begin() + static_cast<std::ptrdiff_t>(first[k]),
              right.begin() + static_cast<std::ptrdiff_t>(end), probability);
  });
  return right;
}

// Kinds that differ in their count only become one.
void sort_and_join(std::vector<UtilityTally::Kind>& kinds) {
  std::sort(kinds.begin(), kinds.end());
  std::vector<UtilityTally::Kind> joined;
  for (const UtilityTally::Kind& kind : kinds) {
    if (!joined.empty() && joined.back().right == kind.right &&
        joined.back().statistic == kind.statistic) {
      joined.back().count += kind.count;
    } else {
      joined.push_back(kind);
    }
  }
  kinds = std::move(joined);
}

}  // namespace

QueryKey label_key(const Run& run) {
  if (!run.labels) throw parameter_error("utility needs true labels");
  return {[](const QueryReader& reader, std::int64_t i, std::vector<std::int32_t>& key) {
    append_key(reader.histogram(i), reader.statistic(i),
               (*reader.run().labels)[static_cast<std::size_t>(reader.row(i))], key);
  }};
}

UtilityTally utility_tally(const Aggregator& aggregator, const DistinctQueries& counted,
                           unsigned threads) {
  const std::vector<double> right = right_probabilities(aggregator, counted.keys, threads);
  UtilityTally result;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const auto key = counted.keys[i];
    const std::int64_t count = counted.times(i).count;
    result.kinds.push_back({right[i], statistic_of(key), count});
    result.queries += count;
    if (key.back() != 0) result.plurality_right += count;
  }
  sort_and_join(result.kinds);
  return result;
}

UtilityTally merge(std::span<const UtilityTally> shards) {
  UtilityTally result;
  for (const UtilityTally& shard : shards) {
    result.kinds.insert(result.kinds.end(), shard.kinds.begin(), shard.kinds.end());
    result.plurality_right += shard.plurality_right;
    result.queries += shard.queries;
  }
  sort_and_join(result.kinds);
  return result;
}

Utility utility(const UtilityTally& tally, const Aggregator& aggregator) {
  CompensatedSum answered;
  CompensatedSum answered_right;
  for (const UtilityTally::Kind& kind : tally.kinds) {
    const double p =
        aggregator.selection ? std::exp(log_answered(*aggregator.selection, kind.statistic)) : 1.0;
    answered.add(p * static_cast<double>(kind.count));
    answered_right.add(p * static_cast<double>(kind.count) * kind.right);
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  return {answered.value() > 0.0 ? answered_right.value() / answered.value() : none,
          tally.queries > 0
              ? static_cast<double>(tally.plurality_right) / static_cast<double>(tally.queries)
              : none};
}

Utility utility(const Run& run, unsigned threads) {
  const auto counted = count_distinct(run, label_key(run), {.threads = threads});
  return utility(utility_tally(run.aggregator, counted, threads), run.aggregator);
}

std::vector<LabelledQuery> labelled_queries(const Run& run, unsigned threads) {
  QueryKey key = label_key(run);
  key.by_query = true;
  const auto counted = count_distinct(run, key, {.threads = threads});
  const std::vector<double> right = right_probabilities(run.aggregator, counted.keys, threads);
  std::vector<LabelledQuery> result;
  for (const std::uint32_t i : counted.of_query) {
    result.push_back({statistic_of(counted.keys[i]), right[i]});
  }
  return result;
}

}  // namespace pate
