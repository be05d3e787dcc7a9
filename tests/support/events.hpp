#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/planning/plan.hpp"
#include "pate/events/account_record.hpp"
#include "pate/events/run_events.hpp"
#include "pate/labeling/label_account.hpp"
#include "support/labeling.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"
#include "support/test_bits.hpp"

namespace pate::test {

using pate_test::Random;

/// Votes of a few queries, and how they are answered.
struct SmallRun {
  Aggregator aggregator;
  std::vector<pate_test::Counts> queries;

  [[nodiscard]] std::unique_ptr<VoteSource> votes() const {
    std::vector<std::int64_t> counts;
    for (const pate_test::Counts& query : queries)
      counts.insert(counts.end(), query.begin(), query.end());
    return votes_of(static_cast<std::int64_t>(queries.size()),
                    static_cast<std::int64_t>(queries.front().size()), counts);
  }
};

inline Aggregator random_aggregator(Random& random, std::int64_t teachers) {
  const double sigma = random.log_uniform(0.7, 8.0);
  switch (random.integer(0, 3)) {
    case 0:
      return lnmax(random.log_uniform(1.0, 8.0));
    case 1:
      return gnmax(sigma);
    default:
      return confident(random.uniform(0.3, 1.1) * static_cast<double>(teachers),
                       random.log_uniform(0.7, 8.0), sigma);
  }
}

inline SmallRun random_run(Random& random, std::int64_t teachers, std::int64_t classes,
                           std::int64_t most_queries) {
  SmallRun run{random_aggregator(random, teachers), {}};
  for (std::int64_t k = random.integer(1, most_queries); k > 0; --k) {
    run.queries.push_back(pate_test::random_histogram(random, teachers, classes));
  }
  return run;
}

inline std::string random_id(Random& random) {
  std::string id;
  for (int k = 0; k < 32; ++k) id += fmt::format("{:x}", random.integer(0, 15));
  return id;
}

inline Event analysis_of(const SmallRun& small, double delta, bool exact, bool published = true) {
  const auto votes = small.votes();
  AccountSettings settings;
  settings.delta = delta;
  if (exact) settings.models.insert(Bound::exact);
  if (published) settings.models.insert(Bound::published);
  settings.threads = 1;
  Event event = analysed_run(account(run_of(*votes, small.aggregator), settings));
  event.facts.digests.counts = "the same votes";
  return event;
}

/// A run of the mechanism, with random limits unless it is to answer all.
inline Event labelling_of(const SmallRun& small, double delta, Random& random,
                          bool may_stop = true) {
  const auto votes = small.votes();
  const Run run = run_of(*votes, small.aggregator);
  RunLimits limits{run.rows.size(), {}, {}};
  if (may_stop && small.aggregator.selection && random.integer(0, 1) == 0) limits.max_answers = 1;
  if (may_stop && random.integer(0, 2) == 0) limits.max_epsilon = random.log_uniform(0.5, 20.0);
  PrivacyFilter filter(
      small.aggregator, {}, limits, delta,
      random.integer(0, 1) == 0 ? filter_order(small.aggregator, {}, limits, delta) : 8.0);
  TestBits bits(static_cast<std::uint64_t>(random.integer(0, 1 << 30)));
  const LabelledQueries labelled = label_queries(run, filter, {}, bits, 1);
  const Account account = label_account(run, labelled, filter, limits, delta, 1);
  Event event = labelled_run(account, labelled, filter, limits, random_id(random));
  event.facts.digests.counts = "the same votes";
  return event;
}

inline Event plan_of(Random& random, double delta) {
  PlannedRun run;
  run.queries = random.integer(1, 3);
  if (random.integer(0, 3) == 0) {
    run.laplace_scale = random.log_uniform(1.0, 8.0);
  } else {
    run.sigma2 = random.log_uniform(0.7, 8.0);
    if (random.integer(0, 1) == 0) run.sigma1 = random.log_uniform(0.7, 8.0);
  }
  PlanSettings settings;
  settings.delta = delta;
  return planned_run(plan(run, settings));
}

/// A number that was drawn about a run, or about one that nothing tells of.
inline Event number_of(const Event* run, const std::vector<std::string>& covers, double delta,
                       Random& random) {
  Event event;
  PublicEvent& open = event.open;
  open.kind = EventKind::release;
  open.id = random_id(random);
  open.about = run != nullptr ? run->open.id : random_id(random);
  open.aggregator = run != nullptr ? run->open.aggregator : gnmax(random.log_uniform(1.0, 8.0));
  open.mechanism = open.aggregator->name();
  open.queries = run != nullptr ? run->open.queries : 2;
  open.steps = steps_of(*open.aggregator, {}, open.queries, open.queries);
  open.delta = delta;
  DrawnNumber& drawn = open.drawn.emplace();
  drawn.epsilon = random.uniform(0.5, 5.0);
  drawn.delta = delta;
  drawn.covers = covers;
  const bool is_curve = random.integer(0, 1) == 0;
  NumberNoise noise{is_curve ? ReleaseMethod::curve : ReleaseMethod::gnss,
                    random.uniform(2.0, 12.0), random.log_uniform(0.001, 0.04),
                    random.uniform(2.0, 20.0), is_curve ? 0.0 : random.uniform(0.0, 4.0)};
  if (random.integer(0, 9) == 0) {
    open.origin.parameters_from_votes = true;
    event.facts.noise = noise;
  } else {
    drawn.noise = noise;
  }
  return event;
}

inline Event claim_of(Random& random) {
  Event event;
  event.open.kind = random.integer(0, 1) == 0 ? EventKind::majority : EventKind::step;
  event.open.mechanism = "darrm";
  event.open.id = random.integer(0, 1) == 0 ? random_id(random) : "";
  event.open.queries = random.integer(1, 4);
  event.open.claim = PrivacyClaim{random.log_uniform(0.05, 1.0),
                                  random.integer(0, 1) == 0 ? 0.0 : 1e-7, event.open.queries};
  event.open.delta = 1e-6;
  return event;
}

inline Event foreign_step(Random& random) {
  Event event;
  event.open.kind = EventKind::step;
  event.open.mechanism = "another mechanism";
  event.open.foreign = ForeignStep{random.integer(0, 1) == 0 ? random.log_uniform(0.05, 1.0) : 0.0,
                                   random.log_uniform(0.01, 0.2), random.integer(1, 3)};
  if (event.open.foreign->mu > 0.0 && random.integer(0, 1) == 0) event.open.foreign->rho = 0.0;
  event.open.delta = 1e-5;
  return event;
}

/// The best of several runs of which the number was drawn.
inline Event tuning_of(Random& random) {
  Event event;
  event.open.kind = EventKind::tuning;
  event.open.mechanism = "gnmax";
  event.open.id = random.integer(0, 1) == 0 ? random_id(random) : "";
  event.open.queries = random.integer(1, 4);
  event.open.tries = TriedRuns{
      tries_expecting(static_cast<TriesLaw>(random.integer(0, 2)), random.log_uniform(1.5, 20.0)),
      steps_of(gnmax(random.log_uniform(2.0, 30.0)), {}, event.open.queries, event.open.queries)};
  event.open.delta = 1e-5;
  return event;
}

}  // namespace pate::test
