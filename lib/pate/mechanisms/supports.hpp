#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pate/mechanisms/mechanism.hpp"
#include "pate/mechanisms/sampled_gaussian.hpp"

namespace pate {

/// What is asked for: a mechanism, a model of what queries cost, or what is made of their costs.
enum class Asked : std::uint8_t {
  // One noise is on one of two counts; a release is through a curve, or of a declared budget, by a
  // cost of its own, as one by smooth sensitivity is.
  ptr,
  one_noise,
  samples_of_teachers,
  samples_of_records,
  weights,
  groups,
  published,
  tradeoff,
  exact,
  tilted,
  complex,
  explanation,
  shard,
  tuning,
  tries,
  release,
  exact_curve,
  tilted_curve,
  realized_curve,
  complex_certificate,
  smooth_release,
  exact_smooth,
  published_release,
  published_sensitivity,
  exports
};

[[nodiscard]] constexpr Asked asked_of(SampleOf of) {
  return of == SampleOf::teachers ? Asked::samples_of_teachers : Asked::samples_of_records;
}

/// What it is asked for with.
enum class Given : std::uint8_t {
  // Neighbours; exact costs list no more than some.
  one_replaced,
  several_replaced,
  one_added,
  several_added,
  more_than_listed,
  // Votes without those of teachers that abstain, that do not say whose they are, or not of two
  // classes.
  left_out,
  counts,
  many_classes,
  // What answers.
  ptr,
  sparse,
  laplace,
  one_noise,
  student,
  no_threshold,
  // What else is asked or given: true labels count as decisions, the sensitivity of a published
  // cost as a declared budget.
  samples,
  weights,
  shard,
  decisions,
  max_answers,
  declared,
  realized
};

/// Exact costs list the neighbours that a person in more teachers than these has no longer.
inline constexpr std::int64_t kMaxListedTeachers = 3;

/// Everything that something is asked for with.
class Circumstances {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): they are some.
  Circumstances(const Neighbours& neighbours);
  Circumstances(const Mechanism& mechanism, const Neighbours& neighbours);

  /// These and one more, where `is_so`.
  [[nodiscard]] Circumstances with(Given one, bool is_so = true) const;
  [[nodiscard]] bool has(Given one) const { return has_any(1U << static_cast<unsigned>(one)); }
  /// of: 1 shifted by each.
  [[nodiscard]] bool has_any(std::uint32_t of) const { return (bits_ & of) != 0; }
  [[nodiscard]] const Neighbours& neighbours() const { return neighbours_; }

 private:
  Neighbours neighbours_;
  std::uint32_t bits_ = 0;
};

/// As the sentences of the table name it.
[[nodiscard]] std::string_view in_words(Asked asked);

/// The one table of what is known for whom: nothing of what may be asked for with all this, or why
/// it may not, and what is there instead. Values out of range are for others to refuse.
[[nodiscard]] std::optional<std::string> supports(Asked asked, const Circumstances& circumstances);

/// Throws `parameter_error` with the sentence of `supports`, if there is one.
void require(Asked asked, const Circumstances& circumstances);

}  // namespace pate
