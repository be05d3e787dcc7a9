#include "pate/reports/darrm_report.hpp"

#include <array>
#include <cmath>
#include <span>

#include "pate/base/digests.hpp"
#include "pate/events/run_events.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"
#include "pate/studies/darrm/majority_guarantee.hpp"
#include "pate/studies/darrm/vote_distribution.hpp"

namespace pate::reports {

namespace {

void write_majority_cost(FieldWriter& a, const MajorityCost& cost) {
  a("bound", cost.bound);
  a("epsilon", cost.epsilon);
  a("delta", cost.delta);
}

void write_certificate(FieldWriter& a, const CertifiedGamma& certified) {
  const WorstCase::Certificate& certificate = certified.certificate;
  a("corners", certified.corners);
  a("multisets", certificate.multisets);
  a("worst", certificate.worst);
  a("bound", certificate.bound);
  a("scale", certified.scale);
  a.object("attained_at", [&](FieldWriter& at) {
    at.place().set_empty_object();
    for (std::size_t corner = 0; corner < certificate.at.teachers.size(); ++corner) {
      if (const auto count = certificate.at.teachers[corner]; count > 0) {
        at(name(static_cast<Corner>(corner)), count);
      }
    }
  });
}

void write_compared(FieldWriter& a, const MajorityBaseline& one) {
  a("name", one.name);
  a("share_of_bound", one.share);
  a("objective", one.objective);
  a.object("error", [&](FieldWriter& error) {
    error("mean", one.error.mean);
    error("standard_error", one.error.standard_error);
  });
  a("agreements", one.agreements);
  a("gamma", one.gamma);
}

void write_darrm_votes(FieldWriter& a, const MajorityPlan& plan, const MajorityVotes& votes) {
  a("queries_by_ones", votes.queries_by_ones);
  std::vector<double> ones;
  for (std::size_t l = 0; l < votes.queries_by_ones.size(); ++l) {
    ones.push_back((1.0 + signed_value(plan.gamma, plan.settings.teachers.teachers,
                                       static_cast<std::int64_t>(l))) /
                   2.0);
  }
  a("probability_of_one", ones);
  a("agreement", votes.agreement);
  a("agreement_sd", votes.agreement_sd);
  if (votes.accuracy) {
    a("accuracy", *votes.accuracy);
    a("accuracy_sd", *votes.accuracy_sd);
    a("majority_accuracy", *votes.majority_accuracy);
  }
}

template <class Rows, class Write>
void write_list(FieldWriter& a, const char* key, const Rows& rows, const Write& write) {
  const io::JsonWriter list = a.place().member(key);
  list.set_empty_array();
  for (const auto& row : rows) {
    FieldWriter element(list.element());
    write(element, row);
  }
}

// All that is computed without the votes.
void write_majority_plan(FieldWriter& json, const MajorityPlan& plan) {
  const MajoritySettings& settings = plan.settings;
  const bool one_vote = settings.setting == TeacherSetting::non_private;
  json("setting", settings.setting);
  json("noise_function", settings.noise);
  json.object("teachers", [&](FieldWriter& a) {
    a("count", settings.teachers.teachers);
    a("epsilon", one_vote ? std::nullopt : std::optional(settings.teachers.epsilon));
    a("delta", one_vote ? std::nullopt : std::optional(settings.teachers.delta));
    a("affected", settings.teachers.affected);
  });
  json.object("answer", [&](FieldWriter& a) {
    a("m", settings.m);
    a("epsilon", settings.target.epsilon);
    a("delta", settings.target.delta);
  });
  json("queries", settings.queries);
  json("weights", settings.weights);
  json("least_majority", least_majority(settings.teachers.teachers));
  json("gamma", plan.gamma);
  json("subsample", plan.subsample > 0 ? std::optional(plan.subsample) : std::nullopt);
  if (plan.certified) {
    json.object("certificate", [&](FieldWriter& a) { write_certificate(a, *plan.certified); });
  } else {
    json("certificate", std::optional<double>());
  }
  json.object("objective", [&](FieldWriter& a) {
    const double value = plan.compared.front().objective;
    a("value", value);
    a("upper", plan.upper);
    a("gap", plan.upper ? std::optional(*plan.upper - value) : std::nullopt);
    a("rounds", plan.rounds);
    a("rows", plan.rows);
  });
  json("agreements_at", kAgreementsAt);
  write_list(json, "compared", plan.compared, write_compared);
  json("guarantee", guarantee_of(plan));
  json.object("headline",
              [&](FieldWriter& a) { write_majority_cost(a, plan.costs[plan.headline]); });
  write_list(json, "costs", plan.costs, write_majority_cost);
}

}  // namespace

std::string darrm_report_json(const DarrmReport& report, const ReportContext& context,
                              Audience audience) {
  const auto describe = [&](FieldWriter& json) {
    FieldWriter open = json.open();
    write_majority_plan(open, report.plan);
    if (report.votes) {
      json.object("votes",
                  [&](FieldWriter& a) { write_darrm_votes(a, report.plan, *report.votes); });
    }
    if (report.labels) {
      json.object("labels", [&](FieldWriter& a) {
        a("path", report.labels->path);
        a("format", report.labels->format);
        a("sha256", report.labels->sha256);
      });
    }
    if (report.ledger) json("ledger", *report.ledger);
    write_ledger_total(json, report.total);
  };
  return report_text("darrm", audience, context, describe, report.notices);
}

Event darrm_event(const DarrmReport& report, const std::vector<InputFile>& inputs,
                  const std::string& ensemble, const std::string& id) {
  Event event = majority_answers(report.plan, id);
  event.open.ensemble = ensemble;
  for (const InputFile& input : inputs) {
    if (input.votes_digest) event.facts.digests.file = input.sha256;
  }
  event.facts.digests.counts = votes_digest_of(inputs);
  FieldWriter run;
  run.object("mechanism", [&](FieldWriter& a) {
    a("name", "darrm");
    a("gamma", report.plan.gamma);
  });
  run("votes", event.facts.digests.counts);
  const std::string text = run.place().line();
  event.facts.digests.run = io::sha256_hex(std::as_bytes(std::span(text)));
  if (report.labels) event.facts.digests.labels = report.labels->sha256;
  return event;
}

}  // namespace pate::reports
