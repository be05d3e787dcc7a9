#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "pate/mechanisms/neighbours.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "pate/mechanisms/threshold_check.hpp"
#include "pate/numerics/bernoulli_pair.hpp"

namespace pate {

/// What decides whether a query is answered.
using AnswerRule = std::variant<ThresholdCheck, StabilityTest>;

[[nodiscard]] double log_answered(const AnswerRule& rule, std::int64_t v);
[[nodiscard]] double log_refused(const AnswerRule& rule, std::int64_t v);

/// The answers of a rule at consecutive values of its statistic, and the comparison of each value
/// with the furthest of its neighbours: all that does not depend on the order, computed once.
/// What lies between a value and the furthest costs less than one of the two
/// (`JointCost`).
class AnswerTable {
 public:
  /// Covers lowest..highest and their neighbours within 0..teachers, or above where teachers are
  /// added. Domain: 0 <= lowest <= highest <= teachers.
  AnswerTable(const AnswerRule& rule, const Neighbours& neighbours, std::int64_t lowest,
              std::int64_t highest, std::int64_t teachers);
  /// Covers first..last and none beside; also of statistics less a threshold, which may be < 0.
  AnswerTable(const AnswerRule& rule, const Neighbours& neighbours, std::int64_t first,
              std::int64_t last);

  [[nodiscard]] const AnswerRule& rule() const { return rule_; }
  /// For what knows threshold checks only: throws `std::bad_variant_access` for a stability test.
  [[nodiscard]] const ThresholdCheck& check() const { return std::get<ThresholdCheck>(rule_); }
  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t last() const {
    return first_ + static_cast<std::int64_t>(log_answered_.size()) - 1;
  }
  [[nodiscard]] double log_answered(std::int64_t v) const { return log_answered_[index(v)]; }
  [[nodiscard]] double log_refused(std::int64_t v) const { return log_refused_[index(v)]; }
  [[nodiscard]] const Neighbours& neighbours() const { return neighbours_; }
  /// How far a neighbour's statistic may be: S votes.
  [[nodiscard]] std::int64_t reach() const { return neighbours_.teachers; }
  /// The answer at max(v, first()) compared with that at min(v + S, last());
  /// first() - S < v < last().
  [[nodiscard]] const LogBernoulliPair& step(std::int64_t v) const {
    return steps_[static_cast<std::size_t>(v - first_ + reach() - 1)];
  }

 private:
  [[nodiscard]] std::size_t index(std::int64_t v) const {
    return static_cast<std::size_t>(v - first_);
  }

  AnswerRule rule_;
  Neighbours neighbours_;
  std::int64_t first_;
  std::vector<double> log_answered_, log_refused_;
  std::vector<LogBernoulliPair> steps_;
};

}  // namespace pate
