#include "cli/commands/tune_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace pate::cli {

namespace {

bool is_safe(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./:,+@%=").find(c) != std::string_view::npos;
}

// The text as one word of a POSIX shell: as it is where that is safe, else in single quotes.
std::string shell_quote(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_safe)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

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
