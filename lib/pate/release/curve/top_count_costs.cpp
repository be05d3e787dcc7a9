#include "pate/release/curve/top_count_costs.hpp"

#include <algorithm>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/keys/random_key.hpp"
#include "pate/numerics/whole_division.hpp"
#include "pate/release/curve/move_excesses.hpp"
#include "pate/release/curve/three_key_costs.hpp"

namespace pate {

namespace {

// So that there are at most so many cells of (v, x2): about M^2/4 divided by it.
constexpr std::int64_t kMaxTwoKeys = 4'000'000;
std::int64_t cell_for(std::int64_t teachers) {
  return std::max<std::int64_t>(1, ceil_divide(teachers * teachers / 4, kMaxTwoKeys));
}

}  // namespace

KeyCosts::KeyCosts(const TiltedCost& cost, Keys keys, std::int64_t step, std::int64_t cell)
    : teachers_(cost.teachers() / step),
      least_(ceil_divide(teachers_, cost.classes())),
      step_(step),
      three_(keys == Keys::three ||
             (keys == Keys::automatic && cost.teachers() <= kMaxTeachersOfThreeKeys)),
      cell_(three_     ? 1
            : cell > 0 ? cell
                       : cell_for(teachers_)) {
  require(three_ || cost.moved() <= 1, "costs of several votes that move have three keys");
  for (std::int64_t v = least_; v <= teachers_; ++v) {
    Table& table = tables_.emplace_back(empty_table(v));
    table.values.assign(static_cast<std::size_t>(table.rows * table.columns), kNoKey);
  }
}

KeyCosts::KeyCosts(const TiltedCost& cost, Keys keys, unsigned threads,
                   const ProgressCallback& progress, std::int64_t step, std::int64_t cell)
    : KeyCosts(cost, keys, step, cell) {
  if (three_) {
    compute_three_keys({&cost, 1}, {this, 1}, threads, progress);
  } else {
    compute_two_keys({&cost, 1}, {this, 1}, threads, progress);
  }
  index();
}

std::vector<KeyCosts> KeyCosts::at_orders(std::span<const TiltedCost> costs, unsigned threads,
                                          const ProgressCallback& progress) {
  std::vector<KeyCosts> result;
  if (costs.empty()) return result;
  for (const TiltedCost& cost : costs) result.push_back(KeyCosts(cost, Keys::automatic, 1, 0));
  if (result.front().three_keys()) {
    compute_three_keys(costs, result, threads, progress);
  } else {
    compute_two_keys(costs, result, threads, progress);
  }
  for (KeyCosts& keys : result) keys.index();
  return result;
}

KeyCosts::KeyCosts(std::int64_t teachers, std::int64_t classes, StoredUnits& from)
    : teachers_(teachers),
      least_(ceil_divide(teachers, classes)),
      step_(1),
      three_(teachers <= kMaxTeachersOfThreeKeys),
      cell_(three_ ? 1 : cell_for(teachers)) {
  for (std::int64_t v = least_; v <= teachers_; ++v) {
    Table& table = tables_.emplace_back(empty_table(v));
    const auto values = from.take(table.rows * table.columns);
    table.values.assign(values.begin(), values.end());
  }
  index();
}

void KeyCosts::check(const TiltedCost& cost, std::mt19937_64& random, int entries) const {
  check_rising();
  for (int i = 0; i < entries; ++i) {
    if (three_) {
      check_three_keys(cost, random);
    } else {
      check_two_keys(cost, random);
    }
  }
}

void KeyCosts::check_rising() const {
  const auto require = [](bool rises) {
    if (!rises) throw parameter_error("stored costs fall where the counts behind the top one grow");
  };
  for (const Table& table : tables_) {
    for (std::int64_t s = 0; s < table.rows; ++s) {
      for (std::int64_t x = 0; x < table.columns; ++x) {
        const CostUnits here = table.at(s, x);
        require(here >= kNoKey && (s == 0 || here >= table.at(s - 1, x)) &&
                (x == 0 || here >= table.at(s, x - 1)));
      }
    }
  }
}

void KeyCosts::check_three_keys(const TiltedCost& cost, std::mt19937_64& random) const {
  const std::int64_t v = random_integer(random, least_, teachers_);
  const auto [x2, x3] = random_counts_behind(random, v, teachers_, cost.classes());
  CostUnits computed = units_far_behind(cost, v, v - x2);
  if (computed == kNoKey) {
    computed = units_of_excess(cost, three_key_moves(cost, v, x2, x3).largest_joint());
  }
  require_no_less(tables_[static_cast<std::size_t>(v - least_)].at(x2 + x3, x2), computed);
}

void KeyCosts::check_two_keys(const TiltedCost& cost, std::mt19937_64& random) const {
  const std::int64_t v = random_integer(random, least_, teachers_);
  const std::int64_t least = ceil_divide(teachers_ - v, cost.classes() - 1);
  const std::int64_t x2 = random_integer(random, least, std::min(v, teachers_ - v));
  // The cell has the cost of the most costly of its keys, and this is one of them.
  CostUnits computed = units_far_behind(cost, v, v - x2);
  if (computed == kNoKey) {
    computed = units_of_excess(
        cost, two_key_moves(cost, v, x2, cost.teachers() - v - x2, cell_ > 1).largest_joint());
  }
  require_no_less(tables_[static_cast<std::size_t>(v - least_)].at(0, column(v, x2)), computed);
}

void KeyCosts::store(std::vector<CostUnits>& to) const {
  for (const Table& table : tables_) to.insert(to.end(), table.values.begin(), table.values.end());
}

KeyCosts::Table KeyCosts::empty_table(std::int64_t v) const {
  const std::int64_t rest = teachers_ - v;
  if (three_) return {rest + 1, std::min(v, rest) + 1, {}};
  return {1, column(v, std::min(v, rest)) + 1, {}};
}

void KeyCosts::index() {
  for (const Table& table : tables_) largest_ = std::max(largest_, table.values.back());
  if (!three_) index_two_keys();
}

void KeyCosts::compute_three_keys(std::span<const TiltedCost> costs, std::span<KeyCosts> to,
                                  unsigned threads, const ProgressCallback& progress) {
  const ThreeKeyCosts computed(costs);
  const std::int64_t teachers = to.front().teachers_;
  const std::int64_t least = to.front().least_;
  const std::int64_t m = costs.front().classes();
  ProgressCounter counter(progress, teachers - least + 1);
  parallel_for(static_cast<std::size_t>(teachers - least + 1), threads, [&](std::size_t task) {
    const std::int64_t s = least + static_cast<std::int64_t>(task);
    const std::int64_t rest = teachers - s;
    const std::int64_t lowest = std::max(least, ceil_divide(s, 2));
    ThreeKeyCosts::Scratch scratch(computed);
    std::vector<CostUnits> units;
    // The third counts that some histogram has.
    const std::int64_t first = m == 2 ? 0 : ceil_divide(rest, m - 2);
    for (std::int64_t x3 = first; x3 <= rest && s - x3 >= lowest; ++x3) {
      if (m == 2 && rest > 0) break;
      const std::int64_t last = s - x3;
      units.resize(static_cast<std::size_t>(last - lowest + 1) * to.size());
      computed.compute(s, x3, lowest, last, scratch, units);
      auto its = units.begin();
      for (std::int64_t v = lowest; v <= last; ++v) {
        for (KeyCosts& keys : to) {
          Table& table = keys.tables_[static_cast<std::size_t>(v - least)];
          table.values[static_cast<std::size_t>((s - v + x3) * table.columns + (s - v))] = *its++;
        }
      }
    }
    counter.add(1);
  });
  parallel_for(to.size(), threads, [&](std::size_t i) {
    for (Table& table : to[i].tables_) make_rising(table);
  });
}

void KeyCosts::make_rising(Table& table) {
  const auto value = [&](std::int64_t s, std::int64_t x) -> CostUnits& {
    return table.values[static_cast<std::size_t>(s * table.columns + x)];
  };
  for (std::int64_t s = 0; s < table.rows; ++s) {
    for (std::int64_t x = 0; x < table.columns; ++x) {
      CostUnits& here = value(s, x);
      if (s > 0) here = std::max(here, value(s - 1, x));
      if (x > 0) here = std::max(here, value(s, x - 1));
    }
  }
}

std::int64_t KeyCosts::column(std::int64_t v, std::int64_t x2) const {
  return ceil_divide(v + x2, cell_) - ceil_divide(v, cell_);
}

bool KeyCosts::has_cells(std::int64_t teachers) {
  return teachers <= kMaxTeachersOfThreeKeys || cell_for(teachers) == 1;
}

double KeyCosts::table_memory(std::int64_t teachers) {
  const bool three = teachers <= kMaxTeachersOfThreeKeys;
  double numbers = 0.0;
  for (std::int64_t v = 0; v <= teachers; ++v) {
    const auto columns = static_cast<double>(std::min(v, teachers - v) + 1);
    numbers += three ? columns * static_cast<double>(teachers - v + 1) : columns;
  }
  if (!three) numbers /= static_cast<double>(cell_for(teachers));
  return numbers * sizeof(CostUnits);
}

double KeyCosts::memory(std::int64_t teachers) {
  if (teachers <= kMaxTeachersOfThreeKeys) return 0.0;
  const std::int64_t columns = teachers / 2 + 1 + ceil_divide(teachers, cell_for(teachers)) + 1;
  double rows = 0.0;
  for (const std::int64_t size : kBlockSizes) {
    const std::int64_t blocks = teachers / size + 1;
    rows += static_cast<double>(blocks);
  }
  return rows * static_cast<double>(columns) * sizeof(CostUnits);
}

std::vector<CostUnits> KeyCosts::within(std::span<const std::int32_t> counts,
                                        std::size_t distances) const {
  const std::int64_t v = counts[0];
  const std::int64_t x2 = counts[1];
  const auto all = static_cast<std::size_t>(teachers_ + 1);
  std::vector<CostUnits> result(std::min(distances, all), kNoKey);
  const auto raise = [&](std::int64_t d, CostUnits value) {
    CostUnits& at = result[static_cast<std::size_t>(d)];
    at = std::max(at, value);
  };
  if (three_) {
    const std::int64_t x23 = x2 + (counts.size() > 2 ? counts[2] : 0);
    for (std::int64_t w = least_; w <= teachers_; ++w) {
      const Table& table = tables_[static_cast<std::size_t>(w - least_)];
      const std::int64_t nearest = std::abs(w - v);
      const std::int64_t given = std::max<std::int64_t>(w - v, 0);
      for (std::int64_t d = nearest; d < static_cast<std::int64_t>(result.size()); ++d) {
        const std::int64_t s = std::min(x23 + d - given, table.rows - 1);
        const std::int64_t x = std::min(x2 + d - given, table.columns - 1);
        raise(d, table.at(s, x));
        if (s == table.rows - 1 && x == table.columns - 1) break;
      }
    }
  } else {
    within_two_keys(v, x2, result);
  }
  for (std::size_t d = 1; d < result.size(); ++d) result[d] = std::max(result[d], result[d - 1]);
  if (result.size() == all) result.back() = largest_;
  return result;
}

}  // namespace pate
