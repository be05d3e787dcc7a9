#pragma once

#include <string>

#include "pate/base/json.hpp"

namespace pate::reports {

/// The text of a report, a JSON object as `JsonWriter::text` has it, with a last member `seal`:
/// what reports have that are read back and believed (shards, grids of `pate tune`).
///
///     "seal": {"sources": SHA256, "sha256": SHA256}
///
/// `sources` is of the library that made the report (`library_sources`), `sha256` of the report
/// without its seal, as `JsonValue::canonical` has it, after a line with the sources. So any change
/// of a number, a text or a name shows, and none of white space or of the order of members does.
/// A digest tells what was damaged or edited by mistake. It is no signature: who edits a report on
/// purpose can make a new one, and where there are no votes nothing tells.
[[nodiscard]] std::string sealed(std::string text);

/// Throws `input_error` naming the file, unless the report has the seal that `sealed` gives it in
/// this program: it has none (reports of earlier versions), it is of another build, or its content
/// has changed.
void require_sealed(const io::JsonValue& report);

}  // namespace pate::reports
