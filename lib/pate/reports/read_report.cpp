#include "pate/reports/read_report.hpp"

#include <fmt/format.h>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/reports/ledger_lines.hpp"

namespace pate::reports {

io::JsonValue read_report(const std::string& path) {
  const std::string text = io::read_text_file(path == "-" ? "/dev/stdin" : path);
  if (is_ledger(text)) {
    throw input_error(
        fmt::format("{}: expected a report, found a ledger; its report is made by pate ledger {} "
                    "--quiet -o account.json",
                    path, path == "-" ? "FILE" : path));
  }
  return io::JsonValue::parse(text, path);
}

}  // namespace pate::reports
