#include "pate/reports/label_report.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "pate/error.hpp"
#include "pate/io/open_table.hpp"
#include "support/temp_directory.hpp"

using pate::LabelSource;
using pate::reports::labels_bytes;
using pate::reports::labels_format;
using pate::reports::LabelsFormat;
using pate::test::message_of;

namespace {

const pate::LabelledQueries kLabelled{
    {3, -1, 0, 7},
    {LabelSource::teacher, LabelSource::refused, LabelSource::student, LabelSource::teacher},
    4,
    2,
    1,
    std::nullopt};

std::vector<std::int64_t> read_back(const std::string& file, std::int64_t columns, bool sources) {
  const pate::test::TempDirectory directory;
  pate::test::write_bytes(directory / file, labels_bytes(kLabelled, labels_format(file), sources));
  const auto table = pate::io::open_table((directory / file).string()).table;
  CHECK(table->rows() == 4);
  CHECK(table->columns() == columns);
  CHECK(table->dimensions() == (columns == 1 ? 1 : 2));
  std::vector<std::int64_t> values(static_cast<std::size_t>(4 * columns));
  table->read_integers(0, 4, 0, columns, values);
  return values;
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("labels come back from every format") {
  const std::vector<std::int64_t> labels{3, -1, 0, 7};
  CHECK(read_back("l.npy", 1, false) == labels);
  CHECK(read_back("l.csv", 1, false) == labels);
  CHECK(read_back("l.tsv", 1, false) == labels);
  CHECK(read_back("l.npy", 2, true) == std::vector<std::int64_t>{3, 0, -1, -1, 0, 1, 7, 0});
}

TEST_CASE("text says who a label is from") {
  CHECK(labels_bytes(kLabelled, LabelsFormat::csv, true) ==
        "label,source\n3,teacher\n-1,refused\n0,student\n7,teacher\n");
  CHECK(labels_bytes(kLabelled, LabelsFormat::tsv, true) ==
        "label\tsource\n3\tteacher\n-1\trefused\n0\tstudent\n7\tteacher\n");
  CHECK(labels_bytes(kLabelled, LabelsFormat::csv, false) == "label\n3\n-1\n0\n7\n");
}

TEST_CASE("the name says the format") {
  CHECK(labels_format("a/b.npy") == LabelsFormat::npy);
  CHECK(labels_format("b.csv") == LabelsFormat::csv);
  CHECK(labels_format("b.tsv") == LabelsFormat::tsv);
  for (const char* bad : {"", "npy", "labels", "labels.txt", "labelsnpy", "labels.npz"}) {
    CHECK(message_of<pate::parameter_error>([&] { (void)labels_format(bad); }) ==
          std::string(bad) + ": the name of a file of labels must end in .npy, .csv or .tsv");
  }
}

TEST_SUITE_END();
