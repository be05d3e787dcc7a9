#include "pate/reports/release_report.hpp"

#include <fmt/format.h>

#include "pate/base/error.hpp"
#include "pate/base/json.hpp"
#include "pate/reports/published_sensitivity.hpp"
#include "pate/reports/read_events.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"

namespace pate::reports {

static void fields(FieldWriter& a, const OtherEntry& entry) {
  a("id", entry.id);
  a("line", entry.line);
  a("kind", entry.kind);
  a("time", entry.time);
  a("counted", entry.counted);
}

static io::JsonValue ledger_as_json(const std::vector<OtherEntry>& entries) {
  FieldWriter a;
  a("ledger", entries);
  return io::JsonValue::parse(a.text(), "ledger").at("ledger");
}

static void fields(FieldWriter& a, const PublicRelease& published) {
  a("method", published.method);
  a("epsilon", published.epsilon);
  a("delta", published.delta);
  a.optional("confidence", published.confidence);
  a("order", published.order);
  if (const auto& curve = published.curve) {
    if (const auto& complex = curve->complex) {
      write_certificate(a, Certificate::complex, complex->orders, &complex->complex_orders);
      a("orders_for", complex->orders_for);
    } else {
      a("certificate", Certificate::renyi);
    }
    a("s", curve->s);
    a("beta", curve->beta);
    if (!curve->complex) a("ub_max", curve->ub_max);
    a("epsilon_floor", curve->floor);
    a("epsilon_ceiling", curve->ceiling);
    a("y", curve->y);
  }
  if (const auto& at_most = published.at_most) {
    a("passed", at_most->passed);
    a("claim", at_most->claim);
    a("failed_claim", at_most->failed_claim);
    a("levels", at_most->levels);
    write_certificate(a, at_most->certificate, at_most->orders,
                      at_most->complex_orders ? &*at_most->complex_orders : nullptr);
  }
  a("queries", published.queries);
  a.optional("answered", published.answered);
  a("teachers", published.teachers);
  a("classes", published.classes);
  a("mechanism", CostedMechanism{published.aggregator, published.neighbours});
  a.optional("bound", published.bound);
  if (published.curve && !published.curve->complex) a("cost", published.curve->cost);
  if (published.at_most && published.at_most->certificate == Certificate::renyi) {
    a("cost", published.at_most->cost);
  }
  a("reading", published.reading);
  a("conversion", published.curve ? "curve" : published.at_most ? "at_most" : "improved");
  a("parameters", published.parameters);
  a.object("run", [&](FieldWriter& run) {
    run("epsilon", published.run_epsilon);
    run("delta", published.run_delta);
  });
  a("ledger", published.ledger);
  if (published.ledger) a("ledger_sha256", ledger_digest(ledger_as_json(*published.ledger)));
  if (published.others_delta > 0.0 || published.others_epsilon > 0.0) {
    a.object("others", [&](FieldWriter& others) {
      others("epsilon", published.others_epsilon);
      others("delta", published.others_delta);
    });
  }
  a("statement", published.statement);
  a("guarantee", guarantee_of(published));
}

static void fields(FieldWriter& a, const CurvePlan& plan) {
  a("method", ReleaseMethod::curve);
  a("epsilon_before", plan.epsilon_before());
  a("order", plan.parameters().order);
  a("s", plan.parameters().s);
  a("beta", plan.parameters().beta);
  a("index", plan.place.index);
  a("mean_published", plan.place.published.mean);
  a("sd_published", plan.place.published.sd);
  a("cost", plan.place.cost());
  a("cost_max", cost_of_units(plan.mechanism.curve().ub_max()));
  a("earlier_releases_cost", plan.earlier_cost);
  a("parameters", plan.origin);
  std::vector<double> by_distance;
  for (const CostUnits cost : plan.place.ub) by_distance.push_back(cost_of_units(cost));
  a("cost_at", by_distance);
  neighbour_fields(a, plan.mechanism.settings().question.neighbours);
}

static void fields(FieldWriter& a, const ComplexPlan& plan) {
  const PublishedMoments published = plan.published();
  a("method", ReleaseMethod::curve);
  a("certificate", Certificate::complex);
  a("epsilon_before", plan.epsilon_before());
  a("orders_for", plan.parameters.orders_for);
  a("epsilon_floor", plan.curve.floor());
  a("epsilon_ceiling", plan.curve.ceiling());
  a("s", plan.parameters.s);
  a("beta", plan.parameters.beta);
  a("index", plan.index);
  a("mean_published", published.mean);
  a("sd_published", published.sd);
  a("parameters", plan.origin);
  a("epsilon_at", plan.epsilon_at);
}

static void fields(FieldWriter& a, const ReleasePlan& plan) {
  a("method", ReleaseMethod::gnss);
  a("epsilon_before", plan.numbers.epsilon_before);
  a("order", plan.parameters.order);
  a("beta", plan.parameters.beta);
  a("smooth_sensitivity", plan.numbers.smooth_sensitivity);
  a("sigma_ss", plan.parameters.sigma);
  a("k", plan.k);
  a("release_cost", plan.numbers.release_cost);
  a("earlier_releases_cost", plan.earlier_cost);
  a("noise_sd", plan.numbers.noise_sd);
  a("mean_published", plan.numbers.mean_released);
  a("rdp", plan.rdp);
  a("rdp_data_independent", plan.largest_rdp);
  a("parameters", parameters_name(plan.chosen_from_votes));
}

static void fields(FieldWriter& a, const AtMostPlan& plan) {
  a("method", ReleaseMethod::at_most);
  a("claim", plan.claim.claim());
  a("failed_claim", plan.claim.failed_claim());
  a("pass_probability", plan.pass_probability());
  a("level", static_cast<std::int64_t>(plan.level));
  a("levels", static_cast<std::int64_t>(plan.ladder().last()) + 1);
  a("mean_published", plan.mean_published());
  a("parameters", ParameterOrigin::given);
  neighbour_fields(a, plan.neighbours);
}

std::string release_report_json(const AnyReleasePlan& plan,
                                const std::optional<PublicRelease>& published,
                                const std::vector<std::string>& chosen_from,
                                const std::vector<Notice>& notices, const ReportContext& context,
                                const Neighbours& neighbours, Audience audience) {
  const auto describe = [&](FieldWriter& report) {
    if (report.is_for_everybody()) {
      FieldWriter open = report.open();
      fields(open, published.value());
      return;
    }
    report.optional("public", published);
    report.object("private", [&](FieldWriter& numbers) {
      std::visit([&](const auto& its) { fields(numbers, its); }, plan);
      numbers("chosen_from", chosen_from);
    });
    report("guarantee", guarantee_of(published, neighbours));
  };
  return report_text("release", audience, context, describe, notices);
}

std::string as_published_report_json(const AsPublishedRelease& release, GuaranteeKind reading,
                                     const std::vector<Notice>& notices,
                                     const ReportContext& context) {
  FieldWriter report = begin_report("release", context);
  report("valid", false);
  report.object("conditions", [&](FieldWriter& conditions) {
    conditions("c5", release.conditions.c5());
    conditions("c6", release.conditions.c6());
  });
  report.object("private", [&](FieldWriter& numbers) {
    numbers("epsilon_before", release.epsilon_before);
    numbers("order", release.order);
    numbers("beta", release.gnss.beta);
    numbers("smooth_sensitivity", release.gnss.smooth_sensitivity);
    numbers("sigma_ss", release.gnss.sigma_ss);
    numbers("k", 0.0);
    numbers("release_cost", release.gnss.cost);
    numbers("release_cost_valid",
            release_cost(release.order, release.gnss.beta, release.gnss.sigma_ss, 0.0));
    numbers("noise_sd", release.gnss.sd);
    numbers("mean_published", release.epsilon);
    numbers("rdp", release.rdp);
    numbers("bound", "published");
    numbers("reading", reading);
    numbers("conversion", "classic");
    numbers.object("local_sensitivity", [&](FieldWriter& by_distance) {
      if (!release.selection_sensitivity.empty()) {
        by_distance("selection", release.selection_sensitivity);
      }
      by_distance("noisy_max", release.noisy_max_sensitivity);
    });
    numbers("log_q0", release.log_q0);
    numbers("log_q1", release.log_q1);
    numbers.optional("sensitivity_curve", release.curve);
  });
  report("notices", notices);
  return report.text();
}

static NumberNoise number_noise(const CurvePlan& plan) {
  const CurveParameters& its = plan.parameters();
  return {ReleaseMethod::curve, its.order, its.beta, its.s, 0.0};
}

static NumberNoise number_noise(const ComplexPlan& plan) {
  return {ReleaseMethod::curve, plan.curve.orders().renyi().front(), plan.parameters.beta,
          plan.parameters.s, 0.0};
}

static NumberNoise number_noise(const ReleasePlan& plan) {
  const ReleaseParameters& its = plan.parameters;
  return {ReleaseMethod::gnss, its.order, its.beta, its.sigma, plan.k};
}

static NumberNoise number_noise(const AtMostPlan& plan) {
  return {ReleaseMethod::at_most, plan.claim.test().renyi_orders().front(), 0.0,
          plan.telling_epsilon(), 0.0};
}

Event release_event(const AnyReleasePlan& plan, const PublicRelease& published,
                    const ReleasedRun& run, const std::string& about,
                    const std::vector<std::string>& covers, const std::string& id) {
  Event event;
  PublicEvent& open = event.open;
  open.kind = EventKind::release;
  open.id = id;
  open.about = about;
  open.ensemble = run.ensemble.name;
  open.teachers = published.teachers;
  open.classes = published.classes;
  open.mechanism = published.aggregator.name();
  open.aggregator = published.aggregator;
  open.queries = published.queries;
  open.steps =
      steps_of(published.aggregator, published.neighbours, published.queries, published.queries);
  open.delta = published.run_delta;
  DrawnNumber& drawn = open.drawn.emplace();
  drawn.epsilon = published.run_epsilon;
  drawn.delta = published.run_delta;
  drawn.covers = covers;
  drawn.confidence = published.confidence;
  // Of an earlier release that it counts they may have been, too.
  open.origin.parameters_from_votes = published.uses_chosen_parameters();
  (published.uses_chosen_parameters() ? event.facts.noise : drawn.noise) =
      std::visit([](const auto& its) { return number_noise(its); }, plan);
  event.facts.digests.file = run.votes_sha256;
  event.facts.digests.counts = run.votes_digest;
  event.facts.digests.run = run.digest;
  event.facts.digests.labels = run.decisions;
  return event;
}

FoundParameters read_release_parameters(const std::string& path, ReleaseMethod method) {
  const io::JsonValue report = io::JsonValue::read_file(path);
  const io::JsonValue schema = report.at("schema");
  if (schema.text() != "pate/release/v1") schema.fail("pate/release/v1, a report of pate release");
  const bool is_curve = method == ReleaseMethod::curve;
  const auto open = is_curve ? report.find("public") : std::nullopt;
  const io::JsonValue numbers = open ? *open : report.at("private");
  // Reports of earlier versions do not say.
  const auto its = numbers.find("method");
  if (its && its->text() != name(method)) {
    its->fail(fmt::format("{}, the method of this release", name(method)));
  }
  const auto certificate = is_curve ? numbers.find("certificate") : std::nullopt;
  const bool is_complex = certificate && certificate->text() == name(Certificate::complex);
  FoundParameters found{is_complex ? 0.0 : numbers.at("order").number(),
                        numbers.at("beta").number(),
                        numbers.at(is_curve ? "s" : "sigma_ss").number()};
  try {
    if (is_complex) {
      found.complex = {numbers.at("orders_for").number(), numbers.at("epsilon_floor").number(),
                       found.noise, found.beta};
      validate(*found.complex);
      return found;
    }
    if (is_curve) {
      validate(CurveParameters{found.order, found.noise, found.beta});
      return found;
    }
    validate(ReleaseParameters{found.order, found.beta, found.noise});
  } catch (const parameter_error& error) {
    numbers.fail(fmt::format("the parameters of a release ({})", error.what()));
  }
  // Reports of as-published parameters, and of earlier versions, do not say so.
  if (const auto chosen_from = numbers.find("chosen_from")) {
    for (const io::JsonValue& digest : chosen_from->elements()) {
      found.chosen_from.push_back(digest.text());
    }
  } else {
    const io::JsonValue votes = report.at("inputs").at("votes");
    found.chosen_from = {votes.at("sha256").text(), votes.at("votes_digest").text()};
  }
  return found;
}

}  // namespace pate::reports
