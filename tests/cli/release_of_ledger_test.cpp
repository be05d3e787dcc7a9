// A number that counts a ledger rests on all that the ledger's own account rests on, and protects
// no more than that does.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/random.hpp"
#include "support/temp_directory.hpp"

using nlohmann::json;
using pate::test::run;
using pate::test::sample;
using pate::test::TempDirectory;
using pate_test::Random;

namespace {

using Words = std::vector<std::string>;

const Words kPredictions{"--layout", "predictions", "--classes", "10", "--teachers", "100"};

Words operator+(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// What adds an entry to a ledger, by kind.
struct Entry {
  const char* kind;
  Words words;
};

std::vector<Entry> entries_of(const TempDirectory& directory) {
  std::string weights;
  for (int teacher = 0; teacher < 100; ++teacher) weights += teacher % 3 == 0 ? "2\n" : "1\n";
  std::string path = (directory / "weights.txt").string();
  std::ofstream(path) << weights;
  const std::string votes = sample("digits_100_predictions.npy");
  const Words label = Words{"label", votes} + kPredictions;
  return {
      {"labels", label + Words{"--queries", "10", "--sigma2", "60"}},
      {"answers", label + Words{"--queries", "10:20", "--threshold", "60", "--sigma1", "40",
                                "--sigma2", "60", "--order", "12"}},
      {"weights", label + Words{"--queries", "20:30", "--sigma2", "60", "--teacher-weights", path}},
      {"declared", label + Words{"--queries", "30:60", "--threshold", "60", "--sigma1", "20",
                                 "--sigma2", "20", "--declared-epsilon", "2"}},
      {"others", {"ledger", "--append", "--gaussian-mu", "sgd=0.2", "--source", "sgd=train.py"}},
  };
}

json guarantee_of(const json& report) {
  return report.contains("guarantee") ? report.at("guarantee")
                                      : report.at("public").at("guarantee");
}

void check_counts(const Words& release, const std::string& ledger) {
  const json total = guarantee_of(json::parse(run({"ledger", ledger, "--json", "--quiet"}).out));
  const auto released = run(release + Words{"--ledger", ledger, "--json", "--quiet"});
  REQUIRE_MESSAGE(released.status == 0, released.err);
  const json report = json::parse(released.out);
  const json own = guarantee_of(report);
  CHECK(own.at("protected") == total.at("protected"));
  CHECK(own.at("may_differ") == total.at("may_differ"));
  const std::string statement = report.at("public").at("statement");
  for (const json& line : total.at("assumes")) {
    CAPTURE(line);
    // Of numbers that a release adds, and not of a sum of fixed ones.
    const bool is_of_sums = line.get<std::string>().starts_with("how many events");
    const auto& assumes = own.at("assumes");
    CHECK((is_of_sums || std::ranges::find(assumes, line) != assumes.end()));
    CHECK((is_of_sums || statement.find(line.get<std::string>()) != std::string::npos));
  }
  const auto begin = own.at("promise").get<std::string>().substr(0, 20);
  CHECK(total.at("promise").get<std::string>().starts_with(begin));
}

}  // namespace

TEST_CASE("a release rests on all that its ledger rests on, and protects no more") {
  Random random(29);
  for (int round = 0; round < 6; ++round) {
    const TempDirectory directory;
    const std::string ledger = (directory / "ledger").string();
    std::vector<Entry> entries = entries_of(directory);
    std::string kinds;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      // Each kind alone, then any of them together; what others say begins no ledger.
      const bool begins = i == 0 && round >= 4;
      const bool is_in =
          begins || (round < 5 ? i == static_cast<std::size_t>(round) : random.integer(0, 3) != 0);
      if (!is_in) continue;
      kinds += std::string(entries[i].kind) + ' ';
      Words words = entries[i].words;
      if (words.front() == "ledger") {
        words.insert(words.begin() + 1, ledger);
      } else {
        words =
            words +
            Words{"--delta",        "1e-6",
                  "--ledger",       ledger,
                  "--write-labels", (directory / (std::string(entries[i].kind) + ".npy")).string()};
      }
      const auto done = run(words + Words{"--quiet", "-o", (directory / "out.json").string()});
      REQUIRE_MESSAGE(done.status == 0, done.err);
    }
    CAPTURE(kinds);
    const Words release = Words{"release", sample("digits_100_predictions.npy")} + kPredictions +
                          Words{"--queries", "60:120", "--sigma2", "40", "--delta", "1e-5"};
    check_counts(release, ledger);
  }
}
