#pragma once

#include <string>
#include <string_view>

#include "pate/labeling/label_run.hpp"

namespace pate {

/// How a file of labels is written.
enum class LabelsFormat { npy, csv, tsv };
template <>
inline constexpr std::array<Named<LabelsFormat>, 3> kNames<LabelsFormat>{{
    {LabelsFormat::npy, "npy"},
    {LabelsFormat::csv, "csv"},
    {LabelsFormat::tsv, "tsv"},
}};

/// The format that a file name asks for by its end: .npy, .csv or .tsv. Throws `parameter_error`
/// naming the file for any other.
[[nodiscard]] LabelsFormat labels_format(std::string_view path);

/// The labels of a run as the bytes of a file: one row per query of the selection, -1 where there
/// is no label. npy: int64, of shape (N,). Text: a header "label".
///
/// `with_sources` adds a second column: who the label is from. npy: shape (N, 2), 0 a teacher, 1
/// the student, -1 refused. Text: teacher, student, refused.
[[nodiscard]] std::string labels_bytes(const LabelledQueries& labelled, LabelsFormat format,
                                       bool with_sources);

}  // namespace pate
