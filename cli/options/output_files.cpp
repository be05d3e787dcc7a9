#include "cli/options/output_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <ostream>
#include <set>
#include <system_error>
#include <utility>

#include "cli/options/output.hpp"
#include "cli/text.hpp"
#include "pate/base/error.hpp"

namespace pate::cli {

namespace {

struct Outputs {
  std::set<std::string> new_files;
  bool quiet = false;
};

// Those of the command: the checks before the work and the writing after it know nothing else of
// each other.
Outputs& outputs() {
  static Outputs all;
  return all;
}

// Why the readers of an old file cannot read the new one; empty where nobody else could.
std::string former_readers(const std::string& path, io::Readers readers) {
  struct stat old {};
  if (readers != io::Readers::owner || ::stat(path.c_str(), &old) != 0 || !S_ISREG(old.st_mode) ||
      old.st_size == 0) {
    return {};
  }
  const bool is_ours = old.st_uid == ::geteuid();
  if (is_ours && (old.st_mode & 0077U) == 0) return {};
  return fmt::format(
      "pate: note: {}: it replaces a file {} (mode {:o}); it is private, so only you can open it "
      "now (mode 600)\n",
      for_terminal(path), is_ours ? "that others could open" : "of another user",
      old.st_mode & 0777U);
}

}  // namespace

void begin_outputs(bool quiet) {
  outputs() = {{}, quiet};
}

void remember_output(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    outputs().new_files.erase(file);
  } else {
    outputs().new_files.insert(file);
  }
}

std::list<io::TakenName> take_new_names() {
  std::list<io::TakenName> taken;
  for (const std::string& file : std::exchange(outputs().new_files, {})) taken.emplace_back(file);
  return taken;
}

void write_output_file(const std::string& path, std::string_view bytes, const Streams& streams,
                       io::Readers readers, const io::WritePoints& points) {
  const bool is_new = outputs().new_files.erase(path) > 0;
  std::optional<io::TakenName> name;
  io::WritePoints watched = points;
  watched.reached = [&](std::string_view point) {
    // Just before the file gets its name.
    if (is_new && point == "file synced") name.emplace(path);
    points(point);
  };
  const std::string note = former_readers(path, readers);
  io::write_file_atomically(path, bytes, watched, readers);
  if (!outputs().quiet) streams.err << note;
}

void write_paid(bool in_ledger, const std::string& there, const std::function<void()>& write) {
  try {
    write();
  } catch (const output_error& error) {
    throw output_error(
        fmt::format("{}. {}. The budget is spent: {}", error.what(), there,
                    in_ledger ? "the last line of the ledger has it" : "no ledger has it"));
  }
}

void write_labels(const std::string& path, std::string_view bytes, bool is_public, bool in_ledger,
                  const Streams& streams, const io::WritePoints& points) {
  write_paid(in_ledger, "There are no labels: these are lost, as noise is never drawn twice",
             [&] { write_output_file(path, bytes, streams, readers_of(is_public), points); });
}

void report_labels(const std::string& path, bool in_ledger, const std::function<void()>& report) {
  write_paid(in_ledger, fmt::format("The labels are in {}; only the report is missing", path),
             report);
}

}  // namespace pate::cli
