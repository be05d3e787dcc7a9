#pragma once

#include <cstddef>
#include <span>

#include "pate/tuning/tuning_grid.hpp"

namespace pate {

/// Evaluates the points first .. first + points.size() - 1 of a grid that are not yet evaluated.
///
/// Confident and Interactive points: one pass over the votes for each noise of the maximum, then
/// O(distinct v) operations for each order that is looked at, however many queries there are, at
/// many thresholds close together only at a few of them (`RowCosts::rdp`);
/// epsilon is at least that of `account` and at most `kGridAccuracy` above it. GNMax and LNMax: one
/// pass for each point; epsilon is that of `account`. Answers and accuracy to 1e-11.
///
/// Points are evaluated in blocks (`kBlockThresholds`), each on its own: neither threads nor where
/// `first` lies (at the start of a block) changes a bit. After a stop the blocks that were not
/// reached are left as they were.
void evaluate_grid(const TuningTask& task, std::size_t first, std::span<TuningPoint> points);

}  // namespace pate
