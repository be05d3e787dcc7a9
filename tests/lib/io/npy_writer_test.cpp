#include "pate/io/npy_header.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pate/error.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_directory.hpp"

using pate::parameter_error;
using pate::io::append_int64;
using pate::io::npy_header;
using pate::test::message_of;
using pate::test::npy_table;

namespace {

using Shape = std::vector<std::int64_t>;

pate::io::NpyHeader parsed(const std::string& bytes) {
  return pate::io::parse_npy_header(std::as_bytes(std::span(bytes)), "test.npy");
}

}  // namespace

TEST_CASE("npy writer: the header is byte for byte numpy's") {
  const std::string start("\x93NUMPY\x01\x00\x76\x00", 10);
  const std::string counts = "{'descr': '<i8', 'fortran_order': False, 'shape': (2500, 10), }";
  CHECK(npy_header("<i8", Shape{2500, 10}) ==
        start + counts + std::string(117 - counts.size(), ' ') + "\n");
  const std::string labels = "{'descr': '<i8', 'fortran_order': False, 'shape': (2500,), }";
  CHECK(npy_header("<i8", Shape{2500}) ==
        start + labels + std::string(117 - labels.size(), ' ') + "\n");
}

TEST_CASE("npy writer: the elements begin at a multiple of 64, whatever the shape") {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  for (const Shape& shape : {Shape{0}, Shape{7}, Shape{kMax / 8}, Shape{0, 0}, Shape{1, kMax / 8},
                             Shape{kMax / 8, 0}, Shape{0, kMax / 8}, Shape{123456789, 12}}) {
    CAPTURE(pate::io::format_shape(shape));
    const std::string bytes = npy_header("<i8", shape);
    CHECK(bytes.size() % 64 == 0);
    CHECK(bytes.back() == '\n');
    const pate::io::NpyHeader header = parsed(bytes);
    CHECK(header.data_offset == bytes.size());
    CHECK(header.shape == shape);
    CHECK(header.descr == "<i8");
    CHECK_FALSE(header.fortran_order);
  }
}

TEST_CASE("npy writer: what is written is read back") {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> first{kMin, -1, 0};
  const std::vector<std::int64_t> second{1, 0x0102030405060708, kMax};
  std::string bytes = npy_header("<i8", Shape{2, 3});
  append_int64(bytes, first);
  append_int64(bytes, second);
  const auto table = npy_table(bytes);
  REQUIRE(table->rows() == 2);
  REQUIRE(table->columns() == 3);
  std::vector<std::int64_t> out(6);
  table->read_integers(0, 2, 0, 3, out);
  CHECK(out == std::vector<std::int64_t>{kMin, -1, 0, 1, 0x0102030405060708, kMax});
}

TEST_CASE("npy writer: 32-bit integers are widened with their sign, little-endian") {
  std::string bytes;
  append_int64(bytes, std::vector<std::int32_t>{-2, 0x01020304});
  CHECK(bytes == std::string("\xfe\xff\xff\xff\xff\xff\xff\xff\x04\x03\x02\x01\0\0\0\0", 16));
  append_int64(bytes, std::vector<std::int64_t>{});
  CHECK(bytes.size() == 16);
}

TEST_CASE("npy writer: bad shapes and dtypes are named") {
  const auto message = [](std::string_view descr, const Shape& shape) {
    return message_of<parameter_error>([&] { (void)npy_header(descr, shape); });
  };
  CHECK(message("<i8", {}) == "shape must have one or two dimensions >= 0, got ()");
  CHECK(message("<i8", {1, 2, 3}) == "shape must have one or two dimensions >= 0, got (1, 2, 3)");
  CHECK(message("<i8", {4, -1}) == "shape must have one or two dimensions >= 0, got (4, -1)");
  CHECK(message("", {1}) == "dtype must be 1 to 16 characters without quotes, got \"\"");
  CHECK(message("<i8'", {1}) == "dtype must be 1 to 16 characters without quotes, got \"<i8'\"");
}
