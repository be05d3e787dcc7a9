#include <algorithm>
#include <ostream>

#include "cli/commands/commands.hpp"
#include "cli/gnuplot.hpp"
#include "cli/options/exclusions.hpp"
#include "pate/reports/figures/figure.hpp"
#include "pate/reports/publishable.hpp"
#include "pate/reports/read_report.hpp"

namespace pate::cli {

namespace {

std::string picture_of(const Figure& figure, ImageFormat format, const Look& look, bool script) {
  if (format == ImageFormat::tex) return pgfplots_picture(figure, look);
  const std::string text = gnuplot_script(figure, format, look);
  return script ? text : run_gnuplot(text, "write the script and its data with --script");
}

}  // namespace

void add_plot(CommandLine& line, PlotOptions& options) {
  line.section("").add("REPORT TEXT", options.reports, "reports of pate, JSON; - is standard input",
                       {.required = true});
  const Section plot = line.section("Figure");
  plot.add("--kind KIND", options.kind,
           {FigureKind::cumulative, FigureKind::partition, FigureKind::votes, FigureKind::gaps,
            FigureKind::orders, FigureKind::pareto, FigureKind::heatmap, FigureKind::parameter,
            FigureKind::teachers, FigureKind::sensitivity, FigureKind::profile, FigureKind::gamma,
            FigureKind::ensembles, FigureKind::accuracy},
           "figure to draw\n"
           "  cumulative   epsilon against answers (analyze)\n"
           "  partition    where the budget goes\n"
           "               (analyze, plan, label, release)\n"
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
           "  gamma        the noise function (darrm)\n"
           "  ensembles    gap by number of teachers (inspect)\n"
           "  accuracy     right answers against the noise\n"
           "               (tune --labels over one parameter)\n",
           {.required = true});
  plot.add("--size SIZE", options.size, {FigureSize::column, FigureSize::half, FigureSize::page},
           "width on paper, where text has 8 pt: column (3.3 in), half (2.7 in) or page (5.5 in)");
  plot.add("--title TEXT", options.title, "title above the figure; default: none, for a caption");
  plot.add("--label NAME", options.labels,
           "name of each report in the legend, in the order of the reports; default: the names of "
           "the files");
  plot.add("--bins N", options.bins, "votes, gaps: largest number of bins");
  const Section output = line.section("Output");
  output.add(
      "-o,--output FILE", options.output,
      "write the figure to this .svg, .pdf or .png file, which needs gnuplot, or for LaTeX to "
      "this .tex file (package pgfplots)",
      {.required = true});
  output.add(
      "--script", options.script,
      "write the gnuplot script with its data instead of the figure; -o - is standard output");
  output.add("--quiet", options.quiet, "omit the note that the figure is private");
}

int run_plot(const PlotOptions& options, const Streams& streams) {
  const auto format = image_format(options.output);
  refuse(!format && !options.script,
         "--output must end in .svg, .pdf, .png or .tex, got \"{}\"; --script writes the script",
         options.output);
  refuse(format == ImageFormat::tex && options.script,
         "--script is a script for gnuplot: it excludes --output FILE.tex");
  refuse(options.bins < 1, "--bins: expected at least 1, got {}", options.bins);
  refuse(!options.labels.empty() && options.labels.size() != options.reports.size(),
         "--label: expected a name for each of the {} reports, got {}", options.reports.size(),
         options.labels.size());
  check_destinations({{"--output", options.output}}, options.reports);
  std::vector<io::JsonValue> reports;
  for (const std::string& path : options.reports) {
    reports.push_back(reports::read_report(path));
  }
  const Figure figure =
      figure_of(*options.kind, reports, {options.labels, static_cast<std::size_t>(options.bins)});
  const bool is_private = std::ranges::any_of(reports, reports::has_private_part);
  write_output(options.output,
               picture_of(figure, format.value_or(ImageFormat::svg),
                          look_of(options.size, options.title), options.script),
               streams, readers_of(!is_private));
  if (!options.quiet && is_private) {
    streams.err << "pate: note: the picture shows what the report says, which is for the owner of "
                   "the data: see the report before it is published\n";
  }
  return kDone;
}

}  // namespace pate::cli
