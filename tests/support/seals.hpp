#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "pate/reports/seal.hpp"
#include "support/random.hpp"

namespace pate::test {

/// A report that was edited, with a seal that fits: what a digest does not protect from.
inline std::string resealed(nlohmann::json report) {
  report.erase("seal");
  return reports::sealed(report.dump(2));
}

/// The report with one leaf changed at random: a number scaled, a text or a truth turned, a null
/// filled, or the member dropped. Never the same.
inline nlohmann::json changed(const nlohmann::json& report, pate_test::Random& random) {
  const nlohmann::json flat = report.flatten();
  std::vector<std::string> places;
  for (const auto& [place, value] : flat.items()) places.push_back(place);
  const nlohmann::json::json_pointer place(places[static_cast<std::size_t>(
      random.integer(0, static_cast<std::int64_t>(places.size()) - 1))]);
  nlohmann::json result = report;
  nlohmann::json& value = result[place];
  nlohmann::json& parent = result[place.parent_pointer()];
  if (parent.is_object() && random.integer(0, 4) == 0) {
    parent.erase(place.back());
  } else if (value.is_number_integer()) {
    value = value.get<std::int64_t>() + (random.integer(0, 1) == 0 ? 1 : -1);
  } else if (value.is_number()) {
    const double scaled = value.get<double>() * (random.integer(0, 1) == 0 ? 0.5 : 1.25);
    value = scaled == value.get<double>() ? 1.0 : scaled;
  } else if (value.is_string()) {
    value = value.get<std::string>() + "x";
  } else if (value.is_boolean()) {
    value = !value.get<bool>();
  } else {
    value = value.is_null() ? nlohmann::json(1) : nlohmann::json();
  }
  return result;
}

}  // namespace pate::test
