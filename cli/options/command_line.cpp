#include "cli/options/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "cli/options/output.hpp"
#include "pate/rdp/orders.hpp"

namespace pate::cli {

namespace {

// A type, and not its optional or a list.
template <class Type, class... Types>
constexpr bool kIsOneOf = (std::is_same_v<Type, Types> || ...);

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

CLI::Option* add_choice(CLI::App& app, const CommandLine::Option& option, const Choice& choice) {
  CLI::Option* added = nullptr;
  if (choice.list) {
    added =
        app.add_option_function<std::vector<std::string>>(option.names, choice.set, option.help);
  } else {
    added = app.add_option_function<std::string>(
        option.names, [set = choice.set](const std::string& word) { set({word}); }, option.help);
  }
  CLI::Validator is_member = CLI::IsMember(choice.words);
  if (option.traits.shows_default) {
    // The list of words does not fit into the line beside it.
    is_member.description("");
    added->default_str(choice.get().front());
  }
  return added->check(is_member);
}

// Numbers, or the name of a list of orders.
std::vector<double> orders_of(const std::vector<std::string>& words, const std::string& names) {
  if (words == std::vector<std::string>{"moments"}) {
    return {moment_orders().begin(), moment_orders().end()};
  }
  std::vector<double> values(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!CLI::detail::lexical_cast(words[i], values[i])) throw CLI::ConversionError(names, words);
  }
  return values;
}

template <class Value>
CLI::Option* add_value(CLI::App& app, const CommandLine::Option& option, Value& target) {
  CLI::Option* added = nullptr;
  if constexpr (std::is_same_v<Value, std::optional<std::vector<double>>>) {
    added = app.add_option_function<std::vector<std::string>>(
        option.names,
        [&target, names = option.names](const std::vector<std::string>& words) {
          target = orders_of(words, names);
        },
        option.help);
  } else {
    added = app.add_option(option.names, target, option.help);
  }
  if constexpr (kIsOneOf<Value, std::string, std::vector<std::string>>) {
    if (!option.traits.may_be_empty) added->check(not_empty());
  } else if constexpr (kIsOneOf<Value, unsigned, std::int64_t, std::uint64_t,
                                std::optional<std::int64_t>>) {
    added->check(decimal());
  }
  if (option.traits.shows_default) added->capture_default_str();
  return added;
}

void add(CLI::App& app, const std::string& section, const CommandLine::Option& option) {
  CLI::Option* const added = std::visit(
      [&](const auto& target) {
        using Kind = std::decay_t<decltype(target)>;
        if constexpr (std::is_same_v<Kind, Choice>) {
          return add_choice(app, option, target);
        } else if constexpr (std::is_same_v<Kind, bool*>) {
          return app.add_flag(option.names, *target, option.help);
        } else {
          return add_value(app, option, *target);
        }
      },
      option.target);
  const bool many = added->get_expected_max() > 1;
  if (many && option.names.starts_with('-')) added->delimiter(',');
  if (!option.type.empty()) added->type_name(option.type);
  if (!section.empty()) added->group(section);
  added->required(option.traits.required);
}

reports::SettingValue value_of(const Target& target) {
  return std::visit(
      [](const auto& held) -> reports::SettingValue {
        using Kind = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Kind, Choice>) {
          const std::vector<std::string> words = held.get();
          if (held.list) return words;
          return words.empty() ? reports::SettingValue{} : reports::SettingValue{words.front()};
        } else {
          using Value = std::remove_pointer_t<Kind>;
          const Value& value = *held;
          if constexpr (kIsOneOf<Value, unsigned, std::uint64_t>) {
            return static_cast<std::int64_t>(value);
          } else if constexpr (kIsOneOf<Value, std::optional<double>, std::optional<std::int64_t>,
                                        std::optional<std::vector<double>>>) {
            return value ? reports::SettingValue{*value} : reports::SettingValue{};
          } else if constexpr (kIsOneOf<Value, bool, double, std::int64_t>) {
            return value;
          } else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) {
            if (value.empty()) return {};
            return std::vector<double>(value.begin(), value.end());
          } else {
            return value.empty() ? reports::SettingValue{} : reports::SettingValue{value};
          }
        }
      },
      target);
}

}  // namespace

std::string CommandLine::Option::setting() const {
  if (traits.recorded_as != nullptr) return traits.recorded_as;
  const std::size_t dashes = names.rfind("--");
  std::string result = dashes == std::string::npos ? names : names.substr(dashes + 2);
  for (char& c : result) {
    if (c == '-') c = '_';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

Section CommandLine::section(std::string_view title, std::vector<std::string_view> without) {
  std::size_t index = 0;
  while (index < sections_.size() && sections_[index].title != title) ++index;
  if (index == sections_.size()) sections_.push_back({std::string(title), {}});
  return {*this, index, std::move(without)};
}

void CommandLine::add(std::size_t section, const std::vector<std::string_view>& without,
                      std::string_view name, Target target, std::string_view help, Traits traits) {
  const std::size_t space = std::min(name.find(' '), name.size());
  const std::string_view names = name.substr(0, space);
  if (std::find(without.begin(), without.end(), names) != without.end()) return;
  const std::string_view type = name.substr(std::min(space + 1, name.size()));
  std::vector<Option>& options = sections_[section].options;
  options.push_back(
      {std::string(names), std::string(type), std::move(target), std::string(help), traits});
  if (traits.recorded)
    record({options.back().setting(), options.back().target}, traits.recorded_before);
}

void CommandLine::record_null(std::string name, const char* before) {
  record({std::move(name), std::nullopt}, before);
}

void CommandLine::record(Recorded setting, const char* before) {
  auto place = recorded_.end();
  if (before != nullptr) {
    place = std::ranges::find(recorded_, std::string_view(before), &Recorded::name);
  }
  recorded_.insert(place, std::move(setting));
}

reports::Settings CommandLine::settings(std::string_view command) const {
  reports::Settings result{{"command", std::string(command)}};
  for (const auto& [name, target] : recorded_) {
    result.emplace_back(name, target ? value_of(*target) : reports::SettingValue{});
  }
  return result;
}

const Command* parse(std::span<const Command> commands, const std::vector<std::string>& arguments,
                     std::ostream& out) {
  CLI::App app("The privacy accountant for teacher ensembles (PATE).", "pate");
  app.require_subcommand(1);
  app.set_version_flag("--version", "pate " + version());
  app.get_formatter()->column_width(26);
  const Command* named = nullptr;
  for (const Command& command : commands) {
    CLI::App* const subcommand = app.add_subcommand(command.name, command.about);
    for (const auto& [title, options] : command.line.sections()) {
      for (const CommandLine::Option& option : options) add(*subcommand, title, option);
    }
    subcommand->callback([&named, &command] { named = &command; });
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend() - 1));
  } catch (const CLI::ParseError& error) {
    // Help and version are "errors" with status 0.
    if (error.get_exit_code() == 0) {
      app.exit(error, out, out);
      return nullptr;
    }
    const auto given = app.get_subcommands();
    const std::string command = given.empty() ? "" : given.front()->get_name() + " ";
    throw usage_error(error.what(), "run 'pate " + command + "--help' for the options");
  }
  return named;
}

}  // namespace pate::cli
