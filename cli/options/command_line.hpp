#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/streams.hpp"
#include "pate/accounting/names.hpp"
#include "pate/reports/report_context.hpp"

namespace pate::cli {

/// Whether work that takes long tells how far it is, on standard error.
enum class ProgressWhen { terminal, never };

}  // namespace pate::cli

template <>
inline constexpr std::array<pate::Named<pate::cli::ProgressWhen>, 2>
    pate::kNames<pate::cli::ProgressWhen>{{
        {pate::cli::ProgressWhen::terminal, "auto"},
        {pate::cli::ProgressWhen::never, "never"},
    }};

namespace pate::cli {

/// A value of an enumeration as options spell it: with hyphens.
template <HasNames Value>
[[nodiscard]] std::string option_word(Value value) {
  std::string word(name(value));
  for (char& c : word) {
    if (c == '_') c = '-';
  }
  return word;
}

/// How many there are of something, or what each of them is called: "10", "cat,dog".
struct CountOrNames {
  std::optional<std::int64_t> count;
  std::vector<std::string> names;

  [[nodiscard]] std::optional<std::int64_t> number() const {
    return names.empty() ? count : std::optional(static_cast<std::int64_t>(names.size()));
  }
  /// As it is given; "" where it is not.
  [[nodiscard]] std::string text() const;
};

/// An option whose value is one of some words, or a list of them.
struct Choice {
  std::vector<std::string> words;
  bool list = false;
  std::function<void(const std::vector<std::string>&)> set;
  std::function<std::vector<std::string>()> get;
};

/// Where the value of an option goes. A flag is a bool. Texts must not be empty: an unset variable
/// of a shell script is no way to leave an option out. Whole numbers are written as people do:
/// digits, without a leading zero, which would be read as octal.
using Target = std::variant<CountOrNames*, bool*, double*, unsigned*, std::int64_t*, std::uint64_t*,
                            std::string*, std::optional<double>*, std::optional<std::int64_t>*,
                            std::vector<double>*, std::optional<std::vector<double>>*,
                            std::vector<std::int64_t>*, std::vector<std::string>*, Choice>;

/// Whether it is one of these types, and not its optional or a list.
template <class Type, class... Types>
inline constexpr bool kIsOneOf = (std::is_same_v<Type, Types> || ...);

/// What is special about an option.
struct Traits {
  bool required = false;
  bool recorded = true;       ///< whether reports show it among their settings
  bool may_be_empty = false;  ///< of a text
  /// Of several texts: the option is given once for each, as commas may be in them.
  bool one_at_a_time = false;
  const char* recorded_as = nullptr;  ///< where the setting has a name of its own
  const char* recorded_before =
      nullptr;  ///< the setting it precedes; default: in order of the help
  /// Of one of some words: others that people try, and what to use instead.
  std::span<const std::pair<std::string_view, std::string_view>> instead = {};
};

/// The options of a command, in the sections of its help. Registering an option is all there is to
/// do for it: the parser reads it and reports record it.
class CommandLine {
 public:
  struct Option {
    std::string names;  ///< "-o,--output", or of what comes without a name "VOTES"
    std::string type;   ///< what the help calls the value
    Target target;
    std::string help;
    Traits traits;

    /// The name in a report: "max_answers" for "--max-answers".
    [[nodiscard]] std::string setting() const;
    /// The value that the target has, as text, where it is a default to be told; else "".
    [[nodiscard]] std::string default_text() const;
  };

  /// Options that belong together; those named in `without` are left out.
  class Section {
   public:
    /// `name` with what the help calls the value: "-o,--output FILE".
    template <class Value>
    void add(std::string_view name, Value& target, std::string_view help,
             Traits traits = {}) const {
      line_.add(index_, without_, name, &target, help, traits);
    }
    void add(std::string_view name, Choice choice, std::string_view help,
             Traits traits = {}) const {
      line_.add(index_, without_, name, std::move(choice), help, traits);
    }
    /// One of `values`, which `target` holds as it is or as an optional, or a list of them.
    template <HasNames Value, class Held>
    void add(std::string_view name, Held& target, std::initializer_list<Value> values,
             std::string_view help, Traits traits = {}) const {
      constexpr bool list = std::is_same_v<Held, std::vector<Value>>;
      Choice choice{{}, list, {}, {}};
      for (const Value value : values) choice.words.push_back(option_word(value));
      choice.set = [&target, all = std::vector(values)](const std::vector<std::string>& words) {
        std::vector<Value> chosen;
        for (const std::string& word : words) {
          chosen.push_back(*std::ranges::find(all, word, option_word<Value>));
        }
        if constexpr (list) {
          target = chosen;
        } else {
          target = chosen.front();
        }
      };
      choice.get = [&target] {
        std::vector<std::string> words;
        if constexpr (list) {
          for (const Value value : target) words.push_back(option_word(value));
        } else if (const std::optional<Value> held = target) {
          words.push_back(option_word(*held));
        }
        return words;
      };
      add(name, std::move(choice), help, traits);
    }

   private:
    friend class CommandLine;
    Section(CommandLine& line, std::size_t index, std::vector<std::string_view> without)
        : line_(line), index_(index), without_(std::move(without)) {}

    CommandLine& line_;
    std::size_t index_;
    std::vector<std::string_view> without_;
  };

  /// The section of that title, a new one at the end of the help where there is none yet. The
  /// section "" has no title.
  Section section(std::string_view title, std::vector<std::string_view> without = {});

  /// A setting that reports show as null, before another where one is named: an option that the
  /// command does not have.
  void record_null(std::string name, const char* before = nullptr);

  /// The values that the targets have now, as reports show them.
  [[nodiscard]] reports::Settings settings(std::string_view command) const;

  struct TitledOptions {
    std::string title;
    std::vector<Option> options;
  };
  [[nodiscard]] const std::vector<TitledOptions>& sections() const { return sections_; }

 private:
  void add(std::size_t section, const std::vector<std::string_view>& without, std::string_view name,
           Target target, std::string_view help, Traits traits);

  struct Recorded {
    std::string name;
    std::optional<Target> target;
  };
  void record(Recorded setting, const char* before);

  std::vector<TitledOptions> sections_;
  std::vector<Recorded> recorded_;
};

using Section = CommandLine::Section;

/// The options as they are in force, for the report of a command.
template <class Options>
[[nodiscard]] reports::Settings settings_of(std::string_view command,
                                            void (*describe)(CommandLine&, Options&),
                                            Options options) {
  CommandLine line;
  describe(line, options);
  return line.settings(command);
}

/// What the help of a command tells beside its options.
struct Page {
  const char* name;
  const char* about;
  const char* example;
  std::vector<ExitStatus> statuses = {};  ///< beside those that every command has
  const char* grows_with = "";            ///< what makes it need more memory
};

/// A command of the program.
struct Command : Page {
  CommandLine line;
  std::function<int(const Streams&)> run;
};

/// `--max-memory`, with what makes a command need more; "" is nothing worth telling (memory.cpp).
void add_max_memory(const Section& section, std::string& size, std::string_view grows_with);

/// Puts the option in force, "" its default.
void limit_memory(const std::string& size);

/// A command whose options live as long as it does.
template <class Options>
[[nodiscard]] Command make_command(
    Page page, void (*describe)(CommandLine&, Options&),
    std::type_identity_t<int (*)(const Options&, const Streams&)> run) {
  const auto options = std::make_shared<Options>();
  const auto max_memory = std::make_shared<std::string>();
  Command command{std::move(page), {}, [options, max_memory, run](Streams streams) {
                    limit_memory(*max_memory);
                    if constexpr (requires { options->output.progress; }) {
                      streams.progress = !options->output.quiet &&
                                         options->output.progress == ProgressWhen::terminal;
                    } else if constexpr (requires { options->progress; }) {
                      streams.progress =
                          !options->quiet && options->progress == ProgressWhen::terminal;
                    }
                    return run(*options, streams);
                  }};
  describe(command.line, *options);
  add_max_memory(command.line.section("Program"), *max_memory, command.grows_with);
  return command;
}

/// Reads the arguments, of which the first is the program's name, into the targets of the command
/// they name, and returns it; nothing where they ask for help, the version or a script of
/// completion, which is then written to `out`. Throws `usage_error`, with a hint, for arguments
/// that are wrong; it names the word that was not understood, and what may have been meant.
[[nodiscard]] const Command* parse(std::span<const Command> commands,
                                   const std::vector<std::string>& arguments, std::ostream& out);

}  // namespace pate::cli
