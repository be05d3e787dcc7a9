#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "pate/votes/tables/npy_table.hpp"
#include "support/archives.hpp"
#include "support/npy_writer.hpp"
#include "support/paths.hpp"
#include "support/standard_input.hpp"
#include "support/temp_directory.hpp"

using nlohmann::json;
using pate::test::gzip_member;
using pate::test::npy_array;
using pate::test::npy_dict;
using pate::test::npy_file;
using pate::test::StandardInput;
using pate::test::TempDirectory;
using pate::test::write_bytes;
using pate::test::zip_archive;

namespace {

constexpr std::int64_t kRows = 797;
constexpr std::int64_t kClasses = 10;
constexpr std::int64_t kTeachers = 100;

std::vector<std::int64_t> sample(const char* name, std::int64_t rows, std::int64_t columns) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(rows * columns));
  pate::test::open_npy(pate::test::sample(name))->read_integers(0, rows, 0, columns, numbers);
  return numbers;
}

std::vector<std::int64_t> transposed(const std::vector<std::int64_t>& numbers, std::int64_t rows,
                                     std::int64_t columns) {
  std::vector<std::int64_t> result;
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      result.push_back(numbers[static_cast<std::size_t>(i * columns + j)]);
    }
  }
  return result;
}

std::string text_of(const std::vector<std::int64_t>& numbers, std::int64_t columns,
                    const std::string& separator, const std::string& line_end = "\n",
                    const std::string& quote = "") {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    text += quote;
    text += std::to_string(numbers[i]);
    text += quote;
    text += (i + 1) % static_cast<std::size_t>(columns) == 0 ? line_end : separator;
  }
  return text;
}

template <typename T>
std::vector<T> as(const std::vector<std::int64_t>& numbers) {
  std::vector<T> result;
  for (const std::int64_t number : numbers) result.push_back(static_cast<T>(number));
  return result;
}

struct Outcome {
  int status;
  std::string out, err;
};

Outcome run(std::vector<std::string> arguments) {
  std::ostringstream out;
  std::ostringstream err;
  arguments.insert(arguments.begin(), {"pate", "analyze"});
  const int status = pate::cli::run_program(arguments, {out, err});
  return {status, out.str(), err.str()};
}

// The report without what may differ between files that hold the same votes.
json comparable(const std::string& report) {
  json result = json::parse(report);
  for (const char* key : {"path", "format", "dtype", "shape", "sha256", "layout"}) {
    REQUIRE(result["inputs"]["votes"].contains(key));
    result["inputs"]["votes"].erase(key);
  }
  for (const char* key : {"votes", "layout", "classes"}) result["settings"].erase(key);
  for (json& event : result["record"]["events"]) event["private"].erase("votes_sha256");
  return result;
}

json report_of(const std::string& votes, const std::vector<std::string>& layout = {}) {
  std::vector<std::string> arguments{votes,
                                     "--queries",
                                     "100:300",
                                     "--threshold",
                                     "60",
                                     "--sigma1",
                                     "15",
                                     "--sigma2",
                                     "15",
                                     "--delta",
                                     "1e-5",
                                     "--labels",
                                     pate::test::sample("digits_100_labels.npy")};
  arguments.insert(arguments.end(), layout.begin(), layout.end());
  const Outcome outcome = run(arguments);
  CHECK(outcome.err.find("a bug") == std::string::npos);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  return comparable(outcome.out);
}

}  // namespace

TEST_SUITE_BEGIN("cli");

TEST_CASE("the same votes give the same report, whatever they are stored in") {
  const auto counts = sample("digits_100_counts.npy", kRows, kClasses);
  const auto predictions = sample("digits_100_predictions.npy", kTeachers, kRows);
  const auto by_query = transposed(predictions, kTeachers, kRows);
  const std::string npy = npy_array<std::int64_t>({kRows, kClasses}, counts);
  const std::string csv = text_of(counts, kClasses, ",");
  const std::string tsv = text_of(counts, kClasses, "\t");
  const TempDirectory directory;
  const json expected = report_of(pate::test::sample("digits_100_counts.npy"));
  CHECK(expected["inputs"]["votes"]["votes_digest"].get<std::string>().size() == 64);

  struct Case {
    std::string file, bytes, member, layout;
  };
  for (const Case& one : std::vector<Case>{
           {"c.npy", npy, "", ""},
           {"fortran.npy", npy_array<std::int64_t>({kRows, kClasses}, counts, '<', true), "", ""},
           {"big.npy", npy_array<std::int64_t>({kRows, kClasses}, counts, '>'), "", ""},
           {"both.npy",
            npy_array<std::int32_t>({kRows, kClasses}, as<std::int32_t>(counts), '>', true), "",
            ""},
           {"f8.npy", npy_array<double>({kRows, kClasses}, as<double>(counts)), "", ""},
           {"f4.npy", npy_array<float>({kRows, kClasses}, as<float>(counts), '>'), "", ""},
           {"u1.npy", npy_array<std::uint8_t>({kRows, kClasses}, as<std::uint8_t>(counts), '|'), "",
            ""},
           {"i2.npy", npy_array<std::int16_t>({kRows, kClasses}, as<std::int16_t>(counts)), "", ""},
           {"u8.npy", npy_array<std::uint64_t>({kRows, kClasses}, as<std::uint64_t>(counts)), "",
            ""},
           {"v2.npy", npy_array<std::int64_t>({kRows, kClasses}, counts, '<', false, 2), "", ""},
           {"v3.npy", npy_array<std::int64_t>({kRows, kClasses}, counts, '<', false, 3), "", ""},
           {"a.npz", zip_archive({{"v.npy", npy}, {"w.npy", "x"}}), ":v", ""},
           {"b.npz", zip_archive({{"v.npy", npy, ZIP_CM_STORE, {}}}), "", ""},
           {"a.csv", csv, "", ""},
           {"header.csv", "a,b,c,d,e,f,g,h,i,j\n" + csv, "", ""},
           {"crlf.csv", text_of(counts, kClasses, " , ", "\r\n"), "", ""},
           {"quoted.csv", text_of(counts, kClasses, ",", "\n", "\""), "", ""},
           {"open.csv", csv.substr(0, csv.size() - 1), "", ""},
           {"reals.csv", text_of(counts, kClasses, ".0,", ".00\n"), "", ""},
           {"mark.csv", "\xEF\xBB\xBF" + csv, "", ""},
           {"a.tsv", tsv, "", ""},
           {"semicolons.txt", text_of(counts, kClasses, ";"), "", ""},
           {"blanks.txt", text_of(counts, kClasses, "  "), "", ""},
           {"a.csv.gz", gzip_member(csv), "", ""},
           {"a.tsv.gz", gzip_member(tsv.substr(0, 100)) + gzip_member(tsv.substr(100)), "", ""},
           {"a.npy.gz", gzip_member(npy), "", ""},
           {"p.npy", npy_array<std::int64_t>({kTeachers, kRows}, predictions), "", "predictions"},
           {"p.csv", text_of(predictions, kRows, ","), "", "predictions"},
           {"pu1.npz",
            zip_archive(
                {{"p.npy", npy_array<std::uint8_t>({kTeachers, kRows},
                                                   as<std::uint8_t>(predictions), '|', true)}}),
            ":p", "predictions"},
           {"q.npy", npy_array<std::int64_t>({kRows, kTeachers}, by_query), "",
            "predictions-by-query"},
           {"q.tsv", text_of(by_query, kTeachers, "\t"), "", "predictions-by-query"},
       }) {
    CAPTURE(one.file);
    write_bytes(directory / one.file, one.bytes);
    std::vector<std::string> layout;
    if (!one.layout.empty()) layout = {"--layout", one.layout, "--classes", "10"};
    json report = report_of((directory / one.file).string() + one.member, layout);
    // What is told of bytes and of a header is of how votes are stored.
    json others = json::array();
    for (const json& notice : report.at("notices")) {
      if (notice.at("code") != "byte_counts" && notice.at("code") != "header_names") {
        others.push_back(notice);
      }
    }
    report["notices"] = others;
    CHECK(report.dump() == expected.dump());
  }
  for (const std::string& bytes : {npy, csv, tsv, gzip_member(csv), gzip_member(npy)}) {
    const StandardInput standard_input(bytes);
    CHECK(report_of("-").dump() == expected.dump());
  }
}

TEST_CASE("files beside the votes may be text and members of archives too") {
  const std::string samples = pate::test::source_file("sample_votes/");
  const TempDirectory directory;
  const auto labels = sample("digits_100_labels.npy", kRows, 1);
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 100; i < 300; ++i) indices.push_back(i);
  write_bytes(directory / "labels.csv", "label\r\n" + text_of(labels, 1, ",", "\r\n"));
  write_bytes(
      directory / "all.npz",
      zip_archive({{"indices.npy", npy_array<std::int64_t>({200}, indices)},
                   {"votes.npy", pate::test::read_bytes(samples + "digits_100_counts.npy")}}));
  const std::string all = (directory / "all.npz").string();
  const StandardInput standard_input(text_of(labels, 1, ","));
  const std::vector<std::string> mechanism{"--sigma2", "20", "--delta", "1e-5"};
  const auto costs = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), mechanism.begin(), mechanism.end());
    const Outcome outcome = run(arguments);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    const json report = json::parse(outcome.out);
    return json{report["costs"], report["utility"], report["inputs"]["votes"]["votes_digest"]};
  };
  const json expected = costs({samples + "digits_100_counts.npy", "--queries", "100:300",
                               "--labels", samples + "digits_100_labels.npy"});
  CHECK(costs({all + ":votes", "--indices", all + ":indices", "--labels",
               (directory / "labels.csv").string()}) == expected);
  CHECK(costs({all + ":votes", "--indices", all + ":indices", "--labels", "-"}) == expected);
}

TEST_CASE("standard input can be one of the files only, and outputs are no inputs") {
  const TempDirectory directory;
  write_bytes(directory / "v.csv", "1,2\n2,1\n");
  write_bytes(directory / "v.npz", zip_archive({{"v.npy", "x"}}));
  const std::string votes = (directory / "v.csv").string();
  Outcome outcome = run({"-", "--labels", "-", "--sigma2", "1", "--delta", "1e-5"});
  CHECK(outcome.status == 2);
  CHECK(outcome.err ==
        "pate: - (standard input) can be read for one file only, got it for VOTES and --labels\n");
  outcome = run({votes, "--student", "-", "--decisions", "-", "--threshold", "1", "--sigma1", "1",
                 "--sigma2", "1", "--delta", "1e-5"});
  CHECK(outcome.status == 2);
  CHECK(outcome.err.find("got it for --student and --decisions") != std::string::npos);
  const std::string archive = (directory / "v.npz").string();
  outcome = run({archive + ":v", "--sigma2", "1", "--delta", "1e-5", "-o", archive});
  CHECK(outcome.status == 2);
  CHECK(outcome.err ==
        "pate: --output " + archive + " is an input (" + archive + "); name another file\n");
}

TEST_CASE("malformed files are named with the place, and nothing is written") {
  const TempDirectory directory;
  const std::string array = npy_array<std::int64_t>({2, 2}, {1, 2, 2, 1});
  const auto dict = [](const std::string& text) { return npy_file(text, std::string(32, '\0')); };
  const std::string gz = gzip_member("1,2\n2,1\n");
  const std::string zip = zip_archive({{"v.npy", array, ZIP_CM_STORE, {}}, {"w.npy", array}});
  std::string version_4 = array;
  version_4[6] = 4;
  std::string bad_crc = gz;
  bad_crc[gz.size() - 8] = static_cast<char>(bad_crc[gz.size() - 8] ^ 1);
  std::string bad_zip = zip;
  bad_zip[zip.find("NUMPY") + 130] = 7;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();

  struct Case {
    std::string file, bytes, expected;
    std::string beside = "";  ///< an option that gets the file; the votes are good then
  };
  const std::vector<Case> cases{
      // npy
      {"f.npy", "", "found an empty file"},
      {"f.npy", "1,2\n", "begins with \"\\x93NUMPY\""},
      {"f.npy", array.substr(0, 4), "truncated npy header"},
      {"f.npy", array.substr(0, 9), "truncated npy header"},
      {"f.npy", array.substr(0, 50), "truncated npy header"},
      {"f.npy", array.substr(0, array.size() - 1), "truncated file: shape (2, 2)"},
      {"f.npy", array + "x", "overlong file: shape (2, 2)"},
      {"f.npy", version_4, "version 4.0"},
      {"f.npy", dict(npy_dict("<i8", {-2, 2})), "must be >= 0, got -2"},
      {"f.npy", dict(npy_dict("<i8", {4000000000, 4000000000})), "is too large"},
      {"f.npy", dict(npy_dict("<i8", {2, 2, 1})), "found shape (2, 2, 1); one-hot predictions"},
      {"f.npy", dict(npy_dict("<i8", {})), "found 0 (shape ())"},
      {"f.npy", dict(npy_dict("|O", {2, 2})), "Python objects are not supported"},
      {"f.npy", dict("{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (4,), }"),
       "structured dtypes are not supported"},
      {"f.npy", dict(npy_dict("<c16", {2, 1})), "complex numbers are not supported"},
      {"f.npy", dict(npy_dict("=i8", {2, 2})), "expected a byte order"},
      {"f.npy", dict("{'descr': '<i8', 'fortran_order': False, }"), "key 'shape' is missing"},
      {"f.npy", npy_array<std::int64_t>({4}, {1, 2, 2, 1}), "a one-dimensional array of 4 numbers"},
      {"f.npy", npy_array<std::int64_t>({2, 2}, {1, 2, 4, -1}),
       "row 1, column 1: expected a count of votes >= 0, found -1"},
      {"f.npy", npy_array<std::int64_t>({2, 2}, {1, 2, 2, 2}), "row 1: expected 3 votes"},
      {"f.npy", npy_array<double>({2, 2}, {1, 2, 2.5, 0.5}),
       "row 1, column 0: expected an integer in the range of int64, found 2.5"},
      {"f.npy", npy_array<double>({2, 2}, {1, 2, 3, nan}),
       "row 1, column 1: expected an integer in the range of int64, found nan"},
      {"f.npy", npy_array<double>({2, 2}, {inf, 2, 3, 0}),
       "row 0, column 0: expected an integer in the range of int64, found inf"},
      {"f.npy", npy_array<std::uint64_t>({2, 2}, {1, 2, 3, std::uint64_t{1} << 63U}),
       "row 1, column 1: expected an integer in the range of int64, found 9223372036854775808"},
      {"f.npy", npy_array<std::int64_t>({2, 2}, {1, 2, 0, 4000000000}),
       "row 1, column 1: expected a count of at most"},
      // csv, tsv, text
      {"f.csv", "", "found an empty file"},
      {"f.csv", "\r\n\n", "expected numbers, found no text"},
      {"f.csv", "1,2\n2,x\n", "row 1 (line 2), column 1: expected a number, found \"x\""},
      {"f.csv", "a,b\n1,2\n2,\n",
       "row 1 (line 3), column 1: expected a number, found an empty field"},
      {"f.csv", "1,2\n\n2,1\n", "row 1 (line 2), column 0: expected a number, found an empty line"},
      {"f.csv", "1,2\n2,1,0\n", "row 1 (line 2): expected 2 fields, as in the first line, found 3"},
      {"f.csv", "1,2\n3\n", "row 1 (line 2): expected 2 fields, as in the first line, found 1"},
      {"f.csv", "a,b,c\n1,2\n", "row 0 (line 2): expected 3 fields, as in the first line, found 2"},
      {"f.csv", std::string("1,2\n2,1\0\n", 9),
       "row 1 (line 2), column 1: expected a number, found \"1\\x00\""},
      {"f.csv", std::string("1\0,\0002\0\n\0", 9),
       "line 1: expected numbers or names of columns, found \"1\\x00,"},
      {"f.csv",
       std::string("\xFF\xFE"
                   "1\0,\0002\0\n\0",
                   10),
       "found text in UTF-16"},
      {"f.csv", "1,2\n2.5,0.5\n",
       "row 1 (line 2), column 0: expected an integer in the range of int64, found 2.5"},
      {"f.csv", "1,2\n2,nan\n",
       "row 1 (line 2), column 1: expected an integer in the range of int64, found nan"},
      {"f.csv", "1,2\n-inf,1\n",
       "row 1 (line 2), column 0: expected an integer in the range of int64, found -inf"},
      {"f.csv", "1,2\n9223372036854775808,1\n",
       "row 1 (line 2), column 0: expected an integer in the range of int64, found "
       "9.223372036854776e+18"},
      {"f.csv", "1,2\n1e999,1\n",
       "row 1 (line 2), column 0: expected a number in the range of doubles, found 1e999"},
      {"f.csv", "1,2\n\"2,1\n", "row 1 (line 2), column 0: expected a number, found \"\"2\""},
      {"f.csv", "1,2\n4,-1\n", "row 1, column 1: expected a count of votes >= 0, found -1"},
      {"f.csv", "1,2\n2,2\n", "row 1: expected 3 votes"},
      {"f.csv", "1;2\n2;x\n", "row 1 (line 2), column 1: expected a number, found \"x\""},
      {"f.csv", "3\n3\n", "a one-dimensional array of 2 numbers"},
      {"f.csv", "NA,NA\n1,2\n", "line 1: expected numbers or names of columns, found \"NA,NA\""},
      {"f.csv", "1,2\r2,1\r",
       "expected lines of numbers, found lines that end in carriage returns alone"},
      {"f.tsv", "1\t2\n2,1\n",
       "row 1 (line 2), column 0: expected a number with a decimal point, if any, found \"2,1\""},
      {"f.tsv", "1\t2\n2\t\n", "row 1 (line 2), column 1: expected a number, found an empty field"},
      {"f.txt", "1 2\n3\n", "row 1 (line 2): expected 2 fields"},
      {"f.bin", std::string("\0\1\2\3", 4),
       "expected a .npy array, an .npz archive, CSV or TSV text"},
      {"f.bin", "", "expected a .npy array, an .npz archive, CSV or TSV text"},
      // gzip
      {"f.csv.gz", gz.substr(0, 2), "truncated gzip file"},
      {"f.csv.gz", gz.substr(0, gz.size() - 1), "truncated gzip file"},
      {"f.csv.gz", bad_crc, "corrupt gzip file: incorrect data check"},
      {"f.csv.gz", gz + "more", "corrupt gzip file: expected the end or another gzip member"},
      {"f.csv.gz", gzip_member(gz), "expected a .npy array"},
      {"f.csv.gz", gzip_member("1,2\n2,x\n"),
       "row 1 (line 2), column 1: expected a number, found \"x\""},
      {"f.npy.gz", gzip_member(array.substr(0, 140)), "truncated file: shape (2, 2)"},
      // npz
      {"f.npz", zip, "expected a member, as in "},
      {"f.npz:all", zip_archive({{"v.npy", array}, {"w.npy", "x"}}),
       "f.npz:all: expected arrays of one shape and dtype, found v (2, 2) <i8, w"},
      {"f.npz:u", zip, "there is no member 'u'; the archive has v, w"},
      {"f.npz:v", bad_zip, "f.npz:v: corrupt or truncated archive: CRC error"},
      {"f.npz:v", zip.substr(0, zip.size() - 10), "cannot be read as a zip archive"},
      {"f.npz", "1,2\n", "cannot be read as a zip archive"},
      {"f.npz", zip_archive({}), "found a zip archive without arrays (.npy)"},
      {"f.npz:v", zip_archive({{"v.npy", array, ZIP_CM_STORE, "secret"}}), "f.npz:v: is encrypted"},
      {"f.npz:v", zip_archive({{"v.npy", array + "x"}}), "f.npz:v: overlong file"},
      {"f.npz:v", zip_archive({{"v.npy", npy_array<double>({2, 2}, {1, 2, 3, nan})}}),
       "f.npz:v: row 1, column 1"},
      {"f.npz", "", "as a zip archive of arrays (.npz): it is empty"},
      // beside the votes
      {"f.csv", "0\n1\n0\n", "expected 2 rows, one per row of the votes, found 3", "--labels"},
      {"f.csv", "label\n0\n2\n", "row 1: expected a class id in 0..1, found 2", "--labels"},
      {"f.csv", "0\n0.5\n", "row 1 (line 2), column 0: expected an integer", "--labels"},
      {"f.csv", "0,1\n", "expected one row per query and one column, found shape (1, 2)",
       "--labels"},
      {"f.csv", "0\n-2\n",
       "row 1: expected 0 or 1, or a released label with -1 for refused, found -2", "--decisions"},
      {"f.csv", "Wahr\nFalsch\n", "row 0 (line 2), column 0: expected a number, found \"Falsch\"",
       "--decisions"},
      {"f.csv", "0.5,0.5\n0.5,0.4\n", "row 1: expected scores that sum to 1", "--student"},
      {"f.csv", "0.5,0.5\nnan,0.4\n",
       "row 1 (line 2), column 0: expected a finite number, found nan", "--student"},
      {"f.csv", "0\n2\n", "2", "--indices"},
  };
  CHECK(cases.size() >= 60);
  write_bytes(directory / "good.csv", "1,2\n2,1\n");
  const std::string report = (directory / "report.json").string();
  for (const Case& one : cases) {
    CAPTURE(one.file);
    CAPTURE(one.expected);
    const std::size_t colon =
        one.file.starts_with("f.npz") ? one.file.find(':') : std::string::npos;
    const std::string file = one.file.substr(0, colon);
    write_bytes(directory / file, one.bytes);
    const std::string name = (directory / one.file).string();
    std::vector<std::string> arguments{
        one.beside.empty() ? name : (directory / "good.csv").string(),
        "--threshold",
        "1",
        "--sigma1",
        "1",
        "--sigma2",
        "1",
        "--delta",
        "1e-5",
        "-o",
        report};
    if (!one.beside.empty()) arguments.insert(arguments.end(), {one.beside, name});
    const Outcome outcome = run(arguments);
    CHECK(outcome.status == 3);
    CHECK(outcome.out.empty());
    CHECK_MESSAGE(outcome.err.starts_with("pate: " + (directory / "").string()), outcome.err);
    CHECK_MESSAGE(outcome.err.find(one.expected) != std::string::npos, outcome.err);
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
    std::filesystem::remove(directory / file);
    // Nothing but the good votes is left.
    const auto entries = std::filesystem::directory_iterator(directory.path());
    CHECK(std::distance(begin(entries), end(entries)) == 1);
  }
}

TEST_SUITE_END();
