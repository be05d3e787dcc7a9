#include "pate/votes/tables/votes_digest.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/base/digests.hpp"

namespace pate::io {

namespace {

constexpr std::int64_t kValuesPerPiece = 1 << 16;

void update(Sha256& digest, std::vector<std::int64_t>& values) {
  if constexpr (std::endian::native == std::endian::big) {
    for (std::int64_t& value : values)
      value = static_cast<std::int64_t>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
  }
  digest.update(std::as_bytes(std::span(values)));
}

}  // namespace

std::string votes_digest(const VoteSource& votes, const RowSelection& rows) {
  Sha256 digest;
  const std::int64_t classes = votes.classes();
  const bool empty = classes >= kClassesMostlyEmpty;
  std::vector<std::int64_t> wide{rows.size(), classes};
  if (empty) wide.push_back(-1);
  update(digest, wide);
  const std::int64_t values = empty ? std::max<std::int64_t>(1, votes.teachers()) : classes;
  const std::int64_t piece =
      rows.is_contiguous()
          ? std::max<std::int64_t>(1, kValuesPerPiece / std::max<std::int64_t>(1, values))
          : 1;
  std::vector<std::int32_t> counts;
  for (std::int64_t first = 0; first < rows.size(); first += piece) {
    const std::int64_t count = std::min(piece, rows.size() - first);
    if (empty) {
      wide.clear();
      for (const ClassVotes& voted : votes.read_voted(rows[first], count)) {
        wide.insert(wide.end(), {first + voted.query - rows[first], voted.id, voted.votes});
      }
    } else {
      counts.resize(static_cast<std::size_t>(count * classes));
      votes.read(rows[first], count, counts);
      wide.assign(counts.begin(), counts.end());
    }
    update(digest, wide);
  }
  return digest.hex_digest();
}

}  // namespace pate::io
