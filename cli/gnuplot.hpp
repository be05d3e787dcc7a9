#pragma once

#include <string>

namespace pate::cli {

/// What gnuplot writes to standard output when it runs the script: a picture. No start-up file of
/// the user is read.
///
/// Throws `output_error` where there is no gnuplot, saying what to install, and where it fails,
/// with what it says.
[[nodiscard]] std::string run_gnuplot(const std::string& script);

}  // namespace pate::cli
