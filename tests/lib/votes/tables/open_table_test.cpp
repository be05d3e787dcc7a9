#include "pate/votes/tables/open_table.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pate/base/digests.hpp"
#include "pate/base/error.hpp"
#include "pate/base/parallel/joined_thread.hpp"
#include "support/archives.hpp"
#include "support/npy_writer.hpp"
#include "support/standard_input.hpp"
#include "support/temp_directory.hpp"

using pate::input_error;
using pate::io::open_table;
using pate::io::OpenedTable;
using pate::test::gzip_member;
using pate::test::message_of;
using pate::test::npy_array;
using pate::test::StandardInput;
using pate::test::TempDirectory;
using pate::test::write_bytes;
using pate::test::zip_archive;

namespace {

const std::vector<std::int64_t> kNumbers{1, 2, 3, 4, 5, 6};

std::string npy() {
  return npy_array<std::int64_t>({2, 3}, kNumbers);
}

std::string refusal(const std::string& name) {
  return message_of<input_error>([&] { static_cast<void>(open_table(name)); });
}

void check_numbers(const OpenedTable& opened, const std::string& format, const std::string& dtype,
                   const std::string& name) {
  std::vector<std::int64_t> out(6);
  REQUIRE(opened.table->rows() == 2);
  REQUIRE(opened.table->columns() == 3);
  opened.table->read_integers(0, 2, 0, 3, out);
  CHECK(out == kNumbers);
  CHECK(opened.table->name() == name);
  CHECK(opened.table->description().format == format);
  CHECK(opened.table->description().dtype == dtype);
  CHECK(opened.table->description().shape == std::vector<std::int64_t>{2, 3});
  opened.check_unchanged();
}

}  // namespace

TEST_SUITE_BEGIN("io");

TEST_CASE("open table: every format, from a file") {
  const TempDirectory directory;
  struct Case {
    std::string file, bytes, format, dtype, member;
  };
  const std::string csv = "1,2,3\n4,5,6\n";
  const std::string npz = zip_archive({{"a.npy", npy()}});
  for (const Case& one : std::vector<Case>{
           {"a.npy", npy(), "npy", "<i8", ""},
           {"array", npy(), "npy", "<i8", ""},
           {"array.csv", npy(), "npy", "<i8", ""},
           {"a.npy.gz", gzip_member(npy()), "npy", "<i8", ""},
           {"gzip.npy", gzip_member(npy()), "npy", "<i8", ""},
           {"a.npz", npz, "npz", "<i8", ":a"},
           {"archive", npz, "npz", "<i8", ":a"},
           {"a.npz.gz", gzip_member(npz), "npz", "<i8", ":a"},
           {"a.csv", csv, "csv", "int64", ""},
           {"b.csv", "a,b,c\n1,2,3\n4.0,5,6", "csv", "float64", ""},
           {"a.csv.gz", gzip_member("1,2,3\n") + gzip_member("4,5,6\n"), "csv", "int64", ""},
           {"gzip.csv", gzip_member(csv), "csv", "int64", ""},
           {"a.tsv", "1\t2\t3\n4\t5\t6\n", "tsv", "int64", ""},
           {"a.tsv.gz", gzip_member("1\t2\t3\n4\t5\t6\n"), "tsv", "int64", ""},
           {"comma.txt", csv, "csv", "int64", ""},
           {"tab.txt", "1\t2\t3\n4\t5\t6\n", "tsv", "int64", ""},
           {"semicolon.txt", "1;2;3\n4;5;6\n", "csv", "int64", ""},
           {"spaces", "1.0e+00 2.0e+00 3.0e+00\n4.0e+00 5.0e+00 6.0e+00\n", "text", "float64", ""},
       }) {
    CAPTURE(one.file);
    const std::string path = (directory / one.file).string();
    write_bytes(path, one.bytes);
    const OpenedTable opened = open_table(path);
    check_numbers(opened, one.format, one.dtype, path + one.member);
    CHECK(opened.sha256() == pate::io::sha256_hex(std::as_bytes(std::span(one.bytes))));
  }
  const std::string path = (directory / "a.npz").string();
  check_numbers(open_table(path + ":a"), "npz", "<i8", path + ":a");
  check_numbers(open_table(path + ":a.npy"), "npz", "<i8", path + ":a");
}

TEST_CASE("open table: every format, from standard input") {
  struct Case {
    std::string bytes, format, dtype, member;
  };
  for (const Case& one : std::vector<Case>{
           {npy(), "npy", "<i8", ""},
           {gzip_member(npy()), "npy", "<i8", ""},
           {zip_archive({{"a.npy", npy()}}), "npz", "<i8", ":a"},
           {"a,b,c\r\n1,2,3\r\n4,5,6", "csv", "int64", ""},
           {"1\t2\t3\n4\t5\t6\n", "tsv", "int64", ""},
           {"1 2 3\n4 5 6\n", "text", "int64", ""},
           {gzip_member("1;2;3\n4;5;6\n"), "csv", "int64", ""},
       }) {
    const StandardInput standard_input(one.bytes);
    const OpenedTable opened = open_table("-");
    check_numbers(opened, one.format, one.dtype, "<stdin>" + one.member);
    CHECK(opened.sha256() == pate::io::sha256_hex(std::as_bytes(std::span(one.bytes))));
  }
  std::string large = "1,2\n";
  while (large.size() < 1000000) large += "34,56\n";
  const StandardInput standard_input(large);
  CHECK(open_table("-").table->rows() == static_cast<std::int64_t>((large.size() - 4) / 6 + 1));
}

TEST_CASE("open table: a pipe by its path, read once") {
  struct Case {
    std::string file, bytes, format, dtype, member;
  };
  for (const Case& one : std::vector<Case>{
           {"fifo", npy(), "npy", "<i8", ""},
           {"fifo.npy.gz", gzip_member(npy()), "npy", "<i8", ""},
           {"fifo.npz", zip_archive({{"a.npy", npy()}, {"b.npy", "no array"}}), "npz", "<i8", ":a"},
           {"fifo.csv", "a,b,c\r\n1,2,3\r\n4,5,6", "csv", "int64", ""},
           {"fifo.tsv.gz", gzip_member("1\t2\t3\n4\t5\t6\n"), "tsv", "int64", ""},
           {"fifo", "1 2 3\n4 5 6\n", "text", "int64", ""},
       }) {
    CAPTURE(one.file);
    const TempDirectory directory;
    const std::string path = (directory / one.file).string();
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    const pate::JoinedThread writer([&] { write_bytes(path, one.bytes); });
    const OpenedTable opened = open_table(path + one.member);
    check_numbers(opened, one.format, one.dtype, path + one.member);
    CHECK(opened.sha256() == pate::io::sha256_hex(std::as_bytes(std::span(one.bytes))));
  }
}

TEST_CASE("open table: what is wrong with a pipe") {
  const TempDirectory directory;
  const std::string path = (directory / "fifo.npy").string();
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  {
    const pate::JoinedThread writer([&] { write_bytes(path, npy().substr(0, 130)); });
    CHECK(refusal(path).starts_with(path + ": truncated file: "));
  }
  const std::string fifo = (directory / "fifo").string();
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const pate::JoinedThread writer([&] { write_bytes(fifo, ""); });
  CHECK(refusal(fifo).ends_with("found an empty file"));
  CHECK(refusal("/dev/null") ==
        "/dev/null: expected a regular file or a pipe, found a device or socket");
}

TEST_CASE("open table: what else standard input may be") {
  const std::string expected =
      "<stdin>: expected a .npy array, an .npz archive, CSV or TSV text, or one of them compressed "
      "by gzip, found ";
  {
    const StandardInput standard_input("");
    CHECK(refusal("-") == expected + "an empty file");
  }
  {
    const StandardInput standard_input(std::string("\x80\x04\x95 pickle\0", 11));
    CHECK(refusal("-").starts_with(expected + "a pickle; to read one is to run what it says"));
  }
  {
    const StandardInput standard_input(gzip_member(gzip_member("1,2\n")));
    CHECK(refusal("-").starts_with(expected + "a file compressed twice by gzip; "));
  }
  const StandardInput standard_input("");
  const int directory = ::open("/", O_RDONLY | O_CLOEXEC);
  ::dup2(directory, STDIN_FILENO);
  ::close(directory);
  CHECK(refusal("-") == "<stdin>: cannot be read: Is a directory");
}

TEST_CASE("open table: the name decides what unknown bytes should have been") {
  const TempDirectory directory;
  const auto refused = [&](const char* file, const std::string& bytes) {
    write_bytes(directory / file, bytes);
    const std::string path = (directory / file).string();
    std::string message = refusal(path);
    REQUIRE(message.starts_with(path + ": "));
    return message.substr(path.size() + 2);
  };
  const std::string any =
      "expected a .npy array, an .npz archive, CSV or TSV text, or one of them compressed by gzip, "
      "found ";
  CHECK(refused("f", "") == any + "an empty file");
  CHECK(refused("f.csv", "") == any + "an empty file");
  CHECK(refused("f.csv.gz", gzip_member("")) == any + "an empty file");
  CHECK(refused("f.txt", std::string("1,2\n3,4\0\n", 9)) == any + "\"1,2\\x0a3,4\\x00\\x0a\"");
  CHECK(refused("f.npy", "1,2\n") ==
        "expected a .npy file that begins with \"\\x93NUMPY\", found \"1,2\\x0a\"");
  CHECK(refused("f.npy.gz", gzip_member("1,2\n")) ==
        "expected a .npy file that begins with \"\\x93NUMPY\", found \"1,2\\x0a\"");
  CHECK(
      refused("f.npz", "1,2\n").starts_with("cannot be read as a zip archive of arrays (.npz): "));
  CHECK(refused("f.csv", std::string("1,2\n3,4\0\n", 9)) ==
        "row 1 (line 2), column 1: expected a number, found \"4\\x00\"");
  const std::string missing = (directory / "no.npz").string();
  CHECK(refusal(missing + ":a") == missing + ": cannot be opened: No such file or directory");
  CHECK(refusal(directory.path().string())
            .starts_with(directory.path().string() + ": expected a file, found a directory; "));
}

TEST_CASE("open table: semicolons under any name, both separators refused") {
  const TempDirectory directory;
  const auto path = [&](const char* file, const std::string& text) {
    write_bytes(directory / file, text);
    return (directory / file).string();
  };
  for (const char* file : {"s.csv", "s.txt", "s"}) {
    const std::string name = path(file, "1;2;3\n4;5;6\n");
    check_numbers(open_table(name), "csv", "int64", name);
  }
  const std::string tabs = path("t.csv", "a\tb\tc\n1\t2\t3\n4\t5\t6\n");
  check_numbers(open_table(tabs), "tsv", "int64", tabs);
  const std::string blanks = path("t.csv", "1,\t2,\t3\n4,5,6\n");
  check_numbers(open_table(blanks), "csv", "int64", blanks);
  const std::string quoted = path("q.csv", "\"a,b\";c;d\n1;2;3\n4;5;6\n");
  check_numbers(open_table(quoted), "csv", "int64", quoted);
  const std::string both = path("b.csv", "1,5;2;3\n4;5;6\n");
  CHECK(refusal(both) == both +
                             ": expected one separator in the first line, found commas and "
                             "semicolons; decimals need a point, not a comma: sed 's/,/./g' < " +
                             both + " > " + (directory / "b-read.csv").string());
}

TEST_CASE("open table: colons in names") {
  const TempDirectory directory;
  write_bytes(directory / "a.npz:b.npy", npy());
  CHECK(open_table((directory / "a.npz:b.npy").string()).table->description().format == "npy");
  std::filesystem::create_directory(directory / "x.npz:y");
  write_bytes(directory / "x.npz:y/a.npz", zip_archive({{"k:l.npy", npy()}, {"m.npy", npy()}}));
  const std::string path = (directory / "x.npz:y/a.npz").string();
  CHECK(open_table(path + ":k:l").table->name() == path + ":k:l");
  CHECK(pate::io::table_path(path + ":k:l") == path);
  CHECK(pate::io::table_path(path) == path);
  CHECK(pate::io::table_path("no.npz:a") == "no.npz");
  CHECK(pate::io::table_path("votes.csv") == "votes.csv");
  CHECK(pate::io::table_path("-") == "/dev/stdin");
}

TEST_CASE("open table: of text that is compressed the first bad row ends it, before the rest") {
  const TempDirectory directory;
  // A megabyte of rows, a bad one, and a bomb that is no text behind it.
  std::string text;
  while (text.size() < (1U << 20U)) text += "1,2,3\n";
  const std::size_t rows = text.size() / 6;
  text += "1,x,3\n";
  while (text.size() < (1U << 22U)) text += "1,2,3\n";
  std::string file = gzip_member(text);
  file.resize(file.size() - 100);  // what comes after the bad row is not even whole
  write_bytes(directory / "a.csv.gz", file);
  const std::string message = refusal((directory / "a.csv.gz").string());
  CAPTURE(message);
  CHECK(message.find("row " + std::to_string(rows)) != std::string::npos);
  CHECK(message.find("column 1") != std::string::npos);
  CHECK(message.find("\"x\"") != std::string::npos);
}

TEST_CASE("open table: what spreadsheets and old systems put into text") {
  const TempDirectory directory;
  const std::string file = (directory / "v.csv").string();
  const auto found = [&](const std::string& bytes) {
    write_bytes(file, bytes);
    const std::string message = refusal(file);
    const std::string before = file + ": expected lines of numbers, found ";
    REQUIRE(message.starts_with(before));
    return message.substr(before.size(), message.find("; what takes that away: ") - before.size());
  };
  const std::string mark = "\xEF\xBB\xBF";
  const std::string sep = "a line \"sep=\", which tells a spreadsheet the separator";
  CHECK(found("sep=;\n1;2\n") == sep);
  CHECK(found(mark + "sep=,\r\n1,2\r\n") == sep);
  CHECK(found("1,2\r3,4\r") == "lines that end in carriage returns alone");
  CHECK(found("1,2\n3,4\n\x1a") == "Ctrl-Z (\\x1a) at its end");
}

TEST_CASE("open table: a file that changes is noticed") {
  const TempDirectory directory;
  struct Case {
    std::string file, bytes;
  };
  for (const Case& one : std::vector<Case>{{"a.npy", npy()},
                                           {"a.csv", "1,2,3\n4,5,6\n"},
                                           {"a.csv.gz", gzip_member("1,2,3\n4,5,6\n")},
                                           {"a.npz", zip_archive({{"a.npy", npy()}})}}) {
    write_bytes(directory / one.file, one.bytes);
    const OpenedTable opened = open_table((directory / one.file).string());
    opened.check_unchanged();
    std::filesystem::resize_file(directory / one.file, one.bytes.size() + 1);
    CHECK_THROWS_AS(opened.check_unchanged(), input_error);
  }
}

TEST_SUITE_END();
