#include <doctest/doctest.h>

#include <filesystem>

#include "support/npy_writer.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"

using pate::test::npy_array;
using pate::test::Ran;
using pate::test::run;
using pate::test::sample;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

// Fails as it should: the status, every word in the message, nothing on standard output.
void check_refused(const std::vector<std::string>& arguments, int status,
                   const std::vector<std::string>& words) {
  const Ran ran = run(arguments);
  std::string line;
  for (const std::string& argument : arguments) line += argument + ' ';
  CAPTURE(line);
  CAPTURE(ran.err);
  CHECK(ran.status == status);
  CHECK(ran.out.empty());
  CHECK(ran.err.starts_with("pate: "));
  for (const std::string& word : words) CHECK(ran.err.find(word) != std::string::npos);
}

std::vector<std::string> analyze(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"analyze", sample("digits_100_counts.npy")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_SUITE("analyze") {
  TEST_CASE("wrong command lines end with status 2 and say what to change") {
    check_refused({}, 2, {"a command is missing", "analyze"});
    check_refused({"analyse"}, 2, {"'analyse'", "did you mean analyze?"});
    check_refused({"analyze"}, 2, {"VOTES"});
    check_refused(analyze({"--sigma2", "40"}), 2, {"--delta"});
    check_refused(analyze({"--delta", "1e-5"}), 2, {"--sigma2", "--laplace-scale"});
    check_refused(analyze({"--delta", "1e-5", "--sigma2", "1", "--threshold", "5"}), 2,
                  {"--sigma1"});
    check_refused(analyze({"--delta", "1e-5", "--sigma2", "1", "--sigma1", "5"}), 2,
                  {"--threshold"});
    check_refused(analyze({"--delta", "1e-5", "--sigma2", "1", "--laplace-scale", "5"}), 2,
                  {"--laplace-scale", "--sigma2"});
    check_refused(analyze({"--delta", "1e-5", "--sigma2", "1", "--student", "x.npy"}), 2,
                  {"--threshold", "--sigma1"});
    check_refused(analyze({"--delta", "1e-5", "--sigma2", "1", "--layout", "predictions"}), 2,
                  {"--classes"});
    check_refused(analyze({"--delta", "1e-5", "--sigma2", "1", "--queries", "5", "--indices", "x"}),
                  2, {"--queries", "--indices"});
    check_refused(analyze({"--delta", "1e-5", "--sigma2", "1", "--json", "--summary"}), 2,
                  {"--json", "--summary"});
    check_refused(analyze({"--delta", "1e-5", "--sigma2", "1", "--frobnicate"}), 2, {"frobnicate"});
    check_refused(analyze({"--delta", "1e-5", "--sigma2", "1", "--threads", "-1"}), 2, {"-1"});
    check_refused(analyze({"--delta", "1e-5", "--sigma2", "1", "--orders", "2,1"}), 2,
                  {"orders", "1"});
    check_refused(analyze({"--delta", "1e-5", "--sigma2", "1", "--conversion", "kov"}), 2, {"kov"});
    check_refused(analyze({"--delta", "1e-5", "--sigma2", "1", "--max-epsilon", "nan"}), 2,
                  {"--max-epsilon", "nan"});
  }

  TEST_CASE("parameters out of range are named with their value") {
    for (const char* delta : {"0", "1", "-1", "nan", "2"}) {
      check_refused(analyze({"--sigma2", "1", "--delta", delta}), 2, {"delta must be", delta});
    }
    for (const char* sigma : {"0", "-1", "inf", "nan"}) {
      check_refused(analyze({"--delta", "1e-5", "--sigma2", sigma}), 2, {"sigma2 must be", sigma});
      check_refused(analyze({"--delta", "1e-5", "--laplace-scale", sigma}), 2,
                    {"laplace-scale must be", sigma});
      check_refused(
          analyze({"--delta", "1e-5", "--sigma2", "1", "--threshold", "5", "--sigma1", sigma}), 2,
          {"sigma1 must be", sigma});
    }
    for (const char* threshold : {"-1e308", "1e300", "-1e16"}) {
      for (const char* command : {"analyze", "release", "label", "tune"}) {
        std::vector<std::string> line = analyze(
            {"--delta", "1e-5", "--sigma2", "1", "--sigma1", "1", "--threshold", threshold});
        line[0] = command;
        if (line[0] == "label" || line[0] == "release") {
          line.insert(line.end(), {"--teachers", "100"});
        }
        if (line[0] == "label") line.insert(line.end(), {"--write-labels", "none.npy"});
        if (line[0] == "release") line.emplace_back("--dry-run");
        check_refused(line, 2, {"threshold", "between"});
      }
    }
    for (const char* threshold : {"many", "nan", "5%%", ""}) {
      check_refused(
          analyze({"--delta", "1e-5", "--sigma2", "1", "--sigma1", "1", "--threshold", threshold}),
          2, {"--threshold"});
    }
    for (const char* queries : {"0", "5:5", "7:3", "-1", "x", "1:2:3"}) {
      check_refused(
          analyze({"--delta", "1e-5", "--sigma2", "1", std::string("--queries=") + queries}), 2,
          {queries});
    }
  }

  TEST_CASE("bad inputs end with status 3 and are named to the cell; nothing is written") {
    const TempDirectory directory;
    const auto path = [&](const char* name) { return (directory / name).string(); };
    const std::string report = path("report.json");
    const auto check = [&](std::vector<std::string> votes_and_options,
                           std::vector<std::string> words) {
      std::vector<std::string> arguments{"analyze"};
      words.push_back(votes_and_options.front());
      arguments.insert(arguments.end(), votes_and_options.begin(), votes_and_options.end());
      for (const char* more : {"--sigma2", "1", "--delta", "1e-5", "-o"})
        arguments.emplace_back(more);
      arguments.push_back(report);
      check_refused(arguments, 3, words);
      CHECK(!std::filesystem::exists(report));
      const auto files = std::filesystem::directory_iterator(directory.path());
      for (const auto& file : files) {
        CHECK(file.path().filename().string().find(".tmp") == std::string::npos);
      }
    };
    check({path("missing.npy")}, {"o such file"});
    check({directory.path().string()}, {"directory"});
    write_bytes(path("text.npy"), "hello, world: this is not an array\n");
    check({path("text.npy")}, {});
    write_bytes(path("sums.npy"), npy_array<std::int64_t>({2, 2}, {3, 4, 3, 5}));
    check({path("sums.npy")}, {"row 1", "7", "8"});
    write_bytes(path("negative.npy"), npy_array<std::int64_t>({2, 2}, {3, 4, -1, 8}));
    check({path("negative.npy")}, {"row 1", "column 0", "-1"});
    write_bytes(path("fraction.npy"), npy_array<double>({2, 2}, {3, 4, 2.5, 4.5}));
    check({path("fraction.npy")}, {"row 1", "column 0", "2.5"});
    write_bytes(path("class.npy"), npy_array<std::int64_t>({2, 2}, {0, 1, 1, 3}));
    check({path("class.npy"), "--layout", "predictions", "--classes", "3"},
          {"row 1", "column 1", "3", "0..2"});
    check({sample("digits_100_counts.npy"), "--teachers", "99"}, {"99", "100"});
    check({sample("digits_100_counts.npy"), "--classes", "9"}, {"9", "10"});
    check({sample("digits_100_counts.npy"), "--queries", "798"}, {"797", "798"});
  }

  TEST_CASE("files beside the votes must fit them") {
    const TempDirectory directory;
    const auto file = (directory / "beside.npy").string();
    const auto check = [&](const char* option, const std::string& bytes,
                           const std::vector<std::string>& words) {
      write_bytes(file, bytes);
      check_refused(analyze({"--delta", "1e-5", "--sigma2", "1", "--threshold", "50", "--sigma1",
                             "5", option, file}),
                    3, words);
    };
    std::vector<std::int64_t> labels(797, 3);
    labels[5] = 10;
    check("--labels", npy_array<std::int64_t>({797}, labels), {file, "row 5", "10"});
    check("--labels", npy_array<std::int64_t>({3}, {1, 2, 3}), {file, "797", "3"});
    check("--decisions", npy_array<std::int64_t>({2}, {1, -1}), {file, "797", "2"});
    check("--decisions", npy_array<std::int64_t>({797}, std::vector<std::int64_t>(797, 1)),
          {file, "1 only", "--decisions-are"});
    check("--indices", npy_array<std::int64_t>({2}, {0, 797}), {file, "797"});
    std::vector<double> scores(797 * 10, 0.1);
    scores[25] = 1.5;
    check("--student", npy_array<double>({797, 10}, scores), {file, "row 2", "column 5", "1.5"});
    check("--student", npy_array<double>({10, 797}, std::vector<double>(7970, 0.1)), {file, "797"});
  }
}
