#pragma once

#include <memory>
#include <string>
#include <utility>

#include "pate/base/files.hpp"
#include "pate/votes/numeric_table.hpp"

namespace pate::io {

/// A table that was opened, and the file it is in.
class OpenedTable {
 public:
  /// A table from a file, which is kept open.
  OpenedTable(std::shared_ptr<const NumericTable> numbers, std::shared_ptr<const MappedFile> file)
      : table(std::move(numbers)), file_(std::move(file)) {}
  /// A table from bytes that are no file; their digest.
  OpenedTable(std::shared_ptr<const NumericTable> numbers, std::string digest)
      : table(std::move(numbers)), digest_(std::move(digest)) {}

  std::shared_ptr<const NumericTable> table;

  /// SHA-256, in hexadecimal, of the bytes as they came: of the whole archive, of the compressed
  /// file. Reads a file to its end.
  [[nodiscard]] std::string sha256() const;
  /// Throws `input_error` when the file has changed since it was opened.
  void check_unchanged() const;

 private:
  std::shared_ptr<const MappedFile> file_;  // none: a pipe
  std::string digest_;
};

/// Opens a table of numbers, whatever it is stored in:
///
/// * `-`: standard input, read to its end; any other pipe, a named one or a shell's `<(command)`,
///   by its path;
/// * `FILE.npz:MEMBER`: an array of an archive; without a member the only one in it; as `all` those
///   of one shape, as one table;
/// * a .npy array, mapped;
/// * text: separated by tabs in a .tsv, in a .csv by commas, semicolons or, where there are none,
///   tabs; under other names and on standard input by the first of tab, comma and semicolon in the
///   first line, otherwise blanks;
/// * any of these compressed by gzip; the name may end in .gz then.
///
/// Of text the first line and column are read as `first_line` says; to other formats it means
/// nothing.
///
/// Arrays, archives and gzip are known by their first bytes, whatever the name says. All but a .npy
/// file is read into memory. Throws `input_error` for a file that is missing or none of these, and
/// what `NpyTable`, `DelimitedTable`, `gunzip` and `open_npz_member` throw.
[[nodiscard]] OpenedTable open_table(const std::string& name, const FirstLine& first_line = {});

/// The path of the file in which `open_table` finds a table: `FILE.npz` for `FILE.npz:MEMBER`,
/// `/dev/stdin` for `-`, otherwise the name itself.
[[nodiscard]] std::string table_path(const std::string& name);

}  // namespace pate::io
