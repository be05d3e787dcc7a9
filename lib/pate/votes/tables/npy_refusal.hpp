#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// What is said of arrays that are not read, and what makes others of them.
namespace pate::io {

/// What a kind of numpy is, in words.
[[nodiscard]] std::string_view reason_against(char kind);

/// The line that makes numbers or text of an array of so many dimensions; empty where none does.
[[nodiscard]] std::string help_with(const std::string& name, char kind, std::size_t dimensions);

/// Of what pickle.dump() wrote under the name of an array.
[[nodiscard]] std::string help_with_pickle(const std::string& name);

}  // namespace pate::io
