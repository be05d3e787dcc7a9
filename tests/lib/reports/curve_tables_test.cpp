#include "pate/reports/curve_tables.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "pate/base/digests.hpp"
#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/release/curve/complex_parameters.hpp"
#include "pate/reports/source_digests.hpp"
#include "support/temp_directory.hpp"
#include "support/votes.hpp"

namespace fs = std::filesystem;
using namespace pate;
using pate::reports::CurveTables;
using pate::test::message_of;
using pate::test::read_bytes;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

CostSpec question(CurveCost cost, std::int64_t classes = 3, std::int64_t teachers = 9) {
  CostSpec result;
  result.aggregator = {ThresholdCheck{5.0, 3.0}, {GaussianNoisyMax{2.0}}, false};
  result.teachers = teachers;
  result.classes = classes;
  result.order = 6.0;
  result.cost = cost;
  return result;
}

std::vector<fs::path> files_of(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  return files;
}

// Costs of a few histograms within all distances.
std::vector<CostUnits> some_costs(const CostsWithinDistance& costs) {
  const CostSpec& q = costs.question();
  std::vector<CostUnits> sum(static_cast<std::size_t>(q.teachers) + 1, 0);
  for (std::int32_t top = static_cast<std::int32_t>((q.teachers + 1) / 2); top <= q.teachers;
       ++top) {
    std::vector<std::int32_t> counts(static_cast<std::size_t>(q.classes), 0);
    counts[0] = top;
    counts[1] = static_cast<std::int32_t>(q.teachers) - top;
    costs.add(counts, top, 2, 1, sum);
  }
  sum.push_back(costs.largest(7, 3));
  return sum;
}

}  // namespace

TEST_CASE("curve tables: what was kept is what was computed, to the bit, for every kind of cost") {
  const TempDirectory directory;
  std::vector<CostSpec> questions{
      question(CurveCost::tilted), question(CurveCost::tradeoff), question(CurveCost::exact, 2),
      question(CurveCost::tilted, 4, KeyCosts::kMaxTeachersOfThreeKeys + 1)};
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    questions.push_back(questions[i]);
    questions.back().reading = ReleasedCost::realized;
    questions.push_back(questions[i]);
    questions.back().aggregator.interactive = true;
    questions.push_back(questions.back());
    questions.back().reading = ReleasedCost::realized;
    questions.push_back(questions[i]);
    questions.back().aggregator.selection.reset();
  }
  questions.push_back(questions[1]);
  questions.back().aggregator = {std::nullopt, {LaplaceNoisyMax{3.0}}, false};
  const CurveTables tables(directory.path() / "made");
  std::size_t files = 0;
  for (const CostSpec& q : questions) {
    const CostsWithinDistance computed(q, 1);
    const auto kept = tables.costs(q, 1, {});
    CHECK(files_of(directory.path() / "made").size() == ++files);
    bool computed_again = false;
    const auto read =
        tables.costs(q, 1, [&](std::int64_t, std::int64_t) { computed_again = true; });
    CHECK_FALSE(computed_again);
    CHECK(read->numbers() == computed.numbers());
    CHECK(some_costs(*kept) == some_costs(computed));
    CHECK(some_costs(*read) == some_costs(computed));
  }
  CostSpec other = questions.front();
  other.order = std::nextafter(other.order, 7.0);
  (void)tables.costs(other, 1, {});
  CHECK(files_of(directory.path() / "made").size() == files + 1);
}

TEST_CASE("curve tables: default parameters are kept with the tables of their order") {
  const TempDirectory directory;
  const CurveTables tables(directory.path());
  CostSpec q = question(CurveCost::tilted);
  const CurveRecipe kept = tables.recipe(q, 20, 1e-3, 1, {});
  CHECK(files_of(directory.path()).size() == 2);
  const CurveRecipe read = tables.recipe(q, 20, 1e-3, 1, {});
  CHECK(files_of(directory.path()).size() == 2);
  CHECK(read.parameters.order == kept.parameters.order);
  CHECK(read.parameters.s == kept.parameters.s);
  CHECK(read.parameters.beta == kept.parameters.beta);
  q.order = kept.parameters.order;
  CHECK(read.costs->question().order == q.order);
  CHECK(read.costs->numbers() == CostsWithinDistance(q, 1).numbers());
  CHECK(kept.costs->numbers() == read.costs->numbers());
}

TEST_CASE("curve tables: those for persons in several teachers are others") {
  const TempDirectory directory;
  const CurveTables tables(directory.path());
  const CostSpec one = question(CurveCost::tilted);
  CostSpec two = one;
  two.neighbours = {Adjacency::replace, 2};
  (void)tables.costs(one, 1, {});
  const auto made = tables.costs(two, 1, {});
  CHECK(files_of(directory.path()).size() == 2);
  CHECK(made->numbers() == CostsWithinDistance(two, 1).numbers());
  CHECK(made->numbers() != CostsWithinDistance(one, 1).numbers());
  // Read again, entries are computed anew for two votes that move.
  CHECK(tables.costs(two, 1, {})->numbers() == made->numbers());
  CHECK_THROWS_AS(CostsWithinDistance(two, CostsWithinDistance(one, 1).numbers(), 1),
                  parameter_error);
}

TEST_CASE("curve tables: a file that is not as it was written is refused by its name") {
  const TempDirectory directory;
  const CurveTables tables(directory.path());
  const CostSpec q = question(CurveCost::tilted);
  (void)tables.costs(q, 1, {});
  const fs::path path = files_of(directory.path()).front();
  const std::string whole = read_bytes(path);
  const auto refused = [&](const std::string& bytes) {
    write_bytes(path, bytes);
    const std::string message = message_of<input_error>([&] { (void)tables.costs(q, 1, {}); });
    CAPTURE(message);
    CHECK(message.starts_with(path.string() + ": "));
    CHECK(message.find("remove it") != std::string::npos);
    return message;
  };
  for (const std::size_t at : {std::size_t{0}, std::size_t{18}, std::size_t{25},
                               whole.find("order"), whole.size() / 2, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    refused(damaged);
  }
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{10}, whole.size() - 8, whole.size() - 1})
    refused(whole.substr(0, length));
  refused(whole + std::string(8, '\0'));
  // Of another question, under this one's name.
  const TempDirectory elsewhere;
  CostSpec other = q;
  other.order = 7.0;
  (void)CurveTables(elsewhere.path()).costs(other, 1, {});
  CHECK(refused(read_bytes(files_of(elsewhere.path()).front())).find("the inputs") !=
        std::string::npos);
  write_bytes(path, whole);
  CHECK(tables.costs(q, 1, {})->numbers() == CostsWithinDistance(q, 1).numbers());
  CHECK_THROWS_AS(CurveTables{path}, output_error);
  CHECK(CurveTables({}).costs(q, 1, {})->numbers() == CostsWithinDistance(q, 1).numbers());
}

TEST_CASE(
    "curve tables: moduli are kept, read again to the bit, and refused where they are others") {
  const TempDirectory directory;
  const CurveTables tables(directory.path());
  const CostSpec q = question(CurveCost::tilted, 4, 20);
  const ComplexOrders orders{{2.0, 4.5}, 2.0, 8, 0.1};
  const std::vector<VoteProfile> runs{
      pate_test::profile_of(q.aggregator, {{{12, 5, 3, 0}, 12, true}, {{20, 0, 0, 0}, 20, true}})};
  const auto units = [&](const CurveTableSource& source) {
    return source.complex_costs(q, orders, runs, 1, {}, 21).front().units;
  };
  const auto computed = units(CurveTableSource());
  CHECK(units(tables) == computed);
  CHECK(tables.used().size() == 2);
  CHECK_FALSE(tables.used().back().read);
  // What was asked for last is at hand.
  CHECK(units(tables) == computed);
  CHECK(tables.used().size() == 2);
  const CurveTables next(directory.path());
  CHECK(units(next) == computed);
  CHECK(next.used().size() == 2);
  CHECK(next.used().back().read);
  CHECK_FALSE(next.has_unused());
  CHECK(units(CurveTables({})) == computed);
  // Other orders, teachers or noise have other files; the smoothing is none of theirs.
  ComplexOrders smoother = orders;
  smoother.smoothing = 0.2;
  (void)tables.complex_costs(q, smoother, runs, 1, {}, 21);
  CHECK(files_of(directory.path()).size() == 2);
  ComplexOrders wider = orders;
  wider.step = std::nextafter(wider.step, 3.0);
  (void)tables.complex_costs(q, wider, runs, 1, {}, 21);
  CHECK(files_of(directory.path()).size() == 4);
  for (const fs::path& path : files_of(directory.path())) {
    const std::string whole = read_bytes(path);
    std::string damaged = whole;
    damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 1);
    for (const std::string& bytes : {damaged, whole.substr(0, whole.size() - 4)}) {
      write_bytes(path, bytes);
      const auto read = [&] {
        const CurveTables again(directory.path());
        (void)units(again);
        (void)again.complex_costs(q, wider, runs, 1, {}, 21);
      };
      CHECK(message_of<input_error>(read).find("remove it") != std::string::npos);
    }
    write_bytes(path, whole);
  }
  // Of other orders between.
  (void)tables.complex_costs(q, orders, runs, 1, {}, 21);
  (void)tables.complex_costs(q, wider, runs, 1, {}, 21);
  CHECK(units(tables) == computed);
}

TEST_CASE("curve tables: numbers of another length are refused") {
  const CostSpec q = question(CurveCost::tradeoff);
  std::vector<CostUnits> numbers = CostsWithinDistance(q, 1).numbers();
  CHECK(CostsWithinDistance(q, numbers, 1).numbers() == numbers);
  numbers.push_back(0);
  CHECK_THROWS_AS(CostsWithinDistance(q, numbers, 1), parameter_error);
  numbers.resize(numbers.size() - 2);
  CHECK_THROWS_AS(CostsWithinDistance(q, numbers, 1), parameter_error);
  numbers[2] = -1;  // cells
  CHECK_THROWS_AS(CostsWithinDistance(q, numbers, 1), parameter_error);
}

namespace {

// Every kind of table: three keys, two keys in cells, walks of all costs, selections apart.
std::vector<CostSpec> every_kind() {
  std::vector<CostSpec> questions{
      question(CurveCost::tilted, 3, 60), question(CurveCost::tilted, 2, 60),
      question(CurveCost::tradeoff, 3, 60), question(CurveCost::exact, 2, 60),
      question(CurveCost::tilted, 4, KeyCosts::kMaxTeachersOfThreeKeys + 1)};
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
    questions.push_back(questions[i]);
    questions.back().reading = ReleasedCost::realized;
    questions.push_back(questions[i]);
    questions.back().aggregator.interactive = true;
  }
  questions.push_back(questions[2]);
  questions.back().aggregator = {std::nullopt, {LaplaceNoisyMax{3.0}}, false};
  return questions;
}

// A kept file with its numbers changed, and a digest that fits.
void rewrite(const fs::path& path, const std::function<void(std::vector<std::int64_t>&)>& change) {
  const std::string whole = read_bytes(path);
  std::size_t at = 0;
  for (int line = 0; line < 3; ++line) at = whole.find('\n', at) + 1;
  const std::size_t begin = whole.find('\n', at) + 1;
  std::vector<std::int64_t> numbers((whole.size() - begin) / sizeof(std::int64_t));
  std::memcpy(numbers.data(), whole.data() + begin, whole.size() - begin);
  change(numbers);
  const std::string bytes(pate::io::as_text(std::as_bytes(std::span(numbers))));
  write_bytes(path, whole.substr(0, at) + std::to_string(numbers.size()) + ' ' +
                        pate::io::sha256_hex(std::as_bytes(std::span(bytes))) + '\n' + bytes);
}

}  // namespace

TEST_CASE("curve tables: costs that were made cheaper are noticed, with a digest that fits") {
  std::mt19937_64 random(38);
  for (const CostSpec& q : every_kind()) {
    const CostsWithinDistance honest(q, 1);
    CAPTURE(name(q.cost));
    CAPTURE(q.teachers);
    const std::vector<CostUnits> numbers = honest.numbers();
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      CHECK(CostsWithinDistance(q, numbers, seed).numbers() == numbers);
    }
    // A quarter, a half, a millionth less; everywhere where a cost is, or in a random tenth.
    const auto cheaper = [&](double factor, double share) {
      std::vector<CostUnits> changed = numbers;
      std::bernoulli_distribution chosen(share);
      for (CostUnits& number : changed) {
        // Counts and cells of q stay: they are told from costs by being compared.
        if (number > q.teachers && chosen(random)) {
          number = static_cast<CostUnits>(static_cast<double>(number) * factor);
        }
      }
      return changed;
    };
    for (const double factor : {0.25, 0.5, 1.0 - 1e-6}) {
      CHECK_THROWS_AS(CostsWithinDistance(q, cheaper(factor, 1.0), random()), parameter_error);
    }
    const std::vector<CostUnits> some = cheaper(0.25, 0.2);
    if (some != numbers) {
      CHECK_THROWS_AS(CostsWithinDistance(q, some, random()), parameter_error);
    }
    // Larger ones cost the owner, and nobody's privacy.
  }
}

TEST_CASE("curve tables: a poisoned file, and files that others may have written, are refused") {
  const TempDirectory directory;
  const CurveTables tables(directory.path() / "t");
  const CostSpec q = question(CurveCost::tilted, 3, 60);
  (void)tables.costs(q, 1, {});
  const fs::path path = files_of(directory.path() / "t").front();
  const std::string whole = read_bytes(path);
  rewrite(path, [](std::vector<std::int64_t>&) {});
  CHECK(read_bytes(path) == whole);
  rewrite(path, [](std::vector<std::int64_t>& numbers) {
    for (std::int64_t& number : numbers) number = number > 0 ? number / 4 + 1 : number;
  });
  const std::string message = message_of<input_error>([&] { (void)tables.costs(q, 1, {}); });
  CAPTURE(message);
  CHECK(message.starts_with(path.string() + ": a stored cost, picked at random, is "));
  write_bytes(path, whole);
  CHECK(tables.costs(q, 1, {})->numbers() == CostsWithinDistance(q, 1).numbers());

  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0600U);
  for (const unsigned others : {020U, 02U}) {
    for (const fs::path& which : {path, directory.path() / "t"}) {
      const mode_t mode = which == path ? 0600U : 0755U;
      REQUIRE(::chmod(which.c_str(), mode | others) == 0);
      const std::string refused = message_of<input_error>(
          [&] { (void)CurveTables(directory.path() / "t").costs(q, 1, {}); });
      CAPTURE(refused);
      CHECK(refused.starts_with(which.string() + ": others may write to it (mode "));
      CHECK(refused.find("chmod go-w") != std::string::npos);
      REQUIRE(::chmod(which.c_str(), mode) == 0);
    }
  }
  if (::geteuid() == 0) {
    REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
    CHECK(message_of<input_error>([&] {
            (void)tables.costs(q, 1, {});
          }).starts_with(path.string() + ": is another user's (number 65534)"));
  }
}

TEST_CASE("curve tables: a directory is made that nobody else may write to, whatever the umask") {
  const TempDirectory directory;
  const mode_t mask = ::umask(0);
  const CurveTables tables(directory.path() / "t");
  ::umask(mask);
  struct stat status {};
  REQUIRE(::stat((directory.path() / "t").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0755U);
  CHECK_THROWS_AS(CurveTables{directory.path() / "no/such"}, output_error);
  CHECK_THROWS_AS(CurveTables{std::string(5000, 'a')}, output_error);
}

TEST_CASE("curve tables: parameters are those of their delta and of their number of queries") {
  const TempDirectory directory;
  const CurveTables tables(directory.path());
  const CostSpec q = question(CurveCost::tilted);
  const CurveRecipe kept = tables.recipe(q, 20, 1e-3, 1, {});
  struct Other {
    std::int64_t queries;
    double delta;
  };
  for (const auto& [queries, delta] :
       {Other{20, 1e-4}, {21, 1e-3}, {20, std::nextafter(1e-3, 1)}}) {
    const auto files = files_of(directory.path()).size();
    const CurveRecipe other = tables.recipe(q, queries, delta, 1, {});
    const CurveRecipe computed = CurveTableSource().recipe(q, queries, delta, 1, {});
    CHECK(files_of(directory.path()).size() > files);  // not those that were there
    CHECK(other.parameters.order == computed.parameters.order);
    CHECK(other.parameters.s == computed.parameters.s);
    CHECK(other.parameters.beta == computed.parameters.beta);
  }
  CHECK(tables.recipe(q, 20, 1e-3, 1, {}).parameters.s == kept.parameters.s);
}

TEST_CASE("curve tables: default parameters by complex orders are kept for what they depend on") {
  const TempDirectory directory;
  const CurveTables tables(directory.path());
  const CostSpec q = question(CurveCost::tilted, 3, 20);
  const auto four = [](const ComplexParameters& its) {
    return std::vector<double>{its.orders_for, its.floor, its.s, its.beta};
  };
  const auto found = [&](const CostSpec& of, std::int64_t queries, double delta) {
    const ComplexParameters its = tables.complex_recipe(of, queries, delta, 1, {});
    const bool is_computed = !tables.used().back().read;
    CHECK(four(its) == four(CurveTableSource().complex_recipe(of, queries, delta, 1, {})));
    return is_computed;
  };
  CHECK(found(q, 20, 1e-4));
  CHECK_FALSE(found(q, 20, 1e-4));
  // The order of a question is none of theirs.
  CostSpec other = q;
  other.order = 3.0;
  CHECK_FALSE(found(other, 20, 1e-4));
  CHECK(found(q, 21, 1e-4));
  CHECK(found(q, 20, 2e-4));
  other.aggregator.selection->sigma1 = std::nextafter(3.0, 4.0);
  CHECK(found(other, 20, 1e-4));
  other = q;
  other.teachers = 21;
  CHECK(found(other, 20, 1e-4));
  CHECK_FALSE(found(q, 20, 1e-4));
  // What is none, and what has other numbers, is refused, with a digest that fits.
  const auto change_all = [&](const std::function<void(std::vector<std::int64_t>&)>& change) {
    for (const fs::path& path : files_of(directory.path())) {
      if (path.extension() == ".curve") rewrite(path, change);
    }
  };
  change_all([](std::vector<std::int64_t>& numbers) { numbers.back() = 0; });
  const auto read = [&] { (void)tables.complex_recipe(q, 20, 1e-4, 1, {}); };
  CHECK(message_of<input_error>(read).find("beta of a curve") != std::string::npos);
  change_all([](std::vector<std::int64_t>& numbers) { numbers.pop_back(); });
  CHECK(message_of<input_error>(read).find("expected 4 numbers") != std::string::npos);
}

TEST_CASE("curve tables: files are those of the sources that computed them, and are told") {
  const TempDirectory directory;
  const CurveTables tables(directory.path());
  const CostSpec q = question(CurveCost::tilted);
  (void)tables.costs(q, 1, {});
  const fs::path path = files_of(directory.path()).front();
  const std::string whole = read_bytes(path);
  const std::string sources = std::string("sources ") + pate::reports::curve_sources() + '\n';
  CHECK(std::string(pate::reports::curve_sources()).size() == 64);
  REQUIRE(whole.find(sources) == whole.find('\n') + 1);
  (void)tables.costs(q, 1, {});
  REQUIRE(tables.used().size() == 2);
  const std::string digest = pate::io::sha256_hex(std::as_bytes(std::span(whole)));
  for (const bool read : {false, true}) {
    const auto& table = tables.used()[read ? 1 : 0];
    CHECK(table.path == path.string());
    CHECK(table.sha256 == digest);
    CHECK(table.read == read);
  }
  // Of other sources, under the name of these.
  std::string other = whole;
  other[whole.find(sources) + 10] ^= 1;
  write_bytes(path, other);
  CHECK(message_of<input_error>([&] { (void)tables.costs(q, 1, {}); }).find("sources") !=
        std::string::npos);
}
