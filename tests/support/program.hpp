#pragma once

#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "support/paths.hpp"

namespace pate::test {

using Words = std::vector<std::string>;

/// The words of both, one after the other.
inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// What one run of the program did.
struct Ran {
  int status = 0;
  std::string out;
  std::string err;

  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Runs the whole program in process; `arguments` begin after its name.
inline Ran run(std::vector<std::string> arguments, const std::string& called = "pate") {
  std::ostringstream out;
  std::ostringstream err;
  arguments.insert(arguments.begin(), called);
  const int status = pate::cli::run_program(arguments, {out, err, false, false});
  return {status, out.str(), err.str()};
}

/// `pate analyze` on the arguments with delta 1e-5; appends --json.
inline Ran analyze(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "analyze");
  for (const char* more : {"--delta", "1e-5", "--json", "--quiet"}) arguments.emplace_back(more);
  return run(std::move(arguments));
}

/// The entry of `costs` with this bound, reading and conversion; null where there is none.
inline nlohmann::json cost(const nlohmann::json& report, const std::string& bound,
                           const std::string& reading, const std::string& conversion) {
  for (const auto& entry : report.at("costs")) {
    if (entry.at("bound") == bound && entry.at("reading") == reading &&
        entry.at("conversion") == conversion) {
      return entry;
    }
  }
  return nullptr;
}

}  // namespace pate::test
