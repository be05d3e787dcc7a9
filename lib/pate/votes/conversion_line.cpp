#include "pate/votes/conversion_line.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pate {

namespace {

// Whether a name can be shown within quotes and pasted into a shell as it is.
bool is_plain(std::string_view name) {
  return !name.starts_with('-') && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-/+=,:@%").find(c) != std::string_view::npos;
  });
}

// For pandas, that a text has no first line with names.
std::string_view no_header(const ColumnHeader& header) {
  return header.names.empty() ? ", header=False" : "";
}

}  // namespace

std::string conversion_line(const std::string& name, std::string_view line, bool plain_only) {
  const bool named = is_plain(name) && name.find(".npz:") == std::string::npos &&
                     !name.starts_with("/dev/") && !name.starts_with("/proc/") &&
                     !(plain_only && name.ends_with(".gz"));
  const std::string file = named ? name : "FILE";
  const std::size_t dot = file.find_last_of("./");
  const bool has_ending = dot != std::string::npos && file[dot] == '.' && dot > 0;
  const std::string stem = has_ending ? file.substr(0, dot) : file;
  // What is written is neither what is read nor a neighbour that has its name but for the ending.
  return fmt::format(fmt::runtime(line), file, stem + "-read");
}

std::string pandas_reading(const ColumnHeader& header) {
  const std::string separator = header.separator == ' '    ? "\\s+"
                                : header.separator == '\t' ? "\\t"
                                                           : std::string(1, header.separator);
  return fmt::format(R"(p.read_csv("{{0}}", sep="{}"{}{}))", separator,
                     header.names.empty() ? ", header=None" : "",
                     header.left_out_index ? ", index_col=0" : "");
}

std::string array_line(const std::string& name, std::string_view made, std::string_view then) {
  return conversion_line(
      name, fmt::format(
                R"(python3 -c 'import numpy as n; a = n.load("{{0}}"){}; n.save("{{1}}.npy", {})')",
                then, made));
}

std::string frame_line(const std::string& name, const ColumnHeader& header, std::string_view made,
                       std::string_view then) {
  return conversion_line(name, fmt::format(R"(python3 -c 'import pandas as p; t = {}{}; )"
                                           R"({}.to_csv("{{1}}.csv", index=False{})')",
                                           pandas_reading(header), then, made, no_header(header)));
}

std::string values_line(const NumericTable& table, std::string_view made, std::string_view then) {
  if (table.description().format.starts_with("np")) return array_line(table.name(), made, then);
  const ColumnHeader header = table.header();
  return conversion_line(
      table.name(),
      fmt::format(R"(python3 -c 'import numpy as n, pandas as p; t = {}; a = t.values{}; )"
                  R"(p.DataFrame({}, columns=t.columns).to_csv("{{1}}.csv", index=False{})')",
                  pandas_reading(header), then, made, no_header(header)));
}

std::string zeros_line(const std::string& name, const ColumnHeader& header) {
  return frame_line(name, header, "t.fillna(0).astype(int)");
}

std::string numbering_line(const std::string& name, const ColumnHeader& header) {
  return conversion_line(
      name,
      fmt::format(R"(python3 -c 'import pandas as p; t = {}; )"
                  R"(ids, names = p.factorize(t.values.ravel(), sort=True); )"
                  R"(p.DataFrame(ids.reshape(t.shape), columns=t.columns).to_csv("{{1}}.csv", )"
                  R"(index=False{}); print(*names, sep=",")')",
                  pandas_reading(header), no_header(header)));
}

}  // namespace pate
