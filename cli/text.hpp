#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pate::cli {

/// Words after `first`, broken where a line would exceed the columns, further lines indented.
[[nodiscard]] std::string paragraph(std::string_view first, std::string_view words,
                                    std::size_t columns = 80);

/// Text with the names and words of files in it, as it may go to a terminal: every line is as
/// `io::printable` shows it, but for the styles that this program writes (streams.hpp).
[[nodiscard]] std::string for_terminal(std::string_view text);

/// A text of the library as a line for a terminal, with the names of options in it.
[[nodiscard]] std::string in_one_line(std::string_view text);

/// The text with its lines that begin with "note: " broken to the columns.
[[nodiscard]] std::string with_notes_broken(std::string_view text, std::size_t columns);

/// "1 query" or "2 queries": a number with what it counts, of which `many` is the plural.
[[nodiscard]] std::string counted(long long number, std::string_view one, std::string_view many);
[[nodiscard]] std::string queries_text(long long number);
[[nodiscard]] std::string teachers_text(long long number);

/// Of `words` those that `word` may be meant to be: which it begins, or which differ from it by two
/// letters at most (one in words of up to four), best first, at most three.
[[nodiscard]] std::vector<std::string> meant(std::string_view word,
                                             const std::vector<std::string>& words);
/// "; did you mean --delta?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& words);

}  // namespace pate::cli
