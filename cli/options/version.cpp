#include <fmt/format.h>

#include "cli/options/help.hpp"
#include "cli/options/output.hpp"
#include "cli/text.hpp"

// What the build knows of itself (cmake/build_info.cmake); tools that look at single files do not.
#ifndef PATE_BUILD_COMMIT
#define PATE_BUILD_COMMIT "unknown"
#define PATE_BUILD_COMPILER "unknown"
#define PATE_BUILD_LIBRARIES "unknown"
#endif

namespace pate::cli {

std::string version_text(bool verbose) {
  std::string text = fmt::format("pate {}\n", version());
  if (!verbose) return text;
  return text + paragraph("commit:    ", PATE_BUILD_COMMIT) +
         paragraph("compiler:  ", PATE_BUILD_COMPILER) +
         paragraph("libraries: ", PATE_BUILD_LIBRARIES);
}

}  // namespace pate::cli
