#include "cli/commands/tune_commands.hpp"

#include <fmt/format.h>

#include "cli/shell_quote.hpp"

namespace pate::cli {

namespace {

// A command line that runs the point's aggregator on the queries it asks.
std::string point_command(std::string line, const TuneOptions& options, const VotesInput& input,
                          const Aggregator& aggregator, const TuningPoint& point,
                          const std::string& labels) {
  line += " " + shell_quote(options.input.votes);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) line += fmt::format(" {} {}", option, shell_quote(value));
  };
  if (options.input.layout != Layout::counts) add("--layout", option_word(options.input.layout));
  if (options.input.classes) add("--classes", std::to_string(*options.input.classes));
  if (options.tuning.max_answers && point.queries != input.rows.size()) {
    const std::int64_t begin = input.rows[0];
    add("--queries", begin == 0 ? std::to_string(point.queries)
                                : fmt::format("{}:{}", begin, begin + point.queries));
  } else {
    add("--queries", options.input.queries);
  }
  add("--indices", options.input.indices);
  add("--student", options.input.student);
  add("--labels", labels);
  if (aggregator.selection) {
    add("--threshold", fmt::format("{}", aggregator.selection->threshold));
    add("--sigma1", fmt::format("{}", aggregator.selection->sigma1));
  }
  if (const auto* gaussian = std::get_if<GaussianNoisyMax>(&aggregator.noisy_max)) {
    add("--sigma2", fmt::format("{}", gaussian->sigma));
  } else {
    add("--laplace-scale",
        fmt::format("{}", std::get<LaplaceNoisyMax>(aggregator.noisy_max).scale));
  }
  add("--delta", fmt::format("{}", options.tuning.delta));
  return line;
}

}  // namespace

std::string analyze_command(const TuneOptions& options, const VotesInput& input,
                            const Aggregator& aggregator, const TuningPoint& point) {
  std::string line =
      point_command("pate analyze", options, input, aggregator, point, options.input.labels);
  if (options.tuning.bound == Bound::published) line += " --bound published";
  if (options.tuning.bound == Bound::published || options.tuning.reading == Reading::expected) {
    line += " --reading expected";
  }
  if (options.tuning.conversion == Conversion::classic) line += " --conversion classic";
  if (!options.tuning.orders.empty()) {
    line += fmt::format(" --orders {}", fmt::join(options.tuning.orders, ","));
  }
  return line;
}

std::string release_command(const TuneOptions& options, const VotesInput& input,
                            const TuningGrid& grid, const TunedPoint& p) {
  const ReleaseParameters& parameters = p.released->parameters;
  return point_command("pate release", options, input, grid.aggregator(p.index), p.point, {}) +
         fmt::format(" --order {} --beta {} --sigma-ss {} --dry-run", parameters.order,
                     parameters.beta, parameters.sigma);
}

}  // namespace pate::cli
