#include "pate/accounting/count_distinct.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

#include "pate/parallel/parallel_for.hpp"
#include "pate/votes/fingerprint.hpp"

namespace pate {

namespace {

constexpr std::int64_t kCheckpoints = 20;
constexpr std::int64_t kValuesPerPiece = 1 << 16;
constexpr std::uint32_t kEmpty = static_cast<std::uint32_t>(-1);
constexpr std::uint32_t kSignBit = 0x80000000U;

// Counts the queries begin .. end - 1 of the selection, between two checkpoints, under all keys.
void count_part(const Run& run, std::int64_t begin, std::int64_t end,
                std::span<const QueryKey> keys, const CountOptions& options,
                std::span<KeyCounts> counts, ProgressCounter& read) {
  QueryReader reader(run, options.predictions);
  std::vector<std::int32_t> key;
  const std::int64_t shard = run.shard.begin(run.rows.size());
  const std::int64_t piece =
      std::max<std::int64_t>(1, kValuesPerPiece / std::max<std::int64_t>(1, run.votes.classes()));
  for (std::int64_t first = begin; first < end; first += piece) {
    reader.read(first, std::min(piece, end - first));
    for (std::int64_t i = 0; i < reader.size(); ++i) {
      const bool answered =
          run.decisions && (*run.decisions)[static_cast<std::size_t>(reader.row(i))] != 0;
      for (std::size_t c = 0; c < keys.size(); ++c) {
        key.clear();
        keys[c].append(reader, i, key);
        const std::uint32_t number = counts[c].add(key, 1, answered ? 1 : 0);
        if (keys[c].by_query) counts[c].of_query.push_back(number);
      }
    }
    if (options.visit) options.visit(reader, first - shard);
    read.add(reader.size());
  }
}

}  // namespace

void KeyList::push_back(std::span<const std::int32_t> key) {
  numbers_.insert(numbers_.end(), key.begin(), key.end());
  ends_.push_back(numbers_.size());
}

DistinctQueries::Times DistinctQueries::times(std::size_t i) const {
  Times result;
  for (std::size_t k = first_occurrence[i]; k < first_occurrence[i + 1]; ++k) {
    result.count += occurrences[k].count;
    result.answered += occurrences[k].answered;
  }
  return result;
}

std::uint32_t KeyCounts::add(std::span<const std::int32_t> key, std::int64_t count,
                             std::int64_t answered) {
  if (2 * (times_.size() + 1) > slots_.size()) grow();
  std::size_t slot = first_slot(key);
  while (slots_[slot] != kEmpty && !std::ranges::equal(keys_[slots_[slot]], key)) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  if (slots_[slot] == kEmpty) {
    slots_[slot] = static_cast<std::uint32_t>(times_.size());
    keys_.push_back(key);
    times_.emplace_back();
  }
  times_[slots_[slot]].count += count;
  times_[slots_[slot]].answered += answered;
  return slots_[slot];
}

std::size_t KeyCounts::first_slot(std::span<const std::int32_t> key) const {
  return fingerprint(key) & (slots_.size() - 1);
}

void KeyCounts::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), kEmpty);
  for (std::size_t i = 0; i < times_.size(); ++i) {
    std::size_t slot = first_slot(keys_[i]);
    while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(i);
  }
}

DistinctQueries join(std::span<const KeyCounts> parts) {
  KeyCounts all;
  std::vector<std::uint32_t> number_of;  // of every key of every part, one after the other
  for (const KeyCounts& part : parts) {
    for (std::size_t i = 0; i < part.keys().size(); ++i) {
      number_of.push_back(all.add(part.keys()[i], 0, 0));
    }
  }
  const std::size_t size = all.keys().size();
  std::vector<std::uint32_t> sorted(size);
  std::iota(sorted.begin(), sorted.end(), std::uint32_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::ranges::lexicographical_compare(all.keys()[a], all.keys()[b]);
  });
  DistinctQueries result;
  std::vector<std::uint32_t> rank(size);
  for (std::size_t i = 0; i < size; ++i) {
    rank[sorted[i]] = static_cast<std::uint32_t>(i);
    result.keys.push_back(all.keys()[sorted[i]]);
  }
  // Occurrences by rank: count, add up, fill in.
  result.first_occurrence.assign(size + 1, 0);
  for (std::uint32_t& number : number_of) ++result.first_occurrence[(number = rank[number]) + 1];
  std::partial_sum(result.first_occurrence.begin(), result.first_occurrence.end(),
                   result.first_occurrence.begin());
  result.occurrences.resize(number_of.size());
  std::vector<std::size_t> next(result.first_occurrence.begin(), result.first_occurrence.end());
  std::size_t before = 0;  // keys of earlier parts
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (std::size_t i = 0; i < parts[k].keys().size(); ++i) {
      const DistinctQueries::Times& times = parts[k].times(i);
      result.occurrences[next[number_of[before + i]]++] = {
          static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(times.count),
          static_cast<std::uint32_t>(times.answered)};
    }
    for (const std::uint32_t i : parts[k].of_query) {
      result.of_query.push_back(number_of[before + i]);
    }
    before += parts[k].keys().size();
  }
  return result;
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

Checkpoints checkpoints_of(const Run& run) {
  const auto all = trajectory_checkpoints(run.rows.size());
  const std::int64_t begin = run.shard.begin(run.rows.size());
  const std::int64_t end = run.shard.end(run.rows.size());
  Checkpoints result;
  std::int64_t done = begin;
  for (std::size_t k = 0; k < all.size() && done < end; ++k) {
    if (all[k] <= done) continue;
    if (done == begin) result.first = k;
    done = std::min(all[k], end);
    result.ends.push_back(done - begin);
  }
  return result;
}

std::vector<DistinctQueries> count_distinct(const Run& run, std::span<const QueryKey> keys,
                                            const CountOptions& options) {
  validate(run);
  const std::vector<std::int64_t> ends = checkpoints_of(run).ends;
  const std::int64_t shard = run.shard.begin(run.rows.size());
  ProgressCounter read(options.progress, ends.empty() ? 0 : ends.back());
  std::vector<std::vector<KeyCounts>> parts(ends.size(), std::vector<KeyCounts>(keys.size()));
  parallel_for(ends.size(), options.threads, [&](std::size_t k) {
    count_part(run, shard + (k == 0 ? 0 : ends[k - 1]), shard + ends[k], keys, options, parts[k],
               read);
  });
  std::vector<DistinctQueries> result(keys.size());
  parallel_for(keys.size(), options.threads, [&](std::size_t c) {
    std::vector<KeyCounts> of_key;
    for (auto& part : parts) of_key.push_back(std::move(part[c]));
    result[c] = join(of_key);
  });
  return result;
}

DistinctQueries count_distinct(const Run& run, const QueryKey& key, const CountOptions& options) {
  return std::move(count_distinct(run, std::span(&key, 1), options).front());
}

void append_ordered(double x, std::vector<std::int32_t>& key) {
  auto bits = std::bit_cast<std::uint64_t>(x);
  // As signed numbers, negative doubles fall with their size.
  if (bits >> 63U != 0) bits ^= ~std::uint64_t{0} >> 1U;
  key.push_back(static_cast<std::int32_t>(bits >> 32U));
  key.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits) ^ kSignBit));
}

double ordered_number(std::span<const std::int32_t> two) {
  std::uint64_t bits = std::uint64_t{static_cast<std::uint32_t>(two[0])} << 32U |
                       (static_cast<std::uint32_t>(two[1]) ^ kSignBit);
  if (bits >> 63U != 0) bits ^= ~std::uint64_t{0} >> 1U;
  return std::bit_cast<double>(bits);
}

QueryKey sorted_histogram() {
  return {[](const QueryReader& reader, std::int64_t i, std::vector<std::int32_t>& key) {
    const auto histogram = reader.histogram(i);
    key.push_back(static_cast<std::int32_t>(reader.statistic(i)));
    key.insert(key.end(), histogram.begin(), histogram.end());
    std::sort(key.begin() + 1, key.end(), std::greater<>());
  }};
}

}  // namespace pate
