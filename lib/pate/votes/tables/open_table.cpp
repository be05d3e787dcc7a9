#include "pate/votes/tables/open_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "pate/base/digests.hpp"
#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/tables/compressed.hpp"
#include "pate/votes/tables/delimited_table.hpp"
#include "pate/votes/tables/foreign_formats.hpp"
#include "pate/votes/tables/npy_table.hpp"
#include "pate/votes/tables/text_field.hpp"

namespace pate::io {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 24U;
constexpr std::string_view kArchiveMark = ".npz:";

using Bytes = std::span<const std::byte>;
using Table = std::shared_ptr<const NumericTable>;

bool is_file_or_pipe(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) || is_pipe(path);
}

// The file and the member of it that a name means. A file of the whole name goes first: a colon is
// as good in a path as any character.
std::pair<std::string, std::string> split_name(const std::string& name) {
  std::error_code ignored;
  const std::size_t first = name.find(kArchiveMark);
  if (first == std::string::npos || std::filesystem::exists(name, ignored)) return {name, {}};
  std::size_t mark = first;
  for (std::size_t at = first; at != std::string::npos; at = name.find(kArchiveMark, at + 1)) {
    if (is_file_or_pipe(name.substr(0, at + kArchiveMark.size() - 1))) {
      mark = at;
      break;
    }
  }
  const std::size_t colon = mark + kArchiveMark.size() - 1;
  return {name.substr(0, colon), name.substr(colon + 1)};
}

bool is_npy(Bytes bytes) {
  return as_text(bytes).starts_with("\x93NUMPY");
}

std::string_view without_gz(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name;
}

// Of text that is no .tsv. In a .csv tabs are rather blanks, and blanks separate nothing.
Separator detect_separator(const std::string& name, std::string_view text, bool csv) {
  const std::vector<Separator> found = separators_in(text);
  const auto has = [&](Separator separator) { return std::ranges::count(found, separator) > 0; };
  if (has(Separator::comma) && has(Separator::semicolon)) {
    throw input_error(
        fmt::format("{}: expected one separator in the first line, found commas and semicolons; "
                    "decimals need a point, not a comma: {}",
                    name, conversion_line(name, "sed 's/,/./g' < {0} > {1}.csv")));
  }
  if (found.empty()) return csv ? Separator::comma : Separator::blanks;
  return csv ? found.back() : found.front();
}

// Text that other programs end or begin otherwise than it is read.
void refuse_odd_lines(const std::string& name, std::string_view text, bool tsv) {
  const std::string_view first = text.substr(0, std::min(text.find('\n'), text.size()));
  const auto refuse = [&](std::string_view found, std::string_view line) {
    throw input_error(fmt::format(
        "{}: expected lines of numbers, found {}; what takes that away: {}", name, found,
        conversion_line(name, fmt::format("{} {{0}} > {{1}}.{}", line, tsv ? "tsv" : "csv"))));
  };
  const std::size_t mark = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  if (text.substr(mark, 4) == "sep=") {
    refuse("a line \"sep=\", which tells a spreadsheet the separator", "tail -n +2");
  }
  const std::size_t end = first.find('\r');
  if (end != std::string_view::npos &&
      first.find_first_not_of('\r', end) != std::string_view::npos) {
    refuse("lines that end in carriage returns alone", R"(tr '\r' '\n' <)");
  }
  if (text.ends_with('\x1a')) refuse("Ctrl-Z (\\x1a) at its end", R"(tr -d '\032' <)");
}

// `ending` is the name by which the separator of text is known.
Table open_text(const std::string& name, std::string_view ending, Bytes bytes,
                const FirstLine& first_line, const std::function<void(std::size_t)>& done) {
  const bool csv = ending.ends_with(".csv");
  const bool tsv = ending.ends_with(".tsv");
  refuse_foreign(name, bytes);
  if (bytes.empty() || is_gzip(bytes) || (!csv && !tsv && !is_text(bytes))) {
    throw input_error(fmt::format(
        "{}: expected a .npy array, an .npz archive, CSV or TSV text, or one of them compressed by "
        "gzip, found {}",
        name,
        bytes.empty() ? "an empty file" : '"' + printable(as_text(bytes).substr(0, 16)) + '"'));
  }
  refuse_odd_lines(name, as_text(bytes), tsv);
  const Separator separator = tsv ? Separator::tab : detect_separator(name, as_text(bytes), csv);
  return std::make_shared<const DelimitedTable>(name, as_text(bytes), separator, first_line, done);
}

// Of text that is being inflated the rows so far: the first that is wrong ends it.
Look look_at_rows(const std::string& name, std::string_view ending, const FirstLine& first_line) {
  return [&name, ending, &first_line](Bytes so_far) {
    const std::string_view text = as_text(so_far);
    const std::size_t end = text.rfind('\n');
    if (end == std::string_view::npos || is_npy(so_far) || is_zip(so_far)) return;
    (void)open_text(name, ending, so_far.first(end + 1), first_line, {});
  };
}

bool is_archive(Bytes bytes, std::string_view ending, std::string_view member) {
  return !member.empty() || is_zip(bytes) || ending.ends_with(".npz");
}

// What is in memory already; compressed only once.
Table open_bytes(const std::string& name, std::string_view ending, std::string_view member,
                 std::vector<std::byte> bytes, const FirstLine& first_line) {
  if (is_archive(bytes, ending, member)) return open_npz_member(bytes, name, member, first_line);
  if (is_npy(bytes) || ending.ends_with(".npy")) {
    return std::make_shared<const NpyTable>(name, std::move(bytes), "npy", first_line.missing);
  }
  return open_text(name, ending, bytes, first_line, {});
}

// What came in a stream and cannot be read again.
OpenedTable open_stream(const std::string& name, std::string_view ending, std::string_view member,
                        std::vector<std::byte> bytes, const FirstLine& first_line) {
  std::string digest = sha256_hex(bytes);
  if (is_gzip(bytes)) {
    ending = without_gz(ending);
    bytes = gunzip(bytes, name, look_at_rows(name, ending, first_line));
  }
  return {open_bytes(name, ending, member, std::move(bytes), first_line), std::move(digest)};
}

Table open_mapped(const std::shared_ptr<const MappedFile>& file, std::string_view member,
                  const FirstLine& first_line) {
  const std::string name = file->path().string();
  const Bytes bytes = file->bytes();
  if (is_gzip(bytes)) {
    const std::string_view ending = without_gz(name);
    return open_bytes(name, ending, member,
                      gunzip(bytes, name, look_at_rows(name, ending, first_line)), first_line);
  }
  if (is_archive(bytes, name, member)) return open_npz_member(bytes, name, member, first_line);
  return open_text(name, name, bytes, first_line,
                   [&file, dropped = std::size_t{0}](std::size_t until) mutable {
                     const std::size_t from = std::exchange(dropped, until);
                     file->advise_done(from, until - from);
                   });
}

}  // namespace

std::string OpenedTable::sha256() const {
  if (!file_) return digest_;
  Sha256 digest;
  const Bytes bytes = file_->bytes();
  for (std::size_t offset = 0; offset < bytes.size(); offset += kPiece) {
    const std::size_t size = std::min(kPiece, bytes.size() - offset);
    digest.update(bytes.subspan(offset, size));
    if (bytes.size() > 4 * kPiece) file_->advise_done(offset, size);
  }
  return digest.hex_digest();
}

void OpenedTable::check_unchanged() const {
  if (file_) file_->check_unchanged();
}

OpenedTable open_table(const std::string& name, const FirstLine& first_line) {
  if (name == "-") return open_stream(kStandardInput, "", "", read_standard_input(), first_line);
  const auto [path, member] = split_name(name);
  if (is_pipe(path)) return open_stream(path, path, member, read_pipe(path), first_line);
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    throw input_error(
        fmt::format("{}: expected a file, found a directory{}", path, help_with_directory(path)));
  }
  MappedFile file(path);
  const bool array = is_npy(file.bytes()) ||
                     (path.ends_with(".npy") && !is_zip(file.bytes()) && !is_gzip(file.bytes()));
  if (array && member.empty()) {
    auto table = std::make_shared<const NpyTable>(std::move(file), first_line.missing);
    std::shared_ptr<const MappedFile> mapped(table, &table->file());
    return {std::move(table), std::move(mapped)};
  }
  const auto mapped = std::make_shared<const MappedFile>(std::move(file));
  return {open_mapped(mapped, member, first_line), mapped};
}

std::string table_path(const std::string& name) {
  return name == "-" ? "/dev/stdin" : split_name(name).first;
}

}  // namespace pate::io
