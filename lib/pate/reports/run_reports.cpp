#include "pate/reports/run_reports.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/events/run_events.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/partials_json.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/seal.hpp"

namespace pate::reports {

// Found by the archives, which look in the namespace of a struct, but not in an unnamed one.

static void fields(FieldWriter& a, const Utility& utility) {
  a("expected_accuracy", utility.expected_accuracy);
  a("plurality_accuracy", utility.plurality_accuracy);
}

static void fields(FieldWriter& a, const PerTeacher& teachers) {
  a("epsilon", teachers.epsilon);
  a("quantiles", teachers.quantiles);
  if (!teachers.profile) return;
  a("profile", *teachers.profile);
  a("refined", teachers.refined);
}

// Values of a profile, column by column.
static void fields(FieldWriter& a, const std::vector<ProfileEnds>& values) {
  for (const auto& [key, end] :
       {std::pair{"upper", &ProfileEnds::upper}, {"lower", &ProfileEnds::lower}}) {
    a.object(key, [&, end = end](FieldWriter& json) {
      for (std::size_t d = 0; d < 2; ++d) {
        std::vector<double> column;
        for (const ProfileEnds& value : values) column.push_back((value.*end)[d]);
        json(d == 0 ? "forward" : "reverse", column);
      }
    });
  }
}

static void fields(FieldWriter& a, const ProfileCurve& curve) {
  a("step", curve.step);
  a.object("epsilon_at", [&](FieldWriter& json) {
    json("delta", curve.deltas);
    fields(json, curve.epsilon_at);
  });
  a.object("delta_at", [&](FieldWriter& json) {
    json("epsilon", curve.epsilons);
    fields(json, curve.delta_at);
  });
}

static void fields(FieldWriter& a, const AtCap& found) {
  a("bound", found.bound);
  a("order", found.order);
  a("queries", found.queries);
}

static void fields(FieldWriter& a, const ToldEpsilon& released) {
  a("epsilon", released.epsilon);
  a("delta", released.delta);
}

static void fields(FieldWriter& a, const PlannedRun& run) {
  if (const auto tested = run.tested()) return fields(a, *tested);
  const NoiseNames& noise = run.noisy_max()->names();
  a("name", run.sigma1 ? "confident" : noise.aggregator);
  a.optional("sigma1", run.sigma1);
  a(noise.parameter, run.noisy_max()->parameter());
}

static void fields(FieldWriter& a, const Solved& solved) {
  a("for", solved.parameter);
  if (solved.parameter == PlanParameter::queries ||
      solved.parameter == PlanParameter::max_answers ||
      solved.parameter == PlanParameter::max_refusals) {
    a("value", static_cast<std::int64_t>(solved.value));
  } else {
    a("value", solved.value);
  }
  a("epsilon", solved.epsilon);
}

static void fields(FieldWriter& a, const Plan& plan) {
  a("mechanism", plan.run);
  a("queries", plan.run.queries);
  a("max_answers", plan.run.answers());
  a("delta", plan.delta);
  delta_split(a, plan.delta, plan.steps.delta());
  a("solved", plan.solved);
  write_costs(a, plan);
  a("steps", plan.steps);
}

Event analysis_event(const Account& account, const std::vector<InputFile>& inputs,
                     bool rows_from_answers) {
  Event event = analysed_run(account);
  event.open.origin.rows_from_answers = rows_from_answers;
  for (const InputFile& input : inputs) {
    if (input.votes_digest) {
      event.facts.digests.file = input.sha256;
      event.facts.digests.counts = *input.votes_digest;
    }
    if (input.role == "indices" || input.role == "student") {
      event.open.origin.rows_from_answers = true;
    }
  }
  event.facts.digests.run = run_digest(inputs, account.aggregator);
  return event;
}

std::string analyze_report_json(const Account& account, const ReportContext& context,
                                const Partials* partials) {
  FieldWriter report = begin_report("analyze", context);
  report("mechanism", account.aggregator);
  report("teachers", account.teachers);
  report("classes", account.classes);
  report("queries", account.queries);
  report("delta", account.delta);
  delta_split(report, account.delta, account.query_delta);
  report.object("answered", [&](FieldWriter& answered) {
    answered("expected", account.answered_expected);
    answered("sd", account.answered_sd);
    answered("realized", account.answered_realized);
    answered.optional("student", account.answered_student);
  });
  write_costs(report, account);
  report("at_cap", account.at_cap);
  report("steps", account.steps);
  report.object("rdp", [&](FieldWriter& rdp) {
    rdp("orders", account.orders);
    rdp.optional("published", account.published, account.orders.size());
    rdp.optional("tradeoff", account.tradeoff, account.orders.size());
    rdp.optional("exact", account.exact, account.orders.size());
  });
  report.optional("profile", account.profile);
  report("trajectory", account.trajectory);
  report.optional("utility", account.utility);
  report.optional("per_teacher", account.per_teacher);
  if (partials != nullptr) write_partials(report, *partials);
  if (!context.parts.empty()) report("parts", context.parts);
  if (!context.record.empty()) write_record(report, context.record);
  report("notices", account.notices);
  return partials != nullptr ? sealed(report.text()) : report.text();
}

// None where all of it is added apart, or nothing is.
static void composed_delta_split(FieldWriter& a, const RecordAccount& sum) {
  if (sum.query_delta > 0.0 && sum.query_delta < sum.delta) {
    delta_split(a, sum.delta, sum.query_delta);
  }
}

std::string composed_report_json(const RecordAccount& sum, const ReportContext& context) {
  FieldWriter report = begin_report("analyze", context);
  report.object("mechanism", [](FieldWriter& mechanism) { mechanism("name", "composed"); });
  report("parts", context.parts);
  report("teachers", sum.teachers);
  report("classes", sum.classes);
  report("queries", sum.queries);
  report("delta", sum.delta);
  composed_delta_split(report, sum);
  report.object("answered", [&](FieldWriter& answered) {
    answered("expected", sum.answered_expected);
    answered("sd", sum.answered_expected ? std::optional(sum.answered_sd) : std::nullopt);
    answered("realized", sum.answered_realized);
  });
  report.optional("released", sum.released);
  write_costs(report, sum);
  report("steps", sum.steps);
  report.object("rdp", [&](FieldWriter& rdp) {
    rdp("orders", sum.orders);
    rdp("any_votes", sum.any_votes);
    if (sum.tradeoff.empty()) return;
    rdp.object("tradeoff", [&](FieldWriter& tradeoff) { tradeoff("joint", sum.tradeoff); });
  });
  report.optional("profile", sum.profile);
  report("trajectory", sum.trajectory);
  write_record(report, context.record);
  report("notices", sum.notices);
  return report.text();
}

static void fields(FieldWriter& a, const DeclaredPlan& plan) {
  a("epsilon", plan.budget.epsilon);
  a("delta", plan.budget.delta);
  a("teachers", plan.teachers);
  a("classes", plan.classes);
  const io::JsonWriter levels = a.place().member("consensus");
  levels.set_empty_array();
  for (const ConsensusOutlook& outlook : plan.consensus) {
    FieldWriter level(levels.element());
    level("least_top_share", outlook.least_top_share);
    level("answered", outlook.answered);
    const io::JsonWriter by_queries = level.place().member("by_queries");
    by_queries.set_empty_array();
    for (const QueriesOutlook& one : outlook.by_queries) {
      FieldWriter row(by_queries.element());
      row("queries", one.queries);
      row("pass_probability", one.pass_probability);
      row("labels", one.labels);
    }
    const io::JsonWriter most = level.place().member("most_queries");
    most.set_empty_array();
    for (const auto& [probability, queries] : outlook.most_queries) {
      FieldWriter row(most.element());
      row("pass_probability", probability);
      row("queries", queries);
    }
  }
}

static void write_plan(FieldWriter& a, const Plan& plan, const DeclaredPlan* declared) {
  fields(a, plan);
  if (declared == nullptr) return;
  a.object("declared", [&](FieldWriter& its) { fields(its, *declared); });
}

std::string plan_report_json(const Plan& plan, const ReportContext& context,
                             const DeclaredPlan* declared) {
  FieldWriter report = begin_report("plan", context);
  write_plan(report, plan, declared);
  RdpCurves curves;
  for (const QueryCost& cost : plan.rdp) {
    curves.selection.push_back(cost.selection);
    curves.noisy_max.push_back(cost.noisy_max);
  }
  report.object("rdp", [&](FieldWriter& rdp) {
    rdp("orders", plan.orders);
    rdp("data_independent", curves, plan.orders.size());
  });
  write_record(report, context.record);
  report("notices", plan.notices);
  return report.text();
}

void drop_private_fields(Account& account, const std::vector<std::string>& paths) {
  std::erase_if(account.costs, [](const CostEntry& cost) { return !cost.releasable; });
  account.headline = headline_of(account.costs, {});
  account.notices = public_notices(account.notices, paths);
  account.answered_expected = account.answered_sd = std::numeric_limits<double>::quiet_NaN();
  account.answered_student.reset();
  account.at_cap.clear();
  account.published.reset();
  account.tradeoff.reset();
  account.exact.reset();
  account.profile.reset();
  account.trajectory.clear();
  account.utility.reset();
  account.per_teacher.reset();
}

std::vector<Notice> public_notices(const std::vector<Notice>& notices,
                                   const std::vector<std::string>& paths) {
  // By name, so that a notice that is new is none of them until somebody says so. Whether one of
  // these is there follows from settings, the form of files and what was released; the others may
  // be there for some votes and not for others.
  constexpr std::array<std::string_view, 32> kPublic{"abstentions_class",
                                                     "adaptive_rounds",
                                                     "any_votes_suffice",
                                                     "bound_left_out",
                                                     "comments_left_out",
                                                     "counted_twice",
                                                     "counts_released",
                                                     "curve_above_any_votes",
                                                     "fallback",
                                                     "header_left_out",
                                                     "header_names",
                                                     "high_threshold",
                                                     "index_left_out",
                                                     "large_delta",
                                                     "ledger_torn",
                                                     "ledger_total",
                                                     "lifted_corners",
                                                     "low_threshold",
                                                     "majority_is_free",
                                                     "no_ledger",
                                                     "missing_values",
                                                     "no_queries",
                                                     "not_a_bound",
                                                     "not_composed",
                                                     "one_hot",
                                                     "order_fixed_before",
                                                     "parameters_from_votes",
                                                     "private_numbers",
                                                     "stopped_max_answers",
                                                     "stopped_max_epsilon",
                                                     "stopped_max_refusals",
                                                     "tables_read"};
  const auto is_public = [&](const Notice& notice) {
    // Of an epsilon: where it holds for any votes.
    if (notice.code == "epsilon_clamped" || notice.code == "epsilon_infinite") {
      return notice.message.starts_with("data_independent/");
    }
    return std::ranges::find(kPublic, notice.code) != kPublic.end();
  };
  std::vector<Notice> result;
  for (const Notice& notice : notices) {
    if (!is_public(notice)) continue;
    result.push_back(notice);
    std::string& message = result.back().message;
    for (const std::string& path : paths) {
      if (message.starts_with(path + ": ")) message.erase(0, path.size() + 2);
      const std::size_t place = message.find("(" + path + ", ");
      if (!path.empty() && place != std::string::npos) message.erase(place + 1, path.size() + 2);
    }
  }
  return result;
}

std::string public_analyze_report_json(const Account& account, const ReportContext& context) {
  return public_report(
      "analyze", context,
      [&](FieldWriter& a) {
        a("mechanism", account.aggregator);
        a("teachers", account.teachers);
        a("classes", account.classes);
        a("queries", account.queries);
        a("delta", account.delta);
        delta_split(a, account.delta, account.query_delta);
        write_costs(a, account);
        a("steps", account.steps);
      },
      account.notices);
}

std::string public_composed_report_json(const RecordAccount& sum, const ReportContext& context) {
  return public_report(
      "analyze", context,
      [&](FieldWriter& a) {
        a.object("mechanism", [](FieldWriter& mechanism) { mechanism("name", "composed"); });
        a("teachers", sum.teachers);
        a("classes", sum.classes);
        a("queries", sum.queries);
        a("delta", sum.delta);
        composed_delta_split(a, sum);
        a.optional("released", sum.released);
        write_costs(a, sum);
        a("steps", sum.steps);
      },
      sum.notices);
}

std::string public_plan_report_json(const Plan& plan, const ReportContext& context,
                                    const DeclaredPlan* declared) {
  return public_report(
      "plan", context, [&](FieldWriter& a) { write_plan(a, plan, declared); }, plan.notices);
}

}  // namespace pate::reports
