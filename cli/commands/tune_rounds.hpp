#pragma once

#include <vector>

#include "cli/commands/commands.hpp"

namespace pate::cli {

/// `pate tune VOTES --rounds 2`: two rounds on the same teachers, under one epsilon.
[[nodiscard]] int run_rounds(const TuneOptions& options, const Streams& streams);

// What it has in common with one round.

/// Going on from a report may write it anew; no other output may be an input.
void check_tune_outputs(const TuneOptions& options);

/// Says which noise the numbers of a report are of.
void add_one_noise_notice(const TuningOptions& options, std::vector<Notice>& notices);

}  // namespace pate::cli
