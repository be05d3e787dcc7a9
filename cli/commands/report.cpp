#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "cli/gnuplot.hpp"
#include "cli/html/page.hpp"
#include "pate/reports/figures/figure.hpp"

namespace pate::cli {

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
    reports.push_back(io::JsonValue::read_file(path));
  }
  std::function<std::string(const Figure&)> draw;
  if (!options.no_pictures) {
    draw = [](const Figure& figure) {
      return run_gnuplot(gnuplot_script(figure, ImageFormat::svg, {}));
    };
  }
  write_output(options.output,
               html_page(reports, draw,
                         {options.controller, options.purpose, options.model, options.date,
                          options.public_only}),
               streams, readers_of(options.public_only));
  return kDone;
}

}  // namespace pate::cli
