#include "pate/reports/run_reports.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include "pate/accounting/costs_apart.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/events/run_events.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/mechanism_member.hpp"
#include "pate/reports/partials_json.hpp"
#include "pate/reports/public_notices.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"
#include "pate/reports/seal.hpp"

namespace pate::reports {

// Found by the archives, which look in the namespace of a struct, but not in an unnamed one.

static void fields(FieldWriter& a, const Utility& utility) {
  a("expected_accuracy", utility.expected_accuracy);
  a("plurality_accuracy", utility.plurality_accuracy);
}

static void fields(FieldWriter& a, const GroupCost& group) {
  a("name", group.name);
  a("teachers", group.teachers);
  a("epsilon", group.epsilon);
  a.optional("profile", group.profile);
  a.optional("whole_group", group.whole_group);
}

// Of teachers, and of groups of them where there are any.
struct TeachersTold {
  const PerTeacher& teachers;
  const CostsApart* apart;
};
static void fields(FieldWriter& a, const TeachersTold& told) {
  const PerTeacher& teachers = told.teachers;
  a("epsilon", teachers.epsilon);
  a("quantiles", teachers.quantiles);
  if (teachers.profile) {
    a("profile", *teachers.profile);
    a("refined", teachers.refined);
  }
  if (told.apart != nullptr && !told.apart->groups.empty()) a("groups", told.apart->groups);
}

// Values of a profile, column by column.
static void fields(FieldWriter& a, const std::vector<ProfileEnds>& values) {
  for (const auto& [key, values_of] :
       {std::pair{"upper", &ProfileEnds::upper}, {"lower", &ProfileEnds::lower}}) {
    a.object(key, [&, end = values_of](FieldWriter& json) {
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
  if (const auto tested = run.tested()) return fields(a, CostedMechanism{*tested, run.neighbours});
  const NoiseNames& noise = run.noisy_max()->names();
  a("name", run.sigma1 ? "confident" : noise.aggregator);
  a.optional("sigma1", run.sigma1);
  a(noise.parameter, run.noisy_max()->parameter());
  neighbour_fields(a, run.neighbours);
  if (run.sampling) a(name(run.sampling->of), run.sampling->rate);
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

static void fields(FieldWriter& a, const GroupWeight& group) {
  a("name", group.name);
  a("teachers", group.teachers);
  a("budget", group.budget);
  a("weight", group.weight);
  a("any_votes", group.epsilon);
}

static void fields(FieldWriter& a, const AgreementOutlook& outlook) {
  a("share", kReliableShare);
  a("least_lead", outlook.least_lead);
  if (!outlook.unanimous) return;
  a("unanimous", outlook.unanimous->named);
  a.optional("check_tells", outlook.unanimous->check_tells);
}

static void fields(FieldWriter& a, const Plan& plan) {
  a("mechanism", plan.run);
  a("queries", plan.run.queries);
  a("max_answers", plan.run.answers());
  a("delta", plan.delta);
  delta_split(a, plan.delta, plan.steps.delta());
  a("solved", plan.solved);
}

Event analysis_event(const Account& account, const std::vector<InputFile>& inputs) {
  Event event = analysed_run(account);
  for (const InputFile& input : inputs) {
    if (input.votes_digest) {
      event.facts.digests.file = input.sha256;
      event.facts.digests.counts = *input.votes_digest;
    }
    if (input.role == "indices" || input.role == "student") {
      event.open.origin.rows_from_answers = true;
    }
  }
  // A digest of votes and mechanism does not say what samples were, or weights.
  if (account.steps.sampled_queries.empty() && !event.open.origin.weighted) {
    event.facts.digests.run = run_digest(inputs, {account.aggregator, account.steps.neighbours});
  }
  return event;
}

std::string analyze_report_json(const Account& account, const ReportContext& context,
                                const Partials* partials, Audience audience,
                                const CostsApart* apart) {
  const auto describe = [&](FieldWriter& report) {
    FieldWriter open = report.open();
    write_mechanism(open, account);
    write_teachers(open, account);
    open("classes", account.classes);
    open("queries", account.queries);
    open("delta", account.delta);
    delta_split(open, account.delta, account.query_delta);
    report.object("answered", [&](FieldWriter& answered) {
      answered("expected", account.answered_expected);
      answered("sd", account.answered_sd);
      answered("realized", account.answered_realized);
      answered.optional("student", account.answered_student);
    });
    write_costs(report, account);
    report("at_cap", account.at_cap);
    open("steps", account.steps);
    report.object("rdp", [&](FieldWriter& rdp) {
      rdp("orders", account.orders);
      rdp.optional("published", account.published, account.orders.size());
      rdp.optional("tradeoff", account.tradeoff, account.orders.size());
      rdp.optional("exact", account.exact, account.orders.size());
    });
    report.optional("profile", account.profile);
    report("trajectory", account.trajectory);
    report.optional("utility", account.utility);
    if (account.per_teacher) report("per_teacher", TeachersTold{*account.per_teacher, apart});
    if (apart != nullptr && !apart->weights.empty()) report("weights", apart->weights);
    if (partials != nullptr && !report.is_for_everybody()) write_partials(report, *partials);
    if (!context.parts.empty()) report("parts", context.parts);
  };
  const std::string text = report_text("analyze", audience, context, describe, account.notices);
  return partials != nullptr ? sealed(text) : text;
}

std::string composed_report_json(const RecordAccount& sum, const ReportContext& context,
                                 Audience audience) {
  const auto describe = [&](FieldWriter& report) {
    FieldWriter open = report.open();
    open.object("mechanism", [](FieldWriter& mechanism) { mechanism("name", "composed"); });
    report("parts", context.parts);
    open("teachers", sum.teachers);
    open("classes", sum.classes);
    open("queries", sum.queries);
    open("delta", sum.delta);
    // None where all of it is added apart, or nothing is.
    if (sum.query_delta > 0.0 && sum.query_delta < sum.delta) {
      delta_split(open, sum.delta, sum.query_delta);
    }
    report.object("answered", [&](FieldWriter& answered) {
      answered("expected", sum.answered_expected);
      answered("sd", sum.answered_expected ? std::optional(sum.answered_sd) : std::nullopt);
      answered("realized", sum.answered_realized);
    });
    open.optional("released", sum.released);
    write_costs(report, sum);
    open("steps", sum.steps);
    report.object("rdp", [&](FieldWriter& rdp) {
      rdp("orders", sum.orders);
      rdp("any_votes", sum.any_votes);
      if (sum.tradeoff.empty()) return;
      rdp.object("tradeoff", [&](FieldWriter& tradeoff) { tradeoff("joint", sum.tradeoff); });
    });
    report.optional("profile", sum.profile);
    report("trajectory", sum.trajectory);
  };
  return report_text("analyze", audience, context, describe, sum.notices);
}

static void fields(FieldWriter& a, const DeclaredPlan& plan) {
  a("epsilon", plan.budget.epsilon);
  a("delta", plan.budget.delta);
  a("certificate", plan.certificate);
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

std::string plan_report_json(const Plan& plan, const ReportContext& context,
                             const PlanExtras& extras, Audience audience) {
  RdpCurves curves;
  for (const QueryCost& cost : plan.rdp) {
    curves.selection.push_back(cost.selection);
    curves.noisy_max.push_back(cost.noisy_max);
  }
  const auto describe = [&](FieldWriter& report) {
    FieldWriter open = report.open();
    fields(open, plan);
    write_costs(report, plan);
    open.optional("declared", extras.declared);
    open.optional("published_sensitivity", extras.sensitivity);
    open.optional("agreement", extras.agreement);
    if (!extras.weights.empty()) open("weights", extras.weights);
    if (!extras.group_weights.empty()) report("group_weights", extras.group_weights);
    open("steps", plan.steps);
    report.object("rdp", [&](FieldWriter& rdp) {
      rdp("orders", plan.orders);
      rdp("data_independent", curves, plan.orders.size());
    });
  };
  return report_text("plan", audience, context, describe, plan.notices);
}

Account public_part(const Account& account, const std::vector<std::string>& paths) {
  Account result;
  result.aggregator = account.aggregator;
  // The number tells teachers apart that are added or removed, and these notices say it.
  const bool tells_teachers = !account.steps.neighbours.hide_number();
  if (tells_teachers) result.teachers = account.teachers;
  result.classes = account.classes;
  result.queries = account.queries;
  result.delta = account.delta;
  result.query_delta = account.query_delta;
  result.answered_expected = result.answered_sd = std::numeric_limits<double>::quiet_NaN();
  result.answered_realized = account.answered_realized;
  std::ranges::copy_if(account.costs, std::back_inserter(result.costs), &CostEntry::releasable);
  result.headline = headline_of(result.costs, {});
  result.steps = account.steps;
  result.notices = public_notices(account.notices, paths);
  if (!tells_teachers) {
    std::erase_if(result.notices, [](const Notice& notice) {
      return notice.code == "abstentions_class" || notice.code == "high_threshold";
    });
  }
  return result;
}

}  // namespace pate::reports
