#include "pate/votes/conversion_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

namespace pate {

namespace {

bool is_plain(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-/+=,:@%").find(c) != std::string_view::npos;
  });
}

void replace_all(std::string& text, std::string_view old, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += by.size()) {
    text.replace(at, old.size(), by);
  }
}

// A name as it stands within double quotes of a program that stands within single ones of a shell.
std::string in_program(std::string name) {
  replace_all(name, "\\", "\\\\");
  replace_all(name, "\"", "\\\"");
  replace_all(name, "'", "\\x27");
  return name;
}

std::string in_shell(std::string name) {
  if (is_plain(name)) return name;
  replace_all(name, "'", "'\\''");
  return "'" + name + "'";
}

bool is_array(const NumericTable& table) {
  return table.description().format.starts_with("np");
}

// How pandas, p there, reads a text as it is read here.
std::string pandas_reading(const ColumnHeader& header) {
  const std::string separator = header.separator == ' '    ? "\\s+"
                                : header.separator == '\t' ? "\\t"
                                                           : std::string(1, header.separator);
  return fmt::format(R"(p.read_csv("{{0}}", sep="{}"{}{}))", separator,
                     header.names.empty() ? ", header=None" : "",
                     header.left_out_index ? ", index_col=0" : "");
}

}  // namespace

std::string conversion_line(const std::string& name, std::string_view line) {
  constexpr std::string_view kMember = ".npz:";
  const std::size_t mark = name.find(kMember);
  std::string file = mark == std::string::npos ? name : name.substr(0, mark + kMember.size() - 1);
  const std::string member = mark == std::string::npos ? "" : name.substr(mark + kMember.size());
  // A stream is gone: the line reads it where it comes again.
  if (file.starts_with("<") || file.starts_with("/dev/") || file.starts_with("/proc/")) {
    file = "/dev/stdin";
  }
  if (file.starts_with('-')) file.insert(0, "./");
  const bool packed = file.ends_with(".gz");
  std::string stem = file == "/dev/stdin" ? "stdin"
                     : packed             ? file.substr(0, file.size() - 3)
                                          : file;
  const std::size_t dot = stem.find_last_of("./");
  if (dot != std::string::npos && stem[dot] == '.' && dot > 0) stem.resize(dot);
  // What is written is neither what is read nor a neighbour that has its name but for the ending.
  stem += "-read";
  const bool program = line.starts_with("python3") || line.starts_with("Rscript");
  if (program) {
    std::string text = fmt::format(fmt::runtime(line), in_program(file), in_program(stem));
    const std::string quoted = fmt::format("\"{}\"", in_program(file));
    const std::string opened = R"(__import__("gzip").open()" + quoted + R"(, "rt"))";
    if (packed) {
      replace_all(text, "open(" + quoted + ")", opened);
      replace_all(text, "n.load(" + quoted, R"(n.load(__import__("gzip").open()" + quoted + ")");
    }
    if (!member.empty()) {
      const std::size_t load = text.find("n.load(" + quoted);
      if (load != std::string::npos) {
        const bool all = member == "all";
        text.insert(text.find(')', load) + 1,
                    all ? ".values()])" : fmt::format("[\"{}\"]", in_program(member)));
        if (all) text.insert(load, "n.concatenate([*");
      }
    }
    return text;
  }
  std::string shell(line);
  if (packed && shell.find(" {0} > ") != std::string::npos) {
    replace_all(shell, " < {0} > ", " {0} > ");
    replace_all(shell, " {0} > ", " > ");
    shell.insert(0, "gunzip -c {0} | ");
  }
  // An ending may follow what is quoted.
  return fmt::format(fmt::runtime(shell), in_shell(file), in_shell(stem));
}

namespace {

// `in_python` and `in_words` are the files, as a list of Python and as words of a shell.
std::string joining(const std::string& name, std::string_view ending, std::string in_python,
                    std::string in_words) {
  for (std::string* text : {&in_python, &in_words}) {
    replace_all(*text, "{", "{{");
    replace_all(*text, "}", "}}");
  }
  // Headings of the files behind the first are left out.
  std::string line = fmt::format(
      "awk 'FNR == 1 && FNR != NR && $0 == h && /[A-Za-z]/ {{{{next}}}} NR == 1 {{{{h = $0}}}} 1' "
      "{} > {{1}}{}",
      in_words, ending);
  if (ending.starts_with(".np")) {
    line = fmt::format(
        R"(python3 -c 'import glob, numpy as n; a = [x for f in {} for x in {}]; n.save("{{1}}.npy", n.stack(a) if a[0].ndim == 1 else n.concatenate(a))')",
        in_python, ending == ".npy" ? "[n.load(f)]" : "n.load(f).values()");
  }
  return "; what makes one table of them, a row for each of one dimension, else their rows one "
         "after another: " +
         conversion_line(name, line);
}

}  // namespace

std::string help_with_several(const std::vector<std::string>& files) {
  const auto ending_of = [](std::string_view file) {
    if (file.ends_with(".gz")) file.remove_suffix(3);
    return std::filesystem::path(file).extension().string();
  };
  const std::string ending = ending_of(files.front());
  std::string in_python;
  std::string in_words;
  for (const std::string& file : files) {
    const bool packed = file.ends_with(".gz");
    if (ending_of(file) != ending || (packed && ending.starts_with(".np"))) return {};
    in_python += fmt::format("\"{}\", ", in_program(file));
    in_words += fmt::format(fmt::runtime(packed ? " <(gunzip -c {})" : " {}"),
                            conversion_line(file, "{0}"));
  }
  return joining(files.front(), ending, "[" + in_python + "]", in_words.substr(1));
}

std::string help_with_directory(const std::string& directory) {
  std::error_code ignored;
  std::map<std::string, int> endings;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    ++endings[entry.path().extension().string()];
  }
  for (const std::string ending : {".npy", ".npz", ".csv", ".tsv", ".txt"}) {
    if (!endings.contains(ending)) continue;
    const std::string files =
        fmt::format(R"(sorted(glob.glob(glob.escape("{}") + "/*{}"), key=lambda f: (len(f), f)))",
                    in_program(directory), ending);
    return joining(directory, ending, files, conversion_line(directory, "{0}/*") + ending);
  }
  return {};
}

std::string array_line(const std::string& name, std::string_view made, std::string_view then) {
  return conversion_line(
      name, fmt::format(
                R"(python3 -c 'import numpy as n; a = n.load("{{0}}"){}; n.save("{{1}}.npy", {})')",
                then, made));
}

std::string frame_line(const std::string& name, const ColumnHeader& header, std::string_view made,
                       std::string_view then) {
  return conversion_line(name,
                         fmt::format(R"(python3 -c 'import pandas as p, numpy as n; t = {}{}; )"
                                     R"({}.to_csv("{{1}}.csv", index=False{})')",
                                     pandas_reading(header), then, made,
                                     header.names.empty() ? ", header=False" : ""));
}

std::string values_line(const NumericTable& table, std::string_view made, std::string_view then) {
  if (is_array(table)) return array_line(table.name(), made, then);
  return frame_line(table.name(), table.header(),
                    fmt::format("p.DataFrame({}, columns=t.columns)", made),
                    fmt::format("; a = t.values{}", then));
}

std::string column_line(const NumericTable& table, std::string_view made, std::string_view then) {
  if (is_array(table)) return array_line(table.name(), made, then);
  return conversion_line(table.name(), fmt::format(R"(python3 -c 'import pandas as p, numpy as n; )"
                                                   R"(a = {}.values{}; n.save("{{1}}.npy", {})')",
                                                   pandas_reading(table.header()), then, made));
}

std::string column_in_words(const NumericTable& table, std::int64_t column) {
  const std::vector<std::string> names = table.header().names;
  const auto index = static_cast<std::size_t>(column);
  return index < names.size() && !names[index].empty()
             ? fmt::format("column {} (\"{}\")", column, names[index])
             : fmt::format("column {}", column);
}

std::string line_without_column(const NumericTable& table, std::int64_t column) {
  const TableDescription description = table.description();
  if (description.format.starts_with("np")) {
    return conversion_line(
        table.name(),
        fmt::format(
            R"(python3 -c 'import numpy as n; n.save("{{1}}.npy", n.delete(n.load("{{0}}"), {}, 1))')",
            column));
  }
  const ColumnHeader header = table.header();
  const std::string separator =
      header.separator == '\t' ? "" : fmt::format("-d'{}' ", header.separator);
  return conversion_line(table.name(),
                         fmt::format("cut {}\1complement -f{} {{0}} > {{1}}.{}", separator,
                                     column + (header.left_out_index ? 2 : 1),
                                     description.format == "text" ? "txt" : description.format));
}

std::string line_without_array(const NumericTable& table, std::string_view array) {
  return conversion_line(
      table.name(),
      fmt::format(
          R"(python3 -c 'import numpy as n; a = n.load("{{0}}"); n.savez("{{1}}.npz", **{{{{k: a[k] for k in a.files if k != "{}"}}}})')",
          array));
}

std::string numbering_line(const std::string& name, const ColumnHeader& header) {
  return frame_line(name, header, "p.DataFrame(i.reshape(t.shape), columns=t.columns)",
                    R"(; i, c = p.factorize(t.values.ravel(), sort=True); print(*c, sep=","))");
}

}  // namespace pate
