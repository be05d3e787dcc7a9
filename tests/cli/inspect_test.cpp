#include "cli/commands/commands.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/npy_writer.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"

using nlohmann::json;
using pate::test::npy_array;
using pate::test::Ran;
using pate::test::read_bytes;
using pate::test::run;
using pate::test::sample;
using pate::test::shared_votes;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

Ran inspect(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "inspect");
  return run(std::move(arguments));
}

std::vector<std::string> codes(const json& report) {
  std::vector<std::string> result;
  for (const auto& notice : report.at("notices")) result.push_back(notice.at("code"));
  return result;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("inspect") {
  TEST_CASE("the report of the sample votes") {
    const Ran ran = inspect({sample("digits_100_counts.npy"), "--json", "--quiet"});
    CHECK(ran.status == 0);
    CHECK(ran.err.empty());
    const json report = ran.json();
    CHECK(report.at("schema") == "pate/inspect/v1");
    CHECK(report.at("tool").at("name") == "pate");
    CHECK(report.at("settings").at("command") == "inspect");
    CHECK(report.at("settings").at("threshold").is_null());
    CHECK(report.at("settings").at("student").is_null());
    CHECK(report.at("inputs").at("votes").at("shape") == json{797, 10});
    CHECK(report.at("teachers") == 100);
    CHECK(report.at("classes") == 10);
    CHECK(report.at("queries") == 797);
    CHECK(report.at("layout") == "counts");
    CHECK(report.at("dtype") == "<i8");
    CHECK(report.at("distinct_histograms") == 796);
    CHECK(report.at("ties") == 9);
    CHECK(report.at("unanimous") == 0);
    CHECK(report.at("top_count").at("deciles") ==
          json{18.0, 32.0, 38.0, 41.0, 45.0, 48.0, 51.0, 55.0, 60.0, 62.0, 71.0});
    CHECK(report.at("gap").at("deciles") ==
          json{0.0, 6.0, 13.0, 18.0, 24.0, 29.0, 34.0, 39.0, 44.0, 49.0, 62.0});
    CHECK(report.at("gap").at("histogram").at("bin_width") == 1);
    CHECK(report.at("gap").at("histogram").at("counts").size() == 101);
    CHECK(report.at("gap").at("histogram").at("counts")[0] == 9);
    CHECK(report.at("selection").is_null());
    CHECK(report.at("predictions").is_null());
    CHECK(codes(report) == std::vector<std::string>{"ties"});
  }

  TEST_CASE("predictions add what is known of single teachers, and change nothing else") {
    const json ids = inspect({sample("digits_100_predictions.npy"), "--layout", "predictions",
                              "--classes", "10", "--quiet"})
                         .json();
    const json counts = inspect({sample("digits_100_counts.npy"), "--quiet"}).json();
    for (const char* key : {"teachers", "classes", "queries", "distinct_histograms", "ties",
                            "unanimous", "top_count", "gap", "class_votes", "notices"}) {
      CAPTURE(key);
      CHECK(ids.at(key) == counts.at(key));
    }
    CHECK(ids.at("layout") == "predictions");
    const json& found = ids.at("predictions");
    CHECK(found.at("teachers_missing_a_class") == 100);
    CHECK(found.at("teachers_missing_class").size() == 10);
    CHECK(found.at("distinct_teachers") == 100);
    CHECK(found.at("identical_pairs") == 0);
    CHECK(found.at("first_identical_pairs") == json::array());
    CHECK(found.at("constant_teachers") == 0);
  }

  TEST_CASE("the teachers of MNIST (real votes)" * doctest::skip(!pate::test::has_shared_votes())) {
    const std::string mnist = shared_votes("mnist_t10k_250_predictions.npy");
    const json report =
        inspect({mnist, "--layout", "predictions", "--classes", "10", "--quiet"}).json();
    CHECK(report.at("predictions").at("teachers_missing_a_class") == 87);
    CHECK(report.at("ties") == 1);
  }

  TEST_CASE("the threshold leaves what analyze expects to be answered") {
    const std::vector<std::string> confident{"--threshold", "60%", "--sigma1", "15"};
    std::vector<std::string> arguments{sample("digits_100_counts.npy"), "--queries", "200",
                                       "--quiet"};
    arguments.insert(arguments.end(), confident.begin(), confident.end());
    const json report = inspect(arguments).json();
    for (const char* more : {"--sigma2", "15", "--delta", "1e-5"}) arguments.emplace_back(more);
    arguments.insert(arguments.begin(), "analyze");
    const json analyzed = run(arguments).json();
    const json& selection = report.at("selection");
    CHECK(selection.at("threshold") == 60.0);
    CHECK(selection.at("sigma1") == 15.0);
    CHECK(selection.at("answered").get<double>() ==
          doctest::Approx(analyzed.at("answered").at("expected").get<double>()).epsilon(1e-12));
    double sum = 0.0;
    for (const double count : selection.at("histogram").at("counts")) sum += count;
    CHECK(sum == doctest::Approx(selection.at("answered").get<double>()).epsilon(1e-12));
    CHECK(report.at("settings").at("threshold") == "60%");
    CHECK(report.at("inputs").at("votes").at("votes_digest") ==
          analyzed.at("inputs").at("votes").at("votes_digest"));
  }

  TEST_CASE("the report does not depend on the number of threads") {
    const std::vector<std::string> arguments{sample("digits_100_counts.npy"),
                                             "--quiet",
                                             "--threshold",
                                             "60",
                                             "--sigma1",
                                             "15",
                                             "--threads"};
    std::vector<std::string> one = arguments;
    std::vector<std::string> four = arguments;
    one.emplace_back("1");
    four.emplace_back("4");
    CHECK(inspect(one).out == inspect(four).out);
  }

  TEST_CASE("the summary, to the letter") {
    const TempDirectory directory;
    const std::filesystem::path before = std::filesystem::current_path();
    write_bytes(directory / "v.npy", npy_array<double>({3, 2}, {6, 4, 5, 5, 10, 0}));
    std::filesystem::current_path(directory.path());
    const Ran ran = inspect({"v.npy", "--summary", "--threshold", "5", "--sigma1", "1e-3"});
    std::filesystem::current_path(before);
    CHECK(ran.err.empty());
    CHECK(ran.out ==
          "v.npy: 3 queries, 10 teachers by the file, 2 classes\n"
          "counts of <f8; 3 distinct histograms, 1 unanimous, 1 tied at the top\n"
          "\n"
          "votes         0%   10%   20%   30%   40%   50%   60%   70%   80%   90%  100%\n"
          "top count      5   5.2   5.4   5.6   5.8     6   6.8   7.6   8.4   9.2    10\n"
          "gap            0   0.4   0.8   1.2   1.6     2   3.6   5.2   6.8   8.4    10\n"
          "\n"
          "top count              queries    answered\n"
          "5                            1         0.5  ################................\n"
          "6                            1         1.0  ################################\n"
          "7                            0         0.0\n"
          "8                            0         0.0\n"
          "9                            0         0.0\n"
          "10                           1         1.0  ################################\n"
          "\n"
          "answered: 2.5 expected at threshold 5, sigma1 0.001 (# answered, . refused)\n"
          "\n"
          "note: 1 query is tied at the top: the lowest of the tied classes is taken as the\n"
          "      plurality\n"
          "note: the votes are stored as floating-point numbers (<f8), all of them whole\n");
  }

  TEST_CASE("summary and help fit a terminal of 80 columns") {
    const TempDirectory directory;
    const std::int64_t many = 2'000'000'000;
    const std::string big = (directory / "big.npy").string();
    write_bytes(big, npy_array<std::int64_t>({2, 3}, {many, 1, 0, many / 2, many / 2 + 1, 0}));
    const Ran ran =
        inspect({big, "--summary", "--threshold", "123456789", "--sigma1", "1234567.89"});
    CHECK(ran.status == 0);
    CHECK(widest_line(ran.out) <= 80);
    CHECK(has(ran.out, "% of all"));
    CHECK(has(ran.out, "top count   50.0  55.0"));
    const Ran ids = inspect({sample("digits_100_predictions.npy"), "--layout", "predictions",
                             "--classes", "1000", "--summary", "--queries", "7"});
    CHECK(has(ids.out, "100 never vote for some class"));
    std::istringstream lines(ids.out);
    for (std::string line; std::getline(lines, line);) {
      if (!has(line, "predictions.npy:")) CHECK_MESSAGE(line.size() <= 80, line);
    }
    const Ran help = inspect({"--help"});
    CHECK(help.status == 0);
    CHECK(widest_line(help.out) <= 80);
    CHECK(has(help.out, "--sigma1"));
    CHECK_FALSE(has(help.out, "--decisions"));
  }

  TEST_CASE("no queries: no deciles, a notice") {
    const TempDirectory directory;
    write_bytes(directory / "none.npy", npy_array<std::int64_t>({0, 4}, {}));
    const Ran ran = inspect({(directory / "none.npy").string(), "--json", "--allow-empty"});
    CHECK(ran.status == 0);
    CHECK(ran.json().at("top_count").at("deciles").is_null());
    CHECK(codes(ran.json()) == std::vector<std::string>{"no_queries"});
    CHECK(ran.err == "pate: note: there are no queries\n");
    CHECK(inspect({(directory / "none.npy").string(), "--summary", "--allow-empty"}).status == 0);
    CHECK(inspect({(directory / "none.npy").string()}).status == 3);
  }

  TEST_CASE("counts that lie transposed are an input error that says so") {
    const TempDirectory directory;
    const std::string path = (directory / "t.npy").string();
    write_bytes(path, npy_array<std::int64_t>({2, 3}, {3, 1, 0, 1, 3, 4}));
    const Ran ran = inspect({path});
    CHECK(ran.status == 3);
    CHECK(ran.out.empty());
    CHECK(has(ran.err, "row 1: expected 4 votes"));
    CHECK(has(ran.err, "every column has a sum of 4: the file looks transposed"));
    write_bytes(path, npy_array<std::int64_t>({2, 3}, {3, 1, 0, 1, 3, 5}));
    CHECK(inspect({path}).status == 3);
    CHECK_FALSE(has(inspect({path}).err, "transposed"));
  }

  TEST_CASE("with a student the check looks at the lead, as the accounting does") {
    const TempDirectory directory;
    const std::string scores = (directory / "scores.csv").string();
    std::string text;
    for (int i = 0; i < 797; ++i) text += "0.28,0.08,0.08,0.08,0.08,0.08,0.08,0.08,0.08,0.08\n";
    write_bytes(scores, text);
    const std::vector<std::string> check{"--student", scores,     "--threshold",
                                         "40",        "--sigma1", "10"};
    std::vector<std::string> arguments{sample("digits_100_counts.npy"), "--bins", "7", "--quiet"};
    arguments.insert(arguments.end(), check.begin(), check.end());
    const json report = inspect(arguments).json();
    arguments = {"analyze", sample("digits_100_counts.npy"), "--sigma2", "1", "--delta", "1e-5",
                 "--quiet"};
    arguments.insert(arguments.end(), check.begin(), check.end());
    const double answered = run(arguments).json().at("answered").at("expected");
    CHECK(report.at("selection").at("answered").get<double>() ==
          doctest::Approx(answered).epsilon(1e-12));
    CHECK(report.at("lead").at("histogram").at("counts").size() == 7);
    CHECK(report.at("lead").at("mean") < report.at("top_count").at("mean"));
    arguments = {sample("digits_100_counts.npy"), "--quiet"};
    const json plain = inspect(arguments).json();
    CHECK_FALSE(plain.contains("lead"));
    double sum = 0.0;
    double queries = 0.0;
    const json gaps = plain.at("gap").at("histogram").at("counts");
    for (std::size_t gap = 0; gap < gaps.size(); ++gap) {
      sum += static_cast<double>(gap) * gaps[gap].get<double>();
      queries += gaps[gap].get<double>();
    }
    CHECK(plain.at("gap").at("mean").get<double>() == doctest::Approx(sum / queries));
  }

  TEST_CASE("wrong command lines and files, each with its status") {
    const std::string votes = sample("digits_100_counts.npy");
    const auto refused = [&](std::vector<std::string> arguments, int status,
                             const std::string& message) {
      const Ran ran = inspect(std::move(arguments));
      CHECK(ran.status == status);
      CHECK(ran.out.empty());
      CHECK_MESSAGE(has(ran.err, message), ran.err);
    };
    refused({votes, "--threshold", "60"}, 2, "--threshold needs --sigma1");
    refused({votes, "--sigma1", "15"}, 2, "--sigma1 needs --threshold");
    refused({votes, "--threshold", "60", "--sigma1", "0"}, 2, "--sigma1 must be > 0");
    refused({votes, "--threshold", "many", "--sigma1", "1"}, 2, "--threshold must be a number");
    refused({votes, "--student", votes}, 3, "expected a score in [0, 1]");
    refused({votes, "--bins", "0"}, 2, "bins");
    refused({votes, "--labels", sample("digits_100_counts.npy")}, 3, "digits_100_counts.npy");
    refused({votes, "--decisions", sample("digits_100_labels.npy")}, 2, "--decisions");
    refused({votes, "--delta", "1e-5"}, 2, "--delta");
    refused({votes, "--threads", "-1"}, 2, "--threads");
    refused({}, 2, "VOTES");
    refused({"/nowhere/votes.npy"}, 3, "/nowhere/votes.npy");
    refused({votes, "--teachers", "99"}, 3, "--teachers says 99");
    refused({votes, "--queries", "798"}, 3, "797 rows");
    refused({votes, "-o", "/nowhere/report.json"}, 5, "/nowhere/report.json");
    refused({votes, "-o", votes}, 2, "is an input");
  }

  TEST_CASE("to a file, and under the name pate-inspect") {
    const TempDirectory directory;
    const std::string file = (directory / "report.json").string();
    const std::string votes = sample("digits_100_counts.npy");
    const Ran written = inspect({votes, "--quiet", "-o", file});
    CHECK(written.status == 0);
    CHECK(written.out.empty());
    CHECK(read_bytes(file) == inspect({votes, "--quiet"}).out);
    CHECK(run({votes, "--quiet"}, "/usr/bin/pate-inspect").out == read_bytes(file));
  }
}
