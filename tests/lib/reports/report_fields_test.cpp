#include "pate/reports/report_fields.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "pate/base/error.hpp"
#include "pate/reports/report_text.hpp"
#include "support/stability_tests.hpp"
#include "support/temp_directory.hpp"

using namespace pate;
using namespace pate::reports;

namespace {

template <class T, class... Domain>
std::string written(const T& value, const Domain&... domain) {
  FieldWriter a;
  a("x", value, domain...);
  return a.place().line();
}

// What a reader makes of what the writer wrote.
template <class T, class... Domain>
T back(const T& value, const Domain&... domain) {
  FieldWriter a;
  a("x", value, domain...);
  T result{};
  FieldReader(a.place().value("w"))("x", result, domain...);
  return result;
}

template <class T, class... Domain>
std::string refusal(const char* text, T value, const Domain&... domain) {
  return test::message_of<input_error>(
      [&] { FieldReader::read(io::JsonValue::parse(text, "r.json"), value, domain...); });
}

}  // namespace

TEST_SUITE("reports") {
  TEST_CASE("structs read back as they were written") {
    const CostedMechanism confident{
        Aggregator{ThresholdCheck{200.5, 150.0}, {GaussianNoisyMax{40.0}}, true}, {}};
    CHECK(written(confident) ==
          R"({"x":{"name":"interactive","threshold":200.5,"sigma1":150.0,"sigma2":40.0}})");
    CHECK(written(back(confident)) == written(confident));
    const CostedMechanism laplace{Aggregator{{}, {LaplaceNoisyMax{20.0}}}, {}};
    CHECK(written(laplace) == R"({"x":{"name":"lnmax","laplace_scale":20.0}})");
    CHECK(written(back(laplace)) == written(laplace));
    for (const auto noise : {pate::TestNoise::laplace, pate::TestNoise::gaussian}) {
      const CostedMechanism tested{pate::test::stability_test(noise, 0.5, 1e-9), {}};
      CHECK(written(back(tested)) == written(tested));
      CHECK(back(tested) == tested);
      const MechanismCounts of_queries = steps_of(tested.mechanism, {}, 9, 4);
      CHECK(written(back(of_queries)) == written(of_queries));
      CHECK(back(of_queries).delta() == of_queries.delta());
    }
    MechanismCounts steps;
    steps.threshold_checks[40.0] = 7;
    steps.maxima[noise_of(0, 10.0)] = 3;
    steps.maxima[noise_of(1, 20.0)] = 4;
    CHECK(written(steps) == R"({"x":{"threshold_checks":[{"sigma1":40.0,"count":7}],)"
                            R"("gaussian_maxima":[{"sigma2":10.0,"count":3}],)"
                            R"("laplace_maxima":[{"laplace_scale":20.0,"count":4}]}})");
    CHECK(back(steps).threshold_checks == steps.threshold_checks);
    CHECK(back(steps).maxima == steps.maxima);
    // Each kind of noise is listed by itself: a scale of one noise is no scale of two.
    for (std::size_t kind = 0; kind < kNoiseKinds; ++kind) {
      MechanismCounts of_kind;
      of_kind.maxima[noise_of(kind, 1e-3)] = 5;
      CHECK(back(of_kind).maxima == of_kind.maxima);
    }
    const CostedMechanism one{Aggregator{{}, {OneLaplaceNoise{20.0}}}, {}};
    CHECK(written(one) == R"({"x":{"name":"one_laplace","one_laplace_scale":20.0}})");
    CHECK(written(back(one)) == written(one));
    RdpCurves curves;
    curves.selection = {0.1, 0.2};
    curves.noisy_max = {0.3, kInfinity};
    CHECK(written(curves, std::size_t{2}) ==
          R"({"x":{"selection":[0.1,0.2],"noisy_max":[0.3,null]}})");
    const RdpCurves again = back(curves, std::size_t{2});
    CHECK(again.selection == curves.selection);
    CHECK(again.noisy_max == curves.noisy_max);
    CHECK(again.joint.empty());
    const Ensemble ensemble{"digits", 100, 10};
    CHECK(written(ensemble) == R"({"x":{"name":"digits","teachers":100,"classes":10}})");
    const std::vector<Notice> notices = back(std::vector<Notice>{{"code", "message"}});
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].message == "message");
    CHECK_FALSE(back(std::optional<double>()));
    CHECK(back(std::optional<double>(0.5)) == 0.5);
  }

  TEST_CASE("a context reads back but for the shard") {
    ReportContext context;
    context.version = "1.2";
    context.settings = {{"command", std::string("analyze")},
                        {"delta", 1e-5},
                        {"orders", std::vector<double>{2.0, 4.5}},
                        {"threads", std::int64_t{3}},
                        {"shard", std::string("1/2")},
                        {"none", std::monostate{}}};
    context.inputs = {{"votes", "v.npy", "npy", "int64", {3, 2}, "abc", "counts", "def"},
                      {"labels", "l.csv", "csv", "int32", {3}, "ghi", {}, {}}};
    const std::string text = begin_report("analyze", context).place().line();
    CHECK(
        text ==
        R"({"schema":"pate/analyze/v1","tool":{"name":"pate","version":"1.2"},)"
        R"("settings":{"command":"analyze","delta":1e-05,"orders":[2.0,4.5],"threads":3,)"
        R"("shard":"1/2","none":null},"inputs":{"votes":{"path":"v.npy","format":"npy",)"
        R"("layout":"counts","dtype":"int64","shape":[3,2],"sha256":"abc","votes_digest":"def"},)"
        R"("labels":{"path":"l.csv","format":"csv","dtype":"int32","shape":[3],"sha256":"ghi"}}})");
    const ReportContext again = read_context(io::JsonValue::parse(text, "r.json"));
    context.settings.erase(context.settings.begin() + 4);
    CHECK(begin_report("analyze", again).place().line() ==
          begin_report("analyze", context).place().line());
  }

  TEST_CASE("what does not fit its description is named with its place") {
    CHECK(
        refusal(R"({"name": "x"})", CostedMechanism{}) ==
        "r.json: name: expected lnmax, gnmax, one_laplace, confident or interactive, found \"x\"");
    CHECK(refusal(R"({"name": "gnmax"})", CostedMechanism{}) == "r.json: sigma2: is missing");
    CHECK(refusal(R"({"name": "gnmax", "sigma2": 0})", CostedMechanism{})
              .find("r.json: expected a mechanism within its domain (") == 0);
    CHECK(refusal(R"({"threshold_checks": [{"sigma1": 1, "count": -1}]})", MechanismCounts{}) ==
          "r.json: threshold_checks[0].count: expected a whole number from 0 to "
          "9007199254740992, found -1");
    CHECK(refusal(R"({"selection": [1], "noisy_max": [1, 2]})", RdpCurves{}, std::size_t{1}) ==
          "r.json: noisy_max: expected 1 numbers, one per order, found an array of 2");
    CHECK(refusal(R"([{"code": 3}])", std::vector<Notice>{}) ==
          "r.json: [0].code: expected a text, found 3");
    CHECK(refusal("2.5", std::int64_t{}) == "r.json: expected a whole number >= 0, found 2.5");
    CHECK(refusal("2", double{}, Real{0.0, 1.0}) ==
          "r.json: expected a number from 0 to 1, found 2");
  }
  TEST_CASE("steps that are listed twice, and half of a person's neighbours, are refused") {
    const auto steps = [](const std::string& members) {
      return refusal((R"({"threshold_checks": [], "gaussian_maxima": [], "laplace_maxima": [])" +
                      members + "}")
                         .c_str(),
                     MechanismCounts{});
    };
    CHECK(refusal(R"({"threshold_checks": [{"sigma1": 2, "count": 1}, {"sigma1": 2, "count": 3}]})",
                  MechanismCounts{}) ==
          "r.json: threshold_checks[1].sigma1: expected noise that is not listed twice, found 2");
    CHECK(refusal(R"({"threshold_checks": [], "gaussian_maxima": [{"sigma2": 5, "count": 1},
                      {"sigma2": 5.0, "count": 1}]})",
                  MechanismCounts{})
              .starts_with("r.json: gaussian_maxima[1].sigma2: expected noise that is not listed"));
    CHECK(
        steps(R"(, "sampled_queries": [{"sample_teachers": 0.1, "sigma2": 4, "count": 3},
                   {"sample_teachers": 0.1, "sigma2": 4, "count": 1}])")
            .starts_with("r.json: sampled_queries[1]: expected samples that are not listed twice"));
    CHECK(steps(R"(, "teachers_per_person": 2)") ==
          "r.json: teachers_per_person: expected the member neighbours beside it, found 2");
    CHECK(steps("") == "[no exception]");
  }

  TEST_CASE("steps of a file are of kinds whose costs are known for their neighbours") {
    const std::string others[] = {R"("neighbours": "replace", "teachers_per_person": 2)",
                                  R"("neighbours": "add_remove", "teachers_per_person": 1)"};
    for (const StabilityTest& tested :
         {StabilityTest::with_laplace(0.5, 1e-9), StabilityTest::with_gaussian(5.0, 1e-9),
          StabilityTest::sparse(0.5, 1e-9, 3), StabilityTest::sparse_gaussian(5.0, 1e-9, 3, 9)}) {
      const std::string text = written(steps_of(tested, {}, 9, 4));
      const std::string steps = text.substr(text.find(':') + 1, text.size() - text.find(':') - 2);
      for (const std::string& other : others) {
        CAPTURE(other);
        CHECK(refusal(("{" + other + ", " + steps.substr(1)).c_str(), MechanismCounts{})
                  .find("r.json: expected steps whose costs are known for their neighbours (PTR "
                        "is known for one teacher that votes otherwise") == 0);
      }
    }
    const std::string one_noise =
        R"("threshold_checks": [], "gaussian_maxima": [], "laplace_maxima": [], "one_laplace_maxima": [{"one_laplace_scale": 2, "count": 3}])";
    const std::string refused =
        refusal(("{" + others[1] + ", " + one_noise + "}").c_str(), MechanismCounts{});
    CAPTURE(refused);
    CHECK(refused.find("r.json: expected steps whose costs are known for their neighbours (one "
                       "noise is compared") == 0);
    MechanismCounts sampled;
    sampled.neighbours = {Adjacency::add_remove, 1};
    sampled.sampled_queries = {{{0.1, 4.0, 0.0}, 7}, {{0.1, 4.0, 9.0}, 1}, {{0.5, 4.0, 9.0}, 2}};
    CHECK(back(sampled) == sampled);
    MechanismCounts records;
    records.sampled_queries = {{{0.1, 4.0, 0.0, SampleOf::records}, 7}};
    CHECK(back(records) == records);
    sampled.neighbours.teachers = 2;
    CHECK_THROWS_AS((void)sampled.rdp(2.0), parameter_error);
    for (const char* const whom : {"", R"("neighbours": "replace", "teachers_per_person": 2, )",
                                   R"("neighbours": "add_remove", "teachers_per_person": 2, )"}) {
      const std::string text =
          std::string("{") + whom +
          R"("threshold_checks": [], "gaussian_maxima": [], "laplace_maxima": [], )" +
          R"("sampled_queries": [{"sample_teachers": 0.1, "sigma2": 4, "count": 3}]})";
      CHECK(refusal(text.c_str(), MechanismCounts{})
                .find("r.json: expected steps whose costs are known for their neighbours (samples "
                      "of the teachers (\1sample-teachers) are known for one teacher") == 0);
    }
    const std::string unknown =
        R"({"threshold_checks": [], "gaussian_maxima": [], "laplace_maxima": [], )"
        R"("other_maxima": [{"count": 3}]})";
    CHECK(refusal(unknown.c_str(), MechanismCounts{}) ==
          "r.json: other_maxima: expected steps of a kind that this version of pate knows the cost "
          "of, found an array of 1");
    MechanismCounts by_hand = steps_of(StabilityTest::with_laplace(0.5, 1e-9), {}, 9, 4);
    by_hand.neighbours.teachers = 2;
    CHECK_THROWS_AS((void)by_hand.rdp(2.0), parameter_error);
    CHECK_THROWS_AS((void)by_hand.pure_epsilons(), parameter_error);
  }
}
