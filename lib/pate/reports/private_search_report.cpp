#include "pate/reports/private_search_report.hpp"

#include "pate/reports/record_json.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"

namespace pate::reports {

namespace {

void write_axes(FieldWriter& a, const TuningGrid& grid) {
  if (grid.has_selection()) {
    a("sigma1", grid.sigma1);
    a("threshold", grid.threshold);
  }
  a(grid.laplace ? "laplace_scale" : "sigma2", grid.noise);
}

void write_found(FieldWriter& a, const PrivateSearchReport& report) {
  const BestTry& best = *report.best;
  a("aggregator", CostedMechanism{report.grid.aggregator(best.index), report.grid.neighbours});
  a("index", best.index);
  a("answered", best.labelled.answered);
  a("refused", best.labelled.refused());
  if (report.score == TryScore::correct) a("correct", best.score);
}

// What was to be tried, and by what law: fixed beforehand.
void write_search(FieldWriter& json, const PrivateSearchReport& report) {
  json.object("mechanism", [&](FieldWriter& a) { a("name", report.grid.aggregator(0).name()); });
  json("teachers", report.teachers);
  json("classes", report.classes);
  json("queries", report.queries);
  json("delta", report.account.delta);
  json.object("grid", [&](FieldWriter& a) { write_axes(a, report.grid); });
  json("points", report.grid.size());
  json.object("tries", [&](FieldWriter& a) {
    a("law", report.tries.law);
    a("expected", report.asked_tries);
    a("parameter", report.tries.parameter);
  });
  json("score", report.score);
  json.object("one_try", [&](FieldWriter& a) {
    a("epsilon", report.one_try_epsilon);
    a("steps", steps_of_one_try(report.grid, report.queries));
  });
  json("drawn", report.drawn);
}

void write_best(FieldWriter& json, const PrivateSearchReport& report) {
  if (report.best) {
    json.object("best", [&](FieldWriter& a) { write_found(a, report); });
  } else {
    json("best", std::optional<double>());
  }
}

// What all tries together cost, for any votes.
void write_cost(FieldWriter& json, const PrivateSearchReport& report) {
  json("guarantee", guarantee_of(report.account, kSearchOutputs));
  json("headline", report.account.costs[report.account.headline]);
  json("costs", report.account.costs);
  json.object("rdp", [&](FieldWriter& a) {
    a("orders", report.account.orders);
    a("any_votes", report.account.any_votes);
  });
}

}  // namespace

Event private_search_event(const PrivateSearchReport& report, double delta,
                           const std::vector<InputFile>& inputs, const std::string& ensemble,
                           const std::string& id) {
  Event event;
  PublicEvent& open = event.open;
  open.kind = EventKind::tuning;
  open.id = id;
  open.ensemble = ensemble;
  open.teachers = report.teachers;
  open.classes = report.classes;
  open.mechanism = report.grid.aggregator(0).name();
  open.queries = report.queries;
  open.delta = delta;
  open.tries = TriedRuns{report.tries, steps_of_one_try(report.grid, report.queries)};
  if (!id.empty()) {
    open.realized = report.best
                        ? RealizedRun{report.best->labelled.asked, report.best->labelled.answered}
                        : RealizedRun{};
  }
  for (const InputFile& input : inputs) {
    if (input.votes_digest) event.facts.digests.file = input.sha256;
  }
  event.facts.digests.counts = votes_digest_of(inputs);
  event.facts.digests.labels = report.sha256;
  return event;
}

std::string private_search_report_json(const PrivateSearchReport& report,
                                       const ReportContext& context, Audience audience) {
  const auto describe = [&](FieldWriter& json) {
    FieldWriter open = json.open();
    write_search(open, report);
    write_best(open, report);
    if (report.best) {
      json.object("labels", [&](FieldWriter& a) {
        a("path", report.path);
        a("format", report.format);
        a("sha256", report.sha256);
      });
    } else {
      json("labels", std::optional<double>());
    }
    write_cost(open, report);
    json("ledger", report.ledger);
    write_ledger_total(json, report.total);
  };
  return report_text("private_search", audience, context, describe, report.notices);
}

}  // namespace pate::reports
