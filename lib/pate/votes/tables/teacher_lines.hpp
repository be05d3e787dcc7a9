#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pate/base/files.hpp"
#include "pate/votes/numeric_table.hpp"

namespace pate::io {

/// A text without blanks around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The lines of a text, without blanks around them and without a byte order mark.
[[nodiscard]] std::vector<std::string> lines_of(const MappedFile& file);

/// Numbers, one a teacher, as a table of one column.
[[nodiscard]] std::shared_ptr<const NumericTable> column_of(std::string name,
                                                            std::vector<double> numbers);

}  // namespace pate::io
