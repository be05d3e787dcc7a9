#pragma once

#include <string>
#include <string_view>

namespace pate::cli {

/// What gnuplot writes to standard output when it runs the script: a picture. No start-up file of
/// the user is read.
///
/// Throws `output_error` where there is no gnuplot, saying what to install and what to do without
/// it (`otherwise`: "write it with --script"), and where it fails, with what it says.
[[nodiscard]] std::string run_gnuplot(const std::string& script, std::string_view otherwise);

}  // namespace pate::cli
