#include "pate/votes/tables/foreign_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/votes/conversion_line.hpp"

namespace pate::io {

namespace {

constexpr std::size_t kLookedJson = 4096;  // bytes in which a key is looked for

// What a format is, and what converts it: in a line {0} is the file, {1} its name without ending.
struct ForeignFormat {
  const char* what;
  std::string line;
  std::vector<std::string_view> beginnings;
  std::vector<std::string_view> endings;
  bool may_be_text = false;
};

const ForeignFormat kTorch{
    "a PyTorch file",
    R"(python3 -c 'import numpy, torch; d = torch.load("{0}", map_location="cpu"); isinstance(d, dict) and print("NAME:", *d); numpy.save("{1}.npy", numpy.asarray(d["NAME"] if isinstance(d, dict) else d))'; of a dict NAME is one of its keys, which the line prints)",
    {std::string_view("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19", 14)},
    {".pt", ".pth"}};
// Without a header: a first row of numbers is kept, one of names is the header of the text.
const ForeignFormat kExcel{
    "a spreadsheet",
    R"(python3 -c 'import pandas; pandas.read_excel("{0}", header=None).to_csv("{1}.csv", index=False, header=False)')",
    {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"},
    {".xlsx", ".xlsm", ".xls", ".ods"}};
const ForeignFormat kZip{"a zip archive without arrays (.npy)",
                         "unzip {0}; or name one file of it: <(unzip -p {0} FILE)",
                         {},
                         {}};

const std::vector<ForeignFormat>& formats() {
  static const std::vector<ForeignFormat> all{
      kTorch,
      kExcel,
      {"a Parquet file",
       R"(python3 -c 'import pandas; pandas.read_parquet("{0}").to_csv("{1}.csv", index=False)')",
       {"PAR1"},
       {".parquet", ".pq"}},
      {"a Feather or Arrow file",
       R"(python3 -c 'import pandas; pandas.read_feather("{0}").to_csv("{1}.csv", index=False)')",
       {"ARROW1", "FEA1"},
       {".feather", ".arrow"}},
      {"a pickle",
       R"(python3 -c 'import numpy, pandas; d = pandas.read_pickle("{0}"); d.to_csv("{1}.csv", index=False) if hasattr(d, "to_csv") else numpy.save("{1}.npy", numpy.asarray(d))')",
       {"\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"},
       {".pkl", ".pickle"},
       true},
      {"an HDF5 file",
       R"(python3 -c 'import h5py, numpy; d = h5py.File("{0}"); print("NAME:", *d); numpy.save("{1}.npy", d["NAME"][()])'; NAME is one of its keys, which the line prints)",
       {"\x89HDF\r\n\x1a\n"},
       {".h5", ".hdf5", ".hdf"}},
      {"a MATLAB file",
       R"(python3 -c 'import numpy, scipy.io; d = scipy.io.loadmat("{0}"); print("NAME:", *d); numpy.save("{1}.npy", d["NAME"])'; NAME is one of its keys, which the line prints)",
       {"MATLAB 5.0"},
       {".mat"}},
      {"a Matrix Market file",
       R"(python3 -c 'import scipy.io, scipy.sparse as s; s.save_npz("{1}.npz", s.csr_matrix(scipy.io.mmread("{0}")))')",
       {"%%MatrixMarket"},
       {".mtx"},
       true},
      {"a file compressed by bzip2", "bunzip2 {0}; or name it <(bzcat {0})", {"BZh"}, {".bz2"}},
      {"a file compressed by xz",
       "unxz {0}; or name it <(xzcat {0})",
       {std::string_view("\xFD"
                         "7zXZ\0",
                         6)},
       {".xz"}},
      {"a file compressed by Zstandard",
       "unzstd {0}; or name it <(zstdcat {0})",
       {"\x28\xB5\x2F\xFD"},
       {".zst"}},
      {"text in UTF-16", "iconv -f UTF-16 -t UTF-8 {0} > {1}.csv", {"\xFF\xFE", "\xFE\xFF"}, {}}};
  return all;
}

// The first key of an object whose value is a list; "" where there is none, or it has another
// character than letters, digits, _ and -.
std::string key_of_list(std::string_view text) {
  for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at + 1)) {
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string_view::npos) return {};
    const std::string_view key = text.substr(at + 1, end - at - 1);
    std::size_t next = text.find_first_not_of(" \t\r\n", end + 1);
    if (next != std::string_view::npos && text[next] == ':') {
      next = text.find_first_not_of(" \t\r\n", next + 1);
      const bool plain = std::ranges::all_of(key, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
      });
      if (next != std::string_view::npos && text[next] == '[') return plain ? std::string(key) : "";
    }
    at = end;
  }
  return {};
}

// JSON as it is met: a list of rows, a key with one, a list of values by column or by row.
ForeignFormat json_format(std::string_view text, bool lines) {
  constexpr std::string_view kWrite =
      R"(python3 -c 'import csv, json; csv.writer(open("{{1}}.csv", "w"), lineterminator="\n").writerows({})')";
  const std::size_t list = text.find('[');
  const std::size_t inside =
      list == std::string_view::npos ? list : text.find_first_not_of(" \t\r\n", list + 1);
  const bool rows = inside != std::string_view::npos && text[inside] == '[';
  const std::string key = key_of_list(text.substr(0, kLookedJson));
  ForeignFormat format{lines ? "lines of JSON" : "JSON", "", {}, {}, true};
  if (lines && text.starts_with('[')) {
    format.line =
        fmt::format(kWrite, R"(json.loads(line) for line in open("{0}") if line.strip())");
  } else if (lines && !key.empty()) {
    format.line = fmt::format(
        kWrite,
        fmt::format(R"(json.loads(line)["{}"] for line in open("{{0}}") if line.strip())", key));
  } else if (lines) {
    format.line =
        R"(python3 -c 'import pandas; pandas.read_json("{0}", lines=True).to_csv("{1}.csv", index=False)')";
  } else if (text.starts_with('[') && rows) {
    format.line = fmt::format(kWrite, R"(json.load(open("{0}")))");
  } else if (text.starts_with('{') && rows && !key.empty()) {
    format.line = fmt::format(kWrite, fmt::format(R"(json.load(open("{{0}}"))["{}"])", key));
  } else {
    format.line =
        R"(python3 -c 'import pandas; pandas.read_json("{0}").to_csv("{1}.csv", index=False)')";
  }
  return format;
}

// An array as str() and print() of Python have it.
const ForeignFormat kPrinted{
    "an array as it is printed",
    R"(python3 -c 'import csv, re; t = open("{0}").read(); assert "..." not in t, "lines are left out"; csv.writer(open("{1}.csv", "w"), lineterminator="\n").writerows(r.replace(",", " ").split() for r in re.findall(r"\[([^\[\]]+)\]", t))')",
    {},
    {},
    true};

// Of text that begins with a bracket or the name of an array: numbers with blanks between them, or
// with commas within parentheses.
bool is_printed(std::string_view text) {
  if (text.starts_with("array(") || text.starts_with("tensor(")) return true;
  const std::size_t first = text.find_first_not_of("[ \t\r\n");
  if (!text.starts_with('[') || first == std::string_view::npos) return false;
  const std::string_view row = text.substr(first, text.find_first_of("]\n", first) - first);
  return row.find(',') == std::string_view::npos && row.find(' ') != std::string_view::npos;
}

[[noreturn]] void refuse(const std::string& name, const ForeignFormat& format) {
  throw input_error(fmt::format(
      "{}: expected a .npy array, an .npz archive, CSV or TSV text, or one of them compressed by "
      "gzip, found {}; what makes one of it: {}",
      name, format.what,
      conversion_line(name, format.line, format.line.find("open(\"{0}\"") != std::string::npos)));
}

bool ends_with_any(std::string_view name, const std::vector<std::string_view>& endings) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::any_of(endings, [&](auto ending) { return lower.ends_with(ending); });
}

}  // namespace

void refuse_foreign(const std::string& name, std::span<const std::byte> bytes, bool is_text) {
  std::string_view text = as_text(bytes);
  if (is_text) text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
  if (text.empty()) return;
  const auto begins = [&](std::string_view beginning) { return text.starts_with(beginning); };
  for (const ForeignFormat& format : formats()) {
    if (is_text && !format.may_be_text) continue;
    if (ends_with_any(name, format.endings) || std::ranges::any_of(format.beginnings, begins)) {
      refuse(name, format);
    }
  }
  if (!is_text) return;
  // Two objects or lists one below the other are lines of them.
  const std::size_t end = text.find('\n');
  const std::string_view next = end == std::string_view::npos ? "" : text.substr(end + 1, 1);
  const bool object = text.starts_with('{');
  // A list that ends on its line, and another one below it.
  const std::string_view line = text.substr(0, end);
  const bool lists = text.starts_with('[') && next == "[" &&
                     std::ranges::count(line, '[') == std::ranges::count(line, ']');
  if (is_printed(text)) refuse(name, kPrinted);
  const bool lines = ends_with_any(name, {".jsonl", ".ndjson"}) || (object && next == "{") || lists;
  const bool json =
      object || lines || ends_with_any(name, {".json"}) ||
      (text.starts_with('[') && text.substr(1, 8).find('[') != std::string_view::npos);
  if (json) refuse(name, json_format(text, lines));
}

void refuse_sparse(const std::string& name, std::string_view form) {
  const std::string what = fmt::format("a sparse matrix in the form {} and not csr", form);
  refuse(
      name,
      {what.c_str(),
       R"(python3 -c 'import scipy.sparse as s; s.save_npz("{1}.npz", s.load_npz("{0}").tocsr())')",
       {},
       {}});
}

void refuse_foreign_archive(const std::string& name,
                            const std::function<bool(std::string_view)>& has) {
  if (has("data.pkl")) refuse(name, kTorch);
  if (has("xl/workbook.xml") || has("xl/workbook.bin") || has("content.xml")) refuse(name, kExcel);
  if (!has(".npy")) refuse(name, kZip);
}

}  // namespace pate::io
