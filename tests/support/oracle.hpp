#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/paths.hpp"

namespace pate_test {

/// One row of a table of high-precision values (tests/oracles/README.md). Numbers are decimal
/// strings; those outside the range of double read as 0.
class OracleRow {
 public:
  explicit OracleRow(nlohmann::json row) : row_(std::move(row)) {}

  [[nodiscard]] bool has(const char* name) const { return row_.contains(name); }
  [[nodiscard]] double number(const char* name) const { return to_double(row_.at(name)); }
  [[nodiscard]] std::int64_t count(const char* name) const {
    return static_cast<std::int64_t>(number(name));
  }
  [[nodiscard]] std::vector<std::int32_t> counts(const char* name) const {
    return row_.at(name).get<std::vector<std::int32_t>>();
  }
  [[nodiscard]] std::vector<double> numbers(const char* name) const {
    std::vector<double> result;
    for (const auto& item : row_.at(name)) result.push_back(to_double(item));
    return result;
  }
  [[nodiscard]] std::string text() const { return row_.dump().substr(0, 600); }

 private:
  static double to_double(const nlohmann::json& item) {
    return item.is_string() ? std::strtod(item.get_ref<const std::string&>().c_str(), nullptr)
                            : item.get<double>();
  }

  nlohmann::json row_;
};

/// Every row of a table: those of the repository, which must be there, and those of the oracles
/// beside the checkout if there are any.
inline std::vector<OracleRow> oracle(const char* table) {
  std::vector<OracleRow> rows;
  for (const char* path : {"tests/oracles/formulas.json", "tests/oracles/optimal_conversion.json",
                           "tests/oracles/tau_vote.json", "tests/oracles/neighbours.json",
                           "../shared/oracles/formulas.json"}) {
    std::ifstream file(pate::test::source_file(path));
    if (!file) continue;
    const nlohmann::json tables = nlohmann::json::parse(file);
    if (!tables.contains(table)) continue;
    for (const auto& row : tables.at(table)) rows.emplace_back(row);
  }
  REQUIRE_MESSAGE(!rows.empty(), "no oracle table " << table);
  return rows;
}

}  // namespace pate_test
