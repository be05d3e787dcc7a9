#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/temp_directory.hpp"

namespace fs = std::filesystem;
using nlohmann::json;
using pate::test::Ran;
using pate::test::read_bytes;
using pate::test::run;
using pate::test::sample;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

using pate::test::Words;
using pate::test::operator+;

Words on_digits(const std::string& command, const Words& more) {
  return Words{command, sample("digits_100_counts.npy"), "--teachers", "100", "--delta", "1e-5"} +
         more;
}

const Words kNoise{"--threshold", "60", "--sigma1", "15", "--sigma2", "15"};
const Words kFixed{"--order", "4", "--beta", "0.05", "--sigma-ss", "3"};

// No digest in hexadecimal digits, no path, and nothing that only private reports have.
void check_public(const std::string& text, const TempDirectory& directory) {
  CAPTURE(text);
  CHECK(text.find("sha256") == std::string::npos);
  CHECK(text.find("digest") == std::string::npos);
  CHECK(text.find("digits_100") == std::string::npos);
  CHECK(text.find(directory.path().string()) == std::string::npos);
  CHECK(text.find("expected") == std::string::npos);
  CHECK(text.find("data_dependent\": true") == std::string::npos);
  std::size_t run_of_hex = 0;
  for (const char c : text) {
    run_of_hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ? run_of_hex + 1 : 0;
    CHECK(run_of_hex < 40);
  }
  const json report = json::parse(text);
  CHECK_FALSE(report.contains("settings"));
  CHECK_FALSE(report.contains("inputs"));
  CHECK(report.at("public").is_object());
  CHECK(report.at("notices").is_array());
  for (const json& cost : report.at("public").value("costs", json::array())) {
    CHECK(cost.at("releasable") == true);
  }
}

}  // namespace

TEST_SUITE("output") {
  TEST_CASE("no output is another output, an input or a ledger, by whatever name") {
    const TempDirectory directory;
    const auto at = [&](const char* name) { return (directory / name).string(); };
    const std::string votes = at("votes.npy");
    fs::copy_file(sample("digits_100_counts.npy"), votes);
    const Words release = Words{"release", "--method", "gnss", votes,       "--teachers",
                                "100",     "--delta",  "1e-5", "--queries", "50"} +
                          kNoise + kFixed;
    REQUIRE(run(release + Words{"--ledger", at("X"), "--quiet"}).status == 0);
    const std::string ledger = read_bytes(directory / "X");
    fs::create_symlink("X", directory / "to_X");
    fs::create_hard_link(directory / "X", directory / "other_X");
    fs::create_symlink("L.csv", directory / "dangling");  // to a file that is not there yet
    fs::create_symlink("dangling", directory / "chain");
    fs::create_directory_symlink(".", directory / "here");
    const Words label = Words{"label", votes,      "--teachers", "100",       "--delta",
                              "1e-5",  "--sigma2", "20",         "--queries", "5"};
    const Words tune =
        Words{"tune", votes, "--delta", "1e-5", "--sigma2", "20,30", "--queries", "5"};
    const Words simulate{"simulate", "--queries", "5"};
    for (const Words& words : std::vector<Words>{
             release + Words{"--ledger", at("X"), "-o", at("X")},
             release + Words{"--ledger", at("X"), "-o", at("to_X")},
             release + Words{"--ledger", at("to_X"), "-o", at("other_X")},
             release + Words{"--ledger", at("new"), "-o", at("here/new")},
             release + Words{"--ledger", votes},
             label + Words{"--write-labels", at("L.csv"), "--ledger", at("dangling")},
             label + Words{"--write-labels", at("L.csv"), "--ledger", at("chain")},
             label + Words{"--write-labels", at("L.csv"), "-o", at("here/./L.csv")},
             label + Words{"--write-labels", at("m.csv"), "-o", at("X"), "--ledger", at("to_X")},
             tune + Words{"--csv", at("t"), "-o", at("./t")},
             tune + Words{"--csv", at("dangling"), "-o", at("L.csv")},
             tune + Words{"--csv", votes},
             simulate + Words{"-o", at("L.csv"), "--labels-output", at("dangling")},
             simulate + Words{"-o", at("chain"), "--labels-output", at("L.csv")},
             Words{"compose", at("X"), "-o", at("other_X")},
             Words{"inspect", votes, "-o", at("to_X")},
             Words{"plan", "--sigma2", "40", "--queries", "9", "--delta", "1e-5", "-o", at("X")},
             Words{"inspect", votes, "-o", at("here/votes.npy")},
             Words{"explain", votes, "--delta", "1e-5", "--sigma2", "20", "--top", "1", "-o",
                   votes},
         }) {
      const Ran ran = run(words);
      std::string line;
      for (const std::string& word : words) line += word + ' ';
      CAPTURE(line);
      CAPTURE(ran.err);
      CHECK(ran.status == 2);
      CHECK(ran.out.empty());
      CHECK(ran.err.find("name another file") != std::string::npos);
      CHECK(read_bytes(directory / "X") == ledger);
      CHECK(read_bytes(votes) == read_bytes(sample("digits_100_counts.npy")));
      for (const char* name : {"L.csv", "m.csv", "t", "new"}) {
        CHECK_FALSE(fs::exists(directory / name));
      }
    }
    // What differs is written, also through links.
    CHECK(
        run(label + Words{"--write-labels", at("M.csv"), "-o", at("dangling"), "--quiet"}).status ==
        0);
    CHECK(json::parse(read_bytes(directory / "L.csv")).at("queries") == 5);
    CHECK(fs::is_symlink(directory / "dangling"));
    CHECK(run(tune + Words{"--csv", "/dev/null", "-o", "/dev/null", "--quiet"}).status == 0);
  }

  TEST_CASE("-o - is standard output in every command") {
    const TempDirectory directory;
    const std::string report = (directory / "r.json").string();
    const std::string labels = (directory / "l.npy").string();
    REQUIRE(run(on_digits("analyze", kNoise + Words{"-o", report, "--quiet"})).status == 0);
    for (const Words& words : std::vector<Words>{
             on_digits("analyze", kNoise),
             on_digits("explain", kNoise + Words{"--top", "1"}),
             on_digits("tune", Words{"--sigma2", "20,30", "--queries", "5"}),
             on_digits("release", kNoise + kFixed + Words{"--method", "gnss"}),
             on_digits("label", kNoise + Words{"--write-labels", labels}),
             Words{"inspect", sample("digits_100_counts.npy")},
             Words{"plan", "--sigma2", "40", "--queries", "9", "--delta", "1e-5"},
             Words{"compose", report},
         }) {
      CAPTURE(words.front());
      const Ran ran = run(words + Words{"-o", "-", "--quiet"});
      CAPTURE(ran.err);
      REQUIRE(ran.status == 0);
      CHECK(ran.json().contains("schema"));
      CHECK_FALSE(fs::exists("-"));
      const Ran both = run(words + Words{"-o", "-", "--summary", "--force"});
      CHECK(both.status == 2);
    }
    const Ran votes = run({"simulate", "--queries", "3", "-o", "-"});
    CHECK(votes.status == 0);
    CHECK(votes.out.starts_with("\x93NUMPY"));
    CHECK_FALSE(fs::exists("-"));
    const Ran csv = run(on_digits("tune", {"--sigma2", "20,30", "--queries", "5", "--csv", "-"}));
    CHECK(csv.status == 2);
    CHECK(csv.err.find("--csv - is no file") != std::string::npos);
  }

  TEST_CASE("--public-only with nothing to publish writes nothing") {
    const TempDirectory directory;
    const std::string file = (directory / "report.json").string();
    write_bytes(file, "what was there");
    const Words words =
        on_digits("release", kNoise + Words{"--method", "gnss", "--queries", "50",
                                            "--require-releasable", "--public-only"});
    for (const Words& more : {Words{}, Words{"--json"}, Words{"--summary"}, Words{"-o", "-"},
                              Words{"-o", file}, Words{"-o", file, "--quiet"}}) {
      const Ran ran = run(words + more);
      CHECK(ran.status == 1);
      CHECK(ran.out.empty());
      CHECK(ran.err ==
            "pate: limit missed: the parameters are not fixed in advance; nothing was drawn\n");
      CHECK(read_bytes(file) == "what was there");
    }
    CHECK(run(words + Words{"-o", (directory / "new").string()}).status == 1);
    CHECK_FALSE(fs::exists(directory / "new"));
    // S18's procedure has nothing that may be published.
    const Ran published = run(on_digits(
        "release", kNoise + Words{"--as-published", "--dry-run", "--public-only", "-o", file}));
    CHECK(published.status == 2);
    CHECK(published.out.empty());
    CHECK(read_bytes(file) == "what was there");
  }

  TEST_CASE("--public-only puts out what may be published, and what bears on its validity") {
    const TempDirectory directory;
    const auto at = [&](const char* name) { return (directory / name).string(); };
    const Words open{"--public-only", "--json"};

    const Words gnss{"--method",     "gnss", "--queries",   "50",
                     "--confidence", "0.5",  "--any-delta", "--quiet"};
    CHECK(run(on_digits("release", kNoise + open + gnss)).status == 2);
    const Ran fixed = run(on_digits(
        "release",
        kNoise + open + gnss + Words{"--order", "4.4", "--beta", "0.013", "--sigma-ss", "2.1"}));
    REQUIRE(fixed.status == 0);
    check_public(fixed.out, directory);
    CHECK(fixed.out.find("not_a_bound") != std::string::npos);
    CHECK(fixed.out.find("private_part") == std::string::npos);

    const Ran plan =
        run(Words{"plan", "--sigma2", "40", "--queries", "9", "--delta", "1e-5"} + open);
    REQUIRE(plan.status == 0);
    check_public(plan.out, directory);
    const json whole =
        run({"plan", "--sigma2", "40", "--queries", "9", "--delta", "1e-5", "--json"}).json();
    CHECK(plan.json().at("public").at("headline") == whole.at("headline"));
    CHECK(plan.json().at("public").at("costs") == whole.at("costs"));

    for (const Words& limit : {Words{}, Words{"--max-answers", "3"}, Words{"--max-epsilon", "2"}}) {
      const Ran label =
          run(on_digits("label", kNoise + open + limit +
                                     Words{"--write-labels", at("l.csv"), "--force", "--ledger",
                                           at("ledger"), "--queries", "100"}));
      REQUIRE(label.status == 0);
      check_public(label.out, directory);
      const json told = label.json().at("public");
      CHECK(told.at("headline").at("reading") == "worst_case");
      CHECK(told.at("labels").at("asked").get<int>() <= 100);
      CHECK(label.err.find(directory.path().string()) == std::string::npos);
      const Ran summary =
          run(on_digits("label", kNoise + limit +
                                     Words{"--public-only", "--summary", "--write-labels",
                                           at("l.csv"), "--force", "--queries", "100"}));
      CHECK(summary.out.find("private") == std::string::npos);
      CHECK(summary.out.find("digits_100") == std::string::npos);
    }

    REQUIRE(
        run(on_digits("analyze", kNoise + Words{"-o", at("a.json"), "--queries", "100"})).status ==
        0);
    REQUIRE(run(on_digits("label", kNoise + Words{"-o", at("b.json"), "--queries", "100:200",
                                                  "--write-labels", at("l.csv"), "--force"}))
                .status == 0);
    const Words compose{"compose", at("a.json"), at("b.json"), at("ledger"), "--same-teachers"};
    const Ran sum = run(compose + open);
    REQUIRE(sum.status == 0);
    check_public(sum.out, directory);
    CHECK(sum.err.find(directory.path().string()) == std::string::npos);
    CHECK(sum.json().at("public").at("headline").at("bound") != "tradeoff");
    const std::string text = run(compose + Words{"--public-only", "--summary"}).out;
    CHECK(text.find("part 1: confident, 100 queries") == 0);
    CHECK(text.find("answered") == std::string::npos);
    CHECK(text.find("private") == std::string::npos);
    CHECK(run(compose + open + Words{"--max-epsilon", "0.1"}).status == 1);
    CHECK(run(compose + open + Words{"--min-answered", "1"}).status == 2);
    CHECK(run(compose + open + Words{"--require-releasable"}).status == 0);

    Words shards{"compose"};
    for (const char* shard : {"1/2", "2/2"}) {
      shards.push_back(at(shard[0] == '1' ? "s1" : "s2"));
      REQUIRE(run(on_digits("analyze", kNoise + Words{"--labels", sample("digits_100_labels.npy"),
                                                      "--shard", shard, "-o", shards.back()}))
                  .status == 0);
    }
    const Ran run_of_shards = run(shards + open);
    REQUIRE(run_of_shards.status == 0);
    check_public(run_of_shards.out, directory);
    const std::string shown = run(shards + Words{"--public-only", "--summary"}).out;
    CHECK(shown.find("answered") == std::string::npos);
    CHECK(shown.find("accuracy") == std::string::npos);
    CHECK(shown.find("private") == std::string::npos);

    REQUIRE(run(on_digits("tune", {"--sigma2", "20,30", "--queries", "5", "--shard", "1/1", "-o",
                                   at("t.json")}))
                .status == 0);
    CHECK(run(Words{"compose", at("t.json")} + open).status == 2);
  }

  TEST_CASE("a ledger is for its owner only, and digests are in its private part") {
    const TempDirectory directory;
    const std::string ledger = (directory / "ledger").string();
    const mode_t before = ::umask(0);
    const int status =
        run(on_digits("label", kNoise + Words{"--queries", "20", "--ledger", ledger, "--quiet",
                                              "--write-labels", (directory / "l.csv").string()}))
            .status;
    ::umask(before);
    REQUIRE(status == 0);
    CHECK(fs::status(ledger).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    const json entry = json::parse(read_bytes(ledger));
    json open = entry.at("event");
    CHECK(open.at("private").contains("votes_digest"));
    open.erase("private");
    CHECK(open.dump().find("sha256") == std::string::npos);
    CHECK(open.dump().find("digest") == std::string::npos);
    CHECK(open.dump().find(directory.path().string()) == std::string::npos);
    CHECK(entry.at("settings").contains("labels_sha256"));
  }

  TEST_CASE("labels that are there are not replaced without --force") {
    const TempDirectory directory;
    const std::string labels = (directory / "l.csv").string();
    const std::string ledger = (directory / "ledger").string();
    write_bytes(labels, "label\n1\n");
    const Words words = on_digits(
        "label",
        kNoise + Words{"--queries", "20", "--quiet", "--write-labels", labels, "--ledger", ledger});
    const Ran ran = run(words);
    CHECK(ran.status == 2);
    CHECK(ran.err.find("--force") != std::string::npos);
    CHECK(read_bytes(labels) == "label\n1\n");
    CHECK_FALSE(fs::exists(ledger));
    CHECK(run(words + Words{"--force"}).status == 0);
    CHECK(read_bytes(labels) != "label\n1\n");
  }

  TEST_CASE("simulate writes text where the name says text, and refuses other endings") {
    const TempDirectory directory;
    const auto at = [&](const std::string& name) { return (directory / name).string(); };
    for (const char* layout : {"counts", "predictions", "predictions-by-query"}) {
      std::string epsilon;
      for (const char* ending : {".npy", ".csv", ".tsv"}) {
        const std::string votes = at(layout + std::string(ending));
        const std::string labels = at(layout + std::string("_labels") + ending);
        REQUIRE(run({"simulate", "--queries", "20", "--teachers", "30", "--layout", layout, "-o",
                     votes, "--labels-output", labels})
                    .status == 0);
        CHECK(read_bytes(votes).starts_with("\x93NUMPY") == (ending == std::string(".npy")));
        const Ran ran = run({"analyze", votes, "--layout", layout, "--classes", "10", "--labels",
                             labels, "--sigma2", "5", "--delta", "1e-5", "--json", "--quiet"});
        CAPTURE(ran.err);
        REQUIRE(ran.status == 0);
        const std::string found = ran.json().at("costs").dump() + ran.json().at("utility").dump();
        CHECK((epsilon.empty() || found == epsilon));
        epsilon = found;
      }
    }
    for (const char* name : {"v.txt", "v.csv.gz", "v.npz", "v.json", "v.CSV"}) {
      const Ran ran = run({"simulate", "-o", at(name)});
      CHECK(ran.status == 2);
      CHECK(ran.err.find("must end in .npy, .csv or .tsv") != std::string::npos);
      CHECK_FALSE(fs::exists(directory / name));
    }
    CHECK(run({"simulate", "-o", at("v.csv"), "--labels-output", at("l.txt")}).status == 2);
    CHECK_FALSE(fs::exists(directory / "v.csv"));
  }
}
