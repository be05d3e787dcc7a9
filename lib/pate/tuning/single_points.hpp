#pragma once

#include <optional>

#include "pate/tuning/parameter_search.hpp"

namespace pate {

// A unit in the last of the digits that are kept.
[[nodiscard]] double last_digit(double value);

// What is to be made small: below 0 where all limits are kept, so that the best is the smallest;
// above it, and the smaller the nearer a point is to its limits.
[[nodiscard]] double merit(const TuningGoal& goal, const TuningPoint& p);

// Single points, each evaluated once, with the epsilon of an account.
class SinglePoints {
 public:
  SinglePoints(const TuningTask& task, const TuningGoal& goal) : task_(task), goal_(goal) {}

  // `exact`: with the epsilon of an account, also where a grid's tells all that matters.
  [[nodiscard]] OffGridPoint at(double noise, double sigma1, double threshold, bool exact) const;
  // The best value of sigma2 with few digits, from near one on.
  [[nodiscard]] std::optional<OffGridPoint> best_noise(double near, double sigma1,
                                                       double threshold) const;
  [[nodiscard]] bool straddles(double epsilon) const;
  [[nodiscard]] bool keeps(const TuningPoint& p) const;

 private:
  const TuningTask& task_;
  const TuningGoal& goal_;
};

}  // namespace pate
