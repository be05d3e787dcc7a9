#include "pate/io/foreign_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "pate/error.hpp"
#include "pate/io/files.hpp"

namespace pate::io {

namespace {

// What a format is, and what converts it: in a line {0} is the file, {1} its name without ending.
struct ForeignFormat {
  const char* what;
  const char* line;
  std::vector<std::string_view> beginnings;
  std::vector<std::string_view> endings;
  bool may_be_text = false;
};

const ForeignFormat kTorch{
    "a PyTorch file",
    R"(python3 -c 'import numpy, torch; numpy.save("{1}.npy", torch.load("{0}", map_location="cpu").numpy())')",
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
       R"(python3 -c 'import numpy, pandas; numpy.save("{1}.npy", numpy.asarray(pandas.read_pickle("{0}")))')",
       {"\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"},
       {".pkl", ".pickle"},
       true},
      {"an HDF5 file",
       R"(python3 -c 'import h5py, numpy; numpy.save("{1}.npy", h5py.File("{0}")["NAME"][()])')",
       {"\x89HDF\r\n\x1a\n"},
       {".h5", ".hdf5", ".hdf"}},
      {"a MATLAB file",
       R"(python3 -c 'import numpy, scipy.io; numpy.save("{1}.npy", scipy.io.loadmat("{0}")["NAME"])')",
       {"MATLAB 5.0"},
       {".mat"}},
      {"a Matrix Market file",
       R"(python3 -c 'import scipy.io, scipy.sparse as s; s.save_npz("{1}.npz", s.csr_matrix(scipy.io.mmread("{0}")))')",
       {"%%MatrixMarket"},
       {".mtx"},
       true},
      {"lines of JSON",
       R"(python3 -c 'import pandas; pandas.read_json("{0}", lines=True).to_csv("{1}.csv", index=False)')",
       {},
       {".jsonl", ".ndjson"},
       true},
      {"JSON",
       R"(python3 -c 'import pandas; pandas.read_json("{0}").to_csv("{1}.csv", index=False)')",
       {"{"},
       {},
       true},
      // Lists in a list: columns have no names.
      {"JSON",
       R"(python3 -c 'import pandas; pandas.read_json("{0}").to_csv("{1}.csv", index=False, header=False)')",
       {"["},
       {".json"},
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

// Whether a name can be shown within quotes and pasted into a shell as it is.
bool is_plain(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-/+=,:@%").find(c) != std::string_view::npos;
  });
}

[[noreturn]] void refuse(const std::string& name, const ForeignFormat& format) {
  const std::string file = is_plain(name) ? name : "FILE";
  const std::size_t dot = file.find_last_of("./");
  const bool has_ending = dot != std::string::npos && file[dot] == '.' && dot > 0;
  std::string stem = has_ending ? file.substr(0, dot) : file;
  // What is written has another name than what is read.
  if (file.ends_with(".csv") || file.ends_with(".npy") || file.ends_with(".npz")) stem += "-read";
  throw input_error(fmt::format(
      "{}: expected a .npy array, an .npz archive, CSV or TSV text, or one of them compressed by "
      "gzip, found {}; what makes one of it: {}",
      name, format.what, fmt::format(fmt::runtime(format.line), file, stem)));
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
