#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/temp_directory.hpp"

using nlohmann::json;
using pate::test::cost;
using pate::test::Ran;
using pate::test::run;
using pate::test::sample;
using pate::test::TempDirectory;
using pate::test::Words;
using pate::test::write_bytes;
using pate::test::operator+;

namespace {

class Files {
 public:
  Files() {
    const Ran ran = run({"plan", "--sigma2", "30", "--queries", "40", "--delta", "1e-5", "--quiet",
                         "-o", path("plan.json")});
    REQUIRE_MESSAGE(ran.status == 0, ran.err);
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory_.path() / name).string();
  }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    write_bytes(path(name), text);
    return path(name);
  }
  [[nodiscard]] Ran compose(const Words& words) const {
    return run(Words{"compose", path("plan.json"), "--json", "--quiet"} + words);
  }
  [[nodiscard]] json sum(const Words& words) const {
    const Ran ran = compose(words);
    REQUIRE_MESSAGE(ran.status == 0, ran.err);
    return ran.json();
  }

 private:
  TempDirectory directory_;
};

}  // namespace

TEST_SUITE("numbers of others") {
  TEST_CASE("they are in the sum, in its record, and in sums of it") {
    const Files files;
    std::string text = "order,rdp\n";
    for (int order = 2; order <= 64; ++order) text += fmt::format("{},{}\n", order, 0.02 * order);
    const std::string curve = files.write("sgd.csv", text);
    const Words others{"--rdp",  "a, DP-SGD=" + curve, "--source", "a, DP-SGD=opacus 1.4, by us",
                       "--zcdp", "b=0.01,0.02",        "--source", "b=somebody"};
    const json with = files.sum(others + Words{"--orders", "2,4,8,16,32"});
    const json without = files.sum({"--orders", "2,4,8,16,32"});
    REQUIRE(with.at("record").at("events").size() == 3);
    for (std::size_t k = 0; k < 5; ++k) {
      const double order = with.at("rdp").at("orders")[k].get<double>();
      const double expected =
          without.at("rdp").at("any_votes")[k].get<double>() + 0.02 * order + 0.01 + 0.02 * order;
      CHECK(with.at("rdp").at("any_votes")[k].get<double>() ==
            doctest::Approx(expected).epsilon(1e-9));
    }
    const std::string nested = files.write("sum.json", with.dump());
    const Ran again = run({"compose", nested, "--orders", "2,4,8,16,32", "--json", "--quiet"});
    CHECK(again.json().at("costs") == with.at("costs"));
    CHECK(again.json().at("record") == with.at("record"));
    // Whoever names it twice means two.
    const Ran twice =
        run({"compose", nested, nested, "--orders", "2,4,8,16,32", "--json", "--quiet"});
    CHECK(twice.json().at("headline").at("epsilon") > with.at("headline").at("epsilon"));
  }

  TEST_CASE("a claim is added with its delta, and a sum with one record is told as such") {
    const Files files;
    const json sum = files.sum({"--approximate", "p=0.25,1e-7", "--source", "p=paper"});
    CHECK(sum.at("delta") == 1.01e-5);
    const double alone = files.sum({}).at("headline").at("epsilon").get<double>();
    CHECK(sum.at("headline").at("epsilon").get<double>() > alone);
    CHECK(sum.at("headline").at("epsilon").get<double>() <= (alone + 0.25) * (1.0 + 1e-9));
    CHECK(sum.at("guarantee").at("promise").get<std::string>().starts_with("Had any one record"));
    CHECK(sum.at("guarantee").at("assumes").dump().find("p (source: paper)") != std::string::npos);
    // What may be published has it, too.
    const json open =
        files.sum({"--approximate", "p=0.25,1e-7", "--source", "p=paper", "--public-only"});
    CHECK(open.dump().find("not checked by pate") != std::string::npos);
    CHECK(open.at("public").at("record").at("events").size() == 2);
  }

  TEST_CASE("every refusal names what is wrong") {
    const Files files;
    const auto refused = [&](const Words& words, int status, const std::string& message) {
      const Ran ran = files.compose(words);
      CAPTURE(ran.err);
      CHECK(ran.status == status);
      CHECK(ran.out.empty());
      CHECK(ran.err.find(message) != std::string::npos);
    };
    const Words source{"--source", "x=y"};
    refused({"--rdp", "x"}, 2, "--rdp: expected NAME=FILE, got 'x'");
    refused({"--zcdp", "=1"}, 2, "--zcdp: expected NAME=RHO");
    refused({"--zcdp", "x=1"}, 2, "who says so of x? add --source 'x=...'");
    refused(source, 2, "no number is called x");
    refused(source + Words{"--source", "x=z", "--zcdp", "x=1"}, 2, "x has two sources");
    refused(source + Words{"--zcdp", "x=1", "--gaussian-mu", "x=1"}, 2, "x is told of by");
    refused(source + Words{"--zcdp", "x=-1"}, 2, "rho must be >= 0 and finite, got -1");
    refused(source + Words{"--zcdp", "x=inf"}, 2, "got 'x=inf'");
    refused(source + Words{"--zcdp", "x=1,2,3"}, 2, "NAME=XI,RHO, got 'x=1,2,3'");
    refused(source + Words{"--gaussian-mu", "x=0"}, 2, "must be told and not 0");
    refused(source + Words{"--gaussian-mu", "x=0x10"}, 2, "got 'x=0x10'");
    refused(source + Words{"--approximate", "x=1"}, 2, "expected NAME=EPSILON,DELTA");
    refused(source + Words{"--approximate", "x=1,1"}, 2, "delta must be >= 0 and < 1, got 1");
    refused(source + Words{"--rdp", "x=" + files.path("none.csv")}, 3, "none.csv: ");
    const auto refused_file = [&](const std::string& text, const std::string& message) {
      const std::string file = files.write("bad.csv", text);
      refused(source + Words{"--rdp", "x=" + file}, 3, "bad.csv: " + message);
    };
    refused_file("", "expected ");
    refused_file("order,rdp\n", "expected at least one row");
    refused_file("rdp,order\n2,1\n", "expected two columns with the headings order,rdp");
    refused_file("lambda,rdp\n2,1\n", "expected two columns with the headings order,rdp");
    refused_file("2\n3\n", "expected two columns");
    refused_file("2,1,1\n", "expected two columns");
    refused_file("2,1\n3,2\n", "expected two columns with the headings order,rdp");
    refused_file("order,rdp\n2,1\n2,2\n",
                 "row 1, column 0: expected an order above that of the row before");
    refused_file("order,rdp\n2,1\n1,2\n", "row 1, column 0: expected a Renyi order above 1");
    refused_file("order,rdp\n2,1\n3,-1\n", "row 1, column 1: expected an RDP >= 0, found -1");
    refused_file("order,rdp\n2,1\n3,inf\n",
                 "row 1 (line 3), column 1: expected a finite number, found inf; leave");
    refused_file("order,rdp\n2,1\n3,nan\n", "row 1 (line 3), column 1: expected a finite number");
    refused_file("order,rdp\n2,1\n3,x\n", "row 1 (line 3), column 1: expected a number");
  }

  TEST_CASE("a ledger takes them as entries, and compose of it has the same total") {
    const Files files;
    const std::string ledger = files.path("ledger");
    const Ran label =
        run({"label", sample("digits_100_counts.npy"), "--teachers", "100", "--queries", "20",
             "--sigma2", "20", "--delta", "1e-5", "--write-labels", files.path("l.npy"), "--ledger",
             ledger, "--quiet", "-o", files.path("l.json")});
    REQUIRE_MESSAGE(label.status == 0, label.err);
    const Words others{"--gaussian-mu", "a=0.3",      "--source", "a=us",
                       "--approximate", "b=0.2,1e-7", "--source", "b=them"};
    CHECK(run(Words{"ledger", ledger} + others).status == 2);
    CHECK(run({"ledger", ledger, "--append"}).status == 2);
    CHECK(run(Words{"ledger", files.path("new"), "--append"} + others).status == 3);
    CHECK(!std::filesystem::exists(files.path("new")));
    const Ran added = run(Words{"ledger", ledger, "--append", "--json", "--quiet"} + others);
    REQUIRE_MESSAGE(added.status == 0, added.err);
    const json account = added.json();
    REQUIRE(account.at("entries").size() == 3);
    CHECK(account.at("entries")[1].at("kind") == "step");
    CHECK(account.at("entries")[1].at("epsilon").get<double>() == doctest::Approx(0.2));
    CHECK(account.at("total").at("delta") == 2.01e-5);
    const Ran sum = run({"compose", ledger, "--delta", "2.01e-5", "--json", "--quiet"});
    CHECK(sum.json().at("costs") == account.at("costs"));
    // What is written counts once, wherever it is told of.
    const std::string whole = files.write("sum.json", sum.out);
    const Ran both = run({"compose", ledger, whole, "--delta", "2.01e-5", "--json", "--quiet"});
    CHECK(both.json().at("costs") == account.at("costs"));
  }
}
