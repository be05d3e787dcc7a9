#include "cli/options/option_parts.hpp"

#include <variant>

#include "cli/options/help.hpp"

namespace pate::cli {

const Choice* choice_of(const CommandLine::Option& option) {
  return std::get_if<Choice>(&option.target);
}

bool is_flag(const CommandLine::Option& option) {
  return std::holds_alternative<bool*>(option.target);
}

bool takes_file(const CommandLine::Option& option) {
  return is_positional(option) || option.type == "FILE" || option.type == "DIR";
}

std::string short_name(const CommandLine::Option& option) {
  return option.names.starts_with("--") ? "" : option.names.substr(0, 2);
}

std::vector<const CommandLine::Option*> named_options(const Command& command) {
  std::vector<const CommandLine::Option*> result;
  for (const auto& [title, options] : command.line.sections()) {
    for (const CommandLine::Option& option : options) {
      if (!is_positional(option)) result.push_back(&option);
    }
  }
  return result;
}

}  // namespace pate::cli
