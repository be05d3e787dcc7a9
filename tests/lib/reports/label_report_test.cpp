#include "pate/reports/label_report.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/tables/open_table.hpp"
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

const auto kRows = pate::RowSelection::list({8, 2, 9, 2});

std::vector<std::int64_t> read_back(const std::string& file, std::int64_t columns, bool sources) {
  const pate::test::TempDirectory directory;
  pate::test::write_bytes(directory / file,
                          labels_bytes(kLabelled, kRows, labels_format(file), sources));
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
  const std::vector<std::int64_t> with_rows{8, 3, 2, -1, 9, 0, 2, 7};
  CHECK(read_back("l.csv", 2, false) == with_rows);
  CHECK(read_back("l.tsv", 2, false) == with_rows);
  CHECK(read_back("l.npy", 2, true) == std::vector<std::int64_t>{3, 0, -1, -1, 0, 1, 7, 0});
}

TEST_CASE("text says of which row a label is, and who it is from") {
  CHECK(labels_bytes(kLabelled, kRows, LabelsFormat::csv, true) ==
        "row,label,source\n8,3,teacher\n2,-1,refused\n9,0,student\n2,7,teacher\n");
  CHECK(labels_bytes(kLabelled, kRows, LabelsFormat::tsv, true) ==
        "row\tlabel\tsource\n8\t3\tteacher\n2\t-1\trefused\n9\t0\tstudent\n2\t7\tteacher\n");
  CHECK(labels_bytes(kLabelled, kRows, LabelsFormat::csv, false) ==
        "row,label\n8,3\n2,-1\n9,0\n2,7\n");
}

TEST_CASE("the name says the format") {
  CHECK(labels_format("a/b.npy") == LabelsFormat::npy);
  CHECK(labels_format("b.csv") == LabelsFormat::csv);
  CHECK(labels_format("b.tsv") == LabelsFormat::tsv);
  for (const char* bad : {"", "npy", "labels", "labels.txt", "labelsnpy", "labels.npz"}) {
    CHECK(message_of<pate::parameter_error>([&] { (void)labels_format(bad); }) ==
          std::string(bad) + ": the name of the file must end in .npy, .csv or .tsv");
  }
}

TEST_SUITE_END();
