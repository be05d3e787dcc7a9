#include "pate/reports/labels_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "pate/error.hpp"
#include "pate/io/npy_writer.hpp"

namespace pate {

namespace {

std::string npy_bytes(const LabelledQueries& labelled, bool with_sources) {
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(labelled.labels.size())};
  if (with_sources) shape.push_back(2);
  std::string bytes = npy_header("<i8", shape);
  if (!with_sources) {
    append_int64(bytes, std::span<const std::int32_t>(labelled.labels));
    return bytes;
  }
  for (std::size_t i = 0; i < labelled.labels.size(); ++i) {
    const std::array<std::int64_t, 2> row{labelled.labels[i],
                                          static_cast<std::int64_t>(labelled.sources[i])};
    append_int64(bytes, std::span<const std::int64_t>(row));
  }
  return bytes;
}

std::string text_bytes(const LabelledQueries& labelled, bool with_sources, char separator) {
  std::string bytes = with_sources ? fmt::format("label{}source\n", separator) : "label\n";
  for (std::size_t i = 0; i < labelled.labels.size(); ++i) {
    fmt::format_to(std::back_inserter(bytes), "{}", labelled.labels[i]);
    if (with_sources) {
      fmt::format_to(std::back_inserter(bytes), "{}{}", separator, name(labelled.sources[i]));
    }
    bytes += '\n';
  }
  return bytes;
}

}  // namespace

LabelsFormat labels_format(std::string_view path) {
  for (const LabelsFormat format : {LabelsFormat::npy, LabelsFormat::csv, LabelsFormat::tsv}) {
    const std::string_view end = name(format);
    if (path.size() > end.size() && path.ends_with(end) &&
        path[path.size() - end.size() - 1] == '.') {
      return format;
    }
  }
  throw parameter_error(
      fmt::format("{}: the name of a file of labels must end in .npy, .csv or .tsv", path));
}

std::string labels_bytes(const LabelledQueries& labelled, LabelsFormat format, bool with_sources) {
  if (format == LabelsFormat::npy) return npy_bytes(labelled, with_sources);
  return text_bytes(labelled, with_sources, format == LabelsFormat::csv ? ',' : '\t');
}

}  // namespace pate
