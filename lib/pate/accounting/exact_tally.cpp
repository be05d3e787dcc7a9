#include "pate/accounting/exact_tally.hpp"

#include <algorithm>
#include <numeric>

#include "pate/parallel/parallel_for.hpp"

namespace pate {

namespace {

constexpr std::int64_t kPiece = 1024;

}  // namespace

ExactTally exact_tally(const Run& run, const ExactMechanism& mechanism, unsigned threads) {
  validate(run);
  const std::int64_t queries = run.rows.size();
  std::vector<GroupedVotes> all(static_cast<std::size_t>(queries));
  parallel_for(static_cast<std::size_t>((queries + kPiece - 1) / kPiece), threads,
               [&](std::size_t k) {
                 const std::int64_t begin = static_cast<std::int64_t>(k) * kPiece;
                 QueryReader reader(run);
                 reader.read(begin, std::min(kPiece, queries - begin));
                 for (std::int64_t i = 0; i < reader.size(); ++i) {
                   all[static_cast<std::size_t>(begin + i)] =
                       mechanism.group(reader.histogram(i), reader.scores(i));
                 }
               });
  std::vector<std::uint32_t> sorted(all.size());
  std::iota(sorted.begin(), sorted.end(), std::uint32_t{0});
  std::sort(sorted.begin(), sorted.end(),
            [&](std::uint32_t a, std::uint32_t b) { return all[a] < all[b]; });
  ExactTally result;
  result.of_query.resize(all.size());
  for (const std::uint32_t query : sorted) {
    if (result.distinct.empty() || result.distinct.back().votes != all[query]) {
      result.distinct.push_back({std::move(all[query]), 0});
    }
    ++result.distinct.back().count;
    result.of_query[query] = static_cast<std::uint32_t>(result.distinct.size() - 1);
  }
  return result;
}

}  // namespace pate
