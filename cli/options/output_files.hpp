#pragma once

#include <functional>
#include <list>
#include <string>
#include <string_view>

#include "cli/streams.hpp"
#include "pate/base/atomic_file.hpp"
#include "pate/base/taken_name.hpp"

// The files that a command writes: which were there when it began, and which cost privacy.

namespace pate::cli {

/// Begins a command: no file is remembered. quiet: without notices.
void begin_outputs(bool quiet);

/// Remembers whether a file is there before the work begins: one that has come when it is written
/// is somebody else's.
void remember_output(const std::string& file);

/// Takes the names of the remembered files that were not there, for as long as the result lives:
/// call it before anything is paid for. Throws `output_error` where one has come.
[[nodiscard]] std::list<io::TakenName> take_new_names();

/// Writes a file atomically. Says so where a private file replaces one that others could open.
/// Throws `output_error` where one has come, unless its name was taken.
void write_output_file(const std::string& path, std::string_view bytes, const Streams& streams,
                       io::Readers readers, const io::WritePoints& points = {});

/// Calls `write` after something was paid for: an `output_error` says too what is `there`, and that
/// the budget is spent.
void write_paid(bool in_ledger, const std::string& there, const std::function<void()>& write);

/// Writes labels that were paid for; then, by `report`, what is said of them.
void write_labels(const std::string& path, std::string_view bytes, bool is_public, bool in_ledger,
                  const Streams& streams, const io::WritePoints& points = {});
void report_labels(const std::string& path, bool in_ledger, const std::function<void()>& report);

}  // namespace pate::cli
