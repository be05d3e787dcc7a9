#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace pate::io {

/// Returns whether bytes begin as text does, without control characters.
[[nodiscard]] bool is_text(std::span<const std::byte> bytes);

/// Throws `input_error` for a file in one of the formats that people have votes in and that are not
/// read here: it names the format and shows the one line that converts the file. One table has
/// them.
///
/// Formats are known by their first bytes, else by the ending of `name`, in a file of text only
/// those that may be text. `bytes` are the file's, or what gzip made of it; arrays and archives of
/// arrays are to be known before. Nothing happens for other files.
void refuse_foreign(const std::string& name, std::span<const std::byte> bytes);

/// Throws `input_error` for a sparse matrix of scipy in a form that is not read, "csc" and others.
[[noreturn]] void refuse_sparse(const std::string& name, std::string_view form);

/// As `refuse_foreign` for a zip archive, by its members; `has` says whether the name of one ends
/// so. Throws where none of them is an array.
void refuse_foreign_archive(const std::string& name,
                            const std::function<bool(std::string_view)>& has);

/// Returns how a refusal of an array of this kind of numpy and so many dimensions goes on, with the
/// line that makes numbers or text of it; "" where none does.
[[nodiscard]] std::string help_with_dtype(const std::string& name, char kind,
                                          std::size_t dimensions);

/// The same of an array of more than three dimensions.
[[nodiscard]] std::string help_with_four(const std::string& name, std::size_t dimensions);

}  // namespace pate::io
