#include "pate/votes/query_columns.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pate/error.hpp"
#include "support/npy_writer.hpp"
#include "support/paths.hpp"
#include "support/temp_directory.hpp"

using pate::input_error;
using pate::StudentScores;
using pate::test::message_of;
using pate::test::npy_array;
using pate::test::npy_table;

namespace {

std::string refusal(std::initializer_list<std::int64_t> shape, const std::vector<double>& values,
                    std::int64_t rows, std::int64_t classes) {
  return message_of<input_error>([&] {
    const StudentScores scores(npy_table(npy_array<double>(shape, values)), rows, classes);
    std::vector<double> out(values.size());
    scores.read(0, rows, out);
  });
}

}  // namespace

TEST_SUITE_BEGIN("votes");

TEST_CASE("scores are read as they are") {
  const std::vector<double> values{0.25, 0.75, 1, 0, 0.5, 0.50005};
  const StudentScores scores(npy_table(npy_array<double>({3, 2}, values)), 3, 2);
  CHECK(scores.name() == "test.npy");
  CHECK(scores.rows() == 3);
  CHECK(scores.classes() == 2);
  std::vector<double> out(6);
  scores.read(0, 3, out);
  CHECK(out == values);
  std::vector<double> last(2);
  scores.read(2, 1, last);
  CHECK(last == std::vector<double>{0.5, 0.50005});
}

TEST_CASE("scores may be floats and integers") {
  const StudentScores floats(npy_table(npy_array<float>({1, 3}, {0.1F, 0.2F, 0.7F})), 1, 3);
  std::vector<double> out(3);
  floats.read(0, 1, out);
  CHECK(out[0] == static_cast<double>(0.1F));
  const StudentScores one_hot(pate::test::integer_table({1, 3}, {0, 1, 0}), 1, 3);
  one_hot.read(0, 1, out);
  CHECK(out == std::vector<double>{0, 1, 0});
}

TEST_CASE("the shape must be that of the votes") {
  CHECK(
      refusal({2, 3}, std::vector<double>(6), 3, 2) ==
      "test.npy: expected shape (3, 2), one row of scores per row of the votes and one column per "
      "class, found (2, 3), which looks transposed");
  CHECK(
      refusal({4, 2}, std::vector<double>(8), 3, 2) ==
      "test.npy: expected shape (3, 2), one row of scores per row of the votes and one column per "
      "class, found (4, 2)");
  CHECK(
      refusal({3}, std::vector<double>(3), 3, 1) ==
      "test.npy: expected shape (3, 1), one row of scores per row of the votes and one column per "
      "class, found (3,)");
}

TEST_CASE("scores outside [0, 1] are refused with their place") {
  CHECK(refusal({2, 2}, {0.5, 0.5, 1.5, -0.5}, 2, 2) ==
        "test.npy: row 1, column 0: expected a score in [0, 1], found 1.5");
  CHECK(refusal({2, 2}, {-0.25, 1.25, 0.5, 0.5}, 2, 2) ==
        "test.npy: row 0, column 0: expected a score in [0, 1], found -0.25");
  CHECK(refusal({1, 2}, {0.5, std::nan("")}, 1, 2) ==
        "test.npy: row 0, column 1: expected a finite number, found nan");
}

TEST_CASE("rows must sum to 1 within 1e-4") {
  CHECK(refusal({2, 2}, {0.5, 0.5, 0.25, 0.5}, 2, 2) ==
        "test.npy: row 1: expected scores that sum to 1 within 0.0001, found a sum of 0.75");
  CHECK(refusal({1, 2}, {0.5, 0.50009}, 1, 2) == "[no exception]");
  CHECK(refusal({1, 2}, {0.5, 0.49991}, 1, 2) == "[no exception]");
  CHECK(refusal({1, 2}, {0.5, 0.50011}, 1, 2).find("found a sum of 1.0001") != std::string::npos);
  CHECK(refusal({1, 2}, {0.5, 0.49989}, 1, 2).find("found a sum of 0.9998") != std::string::npos);
}

TEST_CASE("rows in the middle are called by their number in the file") {
  const StudentScores scores(npy_table(npy_array<double>({3, 1}, {1, 1, 0.5})), 3, 1);
  std::vector<double> out(1);
  CHECK(message_of<input_error>([&] { scores.read(2, 1, out); }) ==
        "test.npy: row 2: expected scores that sum to 1 within 0.0001, found a sum of 0.5");
  CHECK_NOTHROW(scores.read(1, 1, out));
}

TEST_CASE("the student that came with the project can be read (real votes)" *
          doctest::skip(!pate::test::has_shared_votes())) {
  const std::filesystem::path votes = pate::test::shared_votes("");
  const StudentScores scores(pate::test::open_npy(votes / "mnist_t10k_250_student_scores.npy"),
                             2500, 10);
  std::vector<double> out(25000);
  CHECK_NOTHROW(scores.read(0, 2500, out));
}

TEST_SUITE_END();
