#include "pate/accounting/circumstances.hpp"

namespace pate {

Circumstances circumstances_of(const VoteSource& votes) {
  return Circumstances(Neighbours{}).with(Given::left_out, votes.leaves_out_abstentions());
}

Circumstances circumstances_of(const Run& run) {
  return Circumstances(run.aggregator, run.neighbours)
      .with(Given::left_out, run.votes.leaves_out_abstentions())
      .with(Given::student, run.student != nullptr)
      .with(Given::decisions, run.decisions || run.labels)
      .with(Given::shard, run.shard.of > 1);
}

void require(const AccountSettings& settings, const Circumstances& circumstances) {
  if (settings.has(Bound::exact)) require(Asked::exact, circumstances);
  if (settings.has(Bound::tilted)) require(Asked::tilted, circumstances);
  if (settings.has(Bound::complex)) require(Asked::complex, circumstances);
}

}  // namespace pate
