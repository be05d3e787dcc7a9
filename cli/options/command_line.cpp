#include "cli/options/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <ostream>

#include "cli/options/help.hpp"
#include "cli/options/output.hpp"
#include "cli/text.hpp"
#include "pate/divergence/rdp/orders.hpp"

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

template <class Number>
CLI::Validator a_whole_number() {
  return {[](const std::string& text) {
            const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
              return c >= '0' && c <= '9';
            });
            Number value{};
            if (digits && (text.size() == 1 || text.front() != '0')) {
              const auto [end, code] =
                  std::from_chars(text.data(), text.data() + text.size(), value);
              if (code == std::errc()) return std::string();
              return fmt::format("must be at most {}, got '{}'", std::numeric_limits<Number>::max(),
                                 text);
            }
            return "must be a whole number >= 0 without leading zeros, got '" + text + "'";
          },
          ""};
}

// The value reads as a number.
template <class Number>
CLI::Validator a_number() {
  return {[](const std::string& text) {
            Number value{};
            if (CLI::detail::lexical_cast(text, value)) return std::string();
            return fmt::format("must be a number, got '{}'", text);
          },
          ""};
}

CLI::Validator one_of(const CommandLine::Option& option, const std::vector<std::string>& words) {
  return {[words, instead = option.traits.instead](const std::string& text) {
            if (std::ranges::find(words, text) != words.end()) return std::string();
            const bool known = instead.first != nullptr && text == instead.first;
            return fmt::format(
                "must be one of {}, got '{}'{}", fmt::join(words, ", "), text,
                known ? std::string("; ") + instead.second : did_you_mean(text, words));
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
  return added->check(one_of(option, choice.words));
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

CountOrNames count_or_names(const std::string& text) {
  if (text.find(',') == std::string::npos && a_whole_number<std::int64_t>()(text).empty()) {
    return {std::stoll(text), {}};
  }
  CountOrNames result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    result.names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

// A number, or different names of which one at least is none.
CLI::Validator a_count_or_names() {
  return {[](const std::string& text) {
            const bool named = std::ranges::any_of(text, [](char c) {
              return (c < '0' || c > '9') && c != ',' && c != '-' && c != '+' && c != '.' &&
                     c != ' ';
            });
            if (!named) return a_whole_number<std::int64_t>()(text);
            std::vector<std::string> names = count_or_names(text).names;
            std::ranges::sort(names);
            if (names.front().empty())
              return fmt::format("must be a number or names, none of them empty, got '{}'", text);
            const auto twice = std::ranges::adjacent_find(names);
            if (twice == names.end()) return std::string();
            return fmt::format("must be a number or different names, got '{}' twice", *twice);
          },
          ""};
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
  } else if constexpr (std::is_same_v<Value, CountOrNames>) {
    added = app.add_option_function<std::string>(
        option.names, [&target](const std::string& text) { target = count_or_names(text); },
        option.help);
    added->check(a_count_or_names());
  } else {
    added = app.add_option(option.names, target, option.help);
  }
  if constexpr (kIsOneOf<Value, std::string, std::vector<std::string>>) {
    if (!option.traits.may_be_empty) added->check(not_empty());
  } else if constexpr (kIsOneOf<Value, unsigned, std::int64_t, std::uint64_t,
                                std::optional<std::int64_t>>) {
    using Number =
        std::conditional_t<kIsOneOf<Value, std::optional<std::int64_t>>, std::int64_t, Value>;
    added->check(a_whole_number<Number>());
  } else if constexpr (kIsOneOf<Value, double, std::optional<double>, std::vector<double>>) {
    added->check(a_number<double>());
  }
  return added;
}

void add(CLI::App& app, const CommandLine::Option& option) {
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
  if (option.traits.one_at_a_time) {
    added->allow_extra_args(false);
  } else if (many && option.names.starts_with('-')) {
    added->delimiter(',');
  }
  if (!option.type.empty()) added->type_name(option.type);
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
          } else if constexpr (std::is_same_v<Value, CountOrNames>) {
            if (!value.names.empty()) return value.names;
            return value.count ? reports::SettingValue{*value.count} : reports::SettingValue{};
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

std::string CountOrNames::text() const {
  return names.empty() ? count ? std::to_string(*count) : ""
                       : fmt::format("{}", fmt::join(names, ","));
}

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

std::string CommandLine::Option::default_text() const {
  if (traits.required || std::holds_alternative<bool*>(target)) return "";
  const reports::SettingValue value = value_of(target);
  return std::visit(
      [](const auto& held) -> std::string {
        using Kind = std::decay_t<decltype(held)>;
        if constexpr (kIsOneOf<Kind, std::string, double, std::int64_t>) {
          return fmt::format("{}", held);
        } else if constexpr (kIsOneOf<Kind, std::vector<std::string>, std::vector<double>>) {
          return fmt::format("{}", fmt::join(held, ","));
        } else {
          return "";
        }
      },
      value);
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

namespace {

bool is_word(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

std::vector<std::string> names_of(std::span<const Command> commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.emplace_back(command.name);
  return names;
}

const Command& command_named(std::span<const Command> commands, const std::string& word) {
  const auto found = std::ranges::find(commands, word, [](const Command& c) { return c.name; });
  if (found != commands.end()) return *found;
  std::vector<std::string> words = names_of(commands);
  words.insert(words.end(), {"help", "completion"});
  const std::string what = word.starts_with('-')
                               ? fmt::format("'{}' is no option of pate: commands come first", word)
                               : fmt::format("'{}' is no command of pate", word);
  throw usage_error(what + did_you_mean(word, words), "run 'pate help' for the commands");
}

std::string hint_of(const Command& command) {
  return fmt::format("run 'pate {} --help' for the options", command.name);
}

// What a flag of the published scripts is called here; MIGRATION.md has the same.
std::string instead_of_published(std::string_view flag) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kFlags{{
      {"--counts_file", "FILE, the first word"},
      {"--baseline_file", "--student FILE"},
      {"--indices_file", "--indices FILE"},
      {"--max_examples", "--queries N"},
      {"--input_is_counts", "what is read without --layout"},
      {"--noise_eps", "--laplace-scale B with B = 1/noise_eps"},
      {"--moments", "--orders moments"},
      {"--data_independent", "always computed"},
      {"--figures_dir", "'pate plot'"},
  }};
  for (const auto& [old, here] : kFlags) {
    if (flag == old) {
      return fmt::format("; of the published scripts it is here {} (MIGRATION.md)", here);
    }
  }
  return {};
}

// Options that the command does not have are told before anything else about the words.
void check_names(const Command& command, std::span<const std::string> words) {
  std::vector<std::string> names{"--help", "--version", "-h", "-V"};
  for (const auto& [title, options] : command.line.sections()) {
    for (const CommandLine::Option& option : options) {
      if (!option.names.starts_with('-')) continue;
      names.push_back(option.names.substr(option.names.find("--")));
      if (!option.names.starts_with("--")) names.push_back(option.names.substr(0, 2));
    }
  }
  for (const std::string& word : words) {
    if (word == "--") return;
    const bool is_long = word.starts_with("--");
    const bool is_short = !is_long && word.size() > 1 && word[0] == '-' &&
                          std::isalpha(static_cast<unsigned char>(word[1])) != 0;
    if (!is_long && !is_short) continue;
    const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string published = instead_of_published(name);
    throw usage_error(
        fmt::format(
            "'{}' is no option of pate {}{}", is_long ? name : word, command.name,
            published.empty() ? did_you_mean(is_long ? name : "-" + word, names) : published),
        hint_of(command));
  }
}

// In our words: "1 required D missing".
std::string in_words(const CLI::ParseError& error) {
  std::string text = error.what();
  const std::string extras = "The following argument";
  if (text.starts_with(extras)) {
    return fmt::format("not understood: {}", text.substr(text.find(": ") + 2));
  }
  const std::size_t required = text.find(": 1 required ");
  if (required != std::string::npos && text.ends_with(" missing")) {
    return text.substr(0, required) + ": its value is missing, " +
           text.substr(required + 13, text.size() - required - 13 - 8);
  }
  return text;
}

}  // namespace

const Command* parse(std::span<const Command> commands, const std::vector<std::string>& arguments,
                     std::ostream& out) {
  const std::span<const std::string> words(arguments.begin() + 1, arguments.end());
  if (words.empty()) {
    throw usage_error(fmt::format("a command is missing: {}", fmt::join(names_of(commands), ", ")),
                      "run 'pate help' for what they do");
  }
  const std::string& first = words.front();
  if (is_word(first, {"--version", "-V"})) {
    out << version_text(words.size() > 1 && is_word(words[1], {"--verbose", "-v"}));
    return nullptr;
  }
  const bool asks_nothing = words.size() == 1 || is_word(words[1], {"--help", "-h"});
  if (first == "-h") {
    out << short_program_help(commands);
    return nullptr;
  }
  if (first == "help" && words.size() == 2 && words[1] == "--json") {
    out << option_definitions(commands);
    return nullptr;
  }
  if (first == "--help" || (first == "help" && asks_nothing)) {
    out << program_help(commands);
    return nullptr;
  }
  if (first == "help") {
    const bool manual = words[1] == "--manual" && words.size() > 2;
    const std::string& named = words[manual ? 2 : 1];
    out << (manual && named == "pate" ? program_manual(commands)
            : manual                  ? manual_page(command_named(commands, named))
            : is_word(named, {"help", "completion"})
                ? program_help(commands)
                : command_help(command_named(commands, named)));
    return nullptr;
  }
  if (first == "completion") {
    if (words.size() > 1 && is_word(words[1], {"--help", "-h"})) {
      out << program_help(commands);
    } else {
      out << completion_script(words.size() > 1 ? words[1] : "no shell", commands);
    }
    return nullptr;
  }
  const Command& command = command_named(commands, first);
  const auto rest = words.subspan(1);
  for (const std::string& word : rest) {
    if (word == "--") break;
    if (word == "-h") out << short_command_help(command);
    if (word == "--help") out << command_help(command);
    if (is_word(word, {"--version", "-V"})) out << version_text(false);
    if (is_word(word, {"--help", "-h", "--version", "-V"})) return nullptr;
  }
  check_names(command, rest);
  CLI::App app("", command.name);
  for (const auto& [title, options] : command.line.sections()) {
    for (const CommandLine::Option& option : options) add(app, option);
  }
  try {
    app.parse(std::vector<std::string>(rest.rbegin(), rest.rend()));
  } catch (const CLI::ParseError& error) {
    throw usage_error(in_words(error), hint_of(command));
  }
  return &command;
}

}  // namespace pate::cli
