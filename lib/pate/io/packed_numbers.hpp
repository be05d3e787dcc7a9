#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace pate::io {

/// A sequence of numbers in memory, in about as few bytes as they need.
///
/// Stretches of 65,536 numbers are stored apart: integers in 1, 2, 4 or 8 bytes each, whichever the
/// stretch fits into; a stretch with a real among them as doubles, where integers beyond 2^53 are
/// rounded to the nearest double. Filled by one thread (`push`..., `finish`), then read by any.
class PackedNumbers {
 public:
  void push(std::int64_t value) {
    if (used_ == kStretch) seal();
    if (open_is_real_) {
      reals_[used_++] = static_cast<double>(value);
    } else {
      if (used_ == 0) integers_.resize(kStretch);
      integers_[used_++] = value;
    }
  }
  void push(double value);
  /// Nothing is pushed afterwards; before it, nothing is read.
  void finish();

  [[nodiscard]] std::size_t size() const { return stretches_.size() * kStretch - missing_; }
  /// Whether every number was pushed as an integer.
  [[nodiscard]] bool all_integers() const { return all_integers_; }

  /// Copies the numbers from `first` on into `out`, up to the first that is not an integer in the
  /// range of int64 (fractions, NaN, infinities). Returns how many were copied.
  [[nodiscard]] std::size_t copy(std::size_t first, std::span<std::int64_t> out) const;
  /// Copies up to the first number that is NaN or infinite; returns how many were copied.
  [[nodiscard]] std::size_t copy(std::size_t first, std::span<double> out) const;
  /// A number as text: the shortest that reads back to the same double, or "nan", "inf", "-inf".
  [[nodiscard]] std::string show(std::size_t index) const;

 private:
  static constexpr std::size_t kStretch = 65536;
  using Stretch =
      std::variant<std::vector<std::int8_t>, std::vector<std::int16_t>, std::vector<std::int32_t>,
                   std::vector<std::int64_t>, std::vector<double>>;

  void seal();
  template <typename Number>
  [[nodiscard]] std::size_t copy_some(std::size_t first, std::span<Number> out) const;

  std::vector<Stretch> stretches_;
  // The stretch being filled.
  std::vector<std::int64_t> integers_;
  std::vector<double> reals_;
  std::size_t used_ = 0;
  std::size_t missing_ = 0;  // by how many numbers the last stretch is short
  bool open_is_real_ = false;
  bool all_integers_ = true;
};

}  // namespace pate::io
