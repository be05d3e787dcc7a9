#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/npy_writer.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"

using pate::test::Ran;
using pate::test::run;
using pate::test::sample;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

std::vector<std::string> analyze(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{
      "analyze", sample("digits_100_counts.npy"), "--sigma2", "20", "--delta", "1e-5", "--queries",
      "50"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

TEST_SUITE("analyze") {
  TEST_CASE("the report goes to standard output or to a file, the same bytes") {
    const TempDirectory directory;
    const auto file = directory / "report.json";
    const Ran printed = run(analyze({"--quiet"}));
    CHECK(printed.status == 0);
    CHECK(printed.err.empty());
    const Ran written = run(analyze({"--quiet", "-o", file.string()}));
    CHECK(written.status == 0);
    CHECK(written.out.empty());
    CHECK(contents(file) == printed.out);
    CHECK(printed.json().at("schema") == "pate/analyze/v1");
  }

  TEST_CASE("notices go to standard error, the summary to standard output") {
    const Ran plain = run(analyze({}));
    CHECK(plain.err.find("pate: note: ") == 0);
    CHECK(plain.out.front() == '{');
    const Ran summary = run(analyze({"--summary"}));
    CHECK(summary.err.empty());
    CHECK(summary.out.find("epsilon = ") != std::string::npos);
    CHECK(summary.out.find("note: ") != std::string::npos);
  }

  TEST_CASE("an output that is an input is refused and the input unharmed") {
    const TempDirectory directory;
    const auto votes = directory / "votes.npy";
    std::filesystem::copy_file(sample("digits_100_counts.npy"), votes);
    std::filesystem::create_symlink(votes, directory / "link.npy");
    const std::string before = contents(votes);
    for (const char* name : {"votes.npy", "link.npy", "./votes.npy"}) {
      const Ran ran = run({"analyze", votes.string(), "--sigma2", "20", "--delta", "1e-5", "-o",
                           (directory.path() / name).string()});
      CHECK(ran.status == 2);
      CHECK(ran.err.find("is an input") != std::string::npos);
      CHECK(contents(votes) == before);
    }
  }

  TEST_CASE("an output that cannot be written is status 5") {
    const TempDirectory directory;
    CHECK(run(analyze({"-o", (directory.path() / "no" / "report.json").string()})).status == 5);
    CHECK(run(analyze({"-o", directory.path().string()})).status == 5);
  }

  TEST_CASE("limits decide the status and leave the report as it is") {
    const std::string report = run(analyze({"--quiet"})).out;
    const double epsilon = run(analyze({"--quiet"})).json().at("headline").at("epsilon");
    const auto limited = [&](const std::vector<std::string>& limit) { return run(analyze(limit)); };
    CHECK(limited({"--max-epsilon", std::to_string(epsilon + 0.1)}).status == 0);
    const Ran above = limited({"--max-epsilon", std::to_string(epsilon - 0.1)});
    CHECK(above.status == 1);
    CHECK(above.err.find("--max-epsilon") != std::string::npos);
    CHECK(above.json().at("headline") == nlohmann::json::parse(report).at("headline"));
    CHECK(limited({"--min-answered", "50"}).status == 0);
    CHECK(limited({"--min-answered", "50.5"}).status == 1);
    CHECK(limited({"--require-releasable", "--reading", "joint"}).status == 1);
    CHECK(limited({"--require-releasable", "--conversion", "gdp"}).status == 0);
  }

  TEST_CASE("the headline is the cost that was asked for") {
    const auto headline = [](const std::vector<std::string>& more) {
      return run(analyze(more)).json().at("headline");
    };
    CHECK(headline({"--reading", "joint"}).at("bound") == "tradeoff");
    CHECK(headline({"--reading", "joint"}).at("conversion") == "optimal");
    CHECK(headline({"--reading", "joint", "--conversion", "improved"}).at("conversion") ==
          "improved");
    // What is published promises nothing, and is the headline where it is asked for.
    CHECK(headline({"--bound", "published"}).at("bound") == "data_independent");
    CHECK(headline({"--bound", "published", "--reading", "expected"}).at("bound") == "published");
    CHECK(headline({"--reading", "expected"}).at("reading") == "expected");
    CHECK(headline({"--conversion", "classic"}).at("conversion") == "classic");
    CHECK(headline({"--conversion", "gdp"}).at("bound") == "data_independent");
    CHECK(headline({"--conversion", "gdp"}).at("releasable") == true);
  }

  TEST_CASE("help fits 80 columns, the version is told, pate-analyze is pate analyze") {
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"--help"}, {"analyze", "--help"}, {"simulate", "-h"}}) {
      const Ran help = run(arguments);
      CHECK(help.status == 0);
      std::istringstream lines(help.out);
      for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        CHECK(line.size() <= 80);
      }
    }
    CHECK(run({"--version"}).out == "pate 1.0.0\n");
    auto arguments = analyze({"--quiet"});
    arguments.erase(arguments.begin());
    CHECK(run(arguments, "/usr/bin/pate-analyze").out == run(analyze({"--quiet"})).out);
    // Copies by other names are just the program.
    CHECK(run(analyze({"--quiet"}), "./pate-rel").out == run(analyze({"--quiet"})).out);
  }
}
