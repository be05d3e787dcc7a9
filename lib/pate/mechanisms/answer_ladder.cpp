#include "pate/mechanisms/answer_ladder.hpp"

#include <algorithm>

namespace pate {

AnswerLadder::AnswerLadder(const ThresholdCheck& check, std::int64_t lowest, std::int64_t highest,
                           std::int64_t teachers)
    : check_(check), first_(std::max<std::int64_t>(lowest - 1, 0)) {
  validate(check);
  const std::int64_t last = std::min(highest + 1, teachers);
  for (std::int64_t v = first_; v <= last; ++v) {
    log_answered_.push_back(pate::log_answered(check, v));
    log_refused_.push_back(pate::log_refused(check, v));
    if (v < last) steps_.push_back(answer_pair(check, v, v + 1));
  }
}

}  // namespace pate
