#include "pate/io/table_elements.hpp"

#include <algorithm>
#include <utility>

namespace pate::io {

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
  missing_ = kStretch - used_;
  used_ = 0;
  open_is_real_ = false;
}

void PackedNumbers::finish() {
  if (used_ > 0) seal();
  integers_ = {};
  reals_ = {};
}

template <typename Number>
std::size_t PackedNumbers::copy_some(std::size_t first, std::span<Number> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const std::size_t offset = (first + done) % kStretch;
    const std::size_t count = std::min(kStretch - offset, out.size() - done);
    const std::size_t copied = std::visit(
        [&](const auto& values) {
          std::size_t i = 0;
          while (i < count && convert_element(values[offset + i], out[done + i])) ++i;
          return i;
        },
        stretches_[(first + done) / kStretch]);
    done += copied;
    if (copied < count) break;
  }
  return done;
}

std::size_t PackedNumbers::copy(std::size_t first, std::span<std::int64_t> out) const {
  return copy_some(first, out);
}

std::size_t PackedNumbers::copy(std::size_t first, std::span<double> out) const {
  return copy_some(first, out);
}

std::string PackedNumbers::show(std::size_t index) const {
  return std::visit([index](const auto& values) { return show_element(values[index % kStretch]); },
                    stretches_[index / kStretch]);
}

}  // namespace pate::io
