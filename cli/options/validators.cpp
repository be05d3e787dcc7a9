#include "cli/options/validators.hpp"

#include <algorithm>
#include <string>

namespace pate::cli {

CLI::Validator not_empty() {
  return {[](const std::string& text) {
            return text.empty() ? std::string("must not be empty; leave the option out instead")
                                : std::string();
          },
          ""};
}

CLI::Validator decimal() {
  return {[](const std::string& text) {
            const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
              return c >= '0' && c <= '9';
            });
            if (digits && (text.size() == 1 || text.front() != '0')) return std::string();
            return "must be a whole number >= 0 without leading zeros, got '" + text + "'";
          },
          ""};
}

}  // namespace pate::cli
