#include "cli/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/memory.hpp"
#include "cli/text.hpp"
#include "pate/base/error.hpp"
#include "pate/base/memory.hpp"
#include "pate/base/signal_cleanup.hpp"

namespace pate::cli {

namespace {

int report_error(const Streams& streams, const char* what, int status) {
  streams.err << alarming("pate:", streams.err_colour()) << ' ' << in_one_line(what) << '\n';
  return status;
}

// Without asking for more.
std::array<char, 128> no_memory() {
  std::array<char, 128> text{};
  fmt::format_to_n(text.data(), text.size() - 1,
                   "not enough memory for this input: {} may be used; see --max-memory",
                   size_text(static_cast<double>(io::memory_limit())));
  return text;
}

std::vector<Command> commands() {
  return {
      make_command({"analyze",
                    "compute the privacy cost of a file of votes",
                    "pate analyze votes.npy --threshold 60% --sigma1 150 --sigma2 40 --delta 1e-5",
                    {kLimitMissed, kBadInput, kNotValid},
                    "the number of different histograms and of teachers"},
                   add_analyze, run_analyze),
      make_command(
          {"tune",
           "search for the noise and the threshold that suit these votes",
           "pate tune votes.npy --threshold 40%:80%:10% --sigma1 50:200:50 --sigma2 20,40 "
           "--delta 1e-5 --max-epsilon 2",
           {kLimitMissed, kBadInput, kNotValid},
           "the number of different histograms, of teachers and of points on the Pareto front"},
          add_tune, run_tune),
      make_command(
          {"release",
           "publish a data-dependent epsilon, with noise",
           "pate release votes.npy --teachers 250 --threshold 60% --sigma1 150 --sigma2 40 --delta "
           "1e-5 "
           "--ledger teachers.ledger --public-only -o public.json",
           {kLimitMissed, kBadInput, kNotValid, kLedgerRefused},
           "the number of different histograms; for a curve with a threshold, with the square of "
           "the number of teachers"},
          add_release, run_release),
      make_command({"explain",
                    "explain the cost of single queries",
                    "pate explain votes.npy --sigma2 40 --delta 1e-5 --top 10 --summary",
                    {kBadInput, kNotValid},
                    "--top times the number of classes"},
                   add_explain, run_explain),
      make_command({"label",
                    "draw noisy labels for the student",
                    "pate label votes.npy --teachers 250 --threshold 60% --sigma1 150 --sigma2 40 "
                    "--delta 1e-5 "
                    "--write-labels labels.npy --ledger teachers.ledger",
                    {kLimitMissed, kBadInput, kNotValid, kLedgerRefused},
                    "the number of queries, 8 bytes each"},
                   add_label, run_label),
      make_command({"darrm",
                    "plan or draw the majority of private teachers (DaRRM)",
                    "pate darrm --teachers 11 --setting independent-fresh --epsilon 0.1 --m 3 "
                    "--queries 10",
                    {kLimitMissed, kBadInput, kNotValid, kLedgerRefused},
                    "the number of different histograms and the square of the number of teachers"},
                   add_darrm, run_darrm),
      make_command({"nzc",
                    "check the immutable noisy argmax of Sun et al. (2020)",
                    "pate nzc votes.npy --scale 20 --tau 1e-6 --delta 1e-5 --summary",
                    {kBadInput, kNotValid},
                    "the number of different histograms"},
                   add_nzc, run_nzc),
      make_command({"multilabel",
                    "compute what queries with several labels cost",
                    "pate multilabel votes.npy --multilabel binary,tau:3,powerset --sigma2 40 "
                    "--delta 1e-5 --summary",
                    {kBadInput, kNotValid},
                    "the number of votes and of labels"},
                   add_multilabel, run_multilabel),
      make_command({"ledger",
                    "show the total cost recorded in a ledger",
                    "pate ledger teachers.ledger --summary",
                    {kLimitMissed, kBadInput, kLedgerRefused},
                    "the number of entries"},
                   add_ledger, run_ledger),
      make_command({"plan",
                    "bound the cost of a future run, or calibrate its noise",
                    "pate plan --queries 1000 --delta 1e-5 --epsilon 2 --solve sigma2",
                    {kLimitMissed, kBadInput, kNotValid},
                    "the number of teachers"},
                   add_plan, run_plan),
      make_command({"compose",
                    "compose the costs of reports, or join shards of a run",
                    "pate compose round1.json round2.json --summary",
                    {kLimitMissed, kBadInput, kNotValid},
                    "the size of the reports"},
                   add_compose, run_compose),
      make_command({"inspect",
                    "describe a file of votes and warn of likely mistakes",
                    "pate inspect votes.npy --threshold 60% --sigma1 150 --summary",
                    {kBadInput},
                    "--bins only"},
                   add_inspect, run_inspect),
      make_command({"report",
                    "write reports as an HTML page for people who run no commands",
                    "pate report report.json -o report.html",
                    {kBadInput},
                    "the size of the reports"},
                   add_report, run_report),
      make_command({"plot",
                    "draw figures from reports",
                    "pate plot report.json --kind cumulative -o cumulative.svg",
                    {kBadInput},
                    "the size of the reports"},
                   add_plot, run_plot),
      make_command({"table",
                    "write reports as a table for a paper, one row each",
                    "pate table run1.json run2.json --format latex -o results.tex",
                    {kBadInput},
                    "the size of the reports"},
                   add_table, run_table),
      make_command({"cite",
                    "print how to cite the program and the papers",
                    "pate cite --bibtex",
                    {},
                    "nothing"},
                   add_cite, run_cite),
      make_command({"simulate",
                    "simulate votes of an ensemble",
                    "pate simulate --teachers 250 --queries 1000 --accuracy 0.8 -o votes.npy",
                    {kBadInput},
                    "the number of votes"},
                   add_simulate, run_simulate),
  };
}

// "pate-analyze" is "pate analyze" by another name; a copy called otherwise is just pate.
std::vector<std::string> expand_name(std::vector<std::string> arguments,
                                     std::span<const Command> all) {
  if (arguments.empty()) return {"pate"};
  const std::string called = std::filesystem::path(arguments.front()).filename().string();
  for (const Command& command : all) {
    if (called != fmt::format("pate-{}", command.name)) continue;
    arguments.insert(arguments.begin() + 1, command.name);
    break;
  }
  return arguments;
}

// What the program ends by otherwise.
std::terminate_handler& end_as_ever() {
  static std::terminate_handler handler = std::get_terminate();
  return handler;
}

void end_without_memory() {
  try {
    if (std::current_exception() != nullptr) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    io::remove_temporaries();
    // There is nobody left to tell that it cannot be written.
    (void)std::fputs("pate: ", stderr);
    (void)std::fputs(no_memory().data(), stderr);
    (void)std::fputs("\n", stderr);
    std::_Exit(kBadInput);
  } catch (...) {
    end_as_ever()();
  }
  end_as_ever()();
}

}  // namespace

void end_cleanly_without_memory() {
  (void)end_as_ever();
  std::set_terminate(end_without_memory);
}

int run_program(const std::vector<std::string>& arguments, const Streams& streams) {
  try {
    const std::vector<Command> all = commands();
    if (std::ranges::any_of(arguments, [](const std::string& argument) {
          return argument.find('\1') != std::string::npos;
        })) {
      throw usage_error("no argument may hold the control character \\x01");
    }
    const Command* const command = parse(all, expand_name(arguments, all), streams.out);
    const int status = command == nullptr ? kDone : command->run(streams);
    if (!streams.out.flush()) throw output_error("standard output: cannot write");
    return status;
  } catch (const usage_error& error) {
    (void)report_error(streams, error.what(), kUsage);
    if (!error.hint().empty()) streams.err << "pate: " << in_one_line(error.hint()) << '\n';
    return kUsage;
  } catch (const parameter_error& error) {
    return report_error(streams, error.what(), kUsage);
  } catch (const input_error& error) {
    return report_error(streams, error.what(), kBadInput);
  } catch (const validity_error& error) {
    return report_error(streams, error.what(), kNotValid);
  } catch (const output_error& error) {
    return report_error(streams, error.what(), kBadOutput);
  } catch (const ledger_conflict& error) {
    return report_error(streams, error.what(), kLedgerRefused);
  } catch (const std::bad_alloc&) {
    return report_error(streams, no_memory().data(), kBadInput);
  } catch (const std::exception& error) {
    return report_error(streams, (std::string("a bug, please report: ") + error.what()).c_str(),
                        kBug);
  }
}

}  // namespace pate::cli
