#include "pate/reports/curve_tables.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "pate/error.hpp"
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

CostQuestion question(CurveCost cost, std::int64_t classes = 3, std::int64_t teachers = 9) {
  CostQuestion result;
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
std::vector<CostUnits> some_costs(const DistanceCosts& costs) {
  const CostQuestion& q = costs.question();
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
  std::vector<CostQuestion> questions{
      question(CurveCost::tilted), question(CurveCost::tradeoff), question(CurveCost::exact, 2),
      question(CurveCost::tilted, 4, KeyCosts::kMostTeachersOfThreeKeys + 1)};
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
  for (const CostQuestion& q : questions) {
    const DistanceCosts computed(q, 1);
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
  CostQuestion other = questions.front();
  other.order = std::nextafter(other.order, 7.0);
  (void)tables.costs(other, 1, {});
  CHECK(files_of(directory.path() / "made").size() == files + 1);
}

TEST_CASE("curve tables: default parameters are kept with the tables of their order") {
  const TempDirectory directory;
  const CurveTables tables(directory.path());
  CostQuestion q = question(CurveCost::tilted);
  const CurveRecipe kept = tables.recipe(q, 20, 1e-3, 1, {});
  CHECK(files_of(directory.path()).size() == 2);
  const CurveRecipe read = tables.recipe(q, 20, 1e-3, 1, {});
  CHECK(files_of(directory.path()).size() == 2);
  CHECK(read.parameters.order == kept.parameters.order);
  CHECK(read.parameters.s == kept.parameters.s);
  CHECK(read.parameters.beta == kept.parameters.beta);
  q.order = kept.parameters.order;
  CHECK(read.costs->question().order == q.order);
  CHECK(read.costs->numbers() == DistanceCosts(q, 1).numbers());
  CHECK(kept.costs->numbers() == read.costs->numbers());
}

TEST_CASE("curve tables: a file that is not as it was written is refused by its name") {
  const TempDirectory directory;
  const CurveTables tables(directory.path());
  const CostQuestion q = question(CurveCost::tilted);
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
  CostQuestion other = q;
  other.order = 7.0;
  (void)CurveTables(elsewhere.path()).costs(other, 1, {});
  CHECK(refused(read_bytes(files_of(elsewhere.path()).front())).find("the inputs") !=
        std::string::npos);
  write_bytes(path, whole);
  CHECK(tables.costs(q, 1, {})->numbers() == DistanceCosts(q, 1).numbers());
  CHECK_THROWS_AS(CurveTables{path}, output_error);
  CHECK(CurveTables({}).costs(q, 1, {})->numbers() == DistanceCosts(q, 1).numbers());
}

TEST_CASE("curve tables: numbers of another length are refused") {
  const CostQuestion q = question(CurveCost::tradeoff);
  std::vector<CostUnits> numbers = DistanceCosts(q, 1).numbers();
  CHECK(DistanceCosts(q, numbers).numbers() == numbers);
  numbers.push_back(0);
  CHECK_THROWS_AS(DistanceCosts(q, numbers), parameter_error);
  numbers.resize(numbers.size() - 2);
  CHECK_THROWS_AS(DistanceCosts(q, numbers), parameter_error);
  numbers[2] = -1;  // cells
  CHECK_THROWS_AS(DistanceCosts(q, numbers), parameter_error);
}
