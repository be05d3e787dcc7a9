#include "cli/program.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>

#include "cli/colour.hpp"
#include "cli/commands/analyze.hpp"
#include "cli/commands/compose.hpp"
#include "cli/commands/explain.hpp"
#include "cli/commands/inspect.hpp"
#include "cli/commands/label.hpp"
#include "cli/commands/plan.hpp"
#include "cli/commands/release.hpp"
#include "cli/commands/simulate.hpp"
#include "cli/commands/tune.hpp"
#include "cli/exit_status.hpp"
#include "cli/usage_error.hpp"
#include "cli/version.hpp"
#include "pate/error.hpp"

namespace pate::cli {

namespace {

// "pate-analyze" is "pate analyze" by another name.
std::vector<std::string> expand_name(std::vector<std::string> arguments) {
  const std::string prefix = "pate-";
  if (arguments.empty()) return {"pate"};
  const std::string called = std::filesystem::path(arguments.front()).filename().string();
  if (called.starts_with(prefix)) {
    arguments.insert(arguments.begin() + 1, called.substr(prefix.size()));
  }
  return arguments;
}

int report_error(const Streams& streams, const char* what, int status) {
  streams.err << alarming("pate:", streams.err_colour()) << ' ' << what << '\n';
  return status;
}

// Adds a command to the program: its options live as long as `run`, which calling it sets.
template <class Options>
void add_command(CLI::App& app, const Streams& streams, std::function<int()>& run, const char* name,
                 const char* about, void (*describe)(CLI::App&, Options&),
                 int (*run_command)(const Options&, const Streams&)) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(name, about);
  describe(*command, *options);
  command->callback([options, &streams, &run, run_command] {
    run = [options, &streams, run_command] { return run_command(*options, streams); };
  });
}

int run_parsed(const std::vector<std::string>& arguments, const Streams& streams) {
  CLI::App app("The privacy accountant for teacher ensembles (PATE).", "pate");
  app.require_subcommand(1);
  app.set_version_flag("--version", "pate " + version());
  app.get_formatter()->column_width(26);

  std::function<int()> run;
  const auto add = [&](const char* name, const char* about, auto describe, auto run_command) {
    add_command(app, streams, run, name, about, describe, run_command);
  };
  add("analyze", "the privacy cost of a vote dump", add_analyze, run_analyze);
  add("tune", "choose the noise and the threshold", add_tune, run_tune);
  add("release", "an epsilon that may be published", add_release, run_release);
  add("explain", "one query, or the dearest ones, under the glass", add_explain, run_explain);
  add("label", "run the aggregator: noisy labels for the student", add_label,
      static_cast<int (*)(const LabelOptions&, const Streams&)>(run_label));
  add("plan", "what a run may cost; the noise a target needs", add_plan, run_plan);
  add("compose", "add up reports: shards of a run, or rounds", add_compose, run_compose);
  add("inspect", "what is in a vote dump, and what looks wrong", add_inspect, run_inspect);
  add("simulate", "make a plausible vote dump", add_simulate, run_simulate);

  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend() - 1);
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    // Help and version are "errors" with status 0.
    if (error.get_exit_code() == 0) return app.exit(error, streams.out, streams.err);
    (void)report_error(streams, error.what(), kUsage);
    streams.err << "pate: run 'pate "
                << (app.get_subcommands().empty() ? "" : app.get_subcommands()[0]->get_name() + " ")
                << "--help' for the options\n";
    return kUsage;
  }
  return run();
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, const Streams& streams) {
  try {
    return run_parsed(expand_name(arguments), streams);
  } catch (const usage_error& error) {
    return report_error(streams, error.what(), kUsage);
  } catch (const parameter_error& error) {
    return report_error(streams, error.what(), kUsage);
  } catch (const input_error& error) {
    return report_error(streams, error.what(), kBadInput);
  } catch (const validity_error& error) {
    return report_error(streams, error.what(), kNotValid);
  } catch (const output_error& error) {
    return report_error(streams, error.what(), kBadOutput);
  } catch (const ledger_refusal& error) {
    return report_error(streams, error.what(), kLedgerRefused);
  } catch (const std::bad_alloc&) {
    return report_error(streams, "not enough memory for this input", kBadInput);
  } catch (const std::exception& error) {
    return report_error(streams, (std::string("a bug, please report: ") + error.what()).c_str(),
                        kBug);
  }
}

}  // namespace pate::cli
