#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/npy_writer.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"

using nlohmann::json;
using pate::test::analyze;
using pate::test::cost;
using pate::test::npy_array;
using pate::test::sample;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

constexpr std::int64_t kQueries = 6;
const std::vector<std::int64_t> kCounts{20, 9, 1, 30, 0, 0,  12, 12, 6,
                                        20, 9, 1, 1,  0, 29, 10, 9,  11};
const std::vector<std::string> kConfident{"--threshold", "18", "--sigma1", "6", "--sigma2", "5"};

// A report of these votes without what names files and options.
json results(const std::string& votes, const std::vector<std::string>& more,
             const std::vector<std::string>& mechanism = kConfident) {
  std::vector<std::string> arguments{votes};
  arguments.insert(arguments.end(), mechanism.begin(), mechanism.end());
  arguments.insert(arguments.end(), more.begin(), more.end());
  const auto ran = analyze(arguments);
  INFO(ran.err);
  REQUIRE(ran.status == 0);
  json report = ran.json();
  report["votes_digest"] = report.at("inputs").at("votes").at("votes_digest");
  report.erase("inputs");
  report.erase("settings");
  report.erase("notices");  // a list may follow from the votes
  for (json& event : report.at("record").at("events")) {
    event.at("private").erase("votes_sha256");  // of the file
    event.erase("origin");                      // rows in a file may follow from answers
  }
  return report;
}

class Files {
 public:
  template <typename T>
  std::string operator()(std::initializer_list<std::int64_t> shape, const std::vector<T>& values) {
    const auto path = directory_ / ("file" + std::to_string(++files_) + ".npy");
    write_bytes(path, npy_array<T>(shape, values));
    return path.string();
  }

 private:
  TempDirectory directory_;
  int files_ = 0;
};

}  // namespace

TEST_SUITE("analyze") {
  TEST_CASE("rows picked twice are the file written twice, bit for bit") {
    Files file;
    std::vector<std::int64_t> twice = kCounts;
    twice.insert(twice.end(), kCounts.begin(), kCounts.end());
    const std::vector<std::int64_t> rows{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5};
    const std::string once = file({kQueries, 3}, kCounts);
    const json repeated = results(file({2 * kQueries, 3}, twice), {});
    CHECK(results(once, {"--indices", file({2 * kQueries}, rows)}) == repeated);
    CHECK(repeated.at("queries") == 2 * kQueries);
    CHECK(repeated.at("rdp") != results(once, {}).at("rdp"));
  }

  TEST_CASE("a range, a list and a cut file are the same rows") {
    Files file;
    const std::string votes = file({kQueries, 3}, kCounts);
    const std::vector<std::int64_t> cut(kCounts.begin() + 6, kCounts.begin() + 15);
    const json range = results(votes, {"--queries", "2:5"});
    CHECK(range.at("queries") == 3);
    CHECK(range == results(file({3, 3}, cut), {}));
    CHECK(range == results(votes, {"--indices", file({3}, std::vector<std::int64_t>{2, 3, 4})}));
    CHECK(range.at("costs") ==
          results(votes, {"--indices", file({3}, std::vector<std::int64_t>{4, 2, 3})}).at("costs"));
    CHECK(results(votes, {"--queries", "4"}) == results(votes, {"--queries", "0:4"}));
    CHECK(results(votes, {"--queries", "6"}) == results(votes, {}));
  }

  TEST_CASE("files beside the votes go with rows of the file, not with picked rows") {
    Files file;
    const std::string votes = file({kQueries, 3}, kCounts);
    const std::string labels = file({kQueries}, std::vector<std::int64_t>{0, 0, 0, 0, 2, 2});
    const std::string decisions = file({kQueries}, std::vector<std::int64_t>{-1, -1, -1, -1, 1, 1});
    const json last =
        results(votes, {"--queries", "4:6", "--labels", labels, "--decisions", decisions});
    CHECK(last.at("utility").at("plurality_accuracy") == 1.0);
    CHECK(last.at("answered").at("realized") == 2);
    const json first =
        results(votes, {"--queries", "4", "--labels", labels, "--decisions", decisions});
    CHECK(first.at("answered").at("realized") == 0);
  }

  TEST_CASE("decisions as numbers, truth values and released labels are the same") {
    Files file;
    const std::string votes = file({kQueries, 3}, kCounts);
    const auto decided = [&](const std::string& path) {
      return results(votes, {"--decisions", path});
    };
    const json numbers = results(
        votes, {"--decisions", file({kQueries}, std::vector<std::int64_t>{1, 1, 0, 0, 1, 0}),
                "--decisions-are", "answered"});
    CHECK(numbers.at("answered").at("realized") == 3);
    CHECK(decided(file({kQueries}, std::vector<std::int64_t>{0, 0, -1, -1, 2, -1})) == numbers);
    // bool has the bytes of uint8, and another name.
    const std::string bytes = pate::test::npy_file(pate::test::npy_dict("|b1", {kQueries}),
                                                   std::string("\1\1\0\0\1\0", 6));
    TempDirectory directory;
    write_bytes(directory / "bool.npy", bytes);
    CHECK(decided((directory / "bool.npy").string()) == numbers);
  }

  TEST_CASE("a label run on the classes 0 and 1 is not taken for answered and refused") {
    Files file;
    const std::string votes = file({kQueries, 3}, kCounts);
    const std::string labels = file({kQueries}, std::vector<std::int64_t>{0, 1, 0, 0, 1, 0});
    std::vector<std::string> arguments{votes, "--decisions", labels};
    arguments.insert(arguments.end(), kConfident.begin(), kConfident.end());
    const auto refused = analyze(arguments);
    CHECK(refused.status == 3);
    CHECK(refused.out.empty());
    CHECK(refused.err.find("--decisions-are labels") != std::string::npos);
    const auto realized = [&](const char* are) {
      return results(votes, {"--decisions", labels, "--decisions-are", are})
          .at("answered")
          .at("realized");
    };
    CHECK(realized("labels") == kQueries);
    CHECK(realized("answered") == 2);
    CHECK(analyze({votes, "--sigma2", "5", "--decisions-are", "labels"}).status == 2);
  }

  TEST_CASE("where decisions or labels could be by row or by query, nothing is guessed") {
    Files file;
    const std::string votes = file({kQueries, 3}, kCounts);
    const std::string rows = file({kQueries}, std::vector<std::int64_t>{5, 4, 3, 2, 1, 0});
    const std::string decisions = file({kQueries}, std::vector<std::int64_t>{2, 0, 2, -1, -1, -1});
    const std::string labels = file({kQueries}, std::vector<std::int64_t>{0, 0, 0, 0, 2, 2});
    for (const std::string option : {"--decisions", "--labels"}) {
      const std::string& path = option == "--labels" ? labels : decisions;
      CAPTURE(option);
      std::vector<std::string> arguments{votes, "--indices", rows, option, path};
      arguments.insert(arguments.end(), kConfident.begin(), kConfident.end());
      const auto refused = analyze(arguments);
      CHECK(refused.status == 3);
      CHECK(refused.out.empty());
      CHECK(refused.err.find(option + "-rows selected") != std::string::npos);
      const json by_file =
          results(votes, {"--indices", rows, option, path, option + "-rows", "file"});
      const json by_query =
          results(votes, {"--indices", rows, option, path, option + "-rows", "selected"});
      CHECK(by_file != by_query);
      const json in_order = results(votes, {option, path});
      for (const char* part : {"answered", "costs"}) CHECK(by_file.at(part) == in_order.at(part));
      if (option == "--labels") CHECK(by_file.at("utility") == in_order.at("utility"));
    }
  }

  TEST_CASE("realized costs lie between those of all refused and all answered") {
    Files file;
    const std::string votes = file({kQueries, 3}, kCounts);
    const auto epsilon = [&](std::vector<std::int64_t> decisions, const char* reading) {
      const json report = results(
          votes, {"--decisions", file({kQueries}, decisions), "--decisions-are", "answered"});
      return cost(report, "tradeoff", reading, "improved").at("epsilon").get<double>();
    };
    const double none = epsilon({0, 0, 0, 0, 0, 0}, "realized");
    const double some = epsilon({1, 0, 1, 0, 0, 1}, "realized");
    const double all = epsilon({1, 1, 1, 1, 1, 1}, "realized");
    CHECK(none > 0.0);
    CHECK(none < some);
    CHECK(some < all);
    CHECK(all >= epsilon({1, 1, 1, 1, 1, 1}, "expected"));
    CHECK(none <= epsilon({0, 0, 0, 0, 0, 0}, "expected"));
  }

  TEST_CASE("a share of the teachers is so many votes") {
    const std::string votes = sample("digits_100_counts.npy");
    const auto at = [&](const char* threshold) {
      return results(votes, {"--queries", "50"},
                     {"--threshold", threshold, "--sigma1", "15", "--sigma2", "15"});
    };
    CHECK(at("60%") == at("60"));
    CHECK(at("62.5%") == at("62.5"));
    CHECK(at("60%").at("mechanism").at("threshold") == 60.0);
  }

  TEST_CASE("predictions by query are the transposed predictions") {
    Files file;
    const auto from = [&](const std::string& path, const char* layout) {
      return results(path, {"--layout", layout, "--classes", "4"});
    };
    const std::vector<std::int64_t> by_teacher{0, 1, 1, 2, 2, 2};  // 2 teachers, 3 queries
    const std::vector<std::int64_t> by_query{0, 2, 1, 2, 1, 2};
    const json report = from(file({2, 3}, by_teacher), "predictions");
    CHECK(report.at("teachers") == 2);
    CHECK(report.at("queries") == 3);
    CHECK(report.at("classes") == 4);
    CHECK(from(file({3, 2}, by_query), "predictions-by-query") == report);
  }
}
