#include "pate/reports/release_report.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "pate/release/smooth/release_cost.hpp"

using namespace pate;
using namespace pate::reports;
using Json = nlohmann::json;

TEST_SUITE("release reports") {
  TEST_CASE("the procedure as it was published: all numbers, none of which may be published") {
    AsPublishedRelease release;
    release.order = 10.0;
    release.rdp = 0.5;
    release.epsilon_before = 1.5;
    release.epsilon = 2.5;
    release.gnss = {0.04, 0.125, 6.0, 0.375, 0.75};
    release.selection_sensitivity = {0.1, 0.2};
    release.noisy_max_sensitivity = {0.3, 0.4};
    release.log_q0 = -3.0;
    release.log_q1 = -9.0;
    ReportContext context;
    context.version = "1";
    const Json report = Json::parse(
        as_published_report_json(release, GuaranteeKind::realized, {{"code", "message"}}, context));
    CHECK(report.at("valid") == false);
    CHECK(report.at("notices") == Json::parse(R"([{"code": "code", "message": "message"}])"));
    CHECK_FALSE(report.contains("public"));
    Json numbers = report.at("private");
    CHECK(numbers.at("release_cost_valid") == release_cost(10.0, 0.04, 6.0, 0.0));
    numbers.erase("release_cost_valid");
    CHECK(numbers == Json::parse(R"({"epsilon_before": 1.5, "order": 10, "beta": 0.04,
      "smooth_sensitivity": 0.125, "sigma_ss": 6, "k": 0, "release_cost": 0.375, "noise_sd": 0.75,
      "mean_published": 2.5, "rdp": 0.5, "bound": "published", "reading": "realized",
      "conversion": "classic",
      "local_sensitivity": {"selection": [0.1, 0.2], "noisy_max": [0.3, 0.4]},
      "log_q0": -3, "log_q1": -9})"));
  }

  TEST_CASE("a release as an event: about which run, what it covers, and its noise") {
    ReleasePlan plan;
    plan.parameters = {12.0, 0.25, 3.0};
    plan.k = 2.0;
    PublicRelease published;
    published.run_epsilon = 1.5;
    published.run_delta = 2e-5;
    published.queries = 30;
    published.teachers = 100;
    published.classes = 10;
    published.confidence = 0.975;
    published.aggregator.noisy_max = GaussianNoisyMax{20.0};
    const ReleasedRun run{{"digits", 100, 10}, "counts", "run", "decisions", "file"};
    for (const ParameterOrigin origin : {ParameterOrigin::fixed, ParameterOrigin::chosen}) {
      published.parameters = origin;
      const Event event = release_event(plan, published, run, "about", {"first", "second"}, "id");
      CHECK(event.open.kind == EventKind::release);
      CHECK(event.open.id == "id");
      CHECK(event.open.about == "about");
      CHECK(event.open.ensemble == "digits");
      CHECK(event.open.teachers == 100);
      CHECK(event.open.classes == 10);
      CHECK(event.open.mechanism == "gnmax");
      CHECK(event.open.queries == 30);
      CHECK(event.open.steps == steps_of(published.aggregator, published.neighbours, 30, 30));
      CHECK(event.open.delta == 2e-5);
      REQUIRE(event.open.drawn);
      CHECK(event.open.drawn->epsilon == 1.5);
      CHECK(event.open.drawn->delta == 2e-5);
      CHECK(event.open.drawn->covers == std::vector<std::string>{"first", "second"});
      CHECK(event.open.drawn->confidence == 0.975);
      // Of chosen parameters the noise is a fact about the votes.
      const bool is_chosen = origin == ParameterOrigin::chosen;
      CHECK(event.open.origin.parameters_from_votes == is_chosen);
      CHECK(event.open.drawn->noise.has_value() == !is_chosen);
      CHECK(event.facts.noise.has_value() == is_chosen);
      const NumberNoise noise = is_chosen ? *event.facts.noise : *event.open.drawn->noise;
      CHECK(noise.method == ReleaseMethod::gnss);
      CHECK(noise.order == 12.0);
      CHECK(noise.beta == 0.25);
      CHECK(noise.noise == 3.0);
      CHECK(noise.k == 2.0);
      CHECK(event.facts.digests.file == "file");
      CHECK(event.facts.digests.counts == "counts");
      CHECK(event.facts.digests.run == "run");
      CHECK(event.facts.digests.labels == "decisions");
    }
  }
}
