#include "pate/votes/tables/table_elements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pate::io {

double half_value(HalfElement element) {
  const auto bits = static_cast<unsigned>(element);
  const int exponent = static_cast<int>(bits >> 10U & 31U);
  const auto fraction = static_cast<double>(bits & 1023U);
  double value =
      std::ldexp(exponent == 0 ? fraction : 1024.0 + fraction, std::max(exponent, 1) - 25);
  if (exponent == 31) {
    value = fraction == 0.0 ? std::numeric_limits<double>::infinity()
                            : std::numeric_limits<double>::quiet_NaN();
  }
  return (bits & 0x8000U) != 0 ? -value : value;
}

void PackedNumbers::push(double value) {
  if (used_ == kStretch) seal();
  if (!open_is_real_) {
    reals_.resize(kStretch);
    for (std::size_t i = 0; i < used_; ++i) reals_[i] = static_cast<double>(integers_[i]);
    open_is_real_ = true;
    all_integers_ = false;
  }
  reals_[used_++] = value;
}

void PackedNumbers::seal() {
  if (open_is_real_) {
    const auto values = std::span<const double>(reals_).first(used_);
    stretches_.emplace_back(std::vector<double>(values.begin(), values.end()));
  } else {
    const auto values = std::span<const std::int64_t>(integers_).first(used_);
    const auto range = std::minmax_element(values.begin(), values.end());
    const auto store = [&]<typename Small>(Small /*tag*/) {
      if (!std::in_range<Small>(*range.first) || !std::in_range<Small>(*range.second)) return false;
      stretches_.emplace_back(std::vector<Small>(values.begin(), values.end()));
      return true;
    };
    static_cast<void>(store(std::int8_t{}) || store(std::int16_t{}) || store(std::int32_t{}) ||
                      store(std::int64_t{}));
  }
  used_ = 0;
  open_is_real_ = false;
}

void PackedNumbers::finish() {
  if (used_ > 0) seal();
  integers_ = {};
  reals_ = {};
}

std::string PackedNumbers::show(std::size_t index) const {
  return std::visit([index](const auto& values) { return show_element(values[index % kStretch]); },
                    stretches_[index / kStretch]);
}

}  // namespace pate::io
