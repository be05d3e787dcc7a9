#include "pate/release/collect_votes.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "pate/error.hpp"

namespace pate {

namespace {

constexpr std::int64_t kValuesPerPiece = 1 << 16;

// Distinct queries in the order of their first occurrence, found by hashing with linear probing.
class DistinctQueries {
 public:
  explicit DistinctQueries(std::int64_t classes) { profile_.classes = classes; }

  VoteProfile::Query& find_or_add(std::int64_t statistic, std::span<const std::int32_t> sorted) {
    if (2 * (profile_.distinct.size() + 1) > slots_.size()) grow();
    std::size_t slot = first_slot(statistic, sorted);
    for (; slots_[slot] != kEmpty; slot = (slot + 1) & (slots_.size() - 1)) {
      VoteProfile::Query& query = profile_.distinct[slots_[slot]];
      if (query.statistic == statistic &&
          std::ranges::equal(profile_.histogram(slots_[slot]), sorted)) {
        return query;
      }
    }
    slots_[slot] = profile_.distinct.size();
    profile_.distinct.push_back({statistic, 0.0, 0, 0});
    profile_.counts.insert(profile_.counts.end(), sorted.begin(), sorted.end());
    return profile_.distinct.back();
  }
  [[nodiscard]] const VoteProfile& found() const { return profile_; }

 private:
  static constexpr std::size_t kEmpty = static_cast<std::size_t>(-1);

  [[nodiscard]] std::size_t first_slot(std::int64_t statistic,
                                       std::span<const std::int32_t> sorted) const {
    std::uint64_t hash = static_cast<std::uint64_t>(statistic) * 0x9e3779b97f4a7c15U;
    for (const std::int32_t votes : sorted) {
      hash = (hash ^ static_cast<std::uint32_t>(votes)) * 0xd6e8feb86659fd93U;
      hash ^= hash >> 32U;
    }
    return hash & (slots_.size() - 1);
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), kEmpty);
    for (std::size_t i = 0; i < profile_.distinct.size(); ++i) {
      std::size_t slot = first_slot(profile_.distinct[i].statistic, profile_.histogram(i));
      while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = i;
    }
  }

  VoteProfile profile_;
  std::vector<std::size_t> slots_;
};

// The queries found, by statistic and then histogram.
void append_sorted(const VoteProfile& found, VoteProfile& votes) {
  std::vector<std::size_t> order(found.distinct.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto v = found.distinct[a].statistic;
    const auto w = found.distinct[b].statistic;
    return v != w ? v < w
                  : std::ranges::lexicographical_compare(found.histogram(a), found.histogram(b));
  });
  for (const std::size_t i : order) {
    votes.distinct.push_back(found.distinct[i]);
    const auto histogram = found.histogram(i);
    votes.counts.insert(votes.counts.end(), histogram.begin(), histogram.end());
  }
}

}  // namespace

VoteProfile collect_votes(const Run& run) {
  validate(run);
  VoteProfile votes;
  votes.aggregator = run.aggregator;
  votes.teachers = run.votes.teachers();
  votes.classes = run.votes.classes();
  votes.queries = run.rows.size();
  votes.has_decisions = run.decisions.has_value();
  if (votes.classes < 2) {
    throw parameter_error("a release needs votes over at least two classes, got one");
  }
  DistinctQueries distinct(votes.classes);
  QueryReader reader(run);
  const std::int64_t piece = std::max<std::int64_t>(1, kValuesPerPiece / votes.classes);
  std::vector<std::int32_t> sorted;
  for (std::int64_t first = 0; first < votes.queries; first += piece) {
    reader.read(first, std::min(piece, votes.queries - first));
    for (std::int64_t i = 0; i < reader.size(); ++i) {
      const auto histogram = reader.histogram(i);
      sorted.assign(histogram.begin(), histogram.end());
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      VoteProfile::Query& query = distinct.find_or_add(reader.statistic(i), sorted);
      ++query.count;
      if (run.decisions && (*run.decisions)[static_cast<std::size_t>(reader.row(i))] != 0) {
        ++query.answered;
        ++votes.answered;
      }
    }
  }
  append_sorted(distinct.found(), votes);
  const UnionBoundTable table = union_bound_table(run.aggregator, votes.teachers);
  for (std::size_t i = 0; i < votes.distinct.size(); ++i) {
    votes.distinct[i].log_q = table.log_q(votes.histogram(i));
  }
  return votes;
}

}  // namespace pate
