#pragma once

#include <string>
#include <vector>

#include "cli/options/output.hpp"
#include "cli/streams.hpp"

namespace pate::cli {

/// The part of `pate compose` that is about `pate tune`: the report of a grid from those of all its
/// shards. Returns the exit status that `tune` of the whole grid has. Errors are thrown.
[[nodiscard]] int compose_tunings(const std::vector<std::string>& paths,
                                  const OutputOptions& output, const Streams& streams);

}  // namespace pate::cli
