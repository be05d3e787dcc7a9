#include "pate/votes/tables/npy_header.hpp"

#include <doctest/doctest.h>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include "pate/base/error.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_directory.hpp"

using pate::input_error;
using pate::parameter_error;
using pate::io::append_int64;
using pate::io::npy_header;
using pate::io::NpyHeader;
using pate::test::message_of;
using pate::test::npy_dict;
using pate::test::npy_file;
using pate::test::npy_table;

namespace {

NpyHeader parse(std::string_view file) {
  return pate::io::parse_npy_header(std::as_bytes(std::span(file)), "v.npy");
}

std::string refusal(std::string_view file) {
  return message_of<input_error>([&] { static_cast<void>(parse(file)); });
}

std::string dict_refusal(std::string_view dict) {
  return refusal(npy_file(dict, "", 1, 1));
}

}  // namespace

TEST_SUITE_BEGIN("io");

TEST_CASE("the header of every version is read") {
  for (const int major : {1, 2, 3}) {
    CAPTURE(major);
    const NpyHeader header = parse(npy_file(npy_dict("<i8", {2500, 10}), "", major));
    CHECK(header.descr == "<i8");
    CHECK(header.byte_order == '<');
    CHECK(header.kind == 'i');
    CHECK(header.item_size == 8);
    CHECK_FALSE(header.fortran_order);
    CHECK(header.shape == std::vector<std::int64_t>{2500, 10});
    CHECK(header.data_offset == 128);
    CHECK(pate::io::npy_data_size(header) == 200000);
  }
}

TEST_CASE("a header longer than 64 KiB is read from version 2 on") {
  std::string dict = npy_dict("<f4", {3});
  dict.insert(1, std::string(100000, ' '));
  for (const int major : {2, 3}) {
    const NpyHeader header = parse(npy_file(dict, "", major, 1));
    CHECK(header.descr == "<f4");
    CHECK(header.data_offset == 12 + dict.size() + 1);
  }
}

TEST_CASE("every supported dtype is recognised") {
  for (const char order : {'<', '>'}) {
    for (const char* type : {"u2", "u4", "u8", "i2", "i4", "i8", "f2", "f4", "f8"}) {
      const NpyHeader header = parse(npy_file(npy_dict(order + std::string(type), {5}), ""));
      CAPTURE(type);
      CHECK(header.byte_order == order);
      CHECK(header.kind == type[0]);
      CHECK(header.item_size == type[1] - '0');
    }
  }
  for (const char* descr : {"|b1", "|u1", "|i1", "<i1", ">u1"}) {
    const NpyHeader header = parse(npy_file(npy_dict(descr, {5}), ""));
    CAPTURE(descr);
    CHECK(header.descr == descr);
    CHECK(header.byte_order == descr[0]);
    CHECK(header.kind == descr[1]);
    CHECK(header.item_size == 1);
  }
}

TEST_CASE("the dict may be written in any way Python reads") {
  for (const char* dict : {
           "{'descr':'<i4','fortran_order':True,'shape':(2,3)}",
           "{'shape': (2, 3), 'fortran_order': True, 'descr': '<i4'}",
           "{\"descr\": \"<i4\", \"fortran_order\": True, \"shape\": (2, 3,), }",
           " \t{ 'descr' : '<i4' ,\n 'fortran_order' : True , 'shape' : ( 2 , 3 , ) , } \n  ",
           "{'descr': '<i4', 'fortran_order': True, 'shape': (2L, 3L)}",
       }) {
    CAPTURE(dict);
    const NpyHeader header = parse(npy_file(dict, "", 1, 1));
    CHECK(header.descr == "<i4");
    CHECK(header.fortran_order);
    CHECK(header.shape == std::vector<std::int64_t>{2, 3});
  }
}

TEST_CASE("dimensions may be zero, and as large as the bytes fit into int64") {
  CHECK(parse(npy_file(npy_dict("<i8", {0, 10}), "")).shape == std::vector<std::int64_t>{0, 10});
  CHECK(parse(npy_file(npy_dict("|i1", {9223372036854775807}), "")).shape[0] ==
        9223372036854775807);
  CHECK(pate::io::npy_data_size(parse(npy_file(npy_dict("<i8", {0, 1152921504606846975}), ""))) ==
        0);
}

TEST_CASE("shapes print as in Python") {
  CHECK(pate::io::format_shape(std::vector<std::int64_t>{2500, 10}) == "(2500, 10)");
  CHECK(pate::io::format_shape(std::vector<std::int64_t>{5}) == "(5,)");
  CHECK(pate::io::format_shape(std::vector<std::int64_t>{}) == "()");
}

TEST_CASE("what is no npy file is refused") {
  CHECK(refusal("") ==
        "v.npy: expected a .npy file that begins with \"\\x93NUMPY\", found an empty file");
  CHECK(refusal("1,2,3\n4,5,6\n") ==
        "v.npy: expected a .npy file that begins with \"\\x93NUMPY\", found \"1,2,3\\x0a\"");
  CHECK(refusal("PK\x03\x04") ==
        "v.npy: expected a .npy file that begins with \"\\x93NUMPY\", found \"PK\\x03\\x04\"");
}

TEST_CASE("unsupported versions are refused") {
  std::string file = npy_file(npy_dict("<i8", {1}), "");
  file[6] = 4;
  CHECK(refusal(file) == "v.npy: npy version 4.0 is not supported; expected 1.0, 2.0 or 3.0");
  file[6] = 0;
  CHECK(refusal(file) == "v.npy: npy version 0.0 is not supported; expected 1.0, 2.0 or 3.0");
  file[6] = 1;
  file[7] = 7;
  CHECK(refusal(file) == "v.npy: npy version 1.7 is not supported; expected 1.0, 2.0 or 3.0");
}

TEST_CASE("every truncation of the header is refused") {
  for (const int major : {1, 2}) {
    const std::string file = npy_file(npy_dict("<i8", {1}), "", major);
    for (std::size_t size = 1; size < file.size(); ++size) {
      CAPTURE(size);
      CHECK(refusal(file.substr(0, size)).starts_with("v.npy: truncated npy header: expected "));
    }
  }
  const std::string file = npy_file(npy_dict("<i8", {1}), "");
  CHECK(refusal(file.substr(0, 3)) ==
        "v.npy: truncated npy header: expected 8 bytes up to the version, found 3");
  CHECK(refusal(file.substr(0, 9)) ==
        "v.npy: truncated npy header: expected 10 bytes up to the header length, found 9");
  CHECK(refusal(file.substr(0, 100)) ==
        "v.npy: truncated npy header: expected 128 bytes up to the end of the header, found 100");
}

TEST_CASE("a header length beyond the file is refused") {
  std::string file = npy_file(npy_dict("<i8", {1}), "", 2);
  file.replace(8, 4, "\xff\xff\xff\xff");
  CHECK(refusal(file) ==
        "v.npy: truncated npy header: expected 4294967307 bytes up to the end of the header, found "
        "128");
}

TEST_CASE("malformed dicts are refused, with the place") {
  const std::string start = "v.npy: npy header: ";
  CHECK(dict_refusal("") == start + "expected a dict that begins with '{', found its end");
  CHECK(
      dict_refusal("['descr']") ==
      start +
          "expected a dict that begins with '{', found \"['descr']\\x0a\" at byte 0 of the header");
  CHECK(dict_refusal("{'descr': '<i8', 'fortran_order': False, 'shape': (1,)} x") ==
        start + "expected nothing after the dict, found \"x\\x0a\" at byte 56 of the header");
  CHECK(dict_refusal("{'descr': '<i8', 'fortran_order': False, 'shape': (1,)") ==
        start + "expected ',' or '}' after a value, found its end");
  CHECK(
      dict_refusal("{'descr': '<i8' 'fortran_order': False}") ==
      start +
          "expected ',' or '}' after a value, found \"'fortran_order':\" at byte 16 of the header");
  CHECK(dict_refusal("{,}") ==
        start + "expected a key in quotes or '}', found \",}\\x0a\" at byte 1 of the header");
  CHECK(dict_refusal("{descr: 1}") ==
        start +
            "expected a key in quotes or '}', found \"descr: 1}\\x0a\" at byte 1 of the header");
  CHECK(dict_refusal("{'descr' '<i8'}") ==
        start + "expected ':' after a key, found \"'<i8'}\\x0a\" at byte 9 of the header");
  CHECK(dict_refusal("{'descr: 1}") == start + "a string has no closing quote");
  CHECK(dict_refusal("{'descr': '\\x3ci8'}") ==
        start + "expected a string without escapes, found '\\x3ci8'");
  CHECK(dict_refusal("{'descr': 3}") ==
        start + "expected a dtype in quotes, found \"3}\\x0a\" at byte 10 of the header");
  CHECK(
      dict_refusal("{'fortran_order': 0}") ==
      start +
          "expected True or False for 'fortran_order', found \"0}\\x0a\" at byte 18 of the header");
}

TEST_CASE("missing, repeated and unknown keys are refused") {
  const std::string start = "v.npy: npy header: ";
  CHECK(dict_refusal("{}") == start + "key 'descr' is missing");
  CHECK(dict_refusal("{'fortran_order': False, 'shape': (1,)}") ==
        start + "key 'descr' is missing");
  CHECK(dict_refusal("{'descr': '<i8', 'shape': (1,)}") ==
        start + "key 'fortran_order' is missing");
  CHECK(dict_refusal("{'descr': '<i8', 'fortran_order': False}") ==
        start + "key 'shape' is missing");
  CHECK(dict_refusal("{'descr': '<i8', 'descr': '<i8'}") == start + "key 'descr' occurs twice");
  CHECK(dict_refusal("{'fortran_order': True, 'fortran_order': True}") ==
        start + "key 'fortran_order' occurs twice");
  CHECK(dict_refusal("{'shape': (1,), 'shape': (1,)}") == start + "key 'shape' occurs twice");
  CHECK(dict_refusal("{'descr': '<i8', 'co\x1blor': 1}") ==
        start + "unknown key 'co\\x1blor'; expected descr, fortran_order and shape");
}

TEST_CASE("malformed shapes are refused") {
  const auto shape_refusal = [](const std::string& shape) {
    return dict_refusal("{'descr': '<i8', 'fortran_order': False, 'shape': " + shape + "}");
  };
  const std::string start = "v.npy: npy header: ";
  CHECK(shape_refusal("5") ==
        start + "expected a tuple '(...)' for 'shape', found \"5}\\x0a\" at byte 50 of the header");
  CHECK(shape_refusal("[5]").starts_with(start + "expected a tuple '(...)' for 'shape'"));
  CHECK(shape_refusal("(5)").starts_with(start + "expected ',' after the first dimension"));
  CHECK(shape_refusal("(5, 6").starts_with(start + "expected ',' or ')' after a dimension"));
  CHECK(shape_refusal("(5 6)").starts_with(start + "expected ',' after the first dimension"));
  for (const char* dimension : {"x", "", "1.5", "1e3", "007", "1_0", "+1", "-", "0x10", "- 3"}) {
    CAPTURE(dimension);
    const std::string message = shape_refusal(std::string("(7, ") + dimension + ", 2)");
    CHECK(message.starts_with(start + "expected "));
    CHECK(message.find("dimension") != std::string::npos);
  }
  CHECK(shape_refusal("(-3, 2)") == start + "a dimension of 'shape' must be >= 0, got -3");
  CHECK(shape_refusal("(9223372036854775808,)") ==
        start + "dimension 9223372036854775808 of 'shape' is too large");
}

TEST_CASE("only one to three dimensions are accepted") {
  CHECK(refusal(npy_file(npy_dict("<i8", {}), "")) ==
        "v.npy: expected an array with 1 to 3 dimensions, found 0 (shape ())");
  CHECK(refusal(npy_file(npy_dict("<i8", {2, 3, 4, 5}), "")) ==
        "v.npy: expected an array with 1 to 3 dimensions, found 4 (shape (2, 3, 4, 5)); of masks "
        "(teachers x queries x height x width) each pixel is a query, what makes class ids of them "
        "for \1layout predictions: python3 -c 'import numpy as n; a = n.load(\"v.npy\"); "
        "n.save(\"v-read.npy\", a.reshape(len(a), -1))'");
  CHECK(parse(npy_file(npy_dict("<i8", {2, 3, 4}), "")).shape ==
        std::vector<std::int64_t>{2, 3, 4});
}

TEST_CASE("sizes that overflow are refused") {
  const auto overflow = [](std::initializer_list<std::int64_t> shape, const char* descr) {
    return refusal(npy_file(npy_dict(descr, shape), ""));
  };
  CHECK(overflow({4294967296, 4294967296}, "|i1") ==
        "v.npy: shape (4294967296, 4294967296) of dtype '|i1' is too large: its size in bytes is "
        "beyond 2^63 - 1");
  // Dimensions of 0 hide no others.
  CHECK(overflow({0, 1152921504606846976}, "<i8").find("is too large") != std::string::npos);
  CHECK(overflow({1152921504606846976}, "<i8") ==
        "v.npy: shape (1152921504606846976,) of dtype '<i8' is too large: its size in bytes is "
        "beyond 2^63 - 1");
}

TEST_CASE("other dtypes are refused, with the supported ones") {
  const auto dtype_refusal = [](const char* descr) {
    return refusal(npy_file(npy_dict(descr, {3}), ""));
  };
  const std::string supported =
      " are not supported; expected bool (|b1), integers (u1, u2, u4, u8, i1, i2, i4, i8) or "
      "floats "
      "(f2, f4, f8) of either byte order (< or >)";
  CHECK(dtype_refusal("|O").starts_with(
      "v.npy: dtype '|O': Python objects" + supported +
      "; to read objects is to run what they say; of a file that you trust, what makes numbers or "
      "text of it: python3 -c 'import csv, numpy as n; a = n.load(\"v.npy\", "
      "allow_pickle=True); "));
  const std::string text =
      "; what makes text of it, to be read with \1classes a,b,c: python3 -c 'import numpy as n; "
      "a = n.load(\"v.npy\"); n.savetxt(\"v-read.csv\", a.astype(str), \"%s\", \",\")'";
  CHECK(dtype_refusal("<U5") == "v.npy: dtype '<U5': strings" + supported + text);
  CHECK(dtype_refusal("|S5") == "v.npy: dtype '|S5': strings" + supported + text);
  CHECK(dtype_refusal("<c16") == "v.npy: dtype '<c16': complex numbers" + supported);
  CHECK(dtype_refusal("<V2") ==
        "v.npy: dtype '<V2': raw bytes, as bfloat16 is stored," + supported);
  CHECK(dtype_refusal("<f16").starts_with("v.npy: dtype '<f16': floats of this size" + supported +
                                          "; what makes numbers of 64 bits"));
  CHECK(dtype_refusal("|V8") ==
        "v.npy: dtype '|V8': raw bytes, as bfloat16 is stored," + supported);
  CHECK(dtype_refusal("<M8[ns]") == "v.npy: dtype '<M8[ns]': dates and times" + supported);
  CHECK(dtype_refusal("<i16") == "v.npy: dtype '<i16': this type" + supported);
  CHECK(dtype_refusal("") == "v.npy: dtype '': this type" + supported);
  CHECK(dtype_refusal("<") == "v.npy: dtype '<': this type" + supported);
  CHECK(dtype_refusal("i8") == "v.npy: dtype 'i8': expected a byte order, as in '<i8' or '>i8'");
  CHECK(dtype_refusal("=i8") == "v.npy: dtype '=i8': expected a byte order, as in '<i8' or '>i8'");
  CHECK(dtype_refusal("|i8") == "v.npy: dtype '|i8': expected a byte order, as in '<i8' or '>i8'");
  const std::string structured =
      "v.npy: npy header: structured dtypes are not supported; expected an array of plain numbers";
  CHECK(dict_refusal("{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (1,)}")
            .starts_with(structured + "; what makes columns of the fields"));
  CHECK(dict_refusal("{'descr': ('<i8', (2,)), 'fortran_order': False, 'shape': (1,)}") ==
        structured);
}

TEST_CASE("no damage to a byte of the header is fatal") {
  const std::string file = npy_file(npy_dict("<i8", {3, 4}), "", 1, 16);
  int refused = 0;
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ (1U << bit));
      const std::string message = refusal(damaged);
      CHECK(message.find("[another exception]") == std::string::npos);
      refused += message.starts_with("v.npy: ") ? 1 : 0;
    }
  }
  CHECK(refused > 300);
}

TEST_SUITE_END();

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
