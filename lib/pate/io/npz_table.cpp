#include "pate/io/npz_table.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "pate/error.hpp"
#include "pate/io/printable.hpp"

namespace pate::io {

namespace {

constexpr std::size_t kMostListed = 20;
constexpr std::size_t kLeastMember = std::size_t{1} << 16U;
constexpr std::string_view kSuffix = ".npy";

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using File = std::unique_ptr<zip_file_t, Discard>;

std::string reason(zip_error_t* error) {
  std::string text = zip_error_strerror(error);
  zip_error_fini(error);
  return text;
}

Archive open_archive(std::span<const std::byte> bytes, const std::string& name) {
  const auto fail = [&](std::string_view why) {
    throw input_error(
        fmt::format("{}: cannot be read as a zip archive of arrays (.npz): {}", name, why));
  };
  if (bytes.empty()) fail("it is empty");
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source =
      zip_source_buffer_create(bytes.data(), bytes.size(), /*freep=*/0, &error);
  zip_t* const archive =
      source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
  if (archive == nullptr) {
    zip_source_free(source);
    fail(reason(&error));
  }
  zip_error_fini(&error);
  return Archive(archive);
}

// The names of the members that are no directories, with their indices.
std::vector<std::pair<std::string, zip_uint64_t>> members_of(zip_t* archive) {
  std::vector<std::pair<std::string, zip_uint64_t>> result;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* const name = zip_get_name(archive, index, ZIP_FL_ENC_GUESS);
    if (name == nullptr || std::string_view(name).ends_with('/')) continue;
    result.emplace_back(name, index);
  }
  return result;
}

std::string list(const std::vector<std::pair<std::string, zip_uint64_t>>& members) {
  if (members.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(members.size(), kMostListed); ++i) {
    std::string_view shown = members[i].first;
    if (shown.ends_with(kSuffix)) shown.remove_suffix(kSuffix.size());
    text += (i == 0 ? "" : ", ") + printable(shown);
  }
  if (members.size() <= kMostListed) return text;
  return text + fmt::format(" and {} more", members.size() - kMostListed);
}

std::pair<std::string, zip_uint64_t> find_member(zip_t* archive, const std::string& name,
                                                 std::string_view member) {
  const auto members = members_of(archive);
  if (member.empty()) {
    if (members.size() == 1) return members.front();
    throw input_error(fmt::format("{}: expected a member, as in {}:MEMBER; the archive has {}",
                                  name, name, list(members)));
  }
  // An exact match goes before one without ".npy".
  for (const std::string& wanted : {std::string(member), std::string(member).append(kSuffix)}) {
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const auto& entry) { return entry.first == wanted; });
    if (found != members.end()) return *found;
  }
  throw input_error(fmt::format("{}: there is no member '{}'; the archive has {}", name,
                                printable(member), list(members)));
}

std::vector<std::byte> read_member(zip_t* archive, zip_uint64_t index, std::size_t archive_size,
                                   const std::string& name) {
  zip_stat_t status;
  zip_stat_init(&status);
  const bool known = zip_stat_index(archive, index, 0, &status) == 0;
  if (known && (status.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 &&
      status.encryption_method != ZIP_EM_NONE) {
    throw input_error(
        fmt::format("{}: is encrypted; expected an archive without a password", name));
  }
  const File file(zip_fopen_index(archive, index, 0));
  if (!file) {
    throw input_error(fmt::format("{}: cannot be read: {}", name, zip_strerror(archive)));
  }
  // The archive says how large it is, which is believed as far as deflate could do it.
  const bool believed = known && (status.valid & ZIP_STAT_SIZE) != 0 &&
                        status.size / 1032 <= static_cast<zip_uint64_t>(archive_size);
  std::vector<std::byte> contents(std::max(
      believed ? static_cast<std::size_t>(status.size) + 1 : std::size_t{0}, kLeastMember));
  std::size_t filled = 0;
  for (;;) {
    if (filled == contents.size()) contents.resize(contents.size() + contents.size() / 2);
    const zip_int64_t count =
        zip_fread(file.get(), contents.data() + filled, contents.size() - filled);
    if (count < 0) {
      throw input_error(fmt::format("{}: corrupt or truncated archive: {}", name,
                                    zip_error_strerror(zip_file_get_error(file.get()))));
    }
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  contents.resize(filled);
  return contents;
}

}  // namespace

bool is_zip(std::span<const std::byte> bytes) {
  // The first member, or the end of an archive without members.
  return bytes.size() >= 4 && (std::memcmp(bytes.data(), "PK\x03\x04", 4) == 0 ||
                               std::memcmp(bytes.data(), "PK\x05\x06", 4) == 0);
}

std::shared_ptr<const NpyTable> open_npz_member(std::span<const std::byte> archive,
                                                const std::string& name, std::string_view member) {
  const Archive opened = open_archive(archive, name);
  const auto [found, index] = find_member(opened.get(), name, member);
  std::string_view short_name = found;
  if (short_name.ends_with(kSuffix)) short_name.remove_suffix(kSuffix.size());
  std::string table = fmt::format("{}:{}", name, printable(short_name));
  std::vector<std::byte> contents = read_member(opened.get(), index, archive.size(), table);
  return std::make_shared<const NpyTable>(std::move(table), std::move(contents), "npz");
}

}  // namespace pate::io
