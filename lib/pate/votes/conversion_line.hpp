#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pate/votes/numeric_table.hpp"

namespace pate {

/// Returns a line for a shell that makes another file of one that is not as it should be: {0} in
/// `line` is the file, {1} its name with "-read" in the place of the ending, so that no other file
/// is written over. Braces of the line itself are doubled.
///
/// The line works as it stands: names are quoted for a shell, and for Python or R within one; a
/// member of an archive is taken out of it, text that gzip compressed is unpacked. A stream is read
/// from standard input.
[[nodiscard]] std::string conversion_line(const std::string& name, std::string_view line);

/// How a message goes on about several files, or those of a directory: with the line that makes one
/// table of them, arrays of one dimension as its rows, else their rows one after another; "" where
/// they are not of one kind.
[[nodiscard]] std::string help_with_several(const std::vector<std::string>& files);
[[nodiscard]] std::string help_with_directory(const std::string& directory);

/// The line that makes another array of the one in a file, which is a there: `made`, after what
/// `then` goes on with behind the reading of a (".astype(float)", "; b = a + 1"). numpy is n.
[[nodiscard]] std::string array_line(const std::string& name, std::string_view made,
                                     std::string_view then = {});

/// The same of a text, of which pandas, p there, reads the frame t: what `made` is, a frame too.
[[nodiscard]] std::string frame_line(const std::string& name, const ColumnHeader& header,
                                     std::string_view made, std::string_view then = {});

/// The line that makes other values of those of a table, array or text, which are a there.
[[nodiscard]] std::string values_line(const NumericTable& table, std::string_view made,
                                      std::string_view then = {});

/// The line that makes an array of those values, whatever they are in.
[[nodiscard]] std::string column_line(const NumericTable& table, std::string_view made,
                                      std::string_view then = {});

/// How a message goes on about a class without a vote that has no count, before the line.
inline constexpr std::string_view kMissingCounts =
    "0 votes, which pandas leaves out (pivot_table, unstack, DataFrame of Counters): "
    ".fillna(0).astype(int), which is what \1abstentions is not: ";

/// How messages call a column: "column 5 ("total")", or without its heading where it has none.
[[nodiscard]] std::string column_in_words(const NumericTable& table, std::int64_t column);

/// The lines that leave out a column of a table, and an array of an archive.
[[nodiscard]] std::string line_without_column(const NumericTable& table, std::int64_t column);
[[nodiscard]] std::string line_without_array(const NumericTable& table, std::string_view array);

/// The line that makes class ids of a text with names of classes, in the order of the alphabet, and
/// prints the names in that order; what pandas takes for missing becomes -1.
[[nodiscard]] std::string numbering_line(const std::string& name, const ColumnHeader& header);

}  // namespace pate
