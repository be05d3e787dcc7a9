#pragma once

#include <functional>
#include <span>
#include <string>

#include "pate/base/json.hpp"
#include "pate/reports/figures/figure.hpp"

namespace pate::cli {

/// What reports say as one page of HTML that needs neither network nor scripts, for people who run
/// no commands: what is promised in words, who is protected, what may be published and what not;
/// costs in a table, pictures, then settings, inputs and all numbers.
///
/// `draw` makes an SVG of a figure; empty: there are no pictures. `public_only`: of every report
/// only its part `public`. Throws `input_error` where a report has none then, and where a report is
/// none of ours.
[[nodiscard]] std::string html_page(std::span<const io::JsonValue> reports,
                                    const std::function<std::string(const Figure&)>& draw,
                                    bool public_only);

}  // namespace pate::cli
