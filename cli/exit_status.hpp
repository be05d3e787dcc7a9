#pragma once

namespace pate::cli {

/// What the program's exit status says.
enum ExitStatus : int {
  kDone = 0,
  kLimitMissed = 1,    ///< done, and a limit set on the command line does not hold
  kUsage = 2,          ///< the command line is wrong
  kBadInput = 3,       ///< an input cannot be read or is malformed
  kNotValid = 4,       ///< the result would not be valid
  kBadOutput = 5,      ///< an output cannot be written
  kLedgerRefused = 6,  ///< refused by the ledger
  kBug = 70,           ///< please report
};

}  // namespace pate::cli
