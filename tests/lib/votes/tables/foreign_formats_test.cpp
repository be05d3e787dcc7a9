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
  const std::string torch =
      python(
          "a PyTorch file",
          "import numpy, torch; d = torch.load(\"v.pt\", map_location=\"cpu\"); "
          "isinstance(d, dict) and print(\"NAME:\", *d); "
          "numpy.save(\"v-read.npy\", numpy.asarray(d[\"NAME\"] if isinstance(d, dict) else d))") +
      "; of a dict NAME is one of its keys, which the line prints";
  CHECK(found("v.pt", zip_archive({{"v/data.pkl", "\x80\x02"}, {"v/data/0", "x"}})) == torch);
  CHECK(found("v.pt", std::string("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.", 15)) == torch);
  CHECK(found("votes", zip_archive({{"v/data.pkl", "\x80\x02"}})).starts_with("a PyTorch file; "));
  const std::string excel =
      python("a spreadsheet",
             "import pandas; pandas.read_excel(\"v.xlsx\", header=None).to_csv("
             "\"v-read.csv\", index=False, header=False)");
  CHECK(found("v.xlsx", zip_archive({{"[Content_Types].xml", ""}, {"xl/workbook.xml", ""}})) ==
        excel);
  CHECK(found("v.csv", zip_archive({{"xl/workbook.xml", ""}})).find("to_csv(\"v-read.csv\"") !=
        std::string::npos);
  CHECK(found("v.xls", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1...").starts_with("a spreadsheet; "));
  CHECK(
      found("v.parquet", "PAR1\x15\x04PAR1") ==
      python(
          "a Parquet file",
          "import pandas; pandas.read_parquet(\"v.parquet\").to_csv(\"v-read.csv\", index=False)"));
  CHECK(found("v", "PAR1\x15\x04PAR1").starts_with("a Parquet file; "));
  for (const auto& each : std::vector<std::pair<std::string, std::string>>{
           {"ARROW1\x01\x02", "a Feather or Arrow file"},
           {"FEA1\x01\x02", "a Feather or Arrow file"},
           {"\x80\x04\x95\x01.", "a pickle"},
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
  const auto line = [](const std::string& rows) {
    return "import csv, json; csv.writer(open(\"v-read.csv\", \"w\"), "
           "lineterminator=\"\\n\").writerows(" +
           rows + ")";
  };
  const std::string whole = "json.load(open(\"v.json\"))";
  CHECK(found("v.json", "[[1, 2], [3, 0]]") == python("JSON", line(whole)));
  CHECK(found("v.json", "{\"n\": 3, \"votes\": [[1, 2]]}") ==
        python("JSON", line(whole + "[\"votes\"]")));
  CHECK(
      found("v.json", "{\"cat\": [1, 2], \"dog\": [3, 4]}").find("pandas.read_json(\"v.json\")") !=
      std::string::npos);
  CHECK(found("v.json", "{\"Run-9_z\": [[1, 2]]}") ==
        python("JSON", line(whole + "[\"Run-9_z\"]")));
  // Another character could end the line that is shown.
  CHECK(found("v.json", "{\"a b\": [[1, 2]]}").find("pandas.read_json(\"v.json\")") !=
        std::string::npos);
  const std::string lines =
      "json.loads(line)[\"votes\"] for line in open(\"v.jsonl\") if line.strip()";
  CHECK(found("v.jsonl", "{\"id\": 0, \"votes\": [1, 2]}\n") ==
        python("lines of JSON", line(lines)));
  CHECK(found("v.txt", "{\"a\": [1]}\n{\"a\": [1]}\n").starts_with("lines of JSON; "));
  CHECK(found("v.json.gz", gzip_member("[[1, 2]]")).find("open(\"FILE\")") != std::string::npos);
}

TEST_CASE("foreign formats: by name where the bytes say nothing, and text stays text") {
  CHECK(found("v.mat", std::string("\0\0\x03\xe8", 4)).starts_with("a MATLAB file; "));
  CHECK(found("v.PKL", "(lp0\nI1\na.").starts_with("a pickle; "));
  CHECK(found("v.jsonl", "[1, 2]\n").starts_with("lines of JSON; "));
  // Text under any name may be a table.
  CHECK(found("v.xlsx", "1,2\n3,0\n") == "[no exception]");
  CHECK(found("v.parquet", "1,2\n3,0\n") == "[no exception]");
}

TEST_CASE("foreign formats: a name that a shell would take for more is not put into the line") {
  CHECK(found("it's; rm v.parquet", "PAR1\x15") ==
        python(
            "a Parquet file",
            "import pandas; pandas.read_parquet(\"FILE\").to_csv(\"FILE-read.csv\", index=False)"));
}

TEST_SUITE_END();
