#include "pate/votes/tables/foreign_formats.hpp"

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/tables/open_table.hpp"
#include "support/archives.hpp"
#include "support/temp_directory.hpp"

using pate::input_error;
using pate::test::gzip_member;
using pate::test::message_of;
using pate::test::TempDirectory;
using pate::test::write_bytes;
using pate::test::zip_archive;

namespace {

// What is said of a file of this name and these bytes after "found ".
std::string found(const std::string& name, const std::string& bytes) {
  const TempDirectory directory;
  const std::string path = (directory / name).string();
  write_bytes(path, bytes);
  std::string message =
      message_of<input_error>([&] { static_cast<void>(pate::io::open_table(path)); });
  const std::string beginning = path +
                                ": expected a .npy array, an .npz archive, CSV or TSV text, "
                                "or one of them compressed by gzip, found ";
  if (!message.starts_with(beginning)) return message;
  message.erase(0, beginning.size());
  const std::string folder = directory.path().string() + "/";
  for (std::size_t at = 0; (at = message.find(folder)) != std::string::npos;) {
    message.erase(at, folder.size());
  }
  return message;
}

std::string python(const std::string& what, const std::string& line) {
  return what + "; what makes one of it: python3 -c '" + line + "'";
}

}  // namespace

TEST_SUITE_BEGIN("io");

TEST_CASE("foreign formats: known by what is in them, whatever their name, and the line converts") {
  CHECK(
      found("v.pt", zip_archive({{"v/data.pkl", "\x80\x02"}, {"v/data/0", "x"}}))
          .starts_with("a PyTorch file; what makes one of it: python3 -c 'import sys, numpy as n, "
                       "torch; d = torch.load(\"v.pt\""));
  CHECK(found("votes", zip_archive({{"v/data.pkl", "\x80\x02"}})).starts_with("a PyTorch file; "));
  CHECK(found("v.xlsx", zip_archive({{"[Content_Types].xml", ""}, {"xl/workbook.xml", ""}})) ==
        python("a spreadsheet",
               "import pandas; pandas.read_excel(\"v.xlsx\", header=None).to_csv("
               "\"v-read.csv\", index=False, header=False)"));
  CHECK(found("v.xls", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1...").starts_with("a spreadsheet; "));
  CHECK(
      found("v.parquet", "PAR1\x15\x04PAR1") ==
      python(
          "a Parquet file",
          "import pandas; pandas.read_parquet(\"v.parquet\").to_csv(\"v-read.csv\", index=False)"));
  for (const auto& each : std::vector<std::pair<std::string, std::string>>{
           {"ARROW1\x01\x02", "a Feather or Arrow file"},
           {"FEA1\x01\x02", "a Feather or Arrow file"},
           {"\x80\x04\x95\x01.",
            "a pickle; to read one is to run what it says, so do it only where you trust the file"},
           {"Obj\x01\x04", "an Avro file"},
           {"ORC\x01\x04", "an ORC file"},
           {std::string("SQLite format 3\0\1", 17), "an SQLite database"},
           {std::string("RDX3\nX\n\0\0", 9), "a file of R"},
           {"version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
            "a pointer of Git LFS to a file that was not fetched"},
           {"<!DOCTYPE html>\n<html>", "a web page (HTML), as a download that failed leaves it"},
           {"- [2, 0]\n- [1, 1]\n", "YAML"},
           {"| a | b |\n|---|---|\n| 1 | 2 |\n", "a table of Markdown"},
           {"MATLAB 7.3 MAT-file\x01IM", "a MATLAB file of version 7.3, which is HDF5"},
           {"\x89HDF\r\n\x1a\n", "an HDF5 file"},
           {"MATLAB 5.0 MAT-file, Platform: GLNXA64\x01IM", "a MATLAB file"},
           {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 3\n",
            "a Matrix Market file"},
           {"[[1, 2], [3, 0]]\n", "JSON"},
           {"  {\"a\": [1, 2]}", "JSON"},
           {"BZh91AY&SY\x01", "a file compressed by bzip2"},
           {std::string("\xFD"
                        "7zXZ\0\x01",
                        7),
            "a file compressed by xz"},
           {"\x28\xB5\x2F\xFD\x01", "a file compressed by Zstandard"},
           {std::string("\xFF\xFE"
                        "1\0,\0",
                        6),
            "text in UTF-16"}}) {
    const std::string& bytes = each.first;
    const std::string& what = each.second;
    CAPTURE(what);
    CHECK(found("votes", bytes).starts_with(what + "; what makes one of it: "));
    CHECK(found("votes.gz", gzip_member(bytes)).starts_with(what + "; "));
    CHECK(found("votes.csv", bytes).starts_with(what + "; "));
  }
}

TEST_CASE("foreign formats: JSON by what is in it, rows in a list, under a key, one a line") {
  const auto has = [](const char* bytes, const char* part) {
    return found("v.json", bytes).find(part) != std::string::npos;
  };
  CHECK(has("[[1, 2], [3, 0]]", "writerows(json.load(open(\"v.json\")))"));
  CHECK(has("{\"n\": 3, \"votes\": [[1, 2]]}", "d = json.load(open(\"v.json\")); w = lambda"));
  for (const char* others : {"{\"cat\": [1, 2], \"dog\": [3, 4]}", "[{\"1\": 3}, {\"0\": 1}]",
                             "{\"columns\": [\"a\"], \"data\": [[1], [2]]}",
                             "{\"id\": 0, \"votes\": [1, 2]}\n{\"id\": 1, \"votes\": [3, 0]}\n"}) {
    CHECK(has(others, "t = p.DataFrame("));
  }
  CHECK(found("v.json.gz", gzip_member("[[1, 2]]")).find("gzip") != std::string::npos);
}

TEST_CASE("foreign formats: by name where the bytes say nothing, and text stays text") {
  CHECK(found("v.mat", std::string("\0\0\x03\xe8", 4)).starts_with("a MATLAB file; "));
  CHECK(found("v.PKL", "(lp0\nI1\na.").starts_with("a pickle; "));
  CHECK(found("v.jsonl", "[1, 2]\n").starts_with("lines of JSON; "));
  // Text under any name may be a table.
  CHECK(found("v.xlsx", "1,2\n3,0\n") == "[no exception]");
  CHECK(found("v.parquet", "1,2\n3,0\n") == "[no exception]");
}

TEST_CASE("foreign formats: a name that a shell would take for more is quoted") {
  CHECK(found("it's; $v.parquet", "PAR1\x15") ==
        python("a Parquet file",
               "import pandas; pandas.read_parquet(\"it\\x27s; $v.parquet\").to_csv("
               "\"it\\x27s; $v-read.csv\", index=False)"));
}

TEST_SUITE_END();
