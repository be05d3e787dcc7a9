#include <doctest/doctest.h>

#include <cmath>

#include "support/npy_writer.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"

using nlohmann::json;
using pate::test::analyze;
using pate::test::cost;
using pate::test::sample;
using pate::test::shared_votes;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

double epsilon(const json& report, const char* bound, const char* reading, const char* conversion) {
  const json entry = cost(report, bound, reading, conversion);
  REQUIRE(!entry.is_null());
  return entry.at("epsilon").get<double>();
}

const std::vector<std::string> kConfident{"--queries", "200", "--threshold", "60",
                                          "--sigma1",  "15",  "--sigma2",    "15"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// The report without what names the file.
json results(json report) {
  for (const char* key : {"path", "sha256", "dtype", "shape", "layout", "format"}) {
    report.at("inputs").at("votes").erase(key);
  }
  report.erase("settings");
  for (json& event : report.at("record").at("events")) {
    event.at("private").erase("votes_sha256");  // of the file
  }
  return report;
}

}  // namespace

TEST_SUITE("analyze") {
  TEST_CASE("answers of a confident student") {
    const TempDirectory directory;
    const std::string scores = (directory / "scores.csv").string();
    std::string text;
    for (int i = 0; i < 797; ++i) {
      text += i % 4 == 0 ? "0.91" : "0.73";
      for (int j = 0; j < 9; ++j) text += i % 4 == 0 ? ",0.01" : ",0.03";
      text += '\n';
    }
    write_bytes(scores, text);
    const auto student = [&](const char* above, const char* threshold) {
      const json answered = analyze({sample("digits_100_counts.npy"), "--queries", "100",
                                     "--student", scores, "--threshold", threshold, "--sigma1", "1",
                                     "--sigma2", "20", "--reinforce-above", above})
                                .json()
                                .at("answered");
      return answered.at("student").get<double>();
    };
    // Nobody is answered by the teachers, or everybody.
    CHECK(student("0.5", "1000") == 100.0);
    CHECK(student("0.73", "1000") == 25.0);
    CHECK(student("0.91", "1000") == 0.0);
    CHECK(student("0.5", "-1000") < 1e-300);
    const double some = student("0.8", "20");
    CHECK(some > 0.0);
    CHECK(some < 25.0);
  }

  TEST_CASE("the published MNIST votes have the known numbers (real votes)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    const std::string votes = shared_votes("s18_mnist_250_counts.npy");
    const json report = analyze({votes, "--queries", "640", "--threshold", "200", "--sigma1", "150",
                                 "--sigma2", "40"})
                            .json();
    CHECK(report.at("answered").at("expected").get<double>() ==
          doctest::Approx(282.721).epsilon(2e-6));
    const json classic = cost(report, "published", "expected", "classic");
    CHECK(classic.at("epsilon").get<double>() == doctest::Approx(1.9988).epsilon(5e-5));
    CHECK(std::abs(classic.at("order").get<double>() - 14.0) < 0.3);
    CHECK(epsilon(report, "published", "expected", "improved") ==
          doctest::Approx(1.7117).epsilon(1e-4));
    CHECK(epsilon(report, "tradeoff", "joint", "improved") == doctest::Approx(1.236).epsilon(1e-3));
    CHECK(epsilon(report, "tradeoff", "expected", "improved") ==
          doctest::Approx(1.181).epsilon(1e-3));
  }

  TEST_CASE("the published Adult votes have the known numbers (real votes)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    const std::string votes = shared_votes("s18_adult_250_counts.npy");
    const json report = analyze({votes, "--queries", "1500", "--threshold", "300", "--sigma1",
                                 "200", "--sigma2", "40"})
                            .json();
    CHECK(report.at("answered").at("expected").get<double>() ==
          doctest::Approx(538.26).epsilon(1e-5));
    CHECK(epsilon(report, "published", "expected", "classic") ==
          doctest::Approx(1.678).epsilon(1e-4));
    CHECK(epsilon(report, "tradeoff", "joint", "improved") == doctest::Approx(1.077).epsilon(1e-3));
  }

  TEST_CASE("counts and predictions give the same report") {
    const json counts = analyze(with({sample("digits_100_counts.npy")}, kConfident)).json();
    const json predictions = analyze(with({sample("digits_100_predictions.npy"), "--layout",
                                           "predictions", "--classes", "10"},
                                          kConfident))
                                 .json();
    CHECK(results(counts) == results(predictions));
    CHECK(counts.at("inputs").at("votes").at("votes_digest") ==
          predictions.at("inputs").at("votes").at("votes_digest"));
    CHECK(counts.at("inputs").at("votes").at("sha256") !=
          predictions.at("inputs").at("votes").at("sha256"));
  }

  TEST_CASE("the number of threads changes no byte") {
    const auto arguments =
        with({sample("digits_100_counts.npy"), "--threshold", "60", "--sigma1", "15", "--sigma2",
              "15", "--labels", sample("digits_100_labels.npy")},
             {"--threads"});
    const auto one = analyze(with(arguments, {"1"}));
    CHECK(one.status == 0);
    CHECK(one.out == analyze(with(arguments, {"2"})).out);
    CHECK(one.out == analyze(with(arguments, {"7"})).out);
  }

  TEST_CASE("LNMax from predictions") {
    const json report = analyze({sample("digits_100_predictions.npy"), "--layout", "predictions",
                                 "--classes", "10", "--queries", "100", "--laplace-scale", "20"})
                            .json();
    CHECK(report.at("mechanism").at("name") == "lnmax");
    CHECK(epsilon(report, "data_independent", "worst_case", "pure") == doctest::Approx(10.0));
    CHECK(epsilon(report, "data_independent", "worst_case", "kov") <
          epsilon(report, "data_independent", "worst_case", "pure"));
    CHECK(epsilon(report, "tradeoff", "joint", "improved") ==
          epsilon(report, "tradeoff", "expected", "improved"));
    CHECK(epsilon(report, "tradeoff", "joint", "improved") <=
          epsilon(report, "data_independent", "worst_case", "improved") * (1.0 + 1e-9));
    CHECK(epsilon(report, "tradeoff", "joint", "improved") <
          epsilon(report, "published", "expected", "improved"));
  }

  TEST_CASE("the interactive aggregator charges by the lead over the student") {
    const TempDirectory directory;
    const auto student = (directory / "student.npy").string();
    std::vector<double> scores(797 * 10, 0.1);
    write_bytes(student, pate::test::npy_array<double>({797, 10}, scores));
    // r_j = ceil(100 * 0.1 - 1/2) = 10 for every class: the threshold 50 is the confident one
    // at 60.
    const auto rest = std::vector<std::string>{"--sigma1", "15", "--sigma2", "15"};
    const json confident =
        analyze(with({sample("digits_100_counts.npy"), "--threshold", "60"}, rest)).json();
    const json interactive =
        analyze(with({sample("digits_100_counts.npy"), "--threshold", "50", "--student", student},
                     rest))
            .json();
    CHECK(interactive.at("mechanism").at("name") == "interactive");
    CHECK(interactive.at("answered").at("expected").get<double>() ==
          doctest::Approx(confident.at("answered").at("expected").get<double>()).epsilon(1e-12));
    CHECK(epsilon(interactive, "tradeoff", "joint", "improved") ==
          doctest::Approx(epsilon(confident, "tradeoff", "joint", "improved")).epsilon(1e-9));
  }

  TEST_CASE("the interactive aggregator on real votes and a real student (real votes)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    const std::string votes = shared_votes("mnist_t10k_250_counts.npy");
    const json report =
        analyze({votes, "--student", shared_votes("mnist_t10k_250_student_scores.npy"), "--queries",
                 "300:2500", "--threshold", "150", "--sigma1", "100", "--sigma2", "40"})
            .json();
    CHECK(report.at("queries") == 2200);
    CHECK(report.at("answered").at("expected").get<double>() > 100.0);
    CHECK(epsilon(report, "tradeoff", "joint", "improved") <
          epsilon(report, "data_independent", "worst_case", "improved"));
  }

  TEST_CASE("rows that are repeated are charged again") {
    const TempDirectory directory;
    const auto indices = (directory / "indices.npy").string();
    std::vector<std::int64_t> twice;
    for (std::int64_t row = 0; row < 797; ++row) {
      twice.push_back(row);
      twice.push_back(796 - row);
    }
    write_bytes(indices, pate::test::npy_array<std::int64_t>({1594}, twice));
    const std::vector<std::string> rest{"--sigma2", "20", "--orders", "2,5,9.5"};
    const json once = analyze(with({sample("digits_100_counts.npy")}, rest)).json();
    const json again =
        analyze(with({sample("digits_100_counts.npy"), "--indices", indices}, rest)).json();
    CHECK(again.at("queries") == 1594);
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(again.at("rdp").at("tradeoff").at("joint").at(j).get<double>() ==
            2.0 * once.at("rdp").at("tradeoff").at("joint").at(j).get<double>());
    }
  }
}
