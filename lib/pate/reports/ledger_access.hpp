#pragma once

#include <functional>
#include <optional>

namespace pate::reports {

/// Which ledgers are believed, and how long one waits for a ledger that another process holds.
struct LedgerAccess {
  bool trusted = false;  ///< believe files that others could have written (`io::require_own`)
  std::optional<double> lock_timeout{};  ///< in seconds; otherwise as long as it takes
  std::function<void()> waiting{};       ///< called once, after a second of waiting
};

}  // namespace pate::reports
