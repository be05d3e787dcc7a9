#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <system_error>

#include "cli/commands/commands.hpp"
#include "cli/gnuplot.hpp"
#include "cli/html/page.hpp"
#include "pate/base/clock.hpp"
#include "pate/base/files.hpp"
#include "pate/reports/figures/figure.hpp"
#include "pate/reports/read_report.hpp"

namespace pate::cli {

namespace {

// The day in UTC; that of SOURCE_DATE_EPOCH, in seconds since 1970, where it is set, so that the
// same page can be made twice (https://reproducible-builds.org/specs/source-date-epoch/).
std::string today() {
  std::time_t seconds = 0;
  if (const char* const given =
          std::getenv("SOURCE_DATE_EPOCH")) {  // NOLINT(concurrency-mt-unsafe): nobody sets it
    const std::string_view text = given;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size() || !io::has_date(seconds)) {
      throw usage_error(
          fmt::format("SOURCE_DATE_EPOCH must be a whole number of seconds since 1970, got {}",
                      io::printable(text)));
    }
  } else {
    seconds = io::clock_now("outside of the years 1970 to 9999; give --date TEXT");
  }
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(seconds));
}

}  // namespace

void add_report(CommandLine& line, ReportOptions& options) {
  line.section("").add("REPORT TEXT", options.reports, "reports of pate, JSON; - is standard input",
                       {.required = true});
  const Section heading = line.section("Heading");
  heading.add("--for NAME", options.controller, "name of the controller, whose data it was");
  heading.add("--purpose TEXT", options.purpose, "purpose of the model or of the report");
  heading.add("--model NAME", options.model, "name of the model; the title of the page");
  heading.add("--date TEXT", options.date, "date of the report");
  const Section output = line.section("Output");
  output.add("-o,--output FILE", options.output,
             "write the HTML page to this file; - is standard output", {.required = true});
  output.add("--no-pictures", options.no_pictures, "omit the figures, which gnuplot draws");
  output.add("--public-only", options.public_only, "show only the parts that may be published");
}

int run_report(const ReportOptions& options, const Streams& streams) {
  check_destinations({{"--output", options.output}}, options.reports);
  std::vector<io::JsonValue> reports;
  for (const std::string& path : options.reports) {
    reports.push_back(reports::read_report(path));
  }
  std::function<std::string(const Figure&)> draw;
  if (!options.no_pictures) {
    draw = [](const Figure& figure) {
      return run_gnuplot(gnuplot_script(figure, ImageFormat::svg, {}),
                         "make the page without figures, with --no-pictures");
    };
  }
  write_output(options.output,
               html_page(reports, draw,
                         {options.controller, options.purpose, options.model, options.date,
                          options.public_only, options.date.empty() ? today() : ""}),
               streams, readers_of(options.public_only));
  return kDone;
}

}  // namespace pate::cli
