#include "cli/options/destinations.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cli/usage_error.hpp"
#include "pate/error.hpp"

namespace pate::cli {

namespace {

namespace fs = std::filesystem;

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code a_unknown;
  std::error_code b_unknown;
  // Absolute first: of a relative path without an existing beginning nothing is made canonical.
  const bool same = fs::weakly_canonical(fs::absolute(a), a_unknown) ==
                    fs::weakly_canonical(fs::absolute(b), b_unknown);
  if (!a_unknown && !b_unknown && same) return true;
  return fs::equivalent(a, b, a_unknown);
}

void check_directory(const std::string& file) {
  const fs::path directory = fs::path(file).parent_path();
  std::error_code ignored;
  if (directory.empty() || fs::is_directory(directory, ignored)) return;
  throw output_error(
      fmt::format("{}: cannot be written: {} is no directory", file, directory.string()));
}

}  // namespace

void check_destinations(const std::vector<Destination>& destinations,
                        const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    const auto& [option, file] = destinations[i];
    if (file.empty()) continue;
    check_directory(file);
    for (const std::string& input : inputs) {
      if (same_file(file, input)) {
        throw usage_error(
            fmt::format("{} {} is an input ({}); name another file", option, file, input));
      }
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (!destinations[k].second.empty() && same_file(file, destinations[k].second)) {
        throw usage_error(fmt::format("{} {} is the file of {}; name another file", option, file,
                                      destinations[k].first));
      }
    }
  }
}

}  // namespace pate::cli
