#include "cli/options/command_line.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/options/output.hpp"

using pate::Bound;
using pate::GuaranteeKind;
using pate::cli::Command;
using pate::cli::CommandLine;
using pate::cli::Section;
using pate::cli::usage_error;
using pate::reports::SettingValue;

namespace {

struct Options {
  std::string file;
  std::vector<Bound> bounds{Bound::published, Bound::tradeoff};
  std::optional<GuaranteeKind> reading;
  std::optional<std::int64_t> queries;
  std::vector<double> orders;
  double delta = 0.5;
  bool exact = false;
  unsigned threads = 0;
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kTried{
    {{"exact", "that is --exact"}}};

void describe(CommandLine& line, Options& options) {
  line.section("").add("FILE TEXT", options.file, "a file",
                       {.required = true, .may_be_empty = true});
  const Section late = line.section("Late", {"--left-out"});
  const Section work = line.section("Work");
  work.add("--threads N", options.threads, "threads", {.recorded = false});
  work.add("--delta D", options.delta, "a share");
  work.add("--exact", options.exact, "a flag", {.recorded_before = "delta"});
  line.record_null("seed", "exact");
  late.add("--left-out", options.exact, "not here");
  late.add("--bound LIST", options.bounds, {Bound::published, Bound::tradeoff}, "some bounds",
           {.instead = kTried});
  late.add("--reading NAME", options.reading, {GuaranteeKind::joint, GuaranteeKind::worst_case},
           "a reading");
  late.add("-q,--max-queries N", options.queries, "a number");
  late.add("--orders LIST", options.orders, "numbers", {.recorded_as = "grid"});
}

// What the words make of the options; what is written is appended to `out`.
Options parsed(const std::vector<std::string>& words, std::string* out = nullptr) {
  Options options;
  std::vector<Command> commands(
      1, {{"work", "does it", "pate work f --exact", {pate::cli::kBadInput}}, {}, {}});
  describe(commands.front().line, options);
  std::vector<std::string> arguments{"pate", "work"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  std::ostringstream stream;
  const Command* const named = pate::cli::parse(commands, arguments, stream);
  CHECK((named == &commands.front()) == stream.str().empty());
  if (out != nullptr) *out += stream.str();
  return options;
}

std::string refused(const std::vector<std::string>& words) {
  try {
    (void)parsed(words);
  } catch (const usage_error& error) {
    CHECK(error.hint() == "run 'pate work --help' for the options");
    return error.what();
  }
  return "[not refused]";
}

}  // namespace

TEST_SUITE_BEGIN("options");

TEST_CASE("options: the command line sets their targets") {
  const Options options =
      parsed({"f", "--bound", "tradeoff,published", "--reading", "worst-case", "-q", "7",
              "--orders", "2,4.5", "--exact", "--delta=1e-3", "--threads", "3"});
  CHECK(options.file == "f");
  CHECK(options.bounds == std::vector{Bound::tradeoff, Bound::published});
  CHECK(options.reading == GuaranteeKind::worst_case);
  CHECK(options.queries == 7);
  CHECK(options.orders == std::vector{2.0, 4.5});
  CHECK(options.exact);
  CHECK(options.delta == 1e-3);
  CHECK(options.threads == 3);
}

TEST_CASE("options: registering one records its setting") {
  Options options;
  options.file = "f";
  pate::reports::Settings settings = pate::cli::settings_of("work", describe, options);
  const std::vector<std::string> bounds{"published", "tradeoff"};
  CHECK(settings == pate::reports::Settings{{"command", std::string("work")},
                                            {"file", std::string("f")},
                                            {"seed", SettingValue{}},
                                            {"exact", false},
                                            {"delta", 0.5},
                                            {"bound", bounds},
                                            {"reading", SettingValue{}},
                                            {"max_queries", SettingValue{}},
                                            {"grid", SettingValue{}}});
  options.reading = GuaranteeKind::worst_case;
  options.queries = 3;
  options.orders = {2.0};
  settings = pate::cli::settings_of("work", describe, options);
  CHECK(settings[6].second == SettingValue{std::string("worst-case")});
  CHECK(settings[7].second == SettingValue{std::int64_t{3}});
  CHECK(settings[8].second == SettingValue{std::vector{2.0}});
}

TEST_CASE("options: what cannot be right is refused with a hint") {
  CHECK(refused({}) == "FILE is required");
  CHECK(
      refused({"f", "--max-queries", "007"}) ==
      "--max-queries: must be a whole number without sign, fraction and leading zeros, got '007'");
  CHECK(refused({"f", "--threads", "-1"}) ==
        "--threads: must be a whole number without sign, fraction and leading zeros, got '-1'");
  CHECK(refused({"f", "--max-queries", "9223372036854775808"}) ==
        "--max-queries: must be at most 9223372036854775807, got '9223372036854775808'");
  CHECK(refused({"f", "--threads", "4294967296"}) ==
        "--threads: must be at most 4294967295, got '4294967296'");
  CHECK(refused({"f", "--reading", "expected"}) ==
        "--reading: must be one of joint, worst-case, got 'expected'");
  CHECK(refused({"f", "--reading", "joint,"}) ==
        "--reading: must be one of joint, worst-case, got 'joint,'; did you mean joint?");
  CHECK(refused({"f", "--bound", "tradeoff,exact"}) ==
        "--bound: must be one of published, tradeoff, got 'exact'; that is --exact");
  CHECK(refused({"f", "--left-out"}) == "'--left-out' is no option of pate work");
  CHECK(refused({"f", "--delat", "1"}) ==
        "'--delat' is no option of pate work; did you mean --delta?");
  CHECK(refused({"f", "--delat=1"}) ==
        "'--delat' is no option of pate work; did you mean --delta?");
  CHECK(refused({"--thread", "1"}) ==
        "'--thread' is no option of pate work; did you mean --threads?");
  CHECK(refused({"f", "-x"}) == "'-x' is no option of pate work");
  CHECK(refused({"f", "g"}) == "not understood: 'g'");
  CHECK(refused({"f", "--", "--", "--"}) == "not understood: '--' '--'");
  CHECK(refused({"f", "--delta", "1", "--delta", "2", "--delta", "3"}) ==
        "--delta is given 3 times: once is enough");
  CHECK(refused({"f", "--delta", "half"}) == "--delta: must be a number, got 'half'");
  CHECK(refused({"f", "--orders", "2,x"}) == "--orders: must be a number, got 'x'");
  CHECK(refused({"f", "--delta"}) == "--delta: its value is missing, D");
}

TEST_CASE("options: numbers are decimal, and ones that a double holds") {
  for (const char* const number :
       {"16", "+16", "16.", ".5", "1e-300", "1E3", "0", "-0", "4.9e-324"}) {
    CAPTURE(number);
    CHECK(parsed({"f", std::string("--delta=") + number}).delta == std::strtod(number, nullptr));
    CHECK(parsed({"f", std::string("--orders=2,") + number}).orders.back() ==
          std::strtod(number, nullptr));
  }
  for (const char* const text : {"0x10", "0X1p3", "0x", "0b11", "1_0", "1'0", "16f", "1e", "--1",
                                 "+-1", "1 2", "1;5", "e5", "."}) {
    CAPTURE(text);
    CHECK(refused({"f", std::string("--delta=") + text}) ==
          std::string("--delta: must be a number, got '") + text + "'");
    CHECK(refused({"f", std::string("--orders=2,") + text}) ==
          std::string("--orders: must be a number, got '") + text + "'");
  }
  for (const char* const text : {"1e400", "-1e400", "1e-400", "2e308"}) {
    CAPTURE(text);
    CHECK(refused({"f", std::string("--delta=") + text}) ==
          std::string("--delta: must be a number that a double holds, 4.9e-324 to 1.8e308, got '") +
              text + "'");
  }
}

// What is refused of the words behind the program's name, and what else it says.
std::string refused_program(const std::vector<std::string>& words) {
  std::vector<std::string> arguments{"pate"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  Options options;
  std::vector<Command> commands(1, {{"work", "does it", "pate work f", {}}, {}, {}});
  describe(commands.front().line, options);
  std::ostringstream stream;
  try {
    const Command* const named = pate::cli::parse(commands, arguments, stream);
    CHECK(named == nullptr);
  } catch (const usage_error& error) {
    return std::string(error.what()) + "\n" + error.hint();
  }
  return stream.str();
}

TEST_CASE("options: texts of several lines, in help and in the manual") {
  std::string list;
  std::string dots;
  std::string quotes;
  std::vector<Command> commands(
      1, {{"work", "does it", "pate work f", {pate::cli::kBadInput}}, {}, {}});
  const Section section = commands.front().line.section("");
  section.add("--list L", list, "one of a\nlist\n a b\n  c d\n");
  section.add("--dots D", dots, ".npy, or \\x - not '.'");
  section.add("--quotes Q", quotes, "'q' is quoted");
  const auto told = [&](const std::vector<std::string>& words) {
    std::ostringstream out;
    CHECK(pate::cli::parse(commands, words, out) == nullptr);
    return out.str();
  };
  // Lines that are indented stay lines, by however much they are.
  const std::string help = told({"pate", "help", "work"});
  CHECK(help.find("one of a list\n") != std::string::npos);
  CHECK(help.find(" a b\n") != std::string::npos);
  CHECK(help.find(" c d\n") != std::string::npos);
  // Of roff a dot or a quote begins no line.
  const std::string manual = told({"pate", "help", "--manual", "work"});
  CHECK(manual.find("\n\\&.npy, or \\ex \\- not '.'\n") != std::string::npos);
  CHECK(manual.find("\n\\&'q' is quoted\n") != std::string::npos);
  CHECK(manual.find("\\fB\\-\\-dots D\\fR\n") != std::string::npos);
}

TEST_CASE("options: the program knows its commands") {
  const std::string hint = "\nrun 'pate help' for the commands";
  CHECK(refused_program({"wrok"}) == "'wrok' is no command of pate; did you mean work?" + hint);
  CHECK(refused_program({"hepl"}) == "'hepl' is no command of pate; did you mean help?" + hint);
  CHECK(refused_program({"nothing"}) == "'nothing' is no command of pate" + hint);
  CHECK(refused_program({"--exact"}) ==
        "'--exact' is no option of pate: commands come first" + hint);
  CHECK(refused_program({}) == "a command is missing: work\nrun 'pate help' for what they do");
  CHECK(refused_program({"completion", "csh"}).find("bash, zsh and fish, got 'csh'") !=
        std::string::npos);
  const std::string help = refused_program({"help"});
  CHECK(help == refused_program({"--help"}));
  CHECK(refused_program({"-h"}).find("\n  work        does it\n") != std::string::npos);
  CHECK(help.find("\n  work                    does it\n") != std::string::npos);
  CHECK(refused_program({"help", "work"}) == refused_program({"work", "x", "--delta", "--help"}));
  const std::string brief = refused_program({"work", "x", "--delta", "-h"});
  CHECK(brief.starts_with("Usage: pate work [OPTIONS] FILE\ndoes it:\n  pate work f"));
  CHECK(brief.ends_with("pate work --help: all 8 options, the exit statuses\n"));
  const std::string version = refused_program({"--version"});
  CHECK(version.starts_with("pate "));
  CHECK(version == refused_program({"-V"}));
  CHECK(version == refused_program({"work", "--version"}));
  CHECK(refused_program({"--version", "--verbose"}).starts_with(version + "commit:    "));
  CHECK(version == refused_program({"--version", "work"}));
}

struct Told {
  pate::cli::OutputOptions output;
};

void describe_told(CommandLine& line, Told& options) {
  add_output_options(line, options.output);
}

int run_told(const Told& /*options*/, const pate::cli::Streams& streams) {
  return streams.progress ? 1 : 0;
}

TEST_CASE("options: no progress with --quiet and --progress never") {
  const auto progress = [](std::vector<std::string> words) {
    const std::vector<Command> commands{
        pate::cli::make_command({"work", "does it", "pate work"}, describe_told, run_told)};
    words.insert(words.begin(), {"pate", "work"});
    std::ostringstream out;
    const Command* const named = pate::cli::parse(commands, words, out);
    REQUIRE(named != nullptr);
    return named->run({out, out, true, true}) == 1;
  };
  CHECK(progress({}));
  CHECK(progress({"--progress", "auto"}));
  CHECK(progress({"--summary"}));
  CHECK_FALSE(progress({"--quiet"}));
  CHECK_FALSE(progress({"--progress", "never"}));
}

TEST_CASE("options: the help has its sections in the order of their titles") {
  std::string help;
  (void)parsed({"--help"}, &help);
  CHECK(help.find("\nLate:\n  --bound LIST            some bounds (some of published, tradeoff; "
                  "default:\n                          published,tradeoff)\n") !=
        std::string::npos);
  CHECK(help.find("  --reading NAME          a reading (one of joint, worst-case)\n") !=
        std::string::npos);
  CHECK(help.find("  -q,--max-queries N      a number\n") != std::string::npos);
  CHECK(
      help.starts_with("Usage: pate work [OPTIONS] FILE\n\ndoes it\n\nExample:\n  pate work f "
                       "--exact\n\n  FILE "));
  CHECK(help.find("\n  3        unreadable or malformed input, or not enough memory\n") !=
        std::string::npos);
  CHECK(help.find("\n  6  ") == std::string::npos);
  CHECK(help.find("\n\n\n") == std::string::npos);
  CHECK(help.find("\nLate:") <
        help.find("\nWork:\n  --threads N             threads (default: 0)\n"));
  CHECK(help.find("  --delta D               a share (default: 0.5)\n") != std::string::npos);
  CHECK(help.find("--left-out") == std::string::npos);
}

TEST_SUITE_END();
