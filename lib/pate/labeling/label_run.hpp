#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/accounting/run.hpp"
#include "pate/labeling/privacy_filter.hpp"
#include "pate/mechanisms/sampling/bit_source.hpp"

namespace pate {

/// Who a label is from.
enum class LabelSource : std::int8_t {
  refused = -1,  ///< there is none: refused, or never asked
  teacher = 0,   ///< the noisy maximum of the teachers' votes
  student = 1,   ///< the student's own, which it was confident of
};
template <>
inline constexpr std::array<Named<LabelSource>, 3> kNames<LabelSource>{{
    {LabelSource::refused, "refused"},
    {LabelSource::teacher, "teacher"},
    {LabelSource::student, "student"},
}};

/// Why a run ended before its last query.
enum class StopReason { max_answers, max_refusals, max_epsilon };
template <>
inline constexpr std::array<Named<StopReason>, 3> kNames<StopReason>{{
    {StopReason::max_answers, "max_answers"},
    {StopReason::max_refusals, "max_refusals"},
    {StopReason::max_epsilon, "max_epsilon"},
}};

/// What a run of the mechanism gave: all of it may become public.
struct LabelledQueries {
  std::vector<std::int32_t> labels;  ///< one per query of the selection; -1: none
  std::vector<LabelSource> sources;  ///< one per query of the selection
  /// Queries of the selection that were put to the ensemble: the first so many.
  std::int64_t asked = 0;
  std::int64_t answered = 0;  ///< of these, by the teachers
  std::int64_t student = 0;   ///< refused, and the student's own label taken
  std::optional<StopReason> stopped = std::nullopt;

  [[nodiscard]] std::int64_t refused() const { return asked - answered - student; }
};

/// Runs the aggregator on the queries of `run`, in their order, with noise from `source`, as long
/// as `filter` allows. `run.decisions` and `run.labels` are not looked at.
///
/// With `reinforce_above` (interactive only) a query that the teachers refuse gets the student's
/// most likely class, the lowest on ties, if the student's score of it is larger: S18, Algorithm 2,
/// lines 4 and 5. It costs nothing, as neither that score nor the refusal is the teachers' secret.
///
/// The filter counts what is asked. Whether queries are answered is drawn from `source`, one after
/// the other; their noisy maxima, which nothing else depends on, by all threads (0: all
/// processors), from sources of their own (`BitSource::another`): for given bits the labels do not
/// depend on the number of threads. Throws `parameter_error` where parameters do not fit, and
/// whatever reading the votes or the source throws; votes of some queries beyond the last that is
/// asked are read too.
[[nodiscard]] LabelledQueries label_queries(const Run& run, PrivacyFilter& filter,
                                            std::optional<double> reinforce_above,
                                            BitSource& source, unsigned threads);

}  // namespace pate
