#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/npy_writer.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"

using pate::test::npy_array;
using pate::test::Ran;
using pate::test::read_bytes;
using pate::test::run;
using pate::test::sample;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

std::vector<std::string> command(const std::string& votes, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"analyze", votes,      "--threshold", "3",       "--sigma1",
                                     "2",       "--sigma2", "2",           "--delta", "1e-5"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// The program as a person at a terminal sees it.
Ran at_terminal(std::vector<std::string> arguments) {
  std::ostringstream out;
  std::ostringstream err;
  arguments.insert(arguments.begin(), "pate");
  const int status = pate::cli::run_program(arguments, {out, err, true, true});
  return {status, out.str(), err.str()};
}

std::size_t files_in(const TempDirectory& directory) {
  const auto files = std::filesystem::directory_iterator(directory.path());
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

}  // namespace

TEST_SUITE("analyze") {
  TEST_CASE("an old report survives a failure, and success replaces it whole") {
    const TempDirectory directory;
    const std::string votes = (directory / "votes.npy").string();
    const std::string report = (directory / "report.json").string();
    write_bytes(report, "the old report");
    // Only the last row is wrong: it is found after most of the work.
    write_bytes(votes, npy_array<std::int64_t>({3, 2}, {3, 4, 5, 2, 3, 5}));
    const Ran failed = run(command(votes, {"-o", report}));
    CHECK(failed.status == 3);
    CHECK(failed.err.find("row 2") != std::string::npos);
    CHECK(read_bytes(report) == "the old report");
    CHECK(files_in(directory) == 2);

    write_bytes(votes, npy_array<std::int64_t>({3, 2}, {3, 4, 5, 2, 3, 4}));
    CHECK(run(command(votes, {"-o", report, "--quiet"})).status == 0);
    CHECK(nlohmann::json::parse(read_bytes(report)).at("queries") == 3);
    CHECK(files_in(directory) == 2);
    // A limit that is missed is told by the status; the report is there all the same.
    const Ran missed = run(command(votes, {"-o", report, "--quiet", "--min-answered", "4"}));
    CHECK(missed.status == 1);
    CHECK(missed.out.empty());
    CHECK(missed.err.find("--min-answered") != std::string::npos);
    CHECK(nlohmann::json::parse(read_bytes(report)).at("settings").at("min_answered") == 4.0);
  }

  TEST_CASE("no input of any kind is overwritten") {
    const TempDirectory directory;
    const std::string votes = (directory / "votes.npy").string();
    const std::string beside = (directory / "beside.npy").string();
    write_bytes(votes, npy_array<std::int64_t>({2, 2}, {3, 4, 5, 2}));
    for (const std::string option : {"--labels", "--decisions", "--indices", "--student"}) {
      const bool is_student = option == "--student";
      const std::string bytes = is_student ? npy_array<double>({2, 2}, {0.5, 0.5, 1.0, 0.0})
                                           : npy_array<std::int64_t>({2}, {0, 1});
      write_bytes(beside, bytes);
      std::filesystem::create_hard_link(beside, directory / "other_name.npy");
      for (const char* name : {"beside.npy", "other_name.npy", "votes.npy"}) {
        const Ran ran = run(command(votes, {option, beside, "-o", (directory / name).string()}));
        CAPTURE(option);
        CAPTURE(ran.err);
        CHECK(ran.status == 2);
        CHECK(ran.err.find(name) != std::string::npos);
        CHECK(read_bytes(beside) == bytes);
      }
      std::filesystem::remove(directory / "other_name.npy");
    }
  }

  TEST_CASE("on a terminal the summary, elsewhere the report; options decide otherwise") {
    const auto line = command(sample("digits_100_counts.npy"), {"--queries", "9"});
    const auto with = [&](const std::vector<std::string>& more) {
      auto arguments = line;
      arguments.insert(arguments.end(), more.begin(), more.end());
      return arguments;
    };
    const std::string summary = run(with({"--summary"})).out;
    CHECK(summary.find("epsilon = ") != std::string::npos);
    CHECK(at_terminal(line).out == summary);
    CHECK(at_terminal(with({"--json"})).out == run(line).out);
    CHECK(at_terminal(with({"--quiet"})).out.empty());
    CHECK(at_terminal(with({"--quiet"})).err.empty());
    const TempDirectory directory;
    const std::string report = (directory / "report.json").string();
    const Ran both = at_terminal(with({"-o", report}));
    CHECK(both.out == summary);
    CHECK(both.err.find(report) != std::string::npos);
    CHECK(read_bytes(report) == run(line).out);
  }

  TEST_CASE("every number reads back to the same double") {
    const std::string text = run(command(sample("digits_100_counts.npy"), {"--quiet"})).out;
    const auto report = nlohmann::ordered_json::parse(text);
    std::string dense;
    bool quoted = false;
    for (const char c : text) {
      if (c == '"') quoted = !quoted;  // no report here has one within a text
      if (quoted || (c != ' ' && c != '\n')) dense += c;
    }
    CHECK(report.dump() == dense);
    CHECK(text.ends_with("}\n"));
    CHECK(report.at("delta").get<double>() == 1e-5);
    // A number written with fewer digits than it needs would not survive a conversion and back.
    const double epsilon = report.at("headline").at("epsilon");
    double sum = 0.0;
    for (const auto& [name, part] : report.at("headline").at("parts").items()) {
      sum += part.get<double>();
    }
    CHECK(std::abs(sum - epsilon) <= 1e-15 * epsilon);
  }

  TEST_CASE("the settings say what was in force") {
    const auto settings = run(command(sample("digits_100_counts.npy"),
                                      {"--quiet", "--threads", "3", "--max-epsilon", "1e9",
                                       "--orders", "8,2", "--queries", "1:4"}))
                              .json()
                              .at("settings");
    CHECK(settings.at("command") == "analyze");
    CHECK(settings.at("votes") == sample("digits_100_counts.npy"));
    CHECK(settings.at("layout") == "counts");
    CHECK(settings.at("queries") == "1:4");
    CHECK(settings.at("threshold") == "3");
    CHECK(settings.at("sigma1") == 2.0);
    CHECK(settings.at("delta") == 1e-5);
    CHECK(settings.at("max_epsilon") == 1e9);
    CHECK(settings.at("student").is_null());
    CHECK(settings.at("bound") == nlohmann::json({"published", "tradeoff"}));
    CHECK(!settings.contains("threads"));
  }

  TEST_CASE("an empty file name or value is no way to leave an option out") {
    for (const std::string option :
         {"--student", "--decisions", "--labels", "--indices", "--queries", "--output"}) {
      const Ran ran = run(command(sample("digits_100_counts.npy"), {"--json", option, ""}));
      CAPTURE(option);
      CHECK(ran.status != 0);
      CHECK(ran.out.empty());
    }
  }

  TEST_CASE("noise too small for any epsilon is named, or ends in null with a notice") {
    for (const std::vector<std::string>& noise : std::vector<std::vector<std::string>>{
             {"--sigma2", "1e-200"}, {"--laplace-scale", "1e-310"}}) {
      std::vector<std::string> arguments{"analyze", sample("digits_100_counts.npy"), "--json",
                                         "--delta", "1e-5"};
      arguments.insert(arguments.end(), noise.begin(), noise.end());
      const Ran ran = run(arguments);
      CAPTURE(ran.err);
      if (ran.status == 2) {
        CHECK(ran.err.find(noise.front().substr(2)) != std::string::npos);
      } else {
        REQUIRE(ran.status == 0);
        CHECK(ran.json().at("notices").dump().find("epsilon_infinite") != std::string::npos);
      }
    }
  }
}
