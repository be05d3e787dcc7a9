#include "pate/accounting/tally.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

#include "pate/error.hpp"
#include "pate/mechanisms/union_bound.hpp"
#include "pate/parallel/parallel_for.hpp"

namespace pate {

namespace {

constexpr std::int64_t kCheckpoints = 20;
constexpr std::int64_t kValuesPerPiece = 1 << 16;

// Distinct queries in the order of their first occurrence, found by hashing with linear probing.
class DistinctSet {
 public:
  // Number of the entry with these inputs; made with count 0 where there is none.
  std::size_t find_or_add(std::int64_t statistic, double log_q) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    std::size_t slot = first_slot(statistic, log_q);
    while (slots_[slot] != kEmpty) {
      const DistinctQuery& entry = entries_[slots_[slot]];
      if (entry.statistic == statistic && entry.log_q == log_q) return slots_[slot];
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = entries_.size();
    entries_.push_back({statistic, log_q, 0, 0});
    return slots_[slot];
  }
  [[nodiscard]] std::vector<DistinctQuery>& entries() { return entries_; }

 private:
  static constexpr std::size_t kEmpty = static_cast<std::size_t>(-1);

  [[nodiscard]] std::size_t first_slot(std::int64_t statistic, double log_q) const {
    std::uint64_t hash = std::bit_cast<std::uint64_t>(log_q) +
                         static_cast<std::uint64_t>(statistic) * 0x9e3779b97f4a7c15U;
    hash = (hash ^ (hash >> 32U)) * 0xd6e8feb86659fd93U;
    return (hash ^ (hash >> 32U)) & (slots_.size() - 1);
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), kEmpty);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      std::size_t slot = first_slot(entries_[i].statistic, entries_[i].log_q);
      while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = i;
    }
  }

  std::vector<DistinctQuery> entries_;
  std::vector<std::size_t> slots_;
};

// The distinct queries among the positions begin .. end - 1 of the selection.
std::vector<DistinctQuery> tally_range(const Run& run, const UnionBoundTable& table,
                                       std::int64_t begin, std::int64_t end,
                                       ProgressCounter& read) {
  DistinctSet distinct;
  QueryReader reader(run);
  const std::int64_t piece =
      std::max<std::int64_t>(1, kValuesPerPiece / std::max<std::int64_t>(1, run.votes.classes()));
  for (std::int64_t first = begin; first < end; first += piece) {
    reader.read(first, std::min(piece, end - first));
    for (std::int64_t i = 0; i < reader.size(); ++i) {
      const std::size_t entry =
          distinct.find_or_add(reader.statistic(i), table.log_q(reader.histogram(i)));
      ++distinct.entries()[entry].count;
      if (run.decisions && (*run.decisions)[static_cast<std::size_t>(reader.row(i))] != 0) {
        ++distinct.entries()[entry].answered;
      }
    }
    read.add(reader.size());
  }
  return std::move(distinct.entries());
}

LogPairTerm pair_term(const Aggregator& aggregator) {
  return [mechanism = aggregator.noisy_max](std::int64_t gap) {
    return std::visit([gap](const auto& m) { return log_pair_probability(m, gap); }, mechanism);
  };
}

// The checkpoints of the whole run as far as they concern positions begin .. end - 1, and `end`.
void set_checkpoints(std::int64_t begin, std::int64_t end, Tally& result) {
  const auto all = trajectory_checkpoints(result.run_queries);
  std::int64_t done = begin;
  for (std::size_t k = 0; k < all.size() && done < end; ++k) {
    if (all[k] <= done) continue;
    if (done == begin) result.first_checkpoint = k;
    done = std::min(all[k], end);
    result.checkpoints.push_back(done - begin);
  }
}

// Adds the queries of a shard to what is known between the checkpoints of the whole run.
void add_shard(const Tally& shard, std::vector<DistinctSet>& parts) {
  for (std::size_t i = 0; i < shard.distinct.size(); ++i) {
    const DistinctQuery& query = shard.distinct[i];
    for (const Tally::Occurrence& occurrence : shard.occurrences_of(i)) {
      DistinctSet& part = parts[shard.first_checkpoint + occurrence.checkpoint];
      const std::size_t entry = part.find_or_add(query.statistic, query.log_q);
      part.entries()[entry].count += occurrence.count;
      part.entries()[entry].answered += occurrence.answered;
    }
  }
}

// Puts the parts between checkpoints together, in canonical order.
void join(const std::vector<std::vector<DistinctQuery>>& parts, Tally& result) {
  DistinctSet all;
  std::vector<std::size_t> entry_of;  // of every entry of every part, one after the other
  for (const auto& part : parts) {
    for (const DistinctQuery& query : part) {
      const std::size_t entry = all.find_or_add(query.statistic, query.log_q);
      all.entries()[entry].count += query.count;
      all.entries()[entry].answered += query.answered;
      entry_of.push_back(entry);
    }
  }
  const std::size_t size = all.entries().size();
  std::vector<std::size_t> sorted(size);
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
    const DistinctQuery& x = all.entries()[a];
    const DistinctQuery& y = all.entries()[b];
    return std::tie(x.statistic, x.log_q) < std::tie(y.statistic, y.log_q);
  });
  std::vector<std::size_t> rank(size);
  for (std::size_t i = 0; i < size; ++i) {
    rank[sorted[i]] = i;
    result.distinct.push_back(all.entries()[sorted[i]]);
  }
  // Occurrences by rank: count, add up, fill in.
  result.first_occurrence.assign(size + 1, 0);
  for (const std::size_t entry : entry_of) ++result.first_occurrence[rank[entry] + 1];
  std::partial_sum(result.first_occurrence.begin(), result.first_occurrence.end(),
                   result.first_occurrence.begin());
  result.occurrences.resize(entry_of.size());
  std::vector<std::size_t> next(result.first_occurrence.begin(), result.first_occurrence.end());
  std::size_t position = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (const DistinctQuery& query : parts[k]) {
      result.occurrences[next[rank[entry_of[position++]]]++] = {
          static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(query.count),
          static_cast<std::uint32_t>(query.answered)};
    }
  }
}

}  // namespace

std::span<const Tally::Occurrence> Tally::occurrences_of(std::size_t i) const {
  return std::span<const Occurrence>(occurrences)
      .subspan(first_occurrence[i], first_occurrence[i + 1] - first_occurrence[i]);
}

std::vector<std::int64_t> trajectory_checkpoints(std::int64_t queries) {
  std::vector<std::int64_t> checkpoints;
  for (std::int64_t k = 1; k <= kCheckpoints; ++k) {
    // queries * k / 20 without overflow
    const std::int64_t end = queries / kCheckpoints * k + queries % kCheckpoints * k / kCheckpoints;
    if (end > 0 && (checkpoints.empty() || end > checkpoints.back())) checkpoints.push_back(end);
  }
  return checkpoints;
}

Tally tally(const Run& run, unsigned threads, const ProgressCallback& progress) {
  validate(run);
  Tally result;
  result.teachers = run.votes.teachers();
  result.classes = run.votes.classes();
  result.run_queries = run.rows.size();
  const std::int64_t begin = run.shard.begin(result.run_queries);
  const std::int64_t end = run.shard.end(result.run_queries);
  result.queries = end - begin;
  set_checkpoints(begin, end, result);
  const UnionBoundTable table(pair_term(run.aggregator), result.teachers);

  ProgressCounter read(progress, result.queries);
  std::vector<std::vector<DistinctQuery>> parts(result.checkpoints.size());
  parallel_for(parts.size(), threads, [&](std::size_t k) {
    parts[k] = tally_range(run, table, begin + (k == 0 ? 0 : result.checkpoints[k - 1]),
                           begin + result.checkpoints[k], read);
  });

  join(parts, result);
  return result;
}

Tally merge(std::span<const Tally> shards) {
  if (shards.empty()) throw parameter_error("merging needs at least one shard, got none");
  Tally result;
  result.teachers = shards.front().teachers;
  result.classes = shards.front().classes;
  result.run_queries = shards.front().run_queries;
  result.queries = result.run_queries;
  result.checkpoints = trajectory_checkpoints(result.run_queries);
  std::vector<DistinctSet> sets(result.checkpoints.size());
  for (const Tally& shard : shards) {
    if (shard.teachers != result.teachers || shard.classes != result.classes ||
        shard.run_queries != result.run_queries ||
        shard.first_checkpoint + shard.checkpoints.size() > sets.size()) {
      throw parameter_error("the shards are not of one run");
    }
    add_shard(shard, sets);
  }
  std::vector<std::vector<DistinctQuery>> parts;
  std::int64_t counted = 0;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    parts.push_back(std::move(sets[k].entries()));
    for (const DistinctQuery& query : parts.back()) counted += query.count;
    if (counted == result.checkpoints[k]) continue;
    throw parameter_error(
        fmt::format("the shards have {} of the first {} queries of the run: one is missing or "
                    "there twice",
                    counted, result.checkpoints[k]));
  }
  join(parts, result);
  return result;
}

}  // namespace pate
