#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "support/npy_writer.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"

using nlohmann::json;
using pate::test::Ran;
using pate::test::run;
using pate::test::sample;
using pate::test::shared_votes;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

using pate::test::Words;

// Votes for two rounds, and what is tried on them.
struct Dump {
  std::string votes, student;
  std::string first, last;  // queries of the first round, of both
  Words axes, second_axes;
  double max_epsilon;
};

json tuned(Words arguments, const Words& more) {
  arguments.insert(arguments.begin(), "tune");
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.insert(arguments.end(), {"--delta", "1e-5", "--quiet"});
  const Ran ran = run(arguments);
  INFO(ran.err);
  REQUIRE((ran.status == 0 || ran.status == 1));
  return ran.json();
}

Words second(const Words& axes) {
  Words result = axes;
  for (std::size_t i = 0; i < result.size(); i += 2) result[i].insert(2, "second-");
  return result;
}

// Found together, both rounds are never worse than apart under budgets that add up.
void check_against_split(const Dump& dump) {
  const auto limit = [](double epsilon) { return Words{"--max-epsilon", std::to_string(epsilon)}; };
  Words more = second(dump.second_axes);
  for (const Words& words : {dump.axes, limit(dump.max_epsilon)}) {
    more.insert(more.end(), words.begin(), words.end());
  }
  const json together = tuned({dump.votes, "--queries", dump.last, "--student", dump.student,
                               "--rounds", "2", "--first-queries", dump.first},
                              more);
  const json& best = together.at("best");
  REQUIRE(!best.is_null());
  const double answered = best.at("agreeing");
  CHECK(best.at("epsilon").get<double>() <= dump.max_epsilon);
  double apart = 0.0;
  for (int tenths = 1; tenths < 10; ++tenths) {
    const double share = 0.1 * tenths * dump.max_epsilon;
    Words words = dump.axes;
    words.insert(words.end(), {"--goal", "private"});  // a declared budget is of one round
    const Words a = limit(share);
    words.insert(words.end(), a.begin(), a.end());
    const json one = tuned({dump.votes, "--queries", dump.first}, words);
    words = dump.second_axes;
    words.insert(words.end(), {"--goal", "private"});
    const Words b = limit(dump.max_epsilon - share);
    words.insert(words.end(), b.begin(), b.end());
    const json two = tuned(
        {dump.votes, "--queries", dump.first + ":" + dump.last, "--student", dump.student}, words);
    if (one.at("best").is_null() || two.at("best").is_null()) continue;
    apart = std::max(apart, one.at("best").at("agreeing").get<double>() +
                                two.at("best").at("agreeing").get<double>());
  }
  CHECK(apart > 0.0);
  CHECK(answered >= apart);

  // Along the front both get dearer; what is best is not beaten by it.
  double epsilon = -1.0;
  double answers = -1.0;
  for (const auto& p : together.at("front")) {
    CHECK(p.at("epsilon").get<double>() > epsilon);
    CHECK(p.at("agreeing").get<double>() > answers);
    epsilon = p.at("epsilon");
    answers = p.at("agreeing");
    if (epsilon <= dump.max_epsilon) CHECK(answers <= answered);
  }
}

std::string student_of(const TempDirectory& directory, int rows) {
  std::ostringstream text;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < 10; ++j) text << (j > 0 ? "," : "") << (j == i % 10 ? "0.28" : "0.08");
    text << '\n';
  }
  const std::string path = (directory / "student.csv").string();
  write_bytes(path, text.str());
  return path;
}

}  // namespace

TEST_SUITE("tune") {
  TEST_CASE("two rounds together are never worse than apart: the sample votes") {
    const TempDirectory directory;
    check_against_split(
        {sample("digits_100_counts.npy"),
         student_of(directory, 797),
         "100",
         "300",
         {"--sigma2", "10:40:10", "--sigma1", "15:45:15", "--threshold", "40,60"},
         {"--sigma2", "10:40:10", "--sigma1", "15:45:15", "--threshold", "20:50:10"},
         6.0});
  }

  TEST_CASE("two rounds together are never worse than apart (real votes)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    check_against_split(
        {shared_votes("mnist_t10k_250_counts.npy"),
         shared_votes("mnist_t10k_250_student_scores.npy"),
         "300",
         "2500",
         {"--sigma2", "40,80", "--sigma1", "50,100,150", "--threshold", "150,200"},
         {"--sigma2", "40,80", "--sigma1", "100,200,300", "--threshold", "100:250:50"},
         2.0});
  }

  TEST_CASE("the commands of the best pair add up to its epsilon") {
    const TempDirectory directory;
    const std::string votes = sample("digits_100_counts.npy");
    const json report =
        tuned({votes, "--queries", "300", "--student", student_of(directory, 797), "--rounds", "2",
               "--first-queries", "100", "--labels", sample("digits_100_labels.npy")},
              {"--sigma2", "10,20", "--sigma1", "15,30", "--threshold", "40,60",
               "--second-threshold", "30%,40%", "--max-epsilon", "5", "--objective", "correct"});
    const json& best = report.at("best");
    double answered = 0.0;
    double correct = 0.0;
    for (std::size_t r = 0; r < 2; ++r) {
      Words words;
      std::istringstream command(best.at("commands")[r].get<std::string>());
      for (std::string word; command >> word;) words.push_back(word);
      REQUIRE(words.front() == "pate");
      words.erase(words.begin());
      words.back() = (directory / words.back()).string();
      REQUIRE(run(words).status == 0);
      answered += best.at("rounds")[r].at("answered").get<double>();
      correct += best.at("rounds")[r].at("correct").get<double>();
    }
    const json sum =
        run({"compose", (directory / "round1.json").string(), (directory / "round2.json").string(),
             "--reading", "realized", "--conversion", "improved", "--quiet"})
            .json();
    CHECK(sum.at("headline").at("epsilon").get<double>() ==
          doctest::Approx(best.at("epsilon").get<double>()).epsilon(1e-9));
    CHECK(sum.at("answered").at("expected").get<double>() ==
          doctest::Approx(answered).epsilon(1e-10));
    CHECK(best.at("answered").get<double>() == doctest::Approx(answered).epsilon(1e-12));
    CHECK(best.at("correct").get<double>() == doctest::Approx(correct).epsilon(1e-12));
  }

  TEST_CASE("what two rounds need, and what they exclude") {
    const TempDirectory directory;
    const std::string student = student_of(directory, 797);
    const Words axes{"--sigma2", "20", "--sigma1", "20", "--threshold", "40", "--delta", "1e-5"};
    const auto refused = [&](Words arguments, const std::string& message) {
      arguments.insert(arguments.begin(), {"tune", sample("digits_100_counts.npy")});
      arguments.insert(arguments.end(), axes.begin(), axes.end());
      const Ran ran = run(arguments);
      CHECK(ran.status == 2);
      CHECK_MESSAGE(ran.err.find(message) != std::string::npos, ran.err);
    };
    refused({"--rounds", "2", "--first-queries", "9"}, "needs --student");
    refused({"--rounds", "2", "--student", student}, "needs --first-queries");
    refused({"--rounds", "3", "--student", student, "--first-queries", "9"}, "must be 2");
    refused({"--rounds", "2", "--student", student, "--first-queries", "797"}, "below the number");
    refused({"--rounds", "2", "--student", student, "--first-queries", "9", "--refine"},
            "excludes --refine");
    refused({"--first-queries", "9"}, "go with --rounds 2");
    const Ran none = run({"tune", sample("digits_100_counts.npy"), "--rounds", "2", "--student",
                          student, "--first-queries", "100", "--sigma2", "20", "--sigma1", "20",
                          "--threshold", "40", "--delta", "1e-5", "--max-epsilon", "0.01"});
    CHECK(none.status == 1);
    CHECK(none.json().at("best").is_null());
  }
}
