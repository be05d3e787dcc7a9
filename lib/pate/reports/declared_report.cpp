#include "pate/reports/declared_report.hpp"

#include <algorithm>

#include "pate/events/run_events.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"

namespace pate::reports {

namespace {

void write_ladder(FieldWriter& a, const DeclaredMechanism& mechanism) {
  a("levels", mechanism.test().ladder().last() + 1);
  a.object("ladder", [&](FieldWriter& ladder) {
    ladder("start", kLadderStart);
    ladder("fall", kLadderFall);
    ladder("growth", kLadderGrowth);
  });
  write_certificate(a, mechanism.test().certificate(), mechanism.test().renyi_orders(),
                    mechanism.test().complex_orders());
}

void write_rehearsal(FieldWriter& a, const DeclaredRehearsal& rehearsal) {
  a("pass_probability", rehearsal.pass_probability);
  a("level", static_cast<std::int64_t>(rehearsal.level));
  const io::JsonWriter list = a.place().member("smallest_epsilon");
  list.set_empty_array();
  for (const auto& [probability, epsilon] : rehearsal.smallest_epsilon) {
    FieldWriter one(list.element());
    one("pass_probability", probability);
    one("epsilon", epsilon);
  }
}

// The budget, and what became of it.
void write_declared(FieldWriter& a, const DeclaredReport& report) {
  const DeclaredSettings& settings = report.mechanism.settings();
  a.mixed_object("declared", [&](FieldWriter& declared) {
    FieldWriter open = declared.open();
    open("epsilon", settings.budget.epsilon);
    open("delta", settings.budget.delta);
    if (report.labels) open("passed", report.labels->passed);
    if (settings.budget.has_fallback) {
      open.object("fallback", [&](FieldWriter& fallback) {
        fallback("queries", settings.fallback_queries);
        fallback("epsilon", settings.budget.fallback_epsilon());
        fallback("delta", settings.budget.fallback_delta());
      });
    }
    write_ladder(open, report.mechanism);
    if (report.rehearsal && !a.is_for_everybody()) write_rehearsal(declared, *report.rehearsal);
  });
}

void write_run(FieldWriter& a, const DeclaredReport& report) {
  const DeclaredSettings& settings = report.mechanism.settings();
  a("mechanism", CostedMechanism{settings.question.aggregator, settings.question.neighbours});
  a("teachers", settings.question.teachers);
  a("classes", settings.question.classes);
  a("queries", settings.queries);
  a("delta", settings.budget.delta);
}

void write_promise(FieldWriter& a, const DeclaredReport& report) {
  write_declared(a, report);
  FieldWriter open = a.open();
  open("guarantee", report.guarantee());
  if (!report.declared) return;
  open("headline", *report.declared);
  open("costs", std::vector{*report.declared});
}

}  // namespace

Guarantee DeclaredReport::guarantee() const {
  const CostSpec& question = mechanism.settings().question;
  if (!declared) return no_guarantee("nothing was drawn.", question.neighbours);
  Account account;
  account.aggregator = question.aggregator;
  account.steps.neighbours = question.neighbours;
  account.costs = {*declared};
  return guarantee_of(account);
}

CostEntry declared_entry(const DeclaredMechanism& mechanism) {
  const DeclaredBudget& budget = mechanism.settings().budget;
  CostEntry entry{Bound::declared, GuaranteeKind::joint,
                  mechanism.test().certificate() == Certificate::complex ? EpsilonMethod::profile
                                                                         : EpsilonMethod::improved};
  entry.epsilon = budget.epsilon;
  entry.delta = budget.delta;
  entry.parts = {{"declared", budget.epsilon}};
  entry.releasable = true;
  return entry;
}

Event declared_event(const DeclaredMechanism& mechanism, const std::vector<InputFile>& inputs,
                     const std::string& ensemble, bool rows_from_answers, const std::string& id) {
  const DeclaredSettings& settings = mechanism.settings();
  const CostSpec& question = settings.question;
  Event event =
      declared_run(question.aggregator, question.teachers, question.classes, settings.queries,
                   {settings.budget.epsilon, settings.budget.delta, 1, question.neighbours}, id);
  event.open.ensemble = ensemble;
  event.open.origin.rows_from_answers =
      rows_from_answers || std::ranges::any_of(inputs, [](const InputFile& input) {
        return input.role == "indices" || input.role == "student";
      });
  for (const InputFile& input : inputs) {
    if (input.votes_digest) event.facts.digests.file = input.sha256;
  }
  event.facts.digests.counts = votes_digest_of(inputs);
  event.facts.digests.run = run_digest(inputs, {question.aggregator, question.neighbours});
  return event;
}

std::string declared_report_json(const DeclaredReport& report, const ReportContext& context,
                                 Audience audience) {
  const auto describe = [&](FieldWriter& json) {
    FieldWriter open = json.open();
    write_run(open, report);
    if (const auto& its = report.labels) {
      write_labels(json, its->path, its->format, its->sha256, its->labelled);
    }
    write_promise(json, report);
    json("ledger", report.ledger);
    write_ledger_total(json, report.total);
  };
  return report_text("label", audience, context, describe, report.notices);
}

}  // namespace pate::reports
