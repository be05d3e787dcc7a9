#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace pate {

/// The votes of an ensemble, query by query: for every query the histogram of how many teachers
/// voted for each class. Where the votes come from (counts, predictions, a mapped file) does not
/// show here.
///
/// Every histogram is checked when it is read: no negative count and the same number of votes,
/// `teachers()`, in every row. Reading is thread safe.
class VoteSource {
 public:
  VoteSource() = default;
  VoteSource(const VoteSource&) = delete;
  VoteSource& operator=(const VoteSource&) = delete;
  virtual ~VoteSource() = default;

  /// The name of the underlying table, for messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual std::int64_t queries() const = 0;
  [[nodiscard]] virtual std::int64_t classes() const = 0;
  /// Votes per query, M; 0 when there are no queries.
  [[nodiscard]] virtual std::int64_t teachers() const = 0;

  /// Writes the histograms of queries `first .. first + count - 1` to `out`, row-major,
  /// `count * classes()` numbers. Throws `input_error` naming file, row, column and value.
  virtual void read(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const = 0;
};

}  // namespace pate
