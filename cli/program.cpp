#include "cli/program.hpp"

#include <fmt/format.h>

#include <array>
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
#include "pate/error.hpp"
#include "pate/io/memory.hpp"

namespace pate::cli {

namespace {

int report_error(const Streams& streams, const char* what, int status) {
  streams.err << alarming("pate:", streams.err_colour()) << ' ' << for_terminal(what) << '\n';
  return status;
}

// Without asking for more.
std::array<char, 128> no_memory() {
  std::array<char, 128> text{};
  fmt::format_to_n(text.data(), text.size() - 1,
                   "not enough memory for this input: {} may be used; see --max-memory",
                   size_text(static_cast<double>(io::usable_memory())));
  return text;
}

std::vector<Command> commands() {
  return {
      make_command({"analyze",
                    "the privacy cost of a vote dump",
                    "pate analyze votes.npy --threshold 60% --sigma1 150 --sigma2 40 --delta 1e-5",
                    {kLimitMissed, kBadInput, kNotValid},
                    "different histograms, and teachers"},
                   add_analyze, run_analyze),
      make_command(
          {"tune",
           "choose the noise and the threshold",
           "pate tune votes.npy --threshold 40%:80%:10% --sigma1 50:200:50 --sigma2 20,40 "
           "--delta 1e-5 --max-epsilon 2",
           {kLimitMissed, kBadInput, kNotValid},
           "different histograms, teachers, and points\nof the grid that none is better than"},
          add_tune, run_tune),
      make_command(
          {"release",
           "an epsilon that may be published",
           "pate release votes.npy --teachers 250 --threshold 60% --sigma1 150 --sigma2 40 --delta "
           "1e-5 "
           "--ledger teachers.ledger --public-only -o public.json",
           {kLimitMissed, kBadInput, kNotValid, kLedgerRefused},
           "different histograms; of a curve with a\nthreshold with the square of the teachers"},
          add_release, run_release),
      make_command({"explain",
                    "one query, or the dearest ones, under the glass",
                    "pate explain votes.npy --sigma2 40 --delta 1e-5 --top 10 --summary",
                    {kBadInput, kNotValid},
                    "--top, by the classes"},
                   add_explain, run_explain),
      make_command({"label",
                    "run the aggregator: noisy labels for the student",
                    "pate label votes.npy --teachers 250 --threshold 60% --sigma1 150 --sigma2 40 "
                    "--delta 1e-5 "
                    "--write-labels labels.npy --ledger teachers.ledger",
                    {kBadInput, kNotValid, kLedgerRefused},
                    "queries, by 8 bytes each"},
                   add_label, run_label),
      make_command({"darrm",
                    "the majority of teachers that are private themselves",
                    "pate darrm --teachers 11 --setting independent-fresh --epsilon 0.1 --m 3 "
                    "--queries 10",
                    {kLimitMissed, kBadInput, kNotValid, kLedgerRefused},
                    "different histograms, and the square of the\nteachers"},
                   add_darrm, run_darrm),
      make_command({"nzc",
                    "a constant added to the plurality: claim and truth",
                    "pate nzc votes.npy --scale 20 --tau 1e-6 --delta 1e-5 --summary",
                    {kBadInput, kNotValid},
                    "different histograms"},
                   add_nzc, run_nzc),
      make_command({"ledger",
                    "the account of what was released of an ensemble",
                    "pate ledger teachers.ledger --summary",
                    {kBadInput},
                    "entries"},
                   add_ledger, run_ledger),
      make_command({"plan",
                    "what a run may cost; the noise a target needs",
                    "pate plan --queries 1000 --delta 1e-5 --epsilon 2 --solve sigma2",
                    {kLimitMissed, kBadInput, kNotValid},
                    "teachers"},
                   add_plan, run_plan),
      make_command({"compose",
                    "add up reports: shards of a run, or rounds",
                    "pate compose round1.json round2.json --summary",
                    {kLimitMissed, kBadInput, kNotValid},
                    "reports"},
                   add_compose, run_compose),
      make_command({"inspect",
                    "what is in a vote dump, and what looks wrong",
                    "pate inspect votes.npy --threshold 60% --sigma1 150 --summary",
                    {kBadInput},
                    "nothing but --bins"},
                   add_inspect, run_inspect),
      make_command({"report",
                    "reports as a page for people who run no commands",
                    "pate report report.json -o report.html",
                    {kBadInput},
                    "reports"},
                   add_report, run_report),
      make_command({"plot",
                    "pictures of reports",
                    "pate plot report.json --kind cumulative -o cumulative.svg",
                    {kBadInput},
                    "reports"},
                   add_plot, run_plot),
      make_command({"simulate",
                    "make a plausible vote dump",
                    "pate simulate --teachers 250 --queries 1000 --accuracy 0.8 -o votes.npy",
                    {kBadInput},
                    "votes: they are made in memory"},
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

}  // namespace

int run_program(const std::vector<std::string>& arguments, const Streams& streams) {
  try {
    const std::vector<Command> all = commands();
    const Command* const command = parse(all, expand_name(arguments, all), streams.out);
    const int status = command == nullptr ? kDone : command->run(streams);
    if (!streams.out.flush()) throw output_error("standard output: cannot write");
    return status;
  } catch (const usage_error& error) {
    (void)report_error(streams, error.what(), kUsage);
    if (!error.hint().empty()) streams.err << "pate: " << for_terminal(error.hint()) << '\n';
    return kUsage;
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
    return report_error(streams, no_memory().data(), kBadInput);
  } catch (const std::exception& error) {
    return report_error(streams, (std::string("a bug, please report: ") + error.what()).c_str(),
                        kBug);
  }
}

}  // namespace pate::cli
