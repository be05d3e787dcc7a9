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

/// What `--teacher-weights` needs of votes and of `--threshold`: predictions, and a threshold in
/// votes, for with weights it is not said whether a share is one of the teachers or of all weights.
/// Throws `usage_error`.
void check_weighable(Layout layout, const std::string& threshold);

/// Adds doubts about thresholds in votes of weight 1: ones that a single teacher reaches, or that
/// all together do not.
void add_weight_slips(const TeacherWeights& weights, std::span<const double> thresholds,
                      std::vector<Notice>& notices);

/// The votes as predictions, which they are after `check_weighable`.
[[nodiscard]] const PredictionVotes& weighable(const VoteSource& votes);

/// What `--teacher-weights` needs of a run besides: noise on every count, whole votes being what
/// PTR, one noise and a student go by, and one teacher that is replaced. Throws `usage_error`.
void check_weighable(const VotesInputOptions& input, const MechanismOptions& mechanism);
/// The same where there are no votes yet.
void check_weighable(const MechanismOptions& mechanism);

}  // namespace pate::cli
