#include "pate/votes/tables/foreign_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/votes/conversion_line.hpp"

namespace pate::io {

namespace {

// One format: the bytes or the ending by which it is known, what it is called, and the line that
// converts it, of which {0} is the file and {1} its name without ending.
struct Signature {
  std::string what;
  std::string line;
  std::vector<std::string_view> beginnings = {};
  std::vector<std::string_view> endings = {};
  bool may_be_text = false;
  std::size_t at = 0;  // where the beginnings are
};

// Takes the only one of t, of which `name` is called, or that which a word behind the line names.
std::string one_of(std::string_view name) {
  return fmt::format(
      R"(t = [x for x in t if {0} in sys.argv or not sys.argv[1:]]; len(t) == 1 or sys.exit("add one of these names to the line: " + ", ".join({0} for x in t)))",
      name);
}

// Saves the only table in d, however deep it lies.
std::string only_table(std::string_view load, std::string_view transposed = "") {
  return fmt::format(
      R"(python3 -c 'import sys, numpy as n, {}; w = lambda k, v: [x for j in v.keys() for x in w(k + "/" + str(j), v[j])] if hasattr(v, "keys") and not hasattr(v, "to_numpy") else [(k[1:], v)]; t = [(k, n.asarray(v)) for k, v in w("", d) if not isinstance(v, str)]; t = [(k, a) for k, a in t if a.ndim > 1 and a.size > 1 and a.dtype.kind in "biuf"]; {}; n.save("{{1}}.npy", t[0][1]{})')",
      load, one_of("x[0]"), transposed);
}

std::string frame(std::string_view read, std::string_view import = "pandas") {
  return fmt::format(R"(python3 -c 'import {}; {}.to_csv("{{1}}.csv", index=False)')", import,
                     read);
}

constexpr std::string_view kTorch = "a PyTorch file";
constexpr std::string_view kSpreadsheet = "a spreadsheet";

const std::vector<Signature>& signatures() {
  using namespace std::string_view_literals;
  static const std::vector<Signature> all{
      {"an archive of tar",
       fmt::format(
           R"(python3 -c 'import sys, tarfile; a = tarfile.open(name="{{0}}"); t = [x for x in a if x.isfile()]; {}; open("{{1}}.csv", "wb").write(a.extractfile(t[0]).read())')",
           one_of("x.name")),
       {"ustar"},
       {".tar"},
       false,
       257},
      {std::string(kTorch),
       only_table(R"(torch; d = torch.load("{0}", map_location="cpu"))"),
       {"\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19"},
       {".pt", ".pth"}},
      // Without a header: a first row of numbers is kept, one of names is the header of the text.
      {std::string(kSpreadsheet),
       R"(python3 -c 'import pandas; pandas.read_excel("{0}", header=None).to_csv("{1}.csv", index=False, header=False)')",
       {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"},
       {".xlsx", ".xlsm", ".xls", ".ods"}},
      {"a Parquet file", frame(R"(pandas.read_parquet("{0}"))"), {"PAR1"}, {".parquet", ".pq"}},
      {"a Feather or Arrow file",
       frame(R"(pandas.read_feather("{0}"))"),
       {"ARROW1", "FEA1"},
       {".feather", ".arrow"}},
      {"an ORC file", frame(R"(pandas.read_orc("{0}"))"), {"ORC"}, {".orc"}},
      {"an Avro file",
       frame(R"(pandas.DataFrame(fastavro.reader(open("{0}", "rb"))))", "fastavro, pandas"),
       {"Obj\x01"},
       {".avro"}},
      {"a Stata file", frame(R"(pandas.read_stata("{0}"))"), {"<stata_dta>"}, {".dta"}},
      {"a file of R",
       R"(Rscript -e 'e <- new.env(); f <- "{0}"; d <- tryCatch(readRDS(f), error=function(x) get(load(f, e), e)); write.csv(as.data.frame(d), "{1}.csv", row.names=FALSE)')",
       {"RDX2\n", "RDX3\n", "X\n\0\0\0"sv},
       {".rds", ".rdata", ".rda"}},
      {"an SQLite database",
       fmt::format(
           R"(python3 -c 'import csv, sqlite3, sys; c = sqlite3.connect("{{0}}"); t = [x[0] for x in c.execute("select name from sqlite_master where type=?", ["table"])]; {}; r = c.execute("select * from [%s]" % t[0]); csv.writer(open("{{1}}.csv", "w"), lineterminator="\n").writerows([[x[0] for x in r.description], *r])')",
           one_of("x")),
       {"SQLite format 3\0"sv},
       {".sqlite", ".sqlite3", ".db"}},
      {"a file of safetensors",
       only_table(R"(safetensors.numpy as s; d = s.load_file("{0}"))"),
       {},
       {".safetensors"}},
      {"a pickle; to read one is to run what it says, so do it only where you trust the file",
       only_table(R"(pandas; d = pandas.read_pickle("{0}"))"),
       {"\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"},
       {".pkl", ".pickle"},
       true},
      {"a MATLAB file of version 7.3, which is HDF5",
       only_table(R"(h5py; d = h5py.File("{0}"))", ".T"),
       {"MATLAB 7.3"}},
      {"an HDF5 file",
       only_table(R"(h5py; d = h5py.File("{0}"))"),
       {"\x89HDF\r\n\x1a\n"},
       {".h5", ".hdf5", ".hdf"}},
      {"a MATLAB file",
       only_table(R"(scipy.io; d = scipy.io.loadmat("{0}"))"),
       {"MATLAB 5.0"},
       {".mat"}},
      {"a Matrix Market file",
       R"(python3 -c 'import scipy.io, scipy.sparse as s; s.save_npz("{1}.npz", s.csr_matrix(scipy.io.mmread("{0}")))')",
       {"%%MatrixMarket"},
       {".mtx"},
       true},
      {"a pointer of Git LFS to a file that was not fetched",
       "git lfs pull \1include {0}",
       {"version https://git-lfs"},
       {},
       true},
      {"a web page (HTML), as a download that failed leaves it",
       R"(python3 -c 'import pandas; pandas.read_html("{0}")[0].to_csv("{1}.csv", index=False)', if the page has the table, else download the file itself)",
       {"<!DOCTYPE", "<!doctype", "<html", "<HTML"},
       {},
       true},
      {"YAML",
       only_table(R"(yaml; d = yaml.safe_load(open("{0}")))"),
       {"- [", "- - ", "---\n"},
       {".yaml", ".yml"},
       true},
      {"TOML",
       only_table(R"(tomllib; d = tomllib.loads(open("{0}").read()))"),
       {},
       {".toml"},
       true},
      {"a table of Markdown",
       R"(sed '/^|[-:| ]*$/d; s/^ *| *//; s/ *| *$//; s/ *| */,/g' < {0} > {1}.csv)",
       {"|"},
       {".md"},
       true},
      {"a file compressed twice by gzip", "gunzip -c < {0} > {1}.csv", {"\x1f\x8b"}},
      {"a file compressed by bzip2", "bzcat < {0} > {1}.csv", {"BZh"}, {".bz2"}},
      {"a file compressed by xz", "xzcat < {0} > {1}.csv", {"\xFD\x37zXZ\0"sv}, {".xz"}},
      {"a file compressed by Zstandard", "zstdcat < {0} > {1}.csv", {"\x28\xB5\x2F\xFD"}, {".zst"}},
      {"text in UTF-16", "iconv -f UTF-16 -t UTF-8 < {0} > {1}.csv", {"\xFF\xFE", "\xFE\xFF"}}};
  return all;
}

// JSON as it is met: rows, in a list or deeper or one a line; objects, of counters or with a list
// each; columns.
Signature json_format(std::string_view text, bool lines) {
  constexpr std::string_view kRows =
      R"(python3 -c 'import csv, json; csv.writer(open("{{1}}.csv", "w"), lineterminator="\n").writerows({})')";
  constexpr std::string_view kFrame =
      R"(python3 -c 'import json, numpy as n, pandas as p; d = {}; t = p.DataFrame(d["data"], columns=d["columns"]) if "data" in d else p.DataFrame(d); v = [c for c in t if isinstance(t[c].iloc[0], list)]; t = p.DataFrame(list(t[v[0]])) if v else t; k = not v and all(str(c).isdigit() for c in t); t = t.rename(columns=int) if k else t; t = t.reindex(columns=range(1 + max(t))).fillna(0).astype(int) if k else t; assert not k or t.sum(axis=1).nunique() == 1, "these are no counts of one number of teachers"; n.save("{{1}}.npy", t.values) if v or k else t.to_csv("{{1}}.csv", index=False)')";
  const std::string_view load =
      lines ? R"([json.loads(x) for x in open("{0}") if x.strip()])" : R"(json.load(open("{0}")))";
  const std::size_t list = text.find('[');
  const std::size_t inside =
      list == std::string_view::npos ? list : text.find_first_not_of(" \t\r\n", list + 1);
  const bool rows =
      inside != std::string_view::npos && (text[inside] == '[' || (lines && list == 0));
  return {lines ? "lines of JSON" : "JSON", !rows ? fmt::format(kFrame, load)
                                            : list == 0
                                                ? fmt::format(kRows, load)
                                                : only_table(fmt::format("json; d = {}", load))};
}

// Text that begins with a bracket or the name of an array: numbers with blanks between them, or
// with commas within parentheses.
bool is_printed(std::string_view text) {
  if (text.starts_with("array(") || text.starts_with("tensor(")) return true;
  const std::size_t first = text.find_first_not_of("[ \t\r\n");
  if (!text.starts_with('[') || first == std::string_view::npos) return false;
  const std::string_view row = text.substr(first, text.find_first_of("]\n", first) - first);
  return row.find(',') == std::string_view::npos && row.find(' ') != std::string_view::npos;
}

[[noreturn]] void refuse(const std::string& name, const Signature& format) {
  throw input_error(fmt::format(
      "{}: expected a .npy array, an .npz archive, CSV or TSV text, or one of them compressed by "
      "gzip, found {}; what makes one of it: {}",
      name, format.what, conversion_line(name, format.line)));
}

bool ends_with_any(std::string_view name, const std::vector<std::string_view>& endings) {
  while (name.ends_with(".gz")) name.remove_suffix(3);
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::any_of(endings, [&](auto ending) { return lower.ends_with(ending); });
}

}  // namespace

bool is_text(std::span<const std::byte> bytes) {
  constexpr std::size_t kLooked = 512;
  const std::string_view begin = as_text(bytes).substr(0, kLooked);
  return std::ranges::none_of(begin, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
}

void refuse_foreign(const std::string& name, std::span<const std::byte> bytes) {
  const bool textual = is_text(bytes);
  std::string_view text = as_text(bytes);
  if (textual) text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
  if (text.empty()) return;
  for (const Signature& format : signatures()) {
    if (textual && !format.may_be_text) continue;
    const std::string_view mark = text.substr(std::min(text.size(), format.at));
    const auto begins = [&](std::string_view beginning) { return mark.starts_with(beginning); };
    if (std::ranges::any_of(format.beginnings, begins)) refuse(name, format);
  }
  for (const Signature& format : signatures()) {
    if ((!textual || format.may_be_text) && ends_with_any(name, format.endings))
      refuse(name, format);
  }
  if (!textual) return;
  if (is_printed(text)) {
    refuse(
        name,
        {"an array as it is printed",
         R"(python3 -c 'import csv, re; t = open("{0}").read(); assert "..." not in t, "lines are left out"; csv.writer(open("{1}.csv", "w"), lineterminator="\n").writerows(r.replace(",", " ").split() for r in re.findall(r"\[([^\[\]]+)\]", t))')"});
  }
  // Two objects or lists one below the other are lines of them.
  const std::size_t end = text.find('\n');
  const std::string_view next = end == std::string_view::npos ? "" : text.substr(end + 1, 1);
  const bool object = text.starts_with('{');
  const std::string_view line = text.substr(0, end);
  const bool lists = text.starts_with('[') && next == "[" &&
                     std::ranges::count(line, '[') == std::ranges::count(line, ']');
  const bool lines = ends_with_any(name, {".jsonl", ".ndjson"}) || (object && next == "{") || lists;
  const std::string_view begin = text.substr(0, 9);
  if (object || lines || ends_with_any(name, {".json"}) ||
      (begin.starts_with('[') && begin.find_first_of("[{", 1) != std::string_view::npos)) {
    refuse(name, json_format(text, lines));
  }
}

void refuse_sparse(const std::string& name, std::string_view form) {
  const std::string what = fmt::format("a sparse matrix in the form {} and not csr", form);
  refuse(
      name,
      {what,
       R"(python3 -c 'import scipy.sparse as s; s.save_npz("{1}.npz", s.load_npz("{0}").tocsr())')"});
}

void refuse_foreign_archive(const std::string& name,
                            const std::function<bool(std::string_view)>& has) {
  const auto refuse_as = [&](std::string_view what) {
    refuse(name, *std::ranges::find(signatures(), what, &Signature::what));
  };
  if (has("data.pkl")) refuse_as(kTorch);
  if (has("xl/workbook.xml") || has("xl/workbook.bin") || has("content.xml")) {
    refuse_as(kSpreadsheet);
  }
  if (!has(".npy")) {
    refuse(name, {"a zip archive without arrays (.npy)", "unzip {0} -d {1}"});
  }
}

std::string help_with_dtype(const std::string& name, char kind, std::size_t dimensions) {
  std::string line;
  if (kind == 'O' && dimensions == 0) {
    line = only_table(R"(pandas; d = n.load("{0}", allow_pickle=True); d = d.item())");
  } else if (kind == 'O' && dimensions < 3) {
    // Rows of counts that end before the last class have zeros there; nothing else is filled up.
    line =
        R"(python3 -c 'import csv, numpy as n; a = n.load("{0}", allow_pickle=True); r = [list(x) if n.ndim(x) else [x] for x in a]; m = max(map(len, r)); assert min(map(len, r)) == m or len(set(map(sum, r))) == 1, "rows of different lengths that are no counts of one number of teachers"; csv.writer(open("{1}.csv", "w"), lineterminator="\n").writerows(x + [0] * (m - len(x)) for x in r)')";
  } else if (kind == 'O' || kind == 'f') {
    line =
        R"(python3 -c 'import numpy as n; a = n.load("{0}", allow_pickle=True); n.save("{1}.npy", a.astype(float))')";
  } else if (kind == 'S' || kind == 'U') {
    line =
        R"(python3 -c 'import numpy as n; a = n.load("{0}"); n.savetxt("{1}.csv", a.astype(str), "%s", ",")')";
  } else {
    return {};
  }
  return fmt::format("; {}: {}",
                     kind == 'O'   ? "to read objects is to run what they say; of a file that you "
                                     "trust, what makes numbers or text of it"
                     : kind == 'f' ? "what makes numbers of 64 bits of it"
                                   : "what makes text of it, to be read with \1classes a,b,c",
                     conversion_line(name, line));
}

std::string help_with_four(const std::string& name, std::size_t dimensions) {
  if (dimensions < 4) return {};
  return "; of masks (teachers x queries x height x width) each pixel is a query, what makes class "
         "ids of them for \1layout predictions: " +
         array_line(name, "a.reshape(len(a), -1)");
}

}  // namespace pate::io
