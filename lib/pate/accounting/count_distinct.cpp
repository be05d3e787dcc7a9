#include "pate/accounting/count_distinct.hpp"

#include <algorithm>
#include <bit>
#include <boost/sort/spreadsort/integer_sort.hpp>
#include <functional>
#include <iterator>
#include <utility>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/votes/fingerprint.hpp"

namespace pate {

namespace {

constexpr std::int64_t kCheckpoints = 20;
constexpr std::uint32_t kEmpty = static_cast<std::uint32_t>(-1);
constexpr std::uint32_t kSignBit = 0x80000000U;

// Most keys are short: no call for a comparison of memory.
bool same_key(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

KeyPrefix prefix_of(std::span<const std::int32_t> key) {
  const auto two = [&](std::size_t i) {
    const auto at = [&](std::size_t k) {
      return k < key.size() ? static_cast<std::uint32_t>(key[k]) ^ kSignBit : 0U;
    };
    return std::uint64_t{at(i)} << 32U | at(i + 1);
  };
  return {two(0), two(2)};
}

// The numbers of a key that is no longer than its prefix.
void take(const KeyPrefix& prefix, std::span<std::int32_t> key) {
  for (std::size_t i = 0; i < key.size(); ++i) {
    const std::uint64_t two = i < 2 ? prefix.first : prefix.second;
    key[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(i % 2 == 0 ? two >> 32U : two) ^
                                       kSignBit);
  }
}

// Counts the queries begin .. end - 1 of the selection, between two checkpoints, under all keys.
void count_part(const Run& run, std::int64_t begin, std::int64_t end,
                std::span<const QueryKey> keys, const CountOptions& options,
                std::span<KeyCounts> counts, ProgressCounter& read) {
  QueryReader reader(run, options.predictions);
  std::vector<std::int32_t> key;
  const std::int64_t shard = run.shard.begin(run.rows.size());
  const std::int64_t piece = reader.piece();
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
  for (KeyCounts& of_key : counts) of_key.sort();
}

}  // namespace

void KeyList::push_back(std::span<const std::int32_t> key) {
  numbers_.insert(numbers_.end(), key.begin(), key.end());
  ends_.push_back(numbers_.size());
}

KeyList::KeyList(std::size_t keys, std::size_t size) : numbers_(keys * size), ends_(keys) {
  for (std::size_t i = 0; i < keys; ++i) ends_[i] = (i + 1) * size;
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
  const auto tag = static_cast<std::uint32_t>(fingerprint(key));
  std::size_t slot = tag & (slots_.size() - 1);
  while (slots_[slot].number != kEmpty &&
         !(slots_[slot].tag == tag && same_key(keys_[slots_[slot].number], key))) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  if (slots_[slot].number == kEmpty) {
    slots_[slot] = {static_cast<std::uint32_t>(times_.size()), tag};
    if (times_.empty()) key_size_ = key.size();
    if (key_size_ != key.size()) key_size_.reset();
    keys_.push_back(key);
    times_.emplace_back();
  }
  const std::uint32_t number = slots_[slot].number;
  times_[number].count += count;
  times_[number].answered += answered;
  return number;
}

void KeyCounts::grow() {
  const std::vector<Slot> before = std::move(slots_);
  slots_.assign(std::max<std::size_t>(64, 2 * before.size()), {kEmpty, 0});
  for (const Slot& moved : before) {
    if (moved.number == kEmpty) continue;
    std::size_t slot = moved.tag & (slots_.size() - 1);
    while (slots_[slot].number != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = moved;
  }
}

void KeyCounts::sort() {
  if (sorted_.size() == times_.size()) return;
  sorted_.clear();
  sorted_.reserve(times_.size());
  for (std::size_t i = 0; i < times_.size(); ++i) {
    sorted_.push_back({prefix_of(keys_[i]), static_cast<std::uint32_t>(i)});
  }
  // By the first two numbers, then what is equal in them.
  boost::sort::spreadsort::integer_sort(
      sorted_.begin(), sorted_.end(),
      [](const Sorted& key, unsigned shift) { return key.prefix.first >> shift; },
      [](const Sorted& a, const Sorted& b) { return a.prefix.first < b.prefix.first; });
  const bool is_prefix = key_size_ && *key_size_ <= KeyPrefix::kNumbers;
  const auto is_before = [&](const Sorted& a, const Sorted& b) {
    if (is_prefix || a.prefix != b.prefix) return a.prefix < b.prefix;
    return std::ranges::lexicographical_compare(keys_[a.number], keys_[b.number]);
  };
  for (auto begin = sorted_.begin(); begin != sorted_.end();) {
    auto end = begin + 1;
    while (end != sorted_.end() && end->prefix.first == begin->prefix.first) ++end;
    std::sort(begin, end, is_before);
    begin = end;
  }
}

namespace {

struct Entry {
  KeyPrefix prefix;
  std::uint32_t part = 0, number = 0;
};

// Puts sorted parts together, range by range of their prefixes: each in its own place, so that
// neither how they are cut nor the number of threads matters.
class Join {
 public:
  explicit Join(std::span<KeyCounts> parts) : parts_(parts) {
    std::optional<std::size_t> of_first;
    bool one_size = true;
    std::size_t size = 0;
    const KeyCounts* largest = nullptr;
    for (const KeyCounts& part : parts) {
      if (part.keys().size() == 0) continue;
      if (!of_first) of_first = part.key_size();
      one_size = one_size && part.key_size() && part.key_size() == of_first;
      size += part.sorted().size();
      if (largest == nullptr || part.keys().size() > largest->keys().size()) largest = &part;
    }
    key_size_ = of_first.value_or(0);
    is_prefix_ = one_size && key_size_ <= KeyPrefix::kNumbers;
    // The largest part says where there are how many.
    std::vector<KeyPrefix> splits;
    const std::size_t wanted = size / kKeysPerRange;
    for (std::size_t r = 1; r < wanted; ++r) {
      const auto sorted = largest->sorted();
      const KeyPrefix split = sorted[sorted.size() * r / wanted].prefix;
      if (splits.empty() || splits.back() < split) splits.push_back(split);
    }
    for (std::size_t r = 0; r <= splits.size() + 1; ++r) {
      std::size_t before = 0;
      for (const KeyCounts& part : parts) {
        const auto sorted = part.sorted();
        std::size_t at = r == 0 ? 0 : sorted.size();
        if (r > 0 && r <= splits.size()) {
          const auto found =
              std::ranges::lower_bound(sorted, splits[r - 1], {}, &KeyCounts::Sorted::prefix);
          at = static_cast<std::size_t>(found - sorted.begin());
        }
        begins_.push_back(at);
        before += at;
      }
      firsts_.push_back(before);
    }
    entries_.resize(size);
    distinct_.resize(firsts_.size());
  }

  DistinctQueries join(unsigned threads) {
    parallel_for(ranges(), threads, [&](std::size_t r) { merge(r); });
    for (std::size_t r = 0; r < ranges(); ++r) distinct_[r + 1] += distinct_[r];
    DistinctQueries result;
    result.first_occurrence.resize(distinct_.back() + 1);
    result.first_occurrence.back() = entries_.size();
    result.occurrences.resize(entries_.size());
    if (is_prefix_) result.keys = KeyList(distinct_.back(), key_size_);
    ranks_.resize(parts_.size());
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      if (!parts_[k].of_query.empty()) ranks_[k].resize(parts_[k].keys().size());
    }
    parallel_for(ranges(), threads, [&](std::size_t r) { fill(r, result); });
    if (!is_prefix_) {
      for (std::size_t i = 0; i < distinct_.back(); ++i) {
        result.keys.push_back(key_of(entries_[result.first_occurrence[i]]));
      }
    }
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      for (const std::uint32_t number : parts_[k].of_query) {
        result.of_query.push_back(ranks_[k][number]);
      }
    }
    return result;
  }

 private:
  // So few that they stay in a cache.
  static constexpr std::size_t kKeysPerRange = 1 << 13;

  [[nodiscard]] std::size_t ranges() const { return firsts_.size() - 1; }
  [[nodiscard]] std::span<const std::int32_t> key_of(const Entry& entry) const {
    return parts_[entry.part].keys()[entry.number];
  }
  [[nodiscard]] bool is_before(const Entry& a, const Entry& b) const {
    if (is_prefix_ || a.prefix != b.prefix) return a.prefix < b.prefix;
    return std::ranges::lexicographical_compare(key_of(a), key_of(b));
  }
  [[nodiscard]] bool is_same(const Entry& a, const Entry& b) const {
    return a.prefix == b.prefix && (is_prefix_ || same_key(key_of(a), key_of(b)));
  }

  void merge(std::size_t r) {
    auto to = entries_.begin() + static_cast<std::ptrdiff_t>(firsts_[r]);
    std::vector<decltype(to)> ends{to};  // of the parts
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const std::size_t begin = begins_[r * parts_.size() + k];
      const std::size_t end = begins_[(r + 1) * parts_.size() + k];
      for (const KeyCounts::Sorted& key : parts_[k].sorted().subspan(begin, end - begin)) {
        *to++ = {key.prefix, static_cast<std::uint32_t>(k), key.number};
      }
      ends.push_back(to);
    }
    // Twice as many parts at a time; equal keys stay in the order of the parts.
    for (std::size_t width = 1; width < parts_.size(); width *= 2) {
      for (std::size_t k = 0; k + width < parts_.size(); k += 2 * width) {
        std::inplace_merge(ends[k], ends[k + width], ends[std::min(k + 2 * width, parts_.size())],
                           [&](const Entry& a, const Entry& b) { return is_before(a, b); });
      }
    }
    for (std::size_t i = firsts_[r]; i < firsts_[r + 1]; ++i)
      if (is_first(i, r)) ++distinct_[r + 1];
  }

  // Whether entry i of range r is the first of its key.
  [[nodiscard]] bool is_first(std::size_t i, std::size_t r) const {
    return i == firsts_[r] || !is_same(entries_[i - 1], entries_[i]);
  }

  void fill(std::size_t r, DistinctQueries& result) {
    std::size_t next = distinct_[r];
    for (std::size_t i = firsts_[r]; i < firsts_[r + 1]; ++i) {
      const Entry& entry = entries_[i];
      if (is_first(i, r)) {
        if (is_prefix_) take(entry.prefix, result.keys.at(next));
        result.first_occurrence[next++] = i;
      }
      const DistinctQueries::Times& times = parts_[entry.part].times(entry.number);
      result.occurrences[i] = {entry.part, static_cast<std::uint32_t>(times.count),
                               static_cast<std::uint32_t>(times.answered)};
      if (!ranks_[entry.part].empty()) {
        ranks_[entry.part][entry.number] = static_cast<std::uint32_t>(next - 1);
      }
    }
  }

  std::span<KeyCounts> parts_;
  std::size_t key_size_ = 0;
  bool is_prefix_ = false;             // a key is its prefix
  std::vector<std::size_t> begins_;    // by range, one past the last included, and part
  std::vector<std::size_t> firsts_;    // by range: of all parts' keys
  std::vector<std::size_t> distinct_;  // keys before a range
  std::vector<Entry> entries_;
  std::vector<std::vector<std::uint32_t>> ranks_;  // by part and number, if wanted
};

}  // namespace

DistinctQueries join(std::span<KeyCounts> parts, unsigned threads) {
  parallel_for(parts.size(), threads, [&](std::size_t k) { parts[k].sort(); });
  return Join(parts).join(threads);
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
  std::vector<DistinctQueries> result;
  for (std::size_t c = 0; c < keys.size(); ++c) {
    std::vector<KeyCounts> of_key;
    for (auto& part : parts) of_key.push_back(std::move(part[c]));
    result.push_back(join(of_key, options.threads));
  }
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
    key.push_back(static_cast<std::int32_t>(reader.statistic(i)));
    std::ranges::copy_if(reader.counts(i), std::back_inserter(key),
                         [](std::int32_t count) { return count > 0; });
    std::sort(key.begin() + 1, key.end(), std::greater<>());
  }};
}

}  // namespace pate
