#include "pate/reports/as_published_report.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace pate {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

}  // namespace

std::string as_published_report_json(const AsPublishedRelease& release, Reading reading,
                                     const std::vector<Notice>& notices,
                                     const ReportContext& context) {
  Json report = Json::parse(report_head_json("release", context));
  report["valid"] = false;
  report["conditions"] = {{"c5", release.conditions.c5()}, {"c6", release.conditions.c6()}};
  report["private"] = {{"epsilon_before", number(release.epsilon_before)},
                       {"order", release.order},
                       {"beta", release.gnss.beta},
                       {"smooth_sensitivity", release.gnss.smooth_sensitivity},
                       {"sigma_ss", number(release.gnss.sigma_ss)},
                       {"k", 0.0},
                       {"release_cost", number(release.gnss.cost)},
                       {"noise_sd", release.gnss.sd},
                       {"mean_published", number(release.epsilon)},
                       {"rdp", release.rdp},
                       {"bound", "published"},
                       {"reading", name(reading)},
                       {"conversion", "classic"}};
  report["notices"] = Json::parse(notices_json(notices));
  return report.dump(2) + "\n";
}

}  // namespace pate
