#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string>
#include <string_view>

#include "cli/options/help.hpp"
#include "cli/options/option_parts.hpp"

namespace pate::cli {

// Scripts that complete commands, options and their values, of each shell.

namespace {

using Option = CommandLine::Option;

std::string joined_names(std::span<const Command> commands) {
  std::string text;
  for (const Command& command : commands) text += std::string(command.name) + ' ';
  return text + "help completion";
}

std::string bash_script(std::span<const Command> commands) {
  std::string text =
      "# Completion of pate for bash, made by `pate completion bash`.\n"
      "_pate() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command=${COMP_WORDS[1]} first=1 words=\n"
      "  COMPREPLY=()\n"
      "  case ${COMP_WORDS[0]##*/} in pate-*)\n"
      "    command=${COMP_WORDS[0]##*/pate-} command=${command#pate-} first=0 ;;\n"
      "  esac\n"
      "  [ \"$word\" = = ] && word=\n"
      "  [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  if [ \"$COMP_CWORD\" -eq \"$first\" ]; then\n";
  text += fmt::format("    words='{}'\n", joined_names(commands));
  text += "  else\n    case \"$command $before\" in\n";
  text += fmt::format("      'help '*) words='{}' ;;\n", joined_names(commands));
  text += "      'completion '*) words='bash zsh fish' ;;\n";
  for (const Command& command : commands) {
    for (const Option* const option : named_options(command)) {
      const Choice* const choice = choice_of(*option);
      if (choice == nullptr) continue;
      fmt::format_to(std::back_inserter(text), "      '{} {}') words='{}' ;;\n", command.name,
                     long_name(*option), fmt::join(choice->words, " "));
    }
  }
  text += "      *) case $word in -*) case $command in\n";
  for (const Command& command : commands) {
    std::string words;
    for (const Option* const option : named_options(command)) words += long_name(*option) + ' ';
    text += fmt::format("        {}) words='{}--help --version' ;;\n", command.name, words);
  }
  return text +
         "      esac ;; esac ;;\n"
         "    esac\n"
         "  fi\n"
         "  [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -F _pate pate pate-analyze pate-tune\n";
}

// A text between single quotes, with a backslash before each of `special`.
std::string quoted(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? " " : c == '\'' ? "'\\''" : std::string(1, c);
  }
  return result;
}

std::string zsh_script(std::span<const Command> commands) {
  std::string text =
      "#compdef pate pate-analyze pate-tune\n"
      "# Completion of pate for zsh, made by `pate completion zsh`.\n"
      "_pate() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const Command& command : commands) {
    text += fmt::format("    '{}:{}'\n", command.name, quoted(command.about, ":"));
  }
  text +=
      "    'help:the help of a command'\n"
      "    'completion:a script for a shell'\n"
      "  )\n"
      "  local command=${words[1]:t}\n"
      "  if [[ $command == pate-* ]]; then\n"
      "    command=${command#pate-}\n"
      "  elif (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  else\n"
      "    shift words\n"
      "    (( CURRENT-- ))\n"
      "    command=$words[1]\n"
      "  fi\n"
      "  case $command in\n"
      "    help) (( CURRENT == 2 )) && _describe command commands ;;\n"
      "    completion) _values shell bash zsh fish ;;\n";
  for (const Command& command : commands) {
    text += fmt::format("    {})\n      _arguments '--help[help]' '--version[version]' \\\n",
                        command.name);
    for (const Option* const option : named_options(command)) {
      std::string value;
      if (const Choice* const choice = choice_of(*option)) {
        value = fmt::format(":{}:({})", quoted(option->type, ":"), fmt::join(choice->words, " "));
      } else if (!is_flag(*option)) {
        value =
            fmt::format(":{}:{}", quoted(option->type, ":"), takes_file(*option) ? "_files" : "");
      }
      text += fmt::format("        '{}[{}]{}' \\\n", long_name(*option),
                          quoted(option->help, "[]:"), value);
    }
    text += "        '*:file:_files' ;;\n";
  }
  return text + "  esac\n}\n_pate \"$@\"\n";
}

std::string fish_script(std::span<const Command> commands) {
  std::string text = "# Completion of pate for fish, made by `pate completion fish`.\n";
  const auto command_line = [&](std::string_view name, std::string_view about) {
    text += fmt::format("complete -c pate -f -n __fish_use_subcommand -a {} -d '{}'\n", name,
                        quoted(about, "\\"));
  };
  for (const Command& command : commands) command_line(command.name, command.about);
  command_line("help", "the help of a command");
  command_line("completion", "a script for a shell");
  text += fmt::format("complete -c pate -f -n '__fish_seen_subcommand_from help' -a '{}'\n",
                      joined_names(commands));
  text += "complete -c pate -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n";
  for (const Command& command : commands) {
    for (const Option* const option : named_options(command)) {
      text += fmt::format("complete -c pate -n '__fish_seen_subcommand_from {}' -l {}",
                          command.name, long_name(*option).substr(2));
      const std::string letter = short_name(*option);
      if (!letter.empty()) text += " -s " + letter.substr(1);
      if (const Choice* const choice = choice_of(*option)) {
        text += fmt::format(" -x -a '{}'", fmt::join(choice->words, " "));
      } else if (takes_file(*option)) {
        text += " -r";
      } else if (!is_flag(*option)) {
        text += " -x";
      }
      text += fmt::format(" -d '{}'\n", quoted(option->help, "\\"));
    }
  }
  return text +
         "complete -c pate-analyze -w 'pate analyze'\n"
         "complete -c pate-tune -w 'pate tune'\n";
}

}  // namespace

std::string completion_script(std::string_view shell, std::span<const Command> commands) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  throw usage_error(fmt::format("pate completion knows bash, zsh and fish, got '{}'", shell),
                    "run 'pate completion bash', and have your shell read what it prints");
}

}  // namespace pate::cli
