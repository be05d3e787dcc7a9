#pragma once

#include <cmath>

namespace pate {

/// Neumaier's compensated sum: the error is a few units in the last place of the sum of absolute
/// values, however many terms there are. The result depends on the order of the terms; callers add
/// in a canonical order.
class CompensatedSum {
 public:
  void add(double term) {
    const double total = sum_ + term;
    if (std::abs(sum_) >= std::abs(term)) {
      compensation_ += (sum_ - total) + term;
    } else {
      compensation_ += (term - total) + sum_;
    }
    sum_ = total;
  }
  [[nodiscard]] double value() const { return std::isinf(sum_) ? sum_ : sum_ + compensation_; }

 private:
  double sum_ = 0.0;
  double compensation_ = 0.0;
};

}  // namespace pate
