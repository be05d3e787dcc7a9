#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/math/bernoulli.hpp"
#include "pate/mechanisms/threshold_check.hpp"

namespace pate {

/// The answers of a threshold check at consecutive values of the selection statistic and the
/// comparison of each value with the next: all that does not depend on the order, computed once.
class AnswerLadder {
 public:
  /// Covers lowest..highest and their neighbours within 0..teachers.
  /// Domain: 0 <= lowest <= highest <= teachers.
  AnswerLadder(const ThresholdCheck& check, std::int64_t lowest, std::int64_t highest,
               std::int64_t teachers);

  [[nodiscard]] const ThresholdCheck& check() const { return check_; }
  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t last() const {
    return first_ + static_cast<std::int64_t>(steps_.size());
  }
  [[nodiscard]] double log_answered(std::int64_t v) const { return log_answered_[index(v)]; }
  [[nodiscard]] double log_refused(std::int64_t v) const { return log_refused_[index(v)]; }
  /// The answer at v compared with that at v + 1; first() <= v < last().
  [[nodiscard]] const LogBernoulliPair& step(std::int64_t v) const { return steps_[index(v)]; }

 private:
  [[nodiscard]] std::size_t index(std::int64_t v) const {
    return static_cast<std::size_t>(v - first_);
  }

  ThresholdCheck check_;
  std::int64_t first_;
  std::vector<double> log_answered_, log_refused_;
  std::vector<LogBernoulliPair> steps_;
};

}  // namespace pate
