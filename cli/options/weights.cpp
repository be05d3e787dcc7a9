#include "cli/options/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/votes/tables/teacher_weights.hpp"

namespace pate::cli {

std::optional<TeacherWeights> open_weights(const std::string& path, VotesInput& input,
                                           std::optional<std::int64_t> teachers) {
  if (path.empty()) return std::nullopt;
  if (input.votes) teachers = input.votes->teachers();
  io::OpenedWeights opened = io::open_teacher_weights(path, teachers);
  input.files.push_back({"teacher_weights", path, std::move(opened.opened)});
  return std::move(opened.weights);
}

void check_weighable(const std::string& threshold, const Circumstances& circumstances) {
  require(Asked::weights, circumstances);
  if (threshold.find('%') == std::string::npos) return;
  throw usage_error(
      fmt::format("--threshold {} with --teacher-weights: a share of the teachers or of their "
                  "weights? Write it in votes of weight 1, which need not be whole: 0.3 where all "
                  "weights together are 1",
                  threshold));
}

void add_weight_slips(const TeacherWeights& weights, std::span<const double> thresholds,
                      std::vector<Notice>& notices) {
  if (thresholds.empty()) return;
  const auto [least, most] = std::ranges::minmax(thresholds);
  const double heaviest = static_cast<double>(weights.heaviest()) * weights.unit;
  const double total = static_cast<double>(weights.total()) * weights.unit;
  if (least <= heaviest) {
    notices.push_back(
        {"low_threshold",
         fmt::format("threshold {} is at most the weight of one teacher, {:g}", least, heaviest)});
  }
  if (most > total) {
    notices.push_back({"high_threshold",
                       fmt::format("threshold {} is above the sum of all weights, {:g}: only noise "
                                   "can reach it",
                                   most, total)});
  }
}

const PredictionVotes& weighable(const VoteSource& votes) {
  const auto* const predictions = dynamic_cast<const PredictionVotes*>(&votes);
  if (predictions == nullptr) throw usage_error("--teacher-weights needs predictions");
  return *predictions;
}

}  // namespace pate::cli
