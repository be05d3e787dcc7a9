#include "pate/inspection/label_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "pate/inspection/headings.hpp"

namespace pate {

std::string what_rows_look_like(std::span<const std::int64_t> rows, const NumericTable& table,
                                const VoteSource& votes) {
  constexpr std::size_t kFewest = 4;
  if (table.description().dtype.ends_with("b1") || table.description().dtype == "bool") {
    return "a mask of the rows";
  }
  const std::vector<std::string> names = table.header().names;
  if (names.size() == 1 && heads_labels(names.front())) return "labels, by their heading";
  std::vector<std::int64_t> sorted(rows.begin(), rows.end());
  std::ranges::sort(sorted);
  if (sorted.size() < kFewest || sorted.back() >= votes.classes() || sorted.front() < -1) return {};
  if (sorted.front() == -1) return "released labels, with -1 for refused";
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  const bool as_many = static_cast<std::int64_t>(rows.size()) == votes.queries();
  // Row numbers hardly say a query twice, but a few may; of votes with no more queries than classes
  // any are so small.
  if (sorted.size() == rows.size()) return {};
  const bool may_repeat = rows.size() < kFewest * kFewest || votes.queries() <= votes.classes();
  if (!as_many && may_repeat && 2 * sorted.size() > rows.size()) return {};
  return as_many && sorted.size() <= 2 && sorted.back() <= 1
             ? "labels of two classes, or a mask of the rows"
             : "labels";
}

}  // namespace pate
