#include <cstdint>
#include <string>
#include <variant>

#include "cli/options/help.hpp"
#include "cli/options/output.hpp"
#include "pate/base/json.hpp"

namespace pate::cli {

namespace {

template <class Held>
constexpr const char* kind_of_value() {
  if constexpr (std::is_same_v<Held, bool>) return "flag";
  if constexpr (std::is_same_v<Held, CountOrNames>) return "count or names";
  if constexpr (std::is_same_v<Held, std::string>) return "text";
  if constexpr (std::is_same_v<Held, std::vector<std::string>>) return "texts";
  if constexpr (std::is_same_v<Held, double> || std::is_same_v<Held, std::optional<double>>) {
    return "number";
  }
  if constexpr (std::is_same_v<Held, std::vector<double>>) return "numbers";
  if constexpr (std::is_same_v<Held, std::optional<std::vector<double>>>) return "orders";
  if constexpr (std::is_same_v<Held, std::vector<std::int64_t>>) return "whole numbers";
  return "whole number";
}

const char* kind_of(const Target& target) {
  return std::visit(
      [](const auto& held) {
        using Kind = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Kind, Choice>) {
          return held.list ? "words" : "word";
        } else {
          return kind_of_value<std::remove_pointer_t<Kind>>();
        }
      },
      target);
}

void define(const io::JsonWriter& out, const std::string& section,
            const CommandLine::Option& option) {
  out.member("name").set(is_positional(option) ? option.names : long_name(option));
  out.member("positional").set(is_positional(option));
  out.member("section").set(section);
  out.member("kind").set(option.traits.one_at_a_time ? "named texts" : kind_of(option.target));
  out.member("value").set(option.type);
  out.member("required").set(option.traits.required);
  out.member("default").set(option.default_text());
  const io::JsonWriter words = out.member("words");
  words.set_empty_array();
  if (const auto* const choice = std::get_if<Choice>(&option.target)) {
    for (const std::string& word : choice->words) words.element().set(word);
  }
  out.member("help").set(option_text(option));
}

}  // namespace

std::string option_definitions(std::span<const Command> commands) {
  const io::JsonWriter all;
  all.member("version").set(version());
  for (const Command& command : commands) {
    const io::JsonWriter out = all.member("commands").element();
    out.member("name").set(command.name);
    out.member("about").set(command.about);
    out.member("example").set(command.example);
    for (const auto& [title, options] : command.line.sections()) {
      for (const CommandLine::Option& option : options) {
        define(out.member("options").element(), title, option);
      }
    }
  }
  return all.text() + "\n";
}

}  // namespace pate::cli
