#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/temp_directory.hpp"

using pate::test::Ran;
using pate::test::run;
using pate::test::sample;
using pate::test::TempDirectory;

TEST_SUITE("output") {
  TEST_CASE("--statement prints what is guaranteed, in words, and nothing else") {
    const TempDirectory directory;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string labels = (directory / "labels.npy").string();
    const std::vector<std::vector<std::string>> lines{
        {"analyze", votes, "--sigma2", "20", "--queries", "20", "--delta", "1e-5"},
        {"plan", "--sigma2", "20", "--queries", "20", "--delta", "1e-5"},
        {"label", votes, "--teachers", "100", "--sigma2", "20", "--queries", "20", "--delta",
         "1e-5", "--write-labels", labels}};
    for (std::vector<std::string> line : lines) {
      line.emplace_back("--statement");
      const Ran ran = run(line);
      INFO(line.front(), ": ", ran.err);
      CHECK(ran.status == 0);
      CHECK(ran.out.starts_with("Had any one teacher voted differently"));
      CHECK(ran.out.find("Protected: one teacher") != std::string::npos);
      CHECK(ran.out.find("Not covered:") != std::string::npos);
      CHECK(ran.out.find('{') == std::string::npos);
    }
  }

  TEST_CASE("--statement says so where nothing is promised, and goes with no other output") {
    const std::string votes = sample("digits_100_counts.npy");
    const std::vector<std::string> line{"analyze", votes,      "--threshold", "60",      "--sigma1",
                                        "15",      "--sigma2", "15",          "--delta", "1e-5"};
    std::vector<std::string> expected = line;
    expected.insert(expected.end(), {"--reading", "expected", "--statement"});
    CHECK(run(expected).out.starts_with("Nothing is promised: the headline is an expectation"));
    std::vector<std::string> rehearsal = line;
    rehearsal.front() = "release";
    rehearsal.insert(rehearsal.end(), {"--teachers", "100", "--queries", "20", "--method", "gnss",
                                       "--dry-run", "--statement"});
    CHECK(run(rehearsal).out.starts_with("Nothing is promised: no number was drawn"));
    for (const char* other : {"--json", "--summary", "--quiet"}) {
      std::vector<std::string> both = line;
      both.insert(both.end(), {"--statement", other});
      CHECK(run(both).status == 2);
    }
  }
}
