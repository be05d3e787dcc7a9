#pragma once

#include <string_view>

namespace pate::io {

/// What of a JSON text no report or ledger has and no reader here can bear: "it is nested deeper
/// than 50 levels" (copying or writing a value takes stack for each), or "it has an object of more
/// than 1000 members" (finding one goes through all). Empty when there is nothing of the kind.
///
/// Any text may be given; whether it is JSON is for a parser to say, afterwards. One pass over the
/// bytes. Throws nothing but what memory does.
[[nodiscard]] std::string_view json_excess(std::string_view text);

}  // namespace pate::io
