#include "pate/votes/tables/npy_table.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "support/npy_writer.hpp"
#include "support/paths.hpp"
#include "support/temp_directory.hpp"

using pate::input_error;
using pate::NumericTable;
using pate::io::MappedFile;
using pate::io::NpyTable;
using pate::test::message_of;
using pate::test::npy_array;
using pate::test::npy_table;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

std::vector<std::int64_t> integers(const NumericTable& table, std::int64_t first_row,
                                   std::int64_t rows, std::int64_t first_column,
                                   std::int64_t columns) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(rows * columns));
  table.read_integers(first_row, rows, first_column, columns, out);
  return out;
}

std::vector<double> reals(const NumericTable& table, std::int64_t first_row, std::int64_t rows,
                          std::int64_t first_column, std::int64_t columns) {
  std::vector<double> out(static_cast<std::size_t>(rows * columns));
  table.read_reals(first_row, rows, first_column, columns, out);
  return out;
}

std::string integers_refusal(const NumericTable& table) {
  return message_of<input_error>([&] { integers(table, 0, table.rows(), 0, table.columns()); });
}

std::string reals_refusal(const NumericTable& table) {
  return message_of<input_error>([&] { reals(table, 0, table.rows(), 0, table.columns()); });
}

// 3 x 4 values with the extremes of the type among them.
template <typename T>
std::vector<T> values_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true, true, false, true, true, false, false, true, false, true, false};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {0, 1,       -2, 3,  100, -65536, static_cast<T>(-9223372036854775808.0),
            7, 8388608, 9,  10, 11};
  } else {
    using Limits = std::numeric_limits<T>;
    const T top =
        sizeof(T) == 8 ? static_cast<T>(std::numeric_limits<std::int64_t>::max()) : Limits::max();
    return {0, 1, 2, 3, Limits::min(), top, 6, 7, 8, 9, 10, 11};
  }
}

template <typename T>
void check_blocks(const NumericTable& table, const std::vector<T>& values) {
  REQUIRE(table.rows() == 3);
  REQUIRE(table.columns() == 4);
  for (std::int64_t first_row = 0; first_row <= 3; ++first_row) {
    for (std::int64_t rows = 0; rows <= 3 - first_row; ++rows) {
      for (std::int64_t first_column = 0; first_column <= 4; ++first_column) {
        for (std::int64_t columns = 0; columns <= 4 - first_column; ++columns) {
          std::vector<std::int64_t> expected;
          std::vector<double> expected_reals;
          for (std::int64_t i = first_row; i < first_row + rows; ++i) {
            for (std::int64_t j = first_column; j < first_column + columns; ++j) {
              const T value = values[static_cast<std::size_t>(4 * i + j)];
              expected.push_back(static_cast<std::int64_t>(value));
              expected_reals.push_back(static_cast<double>(value));
            }
          }
          CHECK(integers(table, first_row, rows, first_column, columns) == expected);
          CHECK(reals(table, first_row, rows, first_column, columns) == expected_reals);
        }
      }
    }
  }
}

std::shared_ptr<NpyTable> doubles(const std::vector<double>& values) {
  return npy_table(npy_array<double>({static_cast<std::int64_t>(values.size()), 1}, values));
}

}  // namespace

TEST_SUITE_BEGIN("io");

TEST_CASE_TEMPLATE("every dtype, byte order, order and alignment gives the same numbers", T, bool,
                   std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, float, double) {
  // vector<bool> has no elements to take the address of.
  using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  const std::vector<T> values = values_of<T>();
  const std::vector<Stored> stored(values.begin(), values.end());
  const TempDirectory directory;
  for (const char order : {'<', '>'}) {
    for (const bool fortran : {false, true}) {
      for (const std::size_t alignment : {1UL, 16UL, 64UL}) {
        for (const int major : {1, 2, 3}) {
          std::string file = npy_array<Stored>({3, 4}, stored, order, fortran, major, alignment);
          if (std::is_same_v<T, bool>) file.replace(file.find("u1"), 2, "b1");
          check_blocks(*npy_table(file), values);
          write_bytes(directory / "f.npy", file);
          check_blocks(*pate::test::open_npy(directory / "f.npy"), values);
        }
      }
    }
  }
}

TEST_CASE("elements at every offset from a word are read") {
  for (std::size_t padding = 0; padding < 8; ++padding) {
    const std::string dict = pate::test::npy_dict(">i8", {3}) + std::string(padding, ' ');
    const std::vector<std::int64_t> values{-1, 1LL << 40, 5};
    const auto table = npy_table(pate::test::npy_file(
        dict, pate::test::npy_elements(std::span<const std::int64_t>(values), '>'), 1, 1));
    CHECK(integers(*table, 0, 3, 0, 1) == values);
  }
}

TEST_CASE("a large Fortran-order array is transposed as a whole and in part") {
  constexpr std::int64_t kRows = 40000;
  constexpr std::int64_t kColumns = 3;
  std::vector<std::int32_t> values(kRows * kColumns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
  const auto table = npy_table(npy_array<std::int32_t>({kRows, kColumns}, values, '<', true));
  CHECK(integers(*table, 0, kRows, 0, kColumns) ==
        std::vector<std::int64_t>(values.begin(), values.end()));
  const auto part = integers(*table, 17, 30000, 1, 1);
  CHECK(part.front() == 17 * kColumns + 1);
  CHECK(part.back() == (17 + 29999) * kColumns + 1);
}

TEST_CASE("float16 is read exactly, as numbers and as counts") {
  const auto half = [](const std::vector<std::uint16_t>& bits, char order) {
    std::string file =
        npy_array<std::uint16_t>({1, static_cast<std::int64_t>(bits.size())}, bits, order);
    return npy_table(file.replace(file.find("u2"), 2, "f2"));
  };
  for (const char order : {'<', '>'}) {
    // 0, -0, 1, 250, 2047, the largest, the smallest normal and subnormal.
    const auto table =
        half({0x0000, 0x8000, 0x3c00, 0x5bd0, 0x67ff, 0x7bff, 0x0400, 0x0001, 0xbc00}, order);
    CHECK(reals(*table, 0, 1, 0, 9) ==
          std::vector<double>{0, 0, 1, 250, 2047, 65504, 0x1p-14, 0x1p-24, -1});
    CHECK(integers(*table, 0, 1, 0, 5) == std::vector<std::int64_t>{0, 0, 1, 250, 2047});
    CHECK(table->description().dtype == std::string(1, order) + "f2");
  }
  // 2048 may have been 2049; 0.5; infinity and NaN.
  for (const auto& each : std::vector<std::pair<std::uint16_t, std::string>>{
           {0x6800, "2048"}, {0x3800, "0.5"}, {0x7c00, "inf"}, {0xfc00, "-inf"}, {0x7e00, "nan"}}) {
    CHECK(message_of<input_error>([&] {
            integers(*half({0x3c00, each.first}, '<'), 0, 1, 0, 2);
          }) ==
          "test.npy: row 0, column 1: expected an integer below 2048 (float16 has not all that are "
          "larger), found " +
              each.second);
  }
  CHECK(message_of<input_error>([&] { reals(*half({0x7c00}, '<'), 0, 1, 0, 1); }) ==
        "test.npy: row 0, column 0: expected a finite number, found inf");
}

TEST_CASE("of three dimensions the last two are the columns, in either order") {
  std::vector<std::int64_t> values(24);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i);
  // Element (i, j, k) of shape (2, 3, 4) is at i + 2 j + 6 k in Fortran order.
  std::vector<std::int64_t> fortran(24);
  for (std::size_t i = 0; i < 24; ++i) fortran[i / 12 + 2 * (i / 4 % 3) + 6 * (i % 4)] = values[i];
  for (const bool in_fortran_order : {false, true}) {
    const auto stored = in_fortran_order ? fortran : values;
    const auto table = npy_table(
        pate::test::npy_file(pate::test::npy_dict("<i8", {2, 3, 4}, in_fortran_order),
                             pate::test::npy_elements(std::span<const std::int64_t>(stored), '<')));
    CHECK(table->dimensions() == 3);
    CHECK(table->rows() == 2);
    CHECK(table->columns() == 12);
    CHECK(integers(*table, 0, 2, 0, 12) == values);
    CHECK(integers(*table, 1, 1, 5, 3) == std::vector<std::int64_t>{17, 18, 19});
  }
  std::vector<double> reals(24);
  reals[17] = 0.5;
  const auto table = npy_table(npy_array<double>({2, 3, 4}, reals));
  CHECK(message_of<input_error>([&] { integers(*table, 0, 2, 0, 12); }) ==
        "test.npy: row 1, column 1, class 1: expected an integer in the range of int64, found 0.5");
}

TEST_CASE("a one-dimensional array is a table of one column") {
  for (const bool fortran : {false, true}) {
    const auto table = npy_table(npy_array<std::int16_t>({3}, {7, -8, 9}, '>', fortran));
    CHECK(table->dimensions() == 1);
    CHECK(table->rows() == 3);
    CHECK(table->columns() == 1);
    CHECK(integers(*table, 1, 2, 0, 1) == std::vector<std::int64_t>{-8, 9});
  }
}

TEST_CASE("tables without elements are tables") {
  const auto no_rows = npy_table(npy_array<double>({0, 10}, {}));
  CHECK(no_rows->rows() == 0);
  CHECK(no_rows->columns() == 10);
  CHECK(integers(*no_rows, 0, 0, 0, 10).empty());
  const auto no_columns = npy_table(npy_array<double>({10, 0}, {}));
  CHECK(no_columns->columns() == 0);
  CHECK(reals(*no_columns, 3, 5, 0, 0).empty());
}

TEST_CASE("a table says what it is") {
  const TempDirectory directory;
  const std::string file = npy_array<std::int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}, '>');
  write_bytes(directory / "f.npy", file);
  const NpyTable table(MappedFile(directory / "f.npy"));
  CHECK(table.name() == (directory / "f.npy").string());
  CHECK(table.dimensions() == 2);
  CHECK(table.description().format == "npy");
  CHECK(table.description().dtype == ">i4");
  CHECK(table.description().shape == std::vector<std::int64_t>{2, 3});
  CHECK(table.contents().size() == file.size());
  CHECK(table.file().path() == directory / "f.npy");
  CHECK(table.file().bytes().data() == table.contents().data());
  CHECK_THROWS_AS(static_cast<void>(npy_table(file)->file()), std::bad_optional_access);
  CHECK(npy_table(file)->contents().size() == file.size());
}

TEST_CASE("a file of another length than its shape says is refused") {
  const std::string file = npy_array<std::int64_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  REQUIRE(file.size() == 128 + 48);
  CHECK(message_of<input_error>([&] { npy_table(file.substr(0, 175)); }) ==
        "test.npy: truncated file: shape (2, 3) of dtype '<i8' expected 176 bytes, found 175");
  CHECK(message_of<input_error>([&] { npy_table(file.substr(0, 128)); }) ==
        "test.npy: truncated file: shape (2, 3) of dtype '<i8' expected 176 bytes, found 128");
  CHECK(message_of<input_error>([&] { npy_table(file + "x"); }) ==
        "test.npy: overlong file: shape (2, 3) of dtype '<i8' expected 176 bytes, found 177");
  const TempDirectory directory;
  write_bytes(directory / "f.npy", file.substr(0, 150));
  CHECK(message_of<input_error>([&] {
          static_cast<void>(pate::test::open_npy(directory / "f.npy"));
        }) == (directory / "f.npy").string() +
                  ": truncated file: shape (2, 3) of dtype '<i8' expected 176 bytes, found 150");
}

TEST_CASE("a shape no machine has room for is a truncated file") {
  const std::string file =
      pate::test::npy_file(pate::test::npy_dict("|i1", {9223372036854775807}), "");
  CHECK(message_of<input_error>([&] { npy_table(file); }) ==
        "test.npy: truncated file: shape (9223372036854775807,) of dtype '|i1' expected "
        "9223372036854775935 bytes, found 128");
}

TEST_CASE("elements that are no integers are refused with their place") {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string expected = ": expected an integer in the range of int64, found ";
  const auto place = [](int row) { return "test.npy: row " + std::to_string(row) + ", column 0"; };
  CHECK(integers_refusal(*doubles({1, 2, 2.5})) == place(2) + expected + "2.5");
  CHECK(integers_refusal(*doubles({1e300})) == place(0) + expected + "1e+300");
  CHECK(integers_refusal(*doubles({0, 9223372036854775808.0})) ==
        place(1) + expected + "9.223372036854776e+18");
  CHECK(integers_refusal(*doubles({-9223372036854777856.0})) ==
        place(0) + expected + "-9.223372036854778e+18");
  CHECK(integers_refusal(*doubles({infinity})) == place(0) + expected + "inf");
  CHECK(integers_refusal(*doubles({-infinity})) == place(0) + expected + "-inf");
  CHECK(integers_refusal(*doubles({std::nan("")})) == place(0) + expected + "nan");
  CHECK(integers_refusal(*doubles({-std::nan("")})) == place(0) + expected + "nan");
  CHECK(integers_refusal(*doubles({2e-9})) == place(0) + expected + "2e-09");
  CHECK(integers_refusal(*npy_table(npy_array<float>({2}, {1.0F, 0.1F}, '>'))) ==
        place(1) + expected + "0.1");
  CHECK(integers_refusal(*npy_table(npy_array<float>({1}, {1e30F}))) ==
        place(0) + expected + "1e+30");
  for (const char order : {'<', '>'}) {
    CHECK(integers_refusal(*npy_table(npy_array<std::uint64_t>(
              {2}, {9223372036854775807U, 9223372036854775808U}, order))) ==
          place(1) + expected + "9223372036854775808");
  }
  CHECK(
      integers(*doubles({-0.0, -9223372036854775808.0, 9223372036854774784.0}), 0, 3, 0, 1) ==
      std::vector<std::int64_t>{0, std::numeric_limits<std::int64_t>::min(), 9223372036854774784});
}

TEST_CASE("the first bad element is the first of the rows, in either order") {
  const std::vector<double> values{1, 2, 3.5, 4.5, 5, 6};
  for (const bool fortran : {false, true}) {
    const auto table = npy_table(npy_array<double>({3, 2}, values, '<', fortran));
    CHECK(integers_refusal(*table) ==
          "test.npy: row 1, column 0: expected an integer in the range of int64, found 3.5");
    // Only what is asked for is looked at.
    CHECK(integers(*table, 0, 1, 0, 2) == std::vector<std::int64_t>{1, 2});
    CHECK(integers(*table, 2, 1, 0, 2) == std::vector<std::int64_t>{5, 6});
    CHECK(message_of<input_error>([&] { integers(*table, 0, 3, 1, 1); }) ==
          "test.npy: row 1, column 1: expected an integer in the range of int64, found 4.5");
  }
}

TEST_CASE("reals must be finite") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(reals_refusal(*doubles({1, 2.5, infinity})) ==
        "test.npy: row 2, column 0: expected a finite number, found inf");
  CHECK(reals_refusal(*doubles({std::nan("")})) ==
        "test.npy: row 0, column 0: expected a finite number, found nan");
  CHECK(reals(*doubles({0.1, -1e308, 5e-324}), 0, 3, 0, 1) ==
        std::vector<double>{0.1, -1e308, 5e-324});
  CHECK(reals(*npy_table(npy_array<std::uint64_t>({1}, {18446744073709551615U})), 0, 1, 0, 1) ==
        std::vector<double>{18446744073709551616.0});
}

TEST_CASE("a bool is 0 or 1") {
  std::string file = npy_array<std::uint8_t>({3}, {0, 1, 2});
  file.replace(file.find("u1"), 2, "b1");
  CHECK(integers_refusal(*npy_table(file)) ==
        "test.npy: row 2, column 0: expected an integer in the range of int64, found byte 2 in an "
        "array of bool");
  CHECK(reals_refusal(*npy_table(file)) ==
        "test.npy: row 2, column 0: expected a finite number, found byte 2 in an array of bool");
}

TEST_CASE("blocks outside the table are a bug") {
  const auto table = npy_table(npy_array<std::int64_t>({2, 3}, {1, 2, 3, 4, 5, 6}));
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> out(6);
  CHECK_THROWS_AS(table->read_integers(1, 2, 0, 3, out), std::out_of_range);
  CHECK_THROWS_AS(table->read_integers(0, 2, 1, 3, out), std::out_of_range);
  CHECK_THROWS_AS(table->read_integers(-1, 2, 0, 3, out), std::out_of_range);
  CHECK_THROWS_AS(table->read_integers(0, 2, -1, 3, out), std::out_of_range);
  CHECK_THROWS_AS(table->read_integers(kHuge, 2, 0, 3, out), std::out_of_range);
  CHECK_THROWS_AS(table->read_integers(0, kHuge, 0, 3, out), std::out_of_range);
  CHECK_THROWS_AS(table->read_integers(0, 1, 0, 3, out), std::out_of_range);
}

TEST_CASE("resident memory stays small while a large file is read") {
  const auto resident_kilobytes = [] {
    std::ifstream status("/proc/self/status");
    long total = 0;
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("RssFile:") || line.starts_with("RssShmem:")) {
        total += std::stol(line.substr(line.find(':') + 1));
      }
    }
    return total;
  };
  const TempDirectory directory;
  constexpr std::int64_t kRows = 128;
  constexpr std::int64_t kColumns = 250000;  // 256 MB, with holes for contents
  write_bytes(directory / "big.npy",
              pate::test::npy_file(pate::test::npy_dict("<i8", {kRows, kColumns}), ""));
  std::filesystem::resize_file(directory / "big.npy", 128 + 8 * kRows * kColumns);
  const NpyTable table(MappedFile(directory / "big.npy"));
  std::vector<std::int64_t> out(static_cast<std::size_t>(4 * kColumns));
  const long before = resident_kilobytes();
  long most = 0;
  for (std::int64_t row = 0; row < kRows; row += 4) {
    table.read_integers(row, 4, 0, kColumns, out);
    most = std::max(most, resident_kilobytes());
  }
  CHECK(most - before < 4 * 1024);
  // What is touched where it is mapped is counted, or this test measures nothing.
  std::byte all{};
  for (std::size_t i = 4096; i < std::size_t{32} << 20U; i += 4096) all |= table.contents()[i];
  CHECK(all == std::byte{});
  CHECK(resident_kilobytes() - before > 10 * 1024);
}

TEST_CASE(
    "a file that is too large to be touched gives the same numbers, and is missed if it is cut") {
  const TempDirectory directory;
  constexpr std::int64_t kRows = 1100;
  constexpr std::int64_t kColumns = 4000;  // 17.6 MB
  const auto value = [](std::int64_t row, std::int64_t column) {
    return static_cast<std::int32_t>(row * 7919 + column * 104729);
  };
  for (const bool fortran : {false, true}) {
    CAPTURE(fortran);
    std::vector<std::int32_t> values;
    const auto outer = fortran ? kColumns : kRows;
    const auto inner = fortran ? kRows : kColumns;
    for (std::int64_t i = 0; i < outer; ++i) {
      for (std::int64_t j = 0; j < inner; ++j) {
        values.push_back(fortran ? value(j, i) : value(i, j));
      }
    }
    const auto path = directory / "large.npy";
    write_bytes(path, pate::test::npy_file(
                          pate::test::npy_dict("<i4", {kRows, kColumns}, fortran),
                          pate::test::npy_elements(std::span<const std::int32_t>(values), '<')));
    const NpyTable table(MappedFile{path});
    for (const auto& [first_row, rows, first_column, columns] :
         {std::array<std::int64_t, 4>{0, 3, 0, kColumns},
          {0, kRows, 5, 1},
          {kRows - 70, 70, kColumns - 333, 333},
          {17, 1, 1234, 1}}) {
      const auto block = integers(table, first_row, rows, first_column, columns);
      bool same = true;
      for (std::int64_t i = 0; i < rows * columns; ++i) {
        same = same && block[static_cast<std::size_t>(i)] ==
                           value(first_row + i / columns, first_column + i % columns);
      }
      CHECK(same);
    }
    std::filesystem::resize_file(path, 1 << 20);
    CHECK(message_of<input_error>([&] {
            integers(table, kRows - 1, 1, 0, kColumns);
          }).find("large.npy: changed while it was read: it had ") != std::string::npos);
  }
}

TEST_CASE("the dumps that came with the project can be read (real votes)" *
          doctest::skip(!pate::test::has_shared_votes())) {
  const std::filesystem::path votes = pate::test::shared_votes("");
  const auto counts = pate::test::open_npy(votes / "digits_100_counts.npy");
  const auto floats = pate::test::open_npy(votes / "digits_100_counts_f8.npy");
  CHECK(counts->rows() == 797);
  CHECK(counts->columns() == 10);
  CHECK(integers(*counts, 0, 797, 0, 10) == integers(*floats, 0, 797, 0, 10));
  const auto long_ids = pate::test::open_npy(votes / "digits_100_predictions.npy");
  const auto short_ids = pate::test::open_npy(votes / "digits_100_predictions_i4.npy");
  CHECK(integers(*long_ids, 0, 100, 0, 797) == integers(*short_ids, 0, 100, 0, 797));
  CHECK(pate::test::open_npy(votes / "s18_mnist_250_counts.npy")->rows() == 9000);
  CHECK(pate::test::open_npy(votes / "s18_adult_250_counts.npy")->rows() == 16281);
}

TEST_SUITE_END();
