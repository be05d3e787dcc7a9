#include "cli/version.hpp"

namespace pate::cli {

std::string version() {
  return PATE_VERSION;
}

}  // namespace pate::cli
