#include "pate/accounting/tally.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "pate/error.hpp"

namespace pate {

namespace {

void append_key(std::int64_t statistic, double log_q, std::vector<std::int32_t>& key) {
  key.push_back(static_cast<std::int32_t>(statistic));
  append_ordered(log_q, key);
}

void take(DistinctQueries counted, Tally& result) {
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
void add_shard(const Tally& shard, std::vector<KeyCounts>& parts) {
  std::vector<std::int32_t> key;
  for (std::size_t i = 0; i < shard.distinct.size(); ++i) {
    key.clear();
    append_key(shard.distinct[i].statistic, shard.distinct[i].log_q, key);
    for (const Occurrence& occurrence : shard.occurrences_of(i)) {
      parts[shard.first_checkpoint + occurrence.checkpoint].add(key, occurrence.count,
                                                                occurrence.answered);
    }
  }
}

}  // namespace

std::span<const Occurrence> Tally::occurrences_of(std::size_t i) const {
  return std::span<const Occurrence>(occurrences)
      .subspan(first_occurrence[i], first_occurrence[i + 1] - first_occurrence[i]);
}

QueryKey cost_key(const Run& run) {
  validate(run.aggregator);
  const auto table = std::make_shared<const UnionBoundTable>(
      UnionBoundTable(pair_term(run.aggregator.noisy_max), run.votes.teachers()));
  return {[table](const QueryReader& reader, std::int64_t i, std::vector<std::int32_t>& key) {
    append_key(reader.statistic(i), table->log_q(reader.histogram(i)), key);
  }};
}

Tally tally_of(const Run& run, DistinctQueries counted) {
  Tally result;
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

Tally tally(const Run& run, unsigned threads) {
  return tally_of(run, count_distinct(run, cost_key(run), {.threads = threads}));
}

Tally merge(std::span<const Tally> shards) {
  if (shards.empty()) throw parameter_error("merging needs at least one shard, got none");
  Tally result;
  result.teachers = shards.front().teachers;
  result.classes = shards.front().classes;
  result.run_queries = shards.front().run_queries;
  result.queries = result.run_queries;
  result.checkpoints = trajectory_checkpoints(result.run_queries);
  std::vector<KeyCounts> parts(result.checkpoints.size());
  for (const Tally& shard : shards) {
    if (shard.teachers != result.teachers || shard.classes != result.classes ||
        shard.run_queries != result.run_queries ||
        shard.first_checkpoint + shard.checkpoints.size() > parts.size()) {
      throw parameter_error("the shards are not of one run");
    }
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
  take(join(parts), result);
  return result;
}

}  // namespace pate
