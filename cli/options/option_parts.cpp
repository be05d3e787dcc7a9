#include "cli/options/option_parts.hpp"

#include <variant>

#include "cli/options/help.hpp"

namespace pate::cli {

using Option = CommandLine::Option;

const Choice* choice_of(const Option& option) {
  return std::get_if<Choice>(&option.target);
}

bool is_flag(const Option& option) {
  return std::holds_alternative<bool*>(option.target);
}

bool takes_file(const Option& option) {
  return is_positional(option) || option.type == "FILE" || option.type == "DIR";
}

std::string short_name(const Option& option) {
  return option.names.starts_with("--") ? "" : option.names.substr(0, 2);
}

std::vector<const Option*> named_options(const Command& command) {
  std::vector<const Option*> result;
  for (const auto& [title, options] : command.line.sections()) {
    for (const Option& option : options) {
      if (!is_positional(option)) result.push_back(&option);
    }
  }
  return result;
}

}  // namespace pate::cli
