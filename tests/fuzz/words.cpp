// Whatever is made up, as words of a command line.
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/commands/commands.hpp"
#include "fuzz/targets.hpp"
#include "pate/tuning/tuning_grid.hpp"

namespace pate::fuzz {

void grid(Bytes bytes) {
  const auto axis = parse_grid_axis(text_of(bytes), "--sigma2", Shares::allowed);
  require(!axis.values.empty());
}

// Arguments, one a line, as the program reads them; nothing runs.
void options(Bytes bytes) {
  using namespace cli;
  std::vector<std::string> words{"pate"};
  std::istringstream lines{std::string(text_of(bytes))};
  for (std::string line; std::getline(lines, line) && words.size() < 50;) words.push_back(line);
  // Only the one that is named: to describe all of them takes longer than to read the words.
  const std::string name = words.size() > 1 ? words[1] : "";
  std::vector<Command> commands;
  const auto offer = [&]<class Options>(
                         const char* known, void (*add)(CommandLine&, Options&),
                         std::type_identity_t<int (*)(const Options&, const Streams&)> run) {
    if (name == known || commands.empty()) {
      commands = {make_command({known, "a", "b", {kLimitMissed}}, add, run)};
    }
  };
  offer("tune", add_tune, run_tune);
  offer("label", add_label, run_label);
  offer("plan", add_plan, run_plan);
  offer("darrm", add_darrm, run_darrm);
  offer("analyze", add_analyze, run_analyze);
  std::ostringstream out;
  (void)parse(commands, words, out);
}

}  // namespace pate::fuzz
