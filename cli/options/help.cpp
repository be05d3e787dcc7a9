#include "cli/options/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

#include "cli/options/option_parts.hpp"
#include "cli/options/output.hpp"
#include "cli/text.hpp"

namespace pate::cli {

namespace {

using Option = CommandLine::Option;

// Where the text about an option begins, and in the short help.
constexpr std::size_t kTextColumn = 26;
constexpr std::size_t kShortTextColumn = 23;
constexpr std::size_t kCommandColumn = 14;

// How words of a choice, a requirement and a default are told.
std::string told_of(const Option& option) {
  std::vector<std::string> more;
  if (option.traits.required && !is_positional(option)) more.emplace_back("required");
  if (const Choice* const choice = choice_of(option)) {
    const bool told = std::ranges::all_of(choice->words, [&](const std::string& word) {
      return option.help.find(word) != std::string::npos;
    });
    if (!told) {
      more.push_back(fmt::format("{} {}", choice->list ? "some of" : "one of",
                                 fmt::join(choice->words, ", ")));
    }
  }
  const std::string held = option.default_text();
  if (!held.empty() && option.help.find("default") == std::string::npos) {
    more.push_back("default: " + held);
  }
  return more.empty() ? std::string() : fmt::format(" ({})", fmt::join(more, "; "));
}

}  // namespace

bool is_positional(const Option& option) {
  return !option.names.starts_with('-');
}

std::string long_name(const Option& option) {
  return is_positional(option) ? "" : option.names.substr(option.names.find("--"));
}

std::string option_text(const Option& option) {
  // Line breaks are for whoever reads the source, unless what follows is indented: a list.
  std::string text = option.help;
  while (text.ends_with('\n')) text.pop_back();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && text[i + 1] != ' ') text[i] = ' ';
  }
  return text.insert(std::min(text.find('\n'), text.size()), told_of(option));
}

namespace {

std::string usage(const Command& command) {
  std::string text = fmt::format("pate {} [OPTIONS]", command.name);
  for (const auto& [title, options] : command.line.sections()) {
    for (const Option& option : options) {
      if (!is_positional(option)) continue;
      const bool many = std::holds_alternative<std::vector<std::string>*>(option.target);
      const std::string word = option.names + (many ? "..." : "");
      text += option.traits.required ? " " + word : " [" + word + "]";
    }
  }
  return text;
}

// What to write before the text: "-o,--output FILE".
std::string heading(const Option& option) {
  if (is_positional(option) || option.type.empty()) return option.names;
  return option.names + " " + option.type;
}

// `text` is not empty.
std::string entry(std::string_view first, std::string_view text, std::size_t column = kTextColumn) {
  std::string head = fmt::format("  {}", first);
  std::string result;
  if (head.size() + 1 >= column) {
    result = head + '\n';
    head.clear();
  }
  head.resize(column, ' ');
  for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find('\n'), text.size());
    const std::size_t indent = std::min(text.find_first_not_of(' '), end);
    result += paragraph(head + std::string(indent, ' '), text.substr(indent, end - indent));
    head.assign(column, ' ');
  }
  return result;
}

struct Status {
  std::string number;
  std::string_view meaning;
};

// The exit statuses that a command may have.
std::vector<Status> statuses_of(std::span<const ExitStatus> some) {
  std::vector<Status> result;
  for (const auto& [status, meaning] : kExitStatuses) {
    const bool always =
        status == kDone || status == kUsage || status == kBadOutput || status == kBug;
    if (always || std::ranges::find(some, status) != some.end()) {
      result.push_back({fmt::format("{}", static_cast<int>(status)), meaning});
    }
  }
  result.push_back({"128 + n", "ended by signal n"});
  return result;
}

std::string status_help(std::span<const ExitStatus> some) {
  std::string text = "\nExit status:\n";
  for (const auto& [number, meaning] : statuses_of(some)) {
    text += paragraph(fmt::format("  {:<9}", number), meaning);
  }
  return text;
}

// An example: words of one line, broken before options where it is long.
std::string broken(std::string_view example) {
  std::string text;
  std::string line = "  ";
  while (!example.empty()) {
    const std::size_t end = std::min(example.find(" -", 1), example.size());
    if (line.size() + end > 77) {
      text += line + " \\\n";
      line = "     ";
    }
    line += example.substr(0, end);
    example.remove_prefix(end);
  }
  return text + line + '\n';
}

constexpr const char* kAbout = "The privacy accountant for teacher ensembles (PATE).";
constexpr const char* kOfAll = "-h,--help";
constexpr const char* kOfAllText =
    "-h shows the options used most, --help this text; -V or --version shows the version";

// Of roff: a backslash, and a dot or a quote at the beginning of a line, mean something else.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) {
      result += std::string("\\&") + c;
    } else {
      result += c;
    }
  }
  return result;
}

std::string manual_head(std::string_view name, std::string_view about, std::string_view usage) {
  std::string title(name);
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(
      ".TH {} 1 \"\" \"pate {}\" \"pate\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.nf\n{}\n.fi\n",
      roff(title), version(), roff(name), roff(about), roff(usage));
}

std::string manual_entry(std::string_view first, std::string_view text) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(first), roff(text));
}

std::string manual_statuses(std::span<const ExitStatus> some) {
  std::string text = ".SH EXIT STATUS\n";
  for (const auto& [number, meaning] : statuses_of(some)) text += manual_entry(number, meaning);
  return text;
}

std::vector<ExitStatus> all_statuses() {
  std::vector<ExitStatus> all;
  for (const auto& [status, meaning] : kExitStatuses) all.push_back(status);
  return all;
}

}  // namespace

std::string program_help(std::span<const Command> commands) {
  std::string text = fmt::format("{}\nUsage: pate COMMAND [OPTIONS] ...\n\nCommands:\n", kAbout);
  for (const Command& command : commands) text += entry(command.name, command.about);
  text += "\nAlso:\n" + entry("help [COMMAND]", "show this text, or the help of a command") +
          entry("completion SHELL", "print a completion script for bash, zsh or fish") +
          entry(kOfAll, "-h shows the commands only, --help this text") +
          entry("-V,--version", "show the version; with --verbose also how it was built");
  return text + status_help(all_statuses());
}

std::string short_program_help(std::span<const Command> commands) {
  std::string text = "Usage: pate COMMAND [OPTIONS] ...\n\n";
  for (const Command& command : commands) {
    text += entry(command.name, command.about, kCommandColumn);
  }
  return text + "\npate COMMAND -h: the options used most; pate --help: more about the program\n";
}

std::string short_command_help(const Command& command) {
  std::string text =
      fmt::format("Usage: {}\n{}:\n{}\n", usage(command), command.about, broken(command.example));
  const std::string example = fmt::format("{} ", command.example);
  std::size_t all = 0;
  for (const auto& [title, options] : command.line.sections()) {
    for (const Option& option : options) {
      ++all;
      const std::string name = long_name(option);
      const bool shown = option.traits.required || is_positional(option) || name == "--output" ||
                         name == "--summary" || example.find(name + ' ') != std::string::npos;
      if (!shown) continue;
      // Its first clause.
      const std::string_view help =
          std::string_view(option.help)
              .substr(0, std::min(option.help.find_first_of(";:\n"), option.help.size()));
      text += entry(heading(option), fmt::format("{}{}", help, told_of(option)), kShortTextColumn);
    }
  }
  return text +
         fmt::format("pate {} --help: all {} options, the exit statuses\n", command.name, all);
}

std::string command_help(const Command& command) {
  std::string text = fmt::format("Usage: {}\n\n{}\n\nExample:\n{}", usage(command), command.about,
                                 broken(command.example));
  for (const auto& [title, options] : command.line.sections()) {
    text += title.empty() ? "\n" : fmt::format("\n{}:\n", title);
    for (const Option& option : options) text += entry(heading(option), option_text(option));
  }
  return text + entry(kOfAll, kOfAllText) + status_help(command.statuses);
}

std::string manual_page(const Command& command) {
  std::string text =
      manual_head(fmt::format("pate-{}", command.name), command.about, usage(command));
  std::string example = broken(command.example);
  text += fmt::format(".SH EXAMPLE\n.nf\n{}.fi\n.SH OPTIONS\n", roff(example));
  for (const auto& [title, options] : command.line.sections()) {
    if (!title.empty()) text += fmt::format(".SS \"{}\"\n", roff(title));
    for (const Option& option : options) {
      text += manual_entry(heading(option), option_text(option));
    }
  }
  return text + manual_entry(kOfAll, kOfAllText) + manual_statuses(command.statuses);
}

std::string program_manual(std::span<const Command> commands) {
  std::string text = manual_head("pate", kAbout, "pate COMMAND [OPTIONS] ...") + ".SH COMMANDS\n";
  for (const Command& command : commands) {
    text += manual_entry(fmt::format("pate-{}(1)", command.name), command.about);
  }
  return text + manual_statuses(all_statuses());
}

}  // namespace pate::cli
