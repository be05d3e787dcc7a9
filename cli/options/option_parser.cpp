#include "cli/options/option_parser.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include "cli/options/output.hpp"
#include "cli/text.hpp"
#include "pate/base/read_double.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/votes/conversion_line.hpp"

namespace pate::cli {

namespace {

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
            return "must be a whole number without sign, fraction and leading zeros, got '" + text +
                   "'";
          },
          ""};
}

// What is wrong with a text as a decimal number; nothing where it is one. CLI11 itself also reads
// 0x10, and 1e400 as infinity.
std::string number_fault(std::string_view text) {
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double value = 0.0;
  const auto [end, code] = read_double(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size();
  if (whole && code == std::errc()) return {};
  if (whole && code == std::errc::result_out_of_range) {
    return fmt::format("must be a number that a double holds, 4.9e-324 to 1.8e308, got '{}'", text);
  }
  return fmt::format("must be a number, got '{}'", text);
}

CLI::Validator a_number() {
  return {[](const std::string& text) { return number_fault(text); }, ""};
}

CLI::Validator one_of(const CommandLine::Option& option, const std::vector<std::string>& words) {
  return {[words, instead = option.traits.instead](const std::string& text) {
            if (std::ranges::find(words, text) != words.end()) return std::string();
            const auto known = std::ranges::find(instead, std::string_view(text),
                                                 &decltype(instead)::value_type::first);
            return fmt::format("must be one of {}, got '{}'{}", fmt::join(words, ", "), text,
                               known != instead.end() ? fmt::format("; {}", known->second)
                                                      : did_you_mean(text, words));
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
    const std::string fault = number_fault(words[i]);
    if (!fault.empty()) throw CLI::ValidationError(names, fault);
    CLI::detail::lexical_cast(words[i], values[i]);
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
    added->check(a_number());
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

// In our words: "1 required D missing".
std::string in_words(const CLI::ParseError& error) {
  std::string text = error.what();
  const std::size_t required = text.find(": 1 required ");
  if (required != std::string::npos && text.ends_with(" missing")) {
    return text.substr(0, required) + ": its value is missing, " +
           text.substr(required + 13, text.size() - required - 13 - 8);
  }
  constexpr std::string_view kTooOften = ": At Most 1 required but received ";
  if (const std::size_t at = text.find(kTooOften); at != std::string::npos) {
    return fmt::format("{} is given {} times: once is enough", text.substr(0, at),
                       text.substr(at + kTooOften.size()));
  }
  return text;
}

std::vector<std::string> rest_of(const CLI::App& app) {
  auto left = app.remaining();
  // Which does not count the -- before files.
  if (left.size() > app.remaining_size()) left.erase(std::ranges::find(left, "--"));
  return left;
}

// Files beside that of the votes, as `votes_*.csv` names them.
void refuse_more_files(const CommandLine& line, const std::vector<std::string>& left) {
  std::vector<std::string> files;
  for (const auto& [title, options] : line.sections()) {
    for (const CommandLine::Option& option : options) {
      if (option.names == "VOTES") files.push_back(*std::get<std::string*>(option.target));
    }
  }
  files.insert(files.end(), left.begin(), left.end());
  const bool exist = std::ranges::all_of(files, [](const std::string& file) {
    std::error_code ignored;
    return std::filesystem::exists(file, ignored);
  });
  if (left.empty() || files.size() == left.size() || !exist) return;
  throw usage_error(fmt::format("expected one file of votes, found {}: '{}'{}", files.size(),
                                fmt::join(files, "' '"), help_with_several(files)));
}

}  // namespace

void read_options(const CommandLine& line, std::span<const std::string> words,
                  const std::string& hint) {
  CLI::App app;
  app.allow_extras();
  for (const auto& [title, options] : line.sections()) {
    for (const CommandLine::Option& option : options) add(app, option);
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    refuse_more_files(line, rest_of(app));
    throw usage_error(in_words(error), hint);
  }
  const std::vector<std::string> left = rest_of(app);
  refuse_more_files(line, left);
  if (!left.empty()) {
    throw usage_error(fmt::format("not understood: '{}'", fmt::join(left, "' '")), hint);
  }
}

}  // namespace pate::cli
