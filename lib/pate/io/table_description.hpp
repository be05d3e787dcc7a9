#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pate {

/// How a table is stored, for the `inputs` of a report.
struct TableDescription {
  /// "npy", "npz", "csv" (also with semicolons), "tsv" or "text" (columns apart by spaces); what is
  /// inside where the file is compressed.
  std::string format;
  std::string dtype;                ///< as the file spells it: "<i8"; of text "int64" or "float64"
  std::vector<std::int64_t> shape;  ///< as the file has it
};

}  // namespace pate
