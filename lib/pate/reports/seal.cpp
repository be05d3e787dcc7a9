#include "pate/reports/seal.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string_view>

#include "pate/base/digests.hpp"
#include "pate/base/error.hpp"
#include "pate/reports/source_digests.hpp"

namespace pate::reports {

namespace {

constexpr const char* kSeal = "seal";

std::string content_digest(const io::JsonValue& report) {
  const std::string text =
      fmt::format("pate seal 1\nsources {}\n{}", library_sources(), report.canonical(kSeal));
  return io::sha256_hex(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace

std::string sealed(std::string text) {
  const std::string digest = content_digest(io::JsonValue::parse(text, "report"));
  constexpr std::string_view kEnd = "\n}";
  text.erase(text.rfind(kEnd));
  return text + fmt::format(
                    ",\n  \"{}\": {{\n    \"sources\": \"{}\",\n    \"sha256\": \"{}\"\n  }}\n}}\n",
                    kSeal, library_sources(), digest);
}

void require_sealed(const io::JsonValue& report) {
  const auto seal = report.find(kSeal);
  const auto fail = [&](const std::string& what) {
    throw input_error(
        fmt::format("{}: {}; run the command that made it again", report.file(), what));
  };
  if (!seal) {
    fail(
        "seal: is missing: expected the report of a shard or a grid as this version writes it, "
        "with a digest of what it says");
  }
  if (seal->at("sources").text() != library_sources()) {
    fail(fmt::format("was made by another build of pate ({}): expected what this one made",
                     report.at("tool").at("version").text()));
  }
  if (seal->at("sha256").text() != content_digest(report)) {
    fail("was changed after it was made: expected what its digest, seal.sha256, is of");
  }
}

}  // namespace pate::reports
