#include "cli/options/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <ostream>
#include <variant>

#include "cli/options/help.hpp"
#include "cli/options/option_parser.hpp"
#include "cli/options/output.hpp"
#include "cli/text.hpp"

namespace pate::cli {

namespace {

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

// What a flag of published scripts is called here, with _ or - between its words.
std::string instead_of_published(std::string_view flag) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kFlags{{
      {"--counts_file", "FILE, the first word"},
      {"--baseline_file", "--student FILE"},
      {"--indices_file", "--indices FILE"},
      {"--max_examples", "--queries N"},
      {"--input_is_counts", "what is read without --layout"},
      {"--noise_eps", "--laplace-scale B with B = 1/noise_eps"},
      {"--gamma", "--laplace-scale B with B = 1/gamma"},
      {"--inv_scale", "--laplace-scale B with B = 1/inv_scale"},
      {"--lap_scale", "--laplace-scale B, the same number"},
      {"--noise_multiplier",
       "--sigma2 S with S = 1.4142 noise_multiplier: a vote moves two counts"},
      {"--stddev", "--sigma2 S, the same number, in votes"},
      {"--sigma", "--sigma2 S, in votes; --sigma1 is the noise of the threshold check"},
      {"--gaussian_scale", "--sigma2 S, the same number, in votes"},
      {"--nb_teachers", "--teachers M"},
      {"--num_teachers", "--teachers M"},
      {"--nb_labels", "--classes K"},
      {"--stdnt_share", "--queries N"},
      {"--moments", "--orders moments"},
      {"--data_independent", "always computed"},
      {"--figures_dir", "'pate plot'"},
  }};
  std::string written(flag);
  std::replace(written.begin() + 2, written.end(), '-', '_');
  for (const auto& [old, here] : kFlags) {
    if (written == old) {
      return fmt::format("; of the published scripts it is here {} (MIGRATION.md)", here);
    }
  }
  return {};
}

// The names of a command's options, and whether a value follows them.
std::map<std::string, bool> option_names(const Command& command) {
  std::map<std::string, bool> names{
      {"--help", false}, {"--version", false}, {"-h", false}, {"-V", false}};
  for (const auto& [title, options] : command.line.sections()) {
    for (const CommandLine::Option& option : options) {
      if (!option.names.starts_with('-')) continue;
      const bool has_value = !std::holds_alternative<bool*>(option.target);
      names[option.names.substr(option.names.find("--"))] = has_value;
      if (!option.names.starts_with("--")) names[option.names.substr(0, 2)] = has_value;
    }
  }
  return names;
}

// The option that a word names, without what follows in the same word; "" where it names none.
std::string named_option(const std::string& word) {
  if (word.starts_with("--")) return word.substr(0, word.find('='));
  const bool is_short =
      word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0;
  return is_short ? word.substr(0, 2) : std::string();
}

// Options that the command does not have are told before anything else about the words, and values
// that are missing: `--ledger $LEDGER --public-only` has another meaning where LEDGER is not set.
void check_names(const Command& command, std::span<const std::string> words) {
  const std::map<std::string, bool> names = option_names(command);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") return;
    const std::string name = named_option(word);
    if (name.empty()) continue;
    const auto its = names.find(name);
    if (its == names.end()) {
      std::vector<std::string> known;
      for (const auto& [each, has_value] : names) known.push_back(each);
      const bool is_long = word.starts_with("--");
      const std::string published = instead_of_published(name);
      throw usage_error(
          fmt::format(
              "'{}' is no option of pate {}{}", is_long ? name : word, command.name,
              published.empty() ? did_you_mean(is_long ? name : "-" + word, known) : published),
          hint_of(command));
    }
    if (!its->second || word != name || i + 1 == words.size()) continue;
    if (const std::string& next = words[i + 1]; !named_option(next).empty()) {
      throw usage_error(
          fmt::format("{}: its value is missing, found '{}'; where that is the value, write {}{}{}",
                      name, next, name, name.starts_with("--") ? "=" : "", next),
          hint_of(command));
    }
  }
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
  read_options(command.line, rest, hint_of(command));
  return &command;
}

}  // namespace pate::cli
