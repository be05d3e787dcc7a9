#include "pate/accounting/query_counts.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/base/require.hpp"
#include "pate/mechanisms/outcomes.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

void append_cost_key(std::int64_t statistic, double log_q, std::vector<std::int32_t>& key) {
  key.push_back(static_cast<std::int32_t>(statistic));
  append_ordered(log_q, key);
}

void take(DistinctQueries counted, QueryCounts& result) {
  result.distinct.reserve(counted.keys.size());
  for (std::size_t i = 0; i < counted.keys.size(); ++i) {
    const auto key = counted.keys[i];
    const DistinctQueries::Times times = counted.times(i);
    result.distinct.push_back(
        {key[0], ordered_number(key.subspan(1)), times.count, times.answered});
  }
  result.first_occurrence = std::move(counted.first_occurrence);
  result.occurrences = std::move(counted.occurrences);
}

// Adds the queries of a shard to what is known between the checkpoints of the whole run.
void add_shard(const QueryCounts& shard, std::vector<KeyCounts>& parts) {
  std::vector<std::int32_t> key;
  for (std::size_t i = 0; i < shard.distinct.size(); ++i) {
    key.clear();
    append_cost_key(shard.distinct[i].statistic, shard.distinct[i].log_q, key);
    for (const Occurrence& occurrence : shard.occurrences_of(i)) {
      parts[shard.first_checkpoint + occurrence.checkpoint].add(key, occurrence.count,
                                                                occurrence.answered);
    }
  }
}

// A key has the label's count first, then those of the other classes with votes in order, how many
// have none, the selection statistic and whether the plurality is the label.
std::span<const std::int32_t> counts_of(std::span<const std::int32_t> key) {
  return key.first(key.size() - 3);
}
std::int32_t zeros_of(std::span<const std::int32_t> key) {
  return key[key.size() - 3];
}
std::int32_t statistic_of(std::span<const std::int32_t> key) {
  return key[key.size() - 2];
}

// Pr[output = label] of every key; keys of equal counts are beside each other: of one ensemble they
// have as many classes without a vote.
std::vector<double> right_probabilities(const Mechanism& aggregator, const KeyList& keys,
                                        unsigned threads) {
  std::vector<std::size_t> first;  // of all with equal counts
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool same = i > 0 && std::ranges::equal(counts_of(keys[i]), counts_of(keys[i - 1]));
    if (!same) first.push_back(i);
  }
  std::vector<double> right(keys.size());
  if (aggregator.ptr() != nullptr) {
    for (std::size_t i = 0; i < keys.size(); ++i) right[i] = keys[i].back();
    return right;
  }
  parallel_for(first.size(), threads, [&](std::size_t k) {
    const std::size_t end = k + 1 < first.size() ? first[k + 1] : keys.size();
    const double probability =
        outcome_probability(aggregator.noisy().noisy_max, counts_of(keys[first[k]]), 0,
                            static_cast<std::size_t>(zeros_of(keys[first[k]])));
    std::fill(right.begin() + static_cast<std::ptrdiff_t>(first[k]),
              right.begin() + static_cast<std::ptrdiff_t>(end), probability);
  });
  return right;
}

// Kinds that differ in their count only become one.
void join_kinds(std::vector<UtilityCounts::Kind>& kinds) {
  sort_and_join(
      kinds, [](const UtilityCounts::Kind& kind) { return std::pair(kind.right, kind.statistic); });
}

}  // namespace

std::span<const Occurrence> QueryCounts::occurrences_of(std::size_t i) const {
  return std::span<const Occurrence>(occurrences)
      .subspan(first_occurrence[i], first_occurrence[i + 1] - first_occurrence[i]);
}

QueryKey cost_key(const Run& run) {
  if (run.aggregator.ptr() != nullptr) {
    return {[](const QueryReader& reader, std::int64_t i, std::vector<std::int32_t>& key) {
      append_cost_key(reader.statistic(i), -kInfinity, key);
    }};
  }
  const auto table = std::make_shared<const UnionBoundTable>(
      UnionBoundTable(pair_term(run.aggregator.noisy().noisy_max), run.votes.teachers()));
  return {[table](const QueryReader& reader, std::int64_t i, std::vector<std::int32_t>& key) {
    append_cost_key(reader.statistic(i), table->log_q(reader.counts(i), reader.left_out(i)), key);
  }};
}

QueryCounts query_counts_of(const Run& run, DistinctQueries counted) {
  QueryCounts result;
  result.teachers = run.votes.teachers();
  result.classes = run.votes.classes();
  result.run_queries = run.rows.size();
  result.queries = run.shard.end(result.run_queries) - run.shard.begin(result.run_queries);
  Checkpoints checkpoints = checkpoints_of(run);
  result.first_checkpoint = checkpoints.first;
  result.checkpoints = std::move(checkpoints.ends);
  take(std::move(counted), result);
  return result;
}

QueryCounts count_queries(const Run& run, unsigned threads) {
  return query_counts_of(run, count_distinct(run, cost_key(run), {.threads = threads}));
}

QueryCounts merge(std::span<const QueryCounts> shards) {
  if (shards.empty()) throw parameter_error("merging needs at least one shard, got none");
  QueryCounts result;
  result.teachers = shards.front().teachers;
  result.classes = shards.front().classes;
  result.run_queries = shards.front().run_queries;
  result.queries = result.run_queries;
  result.checkpoints = trajectory_checkpoints(result.run_queries);
  std::vector<KeyCounts> parts(result.checkpoints.size());
  for (const QueryCounts& shard : shards) {
    require(shard.teachers == result.teachers && shard.classes == result.classes &&
                shard.run_queries == result.run_queries &&
                shard.first_checkpoint + shard.checkpoints.size() <= parts.size(),
            "the shards are not of one run");
    add_shard(shard, parts);
  }
  std::int64_t counted = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (std::size_t i = 0; i < parts[k].keys().size(); ++i) counted += parts[k].times(i).count;
    if (counted == result.checkpoints[k]) continue;
    throw parameter_error(
        fmt::format("the shards have {} of the first {} queries of the run: one is missing or "
                    "there twice",
                    counted, result.checkpoints[k]));
  }
  take(join(parts, 0), result);
  return result;
}

void validate_reinforcement(const Run& run, double above) {
  require(run.aggregator.interactive() && run.student != nullptr,
          "reinforce-above goes with the interactive aggregator: add a student");
  require(above >= 0.0 && above <= 1.0, "reinforce-above must be in [0, 1], got {}", above);
}

double expected_reinforced(const Run& run, double above) {
  validate_reinforcement(run, above);
  validate(run);
  std::map<std::int64_t, std::int64_t> confident;  // queries by statistic
  QueryReader reader(run);
  const std::int64_t piece = reader.piece();
  const std::int64_t end = run.shard.end(run.rows.size());
  for (std::int64_t first = run.shard.begin(run.rows.size()); first < end; first += piece) {
    reader.read(first, std::min(piece, end - first));
    for (std::int64_t i = 0; i < reader.size(); ++i) {
      if (std::ranges::max(reader.scores(i)) > above) ++confident[reader.statistic(i)];
    }
  }
  CompensatedSum sum;
  for (const auto& [v, queries] : confident) {
    sum.add(std::exp(log_refused(*run.aggregator.answer_rule(), v)) * static_cast<double>(queries));
  }
  return sum.value();
}

QueryKey label_key(const Run& run) {
  if (!run.labels) throw parameter_error("utility needs true labels");
  return {[](const QueryReader& reader, std::int64_t i, std::vector<std::int32_t>& key) {
    const std::int32_t label = (*reader.run().labels)[static_cast<std::size_t>(reader.row(i))];
    const auto counts = reader.counts(i);
    const auto voted = reader.voted(i);
    std::int32_t plurality = 0;  // the lowest class on ties
    std::int32_t top = 0;
    key.push_back(0);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const std::int32_t id = reader.is_sparse() ? voted[k] : static_cast<std::int32_t>(k);
      if (counts[k] > top) {
        top = counts[k];
        plurality = id;
      }
      if (id == label) {
        key.front() = counts[k];
      } else if (counts[k] > 0) {
        key.push_back(counts[k]);
      }
    }
    std::sort(key.begin() + 1, key.end());
    key.push_back(static_cast<std::int32_t>(reader.run().votes.classes() - std::ssize(key)));
    key.push_back(static_cast<std::int32_t>(reader.statistic(i)));
    key.push_back(plurality == label ? 1 : 0);
  }};
}

UtilityCounts count_utility(const Mechanism& aggregator, const DistinctQueries& counted,
                            unsigned threads) {
  const std::vector<double> right = right_probabilities(aggregator, counted.keys, threads);
  UtilityCounts result;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const auto key = counted.keys[i];
    const std::int64_t count = counted.times(i).count;
    result.kinds.push_back({right[i], statistic_of(key), count});
    result.queries += count;
    if (key.back() != 0) result.plurality_right += count;
  }
  join_kinds(result.kinds);
  return result;
}

UtilityCounts merge(std::span<const UtilityCounts> shards) {
  UtilityCounts result;
  for (const UtilityCounts& shard : shards) {
    result.kinds.insert(result.kinds.end(), shard.kinds.begin(), shard.kinds.end());
    result.plurality_right += shard.plurality_right;
    result.queries += shard.queries;
  }
  join_kinds(result.kinds);
  return result;
}

Utility utility(const UtilityCounts& query_counts, const Mechanism& aggregator) {
  CompensatedSum answered;
  CompensatedSum answered_right;
  for (const UtilityCounts::Kind& kind : query_counts.kinds) {
    const double p = probability_answered(aggregator, kind.statistic);
    answered.add(p * static_cast<double>(kind.count));
    answered_right.add(p * static_cast<double>(kind.count) * kind.right);
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  return {answered.value() > 0.0 ? answered_right.value() / answered.value() : none,
          query_counts.queries > 0 ? static_cast<double>(query_counts.plurality_right) /
                                         static_cast<double>(query_counts.queries)
                                   : none};
}

std::vector<LabelledQuery> labelled_queries(const Mechanism& aggregator,
                                            const DistinctQueries& counted, unsigned threads) {
  const std::vector<double> right = right_probabilities(aggregator, counted.keys, threads);
  std::vector<LabelledQuery> result;
  for (const std::uint32_t i : counted.of_query) {
    result.push_back({statistic_of(counted.keys[i]), right[i]});
  }
  return result;
}

}  // namespace pate
