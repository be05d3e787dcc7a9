#pragma once

namespace pate::cli {

/// Makes a mapped input that is cut while it is read an input error: the SIGBUS that touching what
/// is gone raises ends the program with one line on standard error, status `kBadInput` and no
/// temporary files left behind. Any other SIGBUS ends it as ever. For `main`.
void report_cut_files();

}  // namespace pate::cli
