#pragma once

#include <span>

#include "pate/base/json.hpp"
#include "pate/reports/figures/figure.hpp"

// The pictures of single kinds, of reports that may have them: `figure_of` looks at that, and says
// what they are of. Each throws `input_error` where a report lacks what it shows.
namespace pate::figures {

// Of runs, run_figures.cpp:
[[nodiscard]] Figure cumulative(std::span<const io::JsonValue> reports);
[[nodiscard]] Figure partition(std::span<const io::JsonValue> reports);
[[nodiscard]] Figure by_order(const io::JsonValue& report);
[[nodiscard]] Figure teachers(std::span<const io::JsonValue> reports);

// profile_figure.cpp:
[[nodiscard]] Figure profile(std::span<const io::JsonValue> reports);

// Of votes, vote_figures.cpp:
[[nodiscard]] Figure votes(std::span<const io::JsonValue> reports);
[[nodiscard]] Figure gaps(std::span<const io::JsonValue> reports);

// Of grids, tuning_figures.cpp:
[[nodiscard]] Figure pareto(std::span<const io::JsonValue> reports);
[[nodiscard]] Figure heatmap(const io::JsonValue& report);

// parameter_figure.cpp:
[[nodiscard]] Figure parameter(std::span<const io::JsonValue> reports);

// Of what the papers describe, study_figures.cpp:
[[nodiscard]] Figure sensitivity(const io::JsonValue& report);
[[nodiscard]] Figure gamma(std::span<const io::JsonValue> reports);

}  // namespace pate::figures
