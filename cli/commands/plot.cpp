#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/commands/commands.hpp"
#include "cli/gnuplot.hpp"
#include "pate/reports/figures/figure.hpp"
#include "pate/reports/publishable.hpp"

namespace pate::cli {

void add_plot(CommandLine& line, PlotOptions& options) {
  line.section("").add("REPORT TEXT", options.reports, "reports of pate, JSON; - is standard input",
                       {.required = true});
  const Section plot = line.section("Figure");
  plot.add("--kind KIND", options.kind,
           {FigureKind::cumulative, FigureKind::partition, FigureKind::votes, FigureKind::gaps,
            FigureKind::orders, FigureKind::pareto, FigureKind::heatmap, FigureKind::parameter,
            FigureKind::teachers, FigureKind::sensitivity, FigureKind::profile, FigureKind::gamma},
           "figure to draw\n"
           "  cumulative   epsilon against answers (analyze)\n"
           "  partition    where the budget goes\n"
           "               (analyze, plan, label)\n"
           "  votes        agreement of the teachers (inspect)\n"
           "  gaps         how far the plurality is ahead\n"
           "               (inspect)\n"
           "  orders       RDP and epsilon by order\n"
           "               (analyze, plan, label)\n"
           "  pareto       epsilon against right answers (tune)\n"
           "  heatmap      epsilon and right answers over two\n"
           "               parameters (tune)\n"
           "  parameter    both over the only parameter (tune)\n"
           "  teachers     epsilon of every teacher\n"
           "               (analyze --exact on predictions)\n"
           "  sensitivity  change of the cost with one vote\n"
           "               (release --as-published\n"
           "               --sensitivity-curve)\n"
           "  profile      delta against epsilon\n"
           "               (analyze --exact)\n"
           "  gamma        the noise function (darrm)\n",
           {.required = true});
  const Section output = line.section("Output");
  output.add("-o,--output FILE", options.output,
             "write the figure to this .svg, .pdf or .png file; needs gnuplot", {.required = true});
  output.add(
      "--script", options.script,
      "write the gnuplot script with its data instead of the figure; -o - is standard output");
  output.add("--quiet", options.quiet, "omit the note that the figure is private");
}

int run_plot(const PlotOptions& options, const Streams& streams) {
  const auto format = image_format(options.output);
  if (!format && !options.script) {
    throw usage_error(fmt::format(
        "--output must end in .svg, .pdf or .png, got \"{}\"; --script writes the script",
        options.output));
  }
  check_destinations({{"--output", options.output}}, options.reports);
  std::vector<io::JsonValue> reports;
  for (const std::string& path : options.reports) {
    reports.push_back(io::JsonValue::read_file(path));
  }
  const std::string script =
      gnuplot_script(figure_of(*options.kind, reports), format.value_or(ImageFormat::svg));
  const bool is_private = std::ranges::any_of(reports, reports::has_private_part);
  write_output(options.output, options.script ? script : run_gnuplot(script), streams,
               readers_of(!is_private));
  if (!options.quiet && is_private) {
    streams.err << "pate: note: the picture shows what the report says, which is for the owner of "
                   "the data: see the report before it is published\n";
  }
  return kDone;
}

}  // namespace pate::cli
