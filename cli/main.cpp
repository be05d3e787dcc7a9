#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/program.hpp"
#include "cli/signals.hpp"
#include "pate/base/system.hpp"

int main(int argc, char** argv) {
  if (!pate::cli::hold_standard_streams()) return pate::cli::kBadOutput;
  pate::system::keep_memory_private();
  std::ios::sync_with_stdio(false);
  pate::cli::end_cleanly_on_signals();
  pate::cli::report_cut_files();
  pate::cli::end_cleanly_without_memory();
  const std::vector<std::string> arguments(argv, argv + argc);
  return pate::cli::run_program(
      arguments, {std::cout, std::cerr, isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1,
                  pate::cli::colour_wanted(), pate::cli::columns_of(STDOUT_FILENO),
                  pate::cli::columns_of(STDERR_FILENO)});
}
