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
  io::JsonValue report = io::JsonValue::parse(text, path);
  if (report.type() != io::JsonType::object) return report;
  const auto shard = report.find("shard");
  if (shard && shard->type() == io::JsonType::object && shard->at("of").integer() > 1) {
    shard->at("of").fail("1, as of the report of a whole, which pate compose makes of its shards");
  }
  return report;
}

}  // namespace pate::reports
