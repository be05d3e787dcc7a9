#include "pate/votes/tables/sparse_table.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/tables/compressed.hpp"
#include "support/archives.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_directory.hpp"

using pate::input_error;
using pate::NumericTable;
using pate::test::message_of;
using pate::test::npy_array;
using pate::test::npy_dict;
using pate::test::npy_file;
using pate::test::zip_archive;

namespace {

using Integers = std::vector<std::int64_t>;
using Indices = std::vector<std::int32_t>;

// What scipy writes: "format" is an array without dimensions of one string.
struct Parts {
  std::string format = npy_file("{'descr': '|S3', 'fortran_order': False, 'shape': (), }", "csr");
  std::string data, indices, indptr, shape;
};

Parts parts(const Integers& data, const Indices& indices, const Indices& indptr, std::int64_t rows,
            std::int64_t columns) {
  const auto size = [](const auto& values) { return static_cast<std::int64_t>(values.size()); };
  Parts result;
  result.data = npy_array<std::int64_t>({size(data)}, data);
  result.indices = npy_array<std::int32_t>({size(indices)}, indices);
  result.indptr = npy_array<std::int32_t>({size(indptr)}, indptr);
  result.shape = npy_array<std::int64_t>({2}, {rows, columns});
  return result;
}

std::shared_ptr<const NumericTable> open(const Parts& from) {
  const std::string archive = zip_archive({{"indices.npy", from.indices},
                                           {"indptr.npy", from.indptr},
                                           {"format.npy", from.format},
                                           {"shape.npy", from.shape},
                                           {"data.npy", from.data}});
  return pate::io::open_npz_member(std::as_bytes(std::span(archive)), "s.npz", "");
}

std::string refusal(const Parts& from) {
  return message_of<input_error>([&] {
    const auto table = open(from);
    Integers out(static_cast<std::size_t>(table->rows() * table->columns()));
    table->read_integers(0, table->rows(), 0, table->columns(), out);
  });
}

std::string refusal(const Integers& data, const Indices& indices, const Indices& indptr,
                    std::int64_t rows, std::int64_t columns) {
  return refusal(parts(data, indices, indptr, rows, columns));
}

// (0, 3, 0, 1), (0, 0, 0, 0), (4, 0, 0, 0); the indices of the first row out of order.
Parts good() {
  return parts({1, 3, 4}, {3, 1, 0}, {0, 2, 2, 3}, 3, 4);
}

}  // namespace

TEST_SUITE_BEGIN("io");

TEST_CASE("sparse table: every block of it") {
  const auto table = open(good());
  const Integers all{0, 3, 0, 1, 0, 0, 0, 0, 4, 0, 0, 0};
  CHECK(table->name() == "s.npz");
  CHECK(table->dimensions() == 2);
  CHECK(table->rows() == 3);
  CHECK(table->columns() == 4);
  CHECK(table->description().format == "npz");
  CHECK(table->description().dtype == "<i8");
  CHECK(table->description().shape == Integers{3, 4});
  for (std::int64_t row = 0; row <= 3; ++row) {
    for (std::int64_t rows = 0; rows <= 3 - row; ++rows) {
      for (std::int64_t column = 0; column <= 4; ++column) {
        for (std::int64_t columns = 0; columns <= 4 - column; ++columns) {
          Integers expected;
          for (std::int64_t i = row; i < row + rows; ++i) {
            for (std::int64_t j = column; j < column + columns; ++j) {
              expected.push_back(all[static_cast<std::size_t>(4 * i + j)]);
            }
          }
          Integers out(expected.size(), -7);
          table->read_integers(row, rows, column, columns, out);
          CHECK(out == expected);
          std::vector<double> reals(expected.size(), -7);
          table->read_reals(row, rows, column, columns, reals);
          CHECK(reals == std::vector<double>(expected.begin(), expected.end()));
        }
      }
    }
  }
}

TEST_CASE("sparse table: what scipy writes besides") {
  // Letters of four bytes, version 1.11 on; counts as floats, long indices.
  Parts other = good();
  other.format = npy_file("{'descr': '<U3', 'fortran_order': False, 'shape': (), }",
                          std::string("c\0\0\0s\0\0\0r\0\0\0", 12));
  other.data = npy_array<double>({3}, {1, 3, 4});
  other.indices = npy_array<std::int64_t>({3}, {3, 1, 0});
  other.indptr = npy_array<std::int64_t>({4}, {0, 2, 2, 3});
  Integers out(4);
  open(other)->read_integers(0, 1, 0, 4, out);
  CHECK(out == Integers{0, 3, 0, 1});
  // No rows, no columns.
  CHECK(open(parts({}, {}, {0}, 0, 4))->rows() == 0);
  CHECK(open(parts({}, {}, {0, 0}, 1, 0))->columns() == 0);
}

TEST_CASE("sparse table: other forms are refused with the line that converts") {
  Parts other = good();
  for (const std::string form : {"csc", "coo", "bsr", "dia"}) {
    other.format = npy_file("{'descr': '|S3', 'fortran_order': False, 'shape': (), }", form);
    CHECK(refusal(other).ends_with(
        "found a sparse matrix in the form " + form +
        " and not csr; what makes one of it: python3 -c 'import scipy.sparse as s; "
        "s.save_npz(\"s-read.npz\", s.load_npz(\"s.npz\").tocsr())'"));
  }
  other.format = std::string(100000, 'x');
  CHECK(refusal(other).starts_with("s.npz:format: expected a word, found more than "));
  other.format = "x";
  CHECK(refusal(other).find("in the form  and not csr") != std::string::npos);
}

TEST_CASE("sparse table: what does not fit together is refused with its place") {
  CHECK(refusal({1, 3, 4}, {3, 1, 4}, {0, 2, 2, 3}, 3, 4) ==
        "s.npz: row 2: expected columns in 0..3, found 4");
  CHECK(refusal({1, 3, 4}, {3, -1, 0}, {0, 2, 2, 3}, 3, 4) ==
        "s.npz: row 0: expected columns in 0..3, found -1");
  CHECK(refusal({1, 3, 4}, {1, 1, 0}, {0, 2, 2, 3}, 3, 4) ==
        "s.npz: row 0, column 1: expected one value, found two; sum_duplicates() of scipy adds "
        "them up");
  CHECK(refusal({1, 3, 4}, {3, 1, 0}, {0, 2, 1, 3}, 3, 4) ==
        "s.npz: row 1: expected offsets in indptr that do not decrease, found 1 after 2");
  CHECK(refusal({1, 3, 4}, {3, 1, 0}, {0, 2, 2, 2}, 3, 4) ==
        "s.npz: expected offsets in indptr from 0 to the number of indices and of data, found 0 to "
        "2, 3 indices, 3 data");
  CHECK(refusal({1, 3, 4}, {3, 1, 0}, {1, 2, 2, 3}, 3, 4).find("found 1 to 3") !=
        std::string::npos);
  CHECK(refusal({1, 3}, {3, 1, 0}, {0, 2, 2, 3}, 3, 4).find("3 indices, 2 data") !=
        std::string::npos);
  const std::string shape =
      "s.npz: expected a sparse matrix of as many rows as offsets in indptr "
      "less one, 3, and at most 1000000 columns, found shape ";
  CHECK(refusal({1, 3, 4}, {3, 1, 0}, {0, 2, 2, 3}, 4, 4) == shape + "(4, 4)");
  CHECK(refusal({1, 3, 4}, {3, 1, 0}, {0, 2, 2, 3}, 3, -1) == shape + "(3, -1)");
  CHECK(refusal({1, 3, 4}, {3, 1, 0}, {0, 2, 2, 3}, 3, 1000001) == shape + "(3, 1000001)");
  CHECK(refusal({1, 3, 4}, {3, 1, 0}, {}, -1, 4).find("found shape (-1, 4)") != std::string::npos);
  Parts other = good();
  other.shape = npy_array<std::int64_t>({3}, {3, 4, 5});
  CHECK(refusal(other) == "s.npz: expected a sparse matrix of 2 dimensions, found 3");
  other.shape = npy_array<std::int64_t>({1, 2}, {3, 4});
  CHECK(refusal(other) == "s.npz:shape: expected a one-dimensional array, found 2 dimensions");
}

TEST_CASE("sparse table: values and indices that are no integers") {
  Parts other = good();
  other.data = npy_array<double>({3}, {1, 0.5, 4});
  CHECK(refusal(other) ==
        "s.npz: row 0, column 1: expected an integer in the range of int64, found 0.5");
  other = good();
  other.indices = npy_array<double>({3}, {3, 1.5, 0});
  CHECK(refusal(other) ==
        "s.npz:indices: row 1, column 0: expected an integer in the range of int64, found 1.5");
}

TEST_SUITE_END();
