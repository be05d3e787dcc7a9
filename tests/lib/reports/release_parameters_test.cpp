#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/reports/release_report.hpp"
#include "support/temp_directory.hpp"

using pate::ReleaseMethod;
using pate::reports::FoundParameters;
using Json = nlohmann::ordered_json;

namespace {

FoundParameters read(const Json& report, ReleaseMethod method) {
  const pate::test::TempDirectory directory;
  pate::test::write_bytes(directory / "r.json", report.dump());
  return pate::reports::read_release_parameters((directory / "r.json").string(), method);
}

std::string refusal(const Json& report, ReleaseMethod method) {
  const std::string said =
      pate::test::message_of<pate::input_error>([&] { (void)read(report, method); });
  const std::size_t name = said.find("r.json: ");
  return name == std::string::npos ? said : said.substr(name + 8);
}

const Json kSmooth = Json::parse(R"({"schema": "pate/release/v1",
  "inputs": {"votes": {"sha256": "f", "votes_digest": "c"}},
  "private": {"method": "gnss", "order": 5, "beta": 0.03, "sigma_ss": 4}})");
const Json kCurve = Json::parse(R"({"schema": "pate/release/v1",
  "private": {"method": "curve", "order": 6, "beta": 0.04, "s": 4}})");
const Json kComplex = Json::parse(R"({"schema": "pate/release/v1",
  "private": {"method": "curve", "certificate": "complex", "orders_for": 2.5, "epsilon_floor": 1,
    "beta": 0.04, "s": 4}})");

Json with(Json report, const char* key, const Json& value) {
  report["private"][key] = value;
  return report;
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("parameters of a release are those of its report, and of whose votes they were chosen") {
  const FoundParameters smooth = read(kSmooth, ReleaseMethod::gnss);
  CHECK(smooth.order == 5.0);
  CHECK(smooth.beta == 0.03);
  CHECK(smooth.noise == 4.0);
  CHECK(smooth.chosen_from == std::vector<std::string>{"f", "c"});
  CHECK(read(with(kSmooth, "chosen_from", {"x", "y"}), ReleaseMethod::gnss).chosen_from ==
        std::vector<std::string>{"x", "y"});
  CHECK(read(with(kSmooth, "chosen_from", Json::array()), ReleaseMethod::gnss).chosen_from.empty());
  // Those of a curve may be told, and stand in what may be published where that is there.
  const FoundParameters curve = read(kCurve, ReleaseMethod::curve);
  CHECK(curve.noise == 4.0);
  CHECK_FALSE(curve.complex);
  Json open = kCurve;
  open["public"] = {{"method", "curve"}, {"order", 7}, {"beta", 0.05}, {"s", 5}};
  CHECK(read(open, ReleaseMethod::curve).order == 7.0);
  const FoundParameters complex = read(kComplex, ReleaseMethod::curve);
  REQUIRE(complex.complex);
  CHECK(complex.complex->orders_for == 2.5);
  CHECK(complex.complex->floor == 1.0);
  CHECK(complex.complex->s == 4.0);
  CHECK(complex.complex->beta == 0.04);
}

TEST_CASE("parameters that no release has, or another method, are refused in their place") {
  Json other = kSmooth;
  other["schema"] = "pate/plan/v1";
  CHECK(refusal(other, ReleaseMethod::gnss) ==
        "schema: expected pate/release/v1, a report of pate release, found \"pate/plan/v1\"");
  CHECK(refusal(kCurve, ReleaseMethod::gnss) ==
        "private.method: expected gnss, the method of this release, found \"curve\"");
  CHECK(refusal(kSmooth, ReleaseMethod::curve) ==
        "private.method: expected curve, the method of this release, found \"gnss\"");
  for (const auto& [report, method, keys] :
       {std::tuple{kSmooth, ReleaseMethod::gnss, std::vector{"order", "beta", "sigma_ss"}},
        {kCurve, ReleaseMethod::curve, {"order", "beta", "s"}},
        {kComplex, ReleaseMethod::curve, {"orders_for", "epsilon_floor", "beta", "s"}}}) {
    for (const char* const each : keys) {
      const std::string key = each;
      Json edited = report;
      edited["private"].erase(key);
      CHECK(refusal(edited, method) == "private." + key + ": is missing");
      CHECK(refusal(with(report, each, "x"), method).starts_with("private." + key + ": expected"));
      CHECK(refusal(with(report, each, -1.0), method)
                .starts_with("private: expected the parameters of a release ("));
    }
  }
}

TEST_SUITE_END();
