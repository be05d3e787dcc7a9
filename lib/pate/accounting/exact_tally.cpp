#include "pate/accounting/exact_tally.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "pate/parallel/parallel_for.hpp"
#include "pate/votes/fingerprint.hpp"

namespace pate {

namespace {

constexpr std::int64_t kPiece = 1024;
// Pieces that are read, by all threads, before they are merged: what memory holds beside the
// distinct queries.
constexpr std::int64_t kPiecesAtOnce = 64;

struct HashGroups {
  std::size_t operator()(const GroupedVotes& votes) const {
    std::uint64_t hash = mix_bits(static_cast<std::uint64_t>(votes.statistic));
    for (const VoteGroup& group : votes.groups) {
      const auto count = static_cast<std::uint64_t>(group.count);
      hash = mix_bits(hash ^ (count << 32U | static_cast<std::uint64_t>(group.classes)));
      hash += static_cast<std::uint64_t>(group.place);
    }
    return static_cast<std::size_t>(hash);
  }
};

// The queries begin .. end - 1 of the selection.
std::vector<GroupedVotes> read_piece(const Run& run, const ExactMechanism& mechanism,
                                     std::int64_t begin, std::int64_t end) {
  std::vector<GroupedVotes> piece;
  QueryReader reader(run);
  reader.read(begin, end - begin);
  for (std::int64_t i = 0; i < reader.size(); ++i) {
    piece.push_back(mechanism.group(reader.histogram(i), reader.scores(i)));
  }
  return piece;
}

}  // namespace

ExactTally exact_tally(const Run& run, const ExactMechanism& mechanism, unsigned threads,
                       bool with_queries) {
  validate(run);
  const std::int64_t first_query = run.shard.begin(run.rows.size());
  const std::int64_t last = run.shard.end(run.rows.size());
  const std::int64_t pieces = (last - first_query + kPiece - 1) / kPiece;
  std::unordered_map<GroupedVotes, std::uint32_t, HashGroups> found;  // by first occurrence
  std::vector<std::int64_t> counts;
  std::vector<std::uint32_t> of_query;
  for (std::int64_t first = 0; first < pieces; first += kPiecesAtOnce) {
    std::vector<std::vector<GroupedVotes>> read(
        static_cast<std::size_t>(std::min(kPiecesAtOnce, pieces - first)));
    parallel_for(read.size(), threads, [&](std::size_t k) {
      const std::int64_t begin = first_query + (first + static_cast<std::int64_t>(k)) * kPiece;
      read[k] = read_piece(run, mechanism, begin, std::min(begin + kPiece, last));
    });
    for (std::vector<GroupedVotes>& piece : read) {
      for (GroupedVotes& votes : piece) {
        const auto at =
            found.try_emplace(std::move(votes), static_cast<std::uint32_t>(counts.size())).first;
        if (at->second == counts.size()) counts.push_back(0);
        ++counts[at->second];
        if (with_queries) of_query.push_back(at->second);
      }
    }
  }
  // The canonical order does not depend on where a query occurs first.
  ExactTally result;
  std::vector<std::uint32_t> numbers;
  while (!found.empty()) {
    auto node = found.extract(found.begin());
    result.distinct.push_back({std::move(node.key()), counts[node.mapped()]});
    numbers.push_back(node.mapped());
  }
  std::vector<std::uint32_t> sorted(numbers.size());
  std::iota(sorted.begin(), sorted.end(), std::uint32_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    return result.distinct[a].votes < result.distinct[b].votes;
  });
  std::vector<ExactQuery> canonical;
  std::vector<std::uint32_t> rank(numbers.size());
  for (const std::uint32_t i : sorted) {
    rank[numbers[i]] = static_cast<std::uint32_t>(canonical.size());
    canonical.push_back(std::move(result.distinct[i]));
  }
  result.distinct = std::move(canonical);
  for (std::uint32_t& query : of_query) query = rank[query];
  result.of_query = std::move(of_query);
  return result;
}

}  // namespace pate
