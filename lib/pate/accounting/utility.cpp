#include "pate/accounting/utility.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "pate/error.hpp"
#include "pate/math/compensated_sum.hpp"
#include "pate/mechanisms/outcomes.hpp"
#include "pate/parallel/parallel_for.hpp"

namespace pate {

namespace {

constexpr std::int64_t kPiece = 4096;

// What the probability of a right label depends on: the label's count first, then the other
// classes' counts in order. How often it occurs at each selection statistic.
using Counts = std::vector<std::int32_t>;
using Occurrences = std::map<Counts, std::map<std::int64_t, std::int64_t>>;

// Writes that to `key`; returns whether the plurality is the label.
bool make_key(std::span<const std::int32_t> histogram, std::int32_t label_id, Counts& key) {
  const auto label = static_cast<std::size_t>(label_id);
  key.assign(histogram.begin(), histogram.end());
  const auto top = std::max_element(key.begin(), key.end()) - key.begin();
  std::swap(key.front(), key[label]);
  std::sort(key.begin() + 1, key.end());
  return static_cast<std::size_t>(top) == label;
}

double right_probability(const Aggregator& aggregator, const Counts& key) {
  return std::visit([&](const auto& mechanism) { return outcome_probability(mechanism, key, 0); },
                    aggregator.noisy_max);
}

struct Piece {
  Occurrences occurrences;
  std::int64_t plurality_right = 0;
};

Piece read_piece(const Run& run, std::int64_t begin, std::int64_t end) {
  Piece piece;
  QueryReader reader(run);
  reader.read(begin, end - begin);
  Counts key;
  for (std::int64_t i = 0; i < reader.size(); ++i) {
    const std::int32_t label = (*run.labels)[static_cast<std::size_t>(reader.row(i))];
    if (make_key(reader.histogram(i), label, key)) ++piece.plurality_right;
    ++piece.occurrences[key][reader.statistic(i)];
  }
  return piece;
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

UtilityTally tally_utility(const Run& run, unsigned threads) {
  validate(run);
  if (!run.labels) throw parameter_error("utility needs true labels");
  const std::int64_t first = run.shard.begin(run.rows.size());
  const std::int64_t last = run.shard.end(run.rows.size());
  UtilityTally result;
  result.queries = last - first;
  std::vector<Piece> pieces(static_cast<std::size_t>((result.queries + kPiece - 1) / kPiece));
  parallel_for(pieces.size(), threads, [&](std::size_t k) {
    const std::int64_t begin = first + static_cast<std::int64_t>(k) * kPiece;
    pieces[k] = read_piece(run, begin, std::min(begin + kPiece, last));
  });
  Occurrences all;
  for (Piece& piece : pieces) {
    result.plurality_right += piece.plurality_right;
    for (const auto& [counts, statistics] : piece.occurrences) {
      for (const auto& [v, count] : statistics) all[counts][v] += count;
    }
    piece.occurrences.clear();
  }

  std::vector<const Counts*> distinct;
  for (const auto& entry : all) distinct.push_back(&entry.first);
  std::vector<double> right(distinct.size());
  parallel_for(distinct.size(), threads,
               [&](std::size_t i) { right[i] = right_probability(run.aggregator, *distinct[i]); });
  std::size_t i = 0;
  for (const auto& [counts, statistics] : all) {
    for (const auto& [v, count] : statistics) result.kinds.push_back({right[i], v, count});
    ++i;
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
  return utility(tally_utility(run, threads), run.aggregator);
}

std::vector<LabelledQuery> labelled_queries(const Run& run, unsigned threads) {
  validate(run);
  if (!run.labels) throw parameter_error("utility needs true labels");
  const std::int64_t queries = run.rows.size();
  std::vector<LabelledQuery> result(static_cast<std::size_t>(queries));
  std::map<Counts, std::vector<std::size_t>> queries_of;
  Counts key;
  QueryReader reader(run);
  for (std::int64_t begin = 0; begin < queries; begin += kPiece) {
    reader.read(begin, std::min(kPiece, queries - begin));
    for (std::int64_t i = 0; i < reader.size(); ++i) {
      make_key(reader.histogram(i), (*run.labels)[static_cast<std::size_t>(reader.row(i))], key);
      result[static_cast<std::size_t>(begin + i)].statistic = reader.statistic(i);
      queries_of[key].push_back(static_cast<std::size_t>(begin + i));
    }
  }
  std::vector<decltype(queries_of)::const_pointer> distinct;
  for (const auto& entry : queries_of) distinct.push_back(&entry);
  parallel_for(distinct.size(), threads, [&](std::size_t i) {
    const double right = right_probability(run.aggregator, distinct[i]->first);
    for (const std::size_t query : distinct[i]->second) result[query].right = right;
  });
  return result;
}

}  // namespace pate
