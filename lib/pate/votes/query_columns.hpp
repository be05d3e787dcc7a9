#pragma once

#include <cstdint>
#include <vector>

#include "pate/votes/numeric_table.hpp"

namespace pate {

// The one-dimensional files beside the votes: labels, decisions, row numbers. Each is an array of
// shape (N,) or (N, 1); of any other shape, (1, N) above all, is an `input_error` that says so.

/// True class ids, one per row of the votes (`--labels`).
///
/// Throws `input_error` when there are not `rows` of them, or naming row and value where one is not
/// an integer in 0 .. classes - 1. Domain: classes < 2^31.
[[nodiscard]] std::vector<std::int32_t> read_labels(const NumericTable& table, std::int64_t rows,
                                                    std::int64_t classes);

/// Which queries a run answered, one entry per row of the votes (`--decisions`): 1 answered, 0
/// refused.
///
/// The file may hold decisions or the labels the run released; its values tell which:
/// * only 0 and 1 (or bool): decisions, 1 means answered;
/// * -1 occurs: released labels, -1 means refused and every label >= 0 answered;
/// * no -1 but values above 1: released labels of a run that answered everything;
/// * anything below -1: an error.
///
/// So the labels of a run over two classes that answered everything cannot be told from decisions
/// and are taken as such; for such a run the file must hold decisions.
///
/// Throws `input_error` when there are not `rows` of them, or naming row and value.
[[nodiscard]] std::vector<std::uint8_t> read_decisions(const NumericTable& table,
                                                       std::int64_t rows);

/// Row numbers, any number of them (`--indices`). Throws `input_error` naming the row where one is
/// no integer; whether the rows exist is for `RowSelection::check` to say.
[[nodiscard]] std::vector<std::int64_t> read_indices(const NumericTable& table);

}  // namespace pate
