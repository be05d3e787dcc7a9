#pragma once

#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/accounting/weighted_account.hpp"
#include "pate/reports/report_fields.hpp"

namespace pate::reports {

/// The member `mechanism` of the report of a run: its aggregator and, where samples answer, with
/// which probability a teacher, or record, is in one.
inline void write_mechanism(FieldWriter& a, const Account& account) {
  const auto& sampled = account.steps.sampled_queries;
  if (sampled.empty()) {
    a("mechanism", CostedMechanism{account.aggregator, account.steps.neighbours});
    return;
  }
  a.object("mechanism", [&](FieldWriter& mechanism) {
    fields(mechanism, CostedMechanism{account.aggregator, account.steps.neighbours});
    mechanism(name(sampled.begin()->first.of), sampled.begin()->first.rate);
  });
}

/// How many teachers there are, unless it is a `public_part` that does not tell.
inline void write_teachers(FieldWriter& a, const Account& account) {
  if (account.teachers > 0 || !a.is_for_everybody()) a("teachers", account.teachers);
}

/// An element of the member `weights`: what teachers of a weight pay.
inline void fields(FieldWriter& a, const WeightCost& cost) {
  a("weight", cost.weight);
  a("teachers", cost.teachers);
  a("any_votes", cost.any_votes);
  a.optional("tradeoff", cost.tradeoff);
  a.optional("exact", cost.exact);
}

}  // namespace pate::reports
