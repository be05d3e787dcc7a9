#include "pate/release/curve/walk_table.hpp"

#include <algorithm>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/base/require.hpp"

namespace pate {

WalkTable::WalkTable(Question question, unsigned threads)
    : first_(question.first), last_(question.last), cells_(std::move(question.cells)) {
  std::reverse(cells_.begin(), cells_.end());
  const auto width = static_cast<std::size_t>(last_ - first_ + 1);
  std::vector<CostUnits> values(cells_.size() * width);
  parallel_for(cells_.size(), threads, [&](std::size_t cell) {
    const auto at = question.costs(cells_[cell]);
    for (std::size_t i = 0; i < width; ++i) {
      values[cell * width + i] = at(first_ + static_cast<std::int64_t>(i));
    }
  });
  for (std::size_t i = width; i < values.size(); ++i) {
    values[i] = std::max(values[i], values[i - width]);
  }
  set_rows(std::move(values));
}

WalkTable::WalkTable(StoredUnits& from) : first_(from.next()), last_(from.next()) {
  const auto cells = from.take(from.next());
  cells_.assign(cells.begin(), cells.end());
  // The product is of numbers that `take` would refuse alone.
  if (first_ < 0 || last_ < first_ || last_ > std::int64_t{1} << 31 || cells_.empty()) {
    throw parameter_error("the stored numbers are not those of a table of costs");
  }
  const auto values = from.take(width() * static_cast<std::int64_t>(cells_.size()));
  set_rows({values.begin(), values.end()});
}

void WalkTable::check(const Question& question, std::mt19937_64& random, int entries) const {
  require(
      first_ == question.first && last_ == question.last &&
          std::equal(cells_.rbegin(), cells_.rend(), question.cells.begin(), question.cells.end()),
      "the stored numbers are not of these counts and cells");
  const std::vector<CostUnits>& values = rows_.values();
  const auto size = static_cast<std::size_t>(width());
  for (std::size_t i = size; i < values.size(); ++i) {
    if (values[i] < values[i - size]) throw parameter_error("stored costs fall where q grows");
  }
  for (int entry = 0; entry < entries; ++entry) {
    const std::size_t i = random() % values.size();
    require_no_less(values[i],
                    question.costs(cells_[i / size])(first_ + static_cast<std::int64_t>(i % size)));
  }
}

void WalkTable::store(std::vector<CostUnits>& to) const {
  to.insert(to.end(), {first_, last_, static_cast<CostUnits>(cells_.size())});
  to.insert(to.end(), cells_.begin(), cells_.end());
  to.insert(to.end(), rows_.values().begin(), rows_.values().end());
}

void WalkTable::set_rows(std::vector<CostUnits> values) {
  largest_ = *std::max_element(values.end() - static_cast<std::ptrdiff_t>(width()), values.end());
  rows_ = {static_cast<std::size_t>(width()), std::move(values)};
}

std::vector<CostUnits> WalkTable::within(std::int64_t centre, std::size_t distances,
                                         std::span<const std::int64_t> values) const {
  std::vector<CostUnits> result;
  CostUnits running = 0;
  for (std::size_t d = 0; d < distances; ++d) {
    const auto reach = static_cast<std::int64_t>(d);
    std::size_t cell = cells_.size() - 1;
    if (!values.empty()) {
      cell = static_cast<std::size_t>(std::lower_bound(cells_.begin(), cells_.end(), values[d]) -
                                      cells_.begin());
    }
    const std::int64_t low = std::max(centre - reach, first_) - first_;
    const std::int64_t high = std::min(centre + reach, last_) - first_;
    if (low <= high) {
      running = std::max(running, rows_.largest(cell, static_cast<std::size_t>(low),
                                                static_cast<std::size_t>(high) + 1));
    }
    result.push_back(running);
  }
  return result;
}

}  // namespace pate
