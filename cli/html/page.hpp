#pragma once

#include <functional>
#include <span>
#include <string>

#include "pate/base/json.hpp"
#include "pate/reports/figures/figure.hpp"

namespace pate::cli {

/// What the page says of itself; empty texts are lines to fill in by hand.
struct PageHeading {
  std::string controller;  ///< whose data it was
  std::string purpose;
  std::string model;
  std::string date;
  bool public_only = false;
  std::string made_on;  ///< the day the page was made, for reports that say no day; may be empty
};

/// What reports say as one page of HTML that needs neither network nor scripts, for people who run
/// no commands. First whether the number may be printed, how much it may cost whom, what was done
/// and when, in words; then the promise, costs in a table, pictures, settings and all numbers; then
/// what epsilon means. Numbers have three digits, rounded up.
///
/// `draw` makes an SVG of a figure; empty: there are no pictures. `public_only`: of every report
/// only its part `public`. Throws `input_error` where a report has none then, and where a report is
/// none of ours.
[[nodiscard]] std::string html_page(std::span<const io::JsonValue> all,
                                    const std::function<std::string(const Figure&)>& draw,
                                    const PageHeading& heading);

}  // namespace pate::cli
