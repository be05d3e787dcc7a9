#include "cli/commands/tuned_command_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
                          const Mechanism& mechanism, const TuningPoint& point,
                          const std::string& labels) {
  line += " " + shell_quote(options.input.votes);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) line += fmt::format(" {} {}", option, shell_quote(value));
  };
  add("--member", options.input.member);
  if (options.input.layout != Layout::counts) add("--layout", option_word(options.input.layout));
  if (const std::string classes = options.input.classes.text(); !classes.empty()) {
    add("--classes", classes);
  }
  if (options.input.abstentions) add("--abstentions", option_word(*options.input.abstentions));
  // What releases needs it.
  if (options.input.teachers || line.starts_with("pate release") ||
      line.starts_with("pate label")) {
    add("--teachers", std::to_string(input.votes->teachers()));
  }
  if (options.input.header) add("--header", option_word(*options.input.header));
  if (options.input.index_column) add("--index-column", option_word(*options.input.index_column));
  if (options.tuning.settings.grid.max_answers && point.queries != input.rows.size()) {
    const std::int64_t begin = input.rows[0];
    add("--queries", begin == 0 ? std::to_string(point.queries)
                                : fmt::format("{}:{}", begin, begin + point.queries));
  } else {
    add("--queries", options.input.queries);
  }
  add("--indices", options.input.indices);
  add("--student", options.input.student);
  add("--labels", labels);
  if (!labels.empty() && options.input.labels_rows) {
    add("--labels-rows", option_word(*options.input.labels_rows));
  }
  if (const StabilityTest* const test = mechanism.ptr()) {
    add(test->is_gaussian() ? "--ptr-sigma" : "--ptr-laplace",
        fmt::format("{}", test_parameter(*test)));
    add("--ptr-delta", fmt::format("{}", test->delta()));
  } else {
    const Aggregator& aggregator = mechanism.noisy();
    if (aggregator.selection) {
      add("--threshold", fmt::format("{}", aggregator.selection->threshold));
      add("--sigma1", fmt::format("{}", aggregator.selection->sigma1));
    }
    add(aggregator.is_gaussian()                   ? "--sigma2"
        : aggregator.noisy_max.is_of_two_classes() ? "--one-noise --laplace-scale"
                                                   : "--laplace-scale",
        fmt::format("{}", aggregator.noisy_max.parameter()));
  }
  if (const Neighbours& neighbours = options.tuning.neighbours; neighbours != Neighbours{}) {
    add("--teachers-per-person", std::to_string(neighbours.teachers));
    add("--neighbours", option_word(neighbours.adjacency));
  }
  add("--teacher-weights", options.tuning.teacher_weights);
  add("--delta", fmt::format("{}", options.tuning.settings.grid.kind.delta));
  if (options.tuning.any_delta) line += " --any-delta";
  return line;
}

}  // namespace

std::string analyze_groups(const std::string& file) {
  return file.empty() ? " --exact" : " --exact --groups " + shell_quote(file);
}

std::string analyze_command(const TuneOptions& options, const VotesInput& input,
                            const Mechanism& mechanism, const TuningPoint& point) {
  std::string line =
      point_command("pate analyze", options, input, mechanism, point, options.input.labels);
  if (options.tuning.bound == Bound::published) line += " --bound published";
  if (options.tuning.bound == Bound::published ||
      options.tuning.reading == GuaranteeKind::expected) {
    line += " --reading expected";
  }
  if (options.tuning.conversion && *options.tuning.conversion != Conversion::optimal) {
    line += " --conversion " + option_word(*options.tuning.conversion);
  } else if (options.tuning.settings.release) {
    line += " --conversion improved";
  }
  if (const auto& orders = options.tuning.settings.grid.kind.orders) {
    line += fmt::format(" --orders {}", fmt::join(*orders, ","));
  }
  return line;
}

std::string release_command(const TuneOptions& options, const VotesInput& input,
                            const TuningGrid& grid, const TunedPoint& p) {
  const ReleasedEpsilon& released = *p.released;
  const bool is_curve = released.method == ReleaseMethod::curve;
  return point_command(is_curve ? "pate release" : "pate release --method gnss", options, input,
                       grid.aggregator(p.index), p.point, {}) +
         (is_curve ? std::string(" --certificate renyi --dry-run")
                   : fmt::format(" --order {} --beta {} --sigma-ss {} --dry-run", released.order,
                                 released.beta, released.noise));
}

std::string rehearsal_command(const TuneOptions& options, const VotesInput& input,
                              const OffGridPoint& found, double epsilon) {
  return point_command("pate label", options, input, found.aggregator, found.point, {}) +
         fmt::format(" --declared-epsilon {}{} --dry-run", epsilon,
                     options.tuning.certificate
                         ? " --certificate " + option_word(*options.tuning.certificate)
                         : "");
}

std::vector<std::string> rounds_commands(const TuneOptions& options, const VotesInput& input,
                                         const reports::RoundsContext& context,
                                         const RoundsPoint& best) {
  const std::int64_t first = input.rows[0];
  const std::int64_t middle = first + context.queries[0];
  std::vector<std::string> commands;
  for (std::size_t r = 0; r < 2; ++r) {
    TuneOptions round = options;
    round.input.queries = r == 0 ? fmt::format("{}:{}", first, middle)
                                 : fmt::format("{}:{}", middle, middle + context.queries[1]);
    if (r == 0) round.input.student.clear();
    if (best.order > 0.0) round.tuning.settings.grid.kind.orders = std::vector{best.order};
    TuningPoint point;
    point.queries = context.queries[r];
    commands.push_back(
        analyze_command(round, input, context.grids[r].aggregator(best.index[r]), point) +
        fmt::format(" --quiet -o round{}.json", r + 1));
  }
  commands.emplace_back("pate compose round1.json round2.json");
  if (context.kind.cost.bound == Bound::published) commands.back() += " --bound published";
  if (context.kind.cost.reading == GuaranteeKind::expected)
    commands.back() += " --reading expected";
  // The second round follows from answers to the first: at the one order that both name, what they
  // cost together is an epsilon of the outcome.
  if (context.kind.cost.reading == GuaranteeKind::joint) commands.back() += " --reading realized";
  commands.back() += " --conversion " + option_word(context.kind.conversion);
  return commands;
}

}  // namespace pate::cli
