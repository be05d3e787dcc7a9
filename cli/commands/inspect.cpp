#include "cli/commands/inspect.hpp"

#include <fmt/format.h>

#include <array>
#include <future>
#include <string_view>
#include <utility>

#include "cli/commands/inspect_summary.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/setting.hpp"
#include "cli/options/validators.hpp"
#include "cli/progress.hpp"
#include "cli/version.hpp"
#include "pate/error.hpp"
#include "pate/inspection/column_sums.hpp"
#include "pate/inspection/inspection_notices.hpp"
#include "pate/reports/inspect_report.hpp"

namespace pate::cli {

namespace {

// Of the files beside the votes, those that say nothing about the votes.
constexpr std::array<std::string_view, 3> kOtherFiles{"student", "labels", "decisions"};

// The noisy threshold is that of a Gaussian mechanism whose other noise does not matter here.
MechanismOptions with_any_noise(MechanismOptions options) {
  options.sigma2 = 1.0;
  return options;
}

Settings settings_of(const InspectOptions& options) {
  Settings settings{{"command", std::string("inspect")}};
  append_settings(options.input, settings);
  for (const std::string_view other : kOtherFiles) {
    std::erase_if(settings, [&](const auto& setting) { return setting.first == other; });
  }
  settings.emplace_back("threshold", setting(options.mechanism.threshold));
  settings.emplace_back("sigma1", setting(options.mechanism.sigma1));
  return settings;
}

Inspection inspect_input(const InspectOptions& options, const VotesInput& input,
                         const Streams& streams) {
  const VoteSource& votes = *input.votes;
  const auto* predictions = dynamic_cast<const PredictionVotes*>(&votes);
  const Aggregator aggregator =
      make_aggregator(with_any_noise(options.mechanism), votes.teachers(), false);
  Progress progress(streams, "reading votes");
  try {
    return inspect(votes, input.rows, aggregator.selection, predictions, options.threads,
                   progress.callback());
  } catch (const input_error& error) {
    if (predictions != nullptr) throw;
    const auto sum = common_column_sum(*input.files.front().opened.table);
    if (!sum) throw;
    throw input_error(fmt::format(
        "{}; but every column has a sum of {}: the file looks transposed (classes x queries)",
        error.what(), *sum));
  }
}

}  // namespace

void add_inspect(CLI::App& command, InspectOptions& options) {
  add_votes_input_options(command, options.input);
  for (const std::string_view other : kOtherFiles) {
    command.remove_option(command.get_option("--" + std::string(other)));
  }
  const std::string group = "Threshold (both or neither)";
  command.add_option("--threshold", options.mechanism.threshold, "votes, or a share like 80%")
      ->check(not_empty())
      ->type_name("T")
      ->group(group);
  command.add_option("--sigma1", options.mechanism.sigma1, "Gaussian noise of it, in votes")
      ->type_name("S")
      ->group(group);
  add_output_options(command, options.output);
  command.add_option("--threads", options.threads, "threads; 0, the default: all processors")
      ->check(decimal())
      ->type_name("N")
      ->group("Work");
}

int run_inspect(const InspectOptions& options, const Streams& streams) {
  check_mechanism_options(with_any_noise(options.mechanism), false);
  check_output_options(options.output, input_paths(options.input));

  const VotesInput input = open_votes(options.input);
  // Digests read every byte once more: beside the inspection, not after it.
  auto described = std::async(std::launch::async, [&] { return input.describe(); });
  Inspection inspection = inspect_input(options, input, streams);

  ReportContext context{version(), settings_of(options), described.get()};
  input.check_unchanged();
  if (auto notice = dtype_notice(context.inputs.front().dtype)) {
    inspection.notices.push_back(std::move(*notice));
  }
  deliver_report(options.output, inspect_report_json(inspection, context),
                 inspect_summary(inspection, context.inputs.front()), inspection.notices, streams);
  return kDone;
}

}  // namespace pate::cli
