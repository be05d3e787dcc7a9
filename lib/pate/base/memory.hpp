#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pate::io {

/// Four fifths of the memory that the machine has, its cgroups and RLIMIT_AS allow, in bytes; or
/// RLIMIT_DATA where that was less when this was first asked for.
[[nodiscard]] std::size_t usual_memory();

/// Bytes of memory that this process may use: those of the last `limit_memory`, the usual before
/// one.
[[nodiscard]] std::size_t memory_limit();

/// Allows so many bytes from here on, of this process and those it starts: the system refuses more
/// (RLIMIT_DATA; `std::bad_alloc`). Throws that where more is in use already. Where the system
/// would not have a limit, or more than there is has been reserved, as sanitizers do, nothing is
/// refused but what `memory_limit` decides.
void limit_memory(std::size_t bytes);

/// Makes room for `size` bytes of a stream or of what is compressed, at most for half of
/// `memory_limit()`, or three quarters where the end is known and they grow to it in large steps.
/// Throws `input_error` naming the file where so many are filled already.
void grow_buffer(std::vector<std::byte>& bytes, std::size_t size, bool end_known,
                 const std::string& name);

}  // namespace pate::io
