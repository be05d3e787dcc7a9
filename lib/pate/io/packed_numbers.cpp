#include "pate/io/packed_numbers.hpp"

#include <algorithm>
#include <limits>

#include "pate/io/table_element.hpp"

namespace pate::io {

namespace {

template <typename Small>
bool fits(std::int64_t least, std::int64_t most) {
  return least >= std::numeric_limits<Small>::min() && most <= std::numeric_limits<Small>::max();
}

template <typename Small>
std::vector<Small> narrow(std::span<const std::int64_t> values) {
  std::vector<Small> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(),
                 [](std::int64_t value) { return static_cast<Small>(value); });
  return result;
}

}  // namespace

void PackedNumbers::push(double value) {
  if (used_ == kStretch) seal();
  if (!open_is_real_) {
    reals_.resize(kStretch);
    std::transform(integers_.begin(), integers_.begin() + static_cast<std::ptrdiff_t>(used_),
                   reals_.begin(), [](std::int64_t number) { return static_cast<double>(number); });
    open_is_real_ = true;
    all_integers_ = false;
  }
  reals_[used_++] = value;
}

void PackedNumbers::seal() {
  if (open_is_real_) {
    stretches_.emplace_back(
        std::vector<double>(reals_.begin(), reals_.begin() + static_cast<std::ptrdiff_t>(used_)));
  } else {
    const auto values = std::span<const std::int64_t>(integers_).first(used_);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (fits<std::int8_t>(*least, *most)) {
      stretches_.emplace_back(narrow<std::int8_t>(values));
    } else if (fits<std::int16_t>(*least, *most)) {
      stretches_.emplace_back(narrow<std::int16_t>(values));
    } else if (fits<std::int32_t>(*least, *most)) {
      stretches_.emplace_back(narrow<std::int32_t>(values));
    } else {
      stretches_.emplace_back(narrow<std::int64_t>(values));
    }
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
