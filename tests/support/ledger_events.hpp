#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "pate/accounting/mechanism_counts.hpp"
#include "pate/events/event.hpp"
#include "pate/mechanisms/noisy_max.hpp"

namespace pate::test {

/// An id of 32 digits that follows from a name.
inline std::string event_id(const std::string& name) {
  return fmt::format("{:032x}", std::hash<std::string>{}(name));
}

/// A run of the teachers `mnist` that gave labels, for tests of what a ledger does with it.
inline Event labelling(const std::string& id, const std::string& run_digest,
                       std::int64_t queries = 5) {
  Event event;
  PublicEvent& open = event.open;
  open.kind = EventKind::run;
  open.id = id;
  open.ensemble = "mnist";
  open.teachers = 250;
  open.classes = 10;
  open.mechanism = "gnmax";
  open.aggregator = Aggregator{{}, {GaussianNoisyMax{20.0}}};
  open.queries = queries;
  open.delta = 1e-5;
  open.origin.order = 8.0;
  open.steps = steps_of(*open.aggregator, {}, queries, queries);
  open.realized = RealizedRun{queries, queries};
  event.facts.digests.run = run_digest;
  return event;
}

/// A number that was published about the run `about`.
inline Event told_number(const std::string& id, const std::string& run_digest, double epsilon,
                         const std::string& about, std::vector<std::string> covers = {}) {
  Event event = labelling(id, run_digest);
  PublicEvent& open = event.open;
  open.kind = EventKind::release;
  open.about = about;
  open.realized.reset();
  open.origin = {};
  open.delta = 2e-5;
  open.drawn = DrawnNumber{
      epsilon, 2e-5, std::move(covers), {}, NumberNoise{ReleaseMethod::curve, 6.0, 0.04, 4.0, 0.0}};
  return event;
}

}  // namespace pate::test
