#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace pate::io {

// What cannot be mapped because it comes in a stream, and can be read once.

/// How standard input is called in messages.
inline const std::string kStandardInput = "<stdin>";

/// All of standard input, from where it stands to its end. Throws `input_error` with the system's
/// reason when it cannot be read.
[[nodiscard]] std::vector<std::byte> read_standard_input();

/// Whether a path is that of a pipe: a named one, `/dev/stdin` behind a pipe, what a shell makes of
/// `<(command)`. False also where there is nothing.
[[nodiscard]] bool is_pipe(const std::filesystem::path& path);

/// All that comes out of a pipe until its last writer has closed it; waits for the first one.
/// Throws `input_error` naming the path with the system's reason when it cannot be opened or read.
[[nodiscard]] std::vector<std::byte> read_pipe(const std::filesystem::path& path);

}  // namespace pate::io
