#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/options/mechanism.hpp"
#include "cli/options/votes_input.hpp"
#include "pate/votes/weighted_votes.hpp"

namespace pate::cli {

/// Reads how much votes count; the file becomes one of the inputs. None without a path. There is a
/// weight for each teacher of the votes; where there are none yet for each of `teachers`, or for
/// however many the file has. Throws as `open_teacher_weights`.
[[nodiscard]] std::optional<TeacherWeights> open_weights(const std::string& path, VotesInput& input,
                                                         std::optional<std::int64_t> teachers = {});

/// Throws `parameter_error` for what weights do not go with, and `usage_error` for a threshold that
/// is a share: it is not said whether of the teachers or of all weights.
void check_weighable(const std::string& threshold, const Circumstances& circumstances);

/// Adds doubts about thresholds in votes of weight 1: ones that a single teacher reaches, or that
/// all together do not.
void add_weight_slips(const TeacherWeights& weights, std::span<const double> thresholds,
                      std::vector<Notice>& notices);

/// The votes as predictions, which they are where weights are supported.
[[nodiscard]] const PredictionVotes& weighable(const VoteSource& votes);

}  // namespace pate::cli
