#include "cli/text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/program.hpp"

using pate::cli::did_you_mean;
using pate::cli::meant;
using pate::cli::with_notes_broken;
using pate::test::run;
using pate::test::sample;

TEST_SUITE_BEGIN("text");

TEST_CASE("notes are broken to the width, and nothing else is") {
  const std::string table = "  a table that is wider than that  1  2  3\n";
  CHECK(with_notes_broken(table + "note: one two three four\n", 16) ==
        table + "note: one two\n      three four\n");
  CHECK(with_notes_broken("note: one two\n", 13) == "note: one two\n");
  CHECK(with_notes_broken("note: one two\n", 12) == "note: one\n      two\n");
  CHECK(with_notes_broken("note: averyveryverylongword x", 8) == "note: averyveryverylongword x");
  CHECK(with_notes_broken("note: averyveryverylongword x\n", 8) ==
        "note: averyveryverylongword\n      x\n");
  CHECK(with_notes_broken("\n\nnote: a\n", 80) == "\n\nnote: a\n");
  CHECK(with_notes_broken("", 80).empty());
}

TEST_CASE("one of a thing is one") {
  CHECK(pate::cli::queries_text(1) == "1 query");
  CHECK(pate::cli::queries_text(0) == "0 queries");
  CHECK(pate::cli::teachers_text(1) == "1 teacher");
  CHECK(pate::cli::counted(2, "label", "labels") == "2 labels");
}

TEST_CASE("which word was meant") {
  const std::vector<std::string> words{"--delta", "--deltas", "--labels", "--labels-rows",
                                       "--exact"};
  CHECK(meant("--delat", words) == std::vector<std::string>{"--delta", "--deltas"});
  CHECK(meant("--label", words) == std::vector<std::string>{"--labels", "--labels-rows"});
  CHECK(meant("--exakt", words) == std::vector<std::string>{"--exact"});
  CHECK(meant("--exa", words) == std::vector<std::string>{"--exact"});
  CHECK(meant("--nothing", words).empty());
  CHECK(meant("", words).empty());
  CHECK(meant("tuen", {"tune", "plan"}) == std::vector<std::string>{"tune"});
  CHECK(meant("plum", {"tune", "plan"}).empty());
  CHECK(did_you_mean("--label", words) == "; did you mean --labels or --labels-rows?");
  CHECK(did_you_mean("--exakt", words) == "; did you mean --exact?");
  CHECK(did_you_mean("--nothing", words).empty());
}

TEST_CASE("a summary is as wide as the terminal, 80 columns elsewhere") {
  const std::vector<std::string> line{"analyze",   sample("digits_100_counts.npy"),
                                      "--queries", "5",
                                      "--sigma2",  "20",
                                      "--delta",   "1e-5",
                                      "--reading", "joint",
                                      "--summary"};
  for (const std::size_t columns : {40U, 80U, 200U}) {
    std::ostringstream out;
    std::ostringstream err;
    std::vector<std::string> arguments = line;
    arguments.insert(arguments.begin(), "pate");
    pate::cli::Streams streams{out, err, true, true};
    streams.out_columns = columns;
    REQUIRE(pate::cli::run_program(arguments, streams) == 0);
    std::istringstream lines(out.str());
    std::size_t widest = 0;
    for (std::string note; std::getline(lines, note);) {
      if (note.starts_with("note: ") || note.starts_with("      ")) {
        widest = std::max(widest, note.size());
      }
    }
    CHECK(widest <= columns);
    CHECK(widest > columns * 2 / 5);
    if (columns == 80) CHECK(out.str() == run(line).out);
  }
}

TEST_SUITE_END();
