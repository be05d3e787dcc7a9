#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pate/accounting/run.hpp"
#include "pate/base/parallel/parallel_for.hpp"

namespace pate {

/// Sequences of numbers, one after the other in memory.
class KeyList {
 public:
  KeyList() = default;
  /// Keys of one size, all zeros.
  KeyList(std::size_t keys, std::size_t size);

  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::span<const std::int32_t> operator[](std::size_t i) const {
    return std::span(numbers_).subspan(begin(i), ends_[i] - begin(i));
  }
  [[nodiscard]] std::span<std::int32_t> at(std::size_t i) {
    return std::span(numbers_).subspan(begin(i), ends_[i] - begin(i));
  }
  void push_back(std::span<const std::int32_t> key);

 private:
  [[nodiscard]] std::size_t begin(std::size_t i) const { return i == 0 ? 0 : ends_[i - 1]; }

  std::vector<std::int32_t> numbers_;
  std::vector<std::size_t> ends_;
};

/// How often something occurs in a run between the checkpoint before and this one.
struct Occurrence {
  std::uint32_t checkpoint = 0;
  std::uint32_t count = 0;
  std::uint32_t answered = 0;  ///< of these, answered in the run (with decisions)
};

/// What `count_distinct` finds of one key.
struct DistinctQueries {
  KeyList keys;  ///< in lexicographic order, all different
  /// Those of key i are occurrences[first_occurrence[i]] up to, not including,
  /// occurrences[first_occurrence[i + 1]], by increasing checkpoint.
  std::vector<std::size_t> first_occurrence;
  std::vector<Occurrence> occurrences;
  /// Position in `keys`, by position in the selection; empty unless it was asked for.
  std::vector<std::uint32_t> of_query;

  /// How often key i occurs in all.
  struct Times {
    std::int64_t count = 0;
    std::int64_t answered = 0;
  };
  [[nodiscard]] Times times(std::size_t i) const;
};

/// The first four numbers of a key, of one order with keys: by them they are mostly in order
/// already, and keys of no more, all of one size, are.
struct KeyPrefix {
  static constexpr std::size_t kNumbers = 4;
  std::uint64_t first = 0, second = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): it takes the 0 of a comparison for a pointer.
  friend auto operator<=>(const KeyPrefix&, const KeyPrefix&) = default;
};

/// Keys that are counted, for queries between two checkpoints.
class KeyCounts {
 public:
  /// Counts a key that occurs `count` more times, `answered` of them answered; returns its number.
  std::uint32_t add(std::span<const std::int32_t> key, std::int64_t count, std::int64_t answered);

  [[nodiscard]] const KeyList& keys() const { return keys_; }
  [[nodiscard]] const DistinctQueries::Times& times(std::size_t i) const { return times_[i]; }

  /// The keys in lexicographic order, by their numbers; `sort` must have been called since the last
  /// `add`.
  struct Sorted {
    KeyPrefix prefix;
    std::uint32_t number = 0;
  };
  void sort();
  [[nodiscard]] std::span<const Sorted> sorted() const { return sorted_; }
  /// The size of all keys, nothing if they differ; without any of no meaning.
  [[nodiscard]] std::optional<std::size_t> key_size() const { return key_size_; }

  /// Numbers of keys, query by query; filled in by who wants them.
  std::vector<std::uint32_t> of_query;

 private:
  struct Slot {
    std::uint32_t number, tag;  // tag: of the key's fingerprint
  };
  void grow();

  std::optional<std::size_t> key_size_ = 0;
  KeyList keys_;  // in the order in which they came
  std::vector<DistinctQueries::Times> times_;
  std::vector<Slot> slots_;  // a power of two of them, linear probing
  std::vector<Sorted> sorted_;
};

/// Puts the counts between all checkpoints together; sorts them first where they are not. threads:
/// 0 for all processors; they change nothing of the result.
[[nodiscard]] DistinctQueries join(std::span<KeyCounts> parts, unsigned threads);

/// The numbers of queries at which a trajectory of a run of `queries` is told: about 20.
[[nodiscard]] std::vector<std::int64_t> trajectory_checkpoints(std::int64_t queries);

/// Those that concern a shard, and its end.
struct Checkpoints {
  std::size_t first = 0;           ///< which of the whole run's is the first here
  std::vector<std::int64_t> ends;  ///< counted from the first query of the shard
};
[[nodiscard]] Checkpoints checkpoints_of(const Run& run);

/// What tells queries apart: appends numbers to `key` for the i-th query of the reader's piece.
/// What is not told apart need not be kept: a coarse key bounds the memory of a count.
struct QueryKey {
  std::function<void(const QueryReader& reader, std::int64_t i, std::vector<std::int32_t>& key)>
      append;
  bool by_query = false;  ///< fill in `of_query`
};

struct CountOptions {
  unsigned threads = 0;            ///< 0: all processors; changes nothing of the result
  ProgressCallback progress = {};  ///< queries that were read
  /// The run's votes, where `visit` wants to know who voted for what, or null.
  const PredictionVotes* predictions = nullptr;
  /// Called for every piece that was read, several at a time; `first` is the position of its first
  /// query, counted from the first of the shard.
  std::function<void(const QueryReader& reader, std::int64_t first)> visit = {};
};

/// Reads the votes of a run, of a shard only its queries, once, and counts its distinct queries
/// under each of the keys.
///
/// Throws what `validate(run)` and reading the votes throw; of several faulty rows the first is
/// reported. Memory: for every key one entry per distinct query and checkpoint, and 4 bytes a query
/// with `by_query`. Fewer than 2^32 queries between two checkpoints, and in all with `by_query`.
[[nodiscard]] std::vector<DistinctQueries> count_distinct(const Run& run,
                                                          std::span<const QueryKey> keys,
                                                          const CountOptions& options);

/// The same under one key.
[[nodiscard]] DistinctQueries count_distinct(const Run& run, const QueryKey& key,
                                             const CountOptions& options);

/// Sorts by a key of the items; those with equal keys become one, their counts added up.
template <class Item, class Key>
void sort_and_join(std::vector<Item>& items, const Key& key) {
  std::ranges::sort(items, {}, key);
  std::vector<Item> joined;
  for (Item& item : items) {
    if (!joined.empty() && std::invoke(key, joined.back()) == std::invoke(key, item)) {
      joined.back().count += item.count;
    } else {
      joined.push_back(std::move(item));
    }
  }
  items = std::move(joined);
}

/// Appends a number as two, in such a way that numbers and keys have the same order. No NaN, no -0.
void append_ordered(double x, std::vector<std::int32_t>& key);
/// The number that was appended first..first + 1.
[[nodiscard]] double ordered_number(std::span<const std::int32_t> two);

/// The key of what no aggregator without a student tells apart: the statistic, and the counts of
/// the histogram that are not zero in decreasing order.
[[nodiscard]] QueryKey sorted_histogram();

}  // namespace pate
