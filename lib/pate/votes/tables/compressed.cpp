#include "pate/votes/tables/compressed.hpp"

#include <fmt/format.h>
#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/base/memory.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/tables/foreign_formats.hpp"
#include "pate/votes/tables/npy_header.hpp"
#include "pate/votes/tables/npy_table.hpp"
#include "pate/votes/tables/sparse_table.hpp"
#include "pate/votes/tables/stacked_table.hpp"

namespace pate::io {

namespace {

constexpr std::size_t kInputPiece = std::size_t{1} << 30U;  // zlib counts in 32 bits

// Votes seldom shrink to less than a hundredth; a file that was made to fill a machine does, to a
// thousandth. Little is fine whatever it came from.
constexpr std::size_t kAlwaysFine = std::size_t{1} << 28U;
constexpr std::size_t kMaxTimes = 512;

// What is compressed: its size, and how to do without, for messages.
struct Packed {
  std::size_t size;
  const char* remedy;
};

// Throws where `size` bytes came, or are to come, out of `from` of what is packed.
void refuse_bomb(const std::string& name, std::size_t size, std::size_t from,
                 const Packed& packed) {
  if (size <= kAlwaysFine || size / kMaxTimes <= from) return;
  throw input_error(fmt::format(
      "{}: expected at most {} times as much inside a compressed file as it has itself, beyond {} "
      "bytes, found {} bytes or more in {}; if that is meant, {}",
      name, kMaxTimes, kAlwaysFine, size, from, packed.remedy));
}

// Room for what is inflated, which may be a thousand times what was compressed: of an array as much
// as its header declares and not a byte more, of anything else what the machine can hold; of a word
// some bytes. What grows out of all proportion is refused, an array as soon as its header is there.
class Room {
 public:
  enum class Kind { any, word };
  Room(const std::string& name, Packed packed, Kind kind = Kind::any)
      : name_(name), packed_(packed), kind_(kind) {}

  // At least a byte to fill.
  std::span<std::byte> rest() {
    if (filled_ == bytes_.size()) grow();
    return std::span(bytes_).subspan(filled_);
  }
  // taken: how much of what is packed went into all that was added.
  void add(std::size_t count, std::size_t taken) {
    filled_ += count;
    refuse_bomb(name_, filled_, taken, packed_);
    if (kind_ == Kind::any && declared_ == kUndeclared) {
      declared_ = npy_file_size(std::span(bytes_).first(filled_), name_).value_or(kUndeclared);
      if (declared_ != kUndeclared) refuse_bomb(name_, declared_, packed_.size, packed_);
    }
    // The byte by which more than that is noticed.
    if (filled_ > declared_) {
      throw input_error(fmt::format("{}: overlong file: its header declares {} bytes, found more",
                                    name_, declared_));
    }
  }
  [[nodiscard]] std::span<const std::byte> filled() const {
    return std::span(bytes_).first(filled_);
  }
  std::vector<std::byte> take() {
    bytes_.resize(filled_);
    return std::move(bytes_);
  }

 private:
  static constexpr std::size_t kUndeclared = std::numeric_limits<std::size_t>::max();

  void grow() {
    constexpr std::size_t kLeast = std::size_t{1} << 16U;
    std::size_t size = std::max(kLeast, filled_ + filled_ / 2);
    const bool known = declared_ != kUndeclared;
    if (known) size = std::min(std::max(size, filled_ * 4), declared_ + 1);
    if (kind_ == Kind::word && filled_ > 0) {
      throw input_error(
          fmt::format("{}: expected a word, found more than {} bytes", name_, filled_));
    }
    grow_buffer(bytes_, size, known, name_);
  }

  const std::string& name_;
  Packed packed_;
  Kind kind_;
  std::vector<std::byte> bytes_;
  std::size_t filled_ = 0;
  std::size_t declared_ = kUndeclared;
};

constexpr std::size_t kFirstLook = std::size_t{1} << 20U;

class Inflater {
 public:
  Inflater(std::span<const std::byte> bytes, const std::string& name, const Look& look)
      : bytes_(bytes), name_(name), look_(look) {
    constexpr int kGzip = 16;
    if (inflateInit2(&stream_, kGzip + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  std::vector<std::byte> inflate_all() {
    for (;;) {
      inflate_member();
      const auto rest = bytes_.subspan(taken_);
      const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
      if (std::all_of(rest.begin(), rest.end(), is_zero)) break;
      if (!is_gzip(rest)) fail("corrupt", "expected the end or another gzip member");
      inflateReset(&stream_);
    }
    return out_.take();
  }

 private:
  [[noreturn]] void fail(const char* kind, const char* what) const {
    throw input_error(fmt::format("{}: {} gzip file: {} at byte {} of {}", name_, kind, what,
                                  taken_, bytes_.size()));
  }

  void inflate_member() {
    for (;;) {
      const std::span<std::byte> rest = out_.rest();
      const std::size_t input = std::min(bytes_.size() - taken_, kInputPiece);
      const std::size_t room = std::min(rest.size(), kInputPiece);
      // zlib only reads what next_in points to. NOLINTBEGIN(*-const-cast,*-reinterpret-cast)
      stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes_.data() + taken_));
      stream_.next_out = reinterpret_cast<Bytef*>(rest.data());
      // NOLINTEND(*-const-cast,*-reinterpret-cast)
      stream_.avail_in = static_cast<uInt>(input);
      stream_.avail_out = static_cast<uInt>(room);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      taken_ += input - stream_.avail_in;
      out_.add(room - stream_.avail_out, taken_);
      if (look_ && out_.filled().size() >= next_look_) {
        look_(out_.filled());
        next_look_ = 2 * out_.filled().size();
      }
      if (status == Z_STREAM_END) return;
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      const bool starved = taken_ == bytes_.size() && stream_.avail_out > 0;
      if ((status == Z_OK || status == Z_BUF_ERROR) && !starved) continue;
      if (starved && status != Z_DATA_ERROR) fail("truncated", "expected more bytes");
      fail("corrupt", stream_.msg == nullptr ? "it cannot be inflated" : stream_.msg);
    }
  }

  std::span<const std::byte> bytes_;
  const std::string& name_;
  const Look& look_;
  z_stream stream_{};
  Room out_{name_, {bytes_.size(), "unpack it first, with gunzip"}};
  std::size_t taken_ = 0;
  std::size_t next_look_ = kFirstLook;
};

constexpr std::size_t kMaxListed = 20;
constexpr std::string_view kSuffix = ".npy";

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using File = std::unique_ptr<zip_file_t, Discard>;
using Members = std::vector<std::pair<std::string, zip_uint64_t>>;

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
Members members_of(zip_t* archive) {
  Members result;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* const name = zip_get_name(archive, index, ZIP_FL_ENC_GUESS);
    if (name == nullptr || std::string_view(name).ends_with('/')) continue;
    result.emplace_back(name, index);
  }
  return result;
}

// What the header of a member says; none where it is no array that can be read.
std::optional<NpyHeader> header_of(zip_t* archive, zip_uint64_t index) {
  std::vector<std::byte> bytes(std::size_t{1} << 12U);
  const File file(zip_fopen_index(archive, index, 0));
  const zip_int64_t count = file ? zip_fread(file.get(), bytes.data(), bytes.size()) : 0;
  try {
    return parse_npy_header(
        std::span(bytes).first(static_cast<std::size_t>(std::max<zip_int64_t>(0, count))), "");
  } catch (const input_error&) {
    return {};
  }
}

// With their shapes and dtypes where the archive is given.
std::string list(const Members& members, zip_t* archive = nullptr) {
  if (members.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(members.size(), kMaxListed); ++i) {
    std::string_view shown = members[i].first;
    if (shown.ends_with(kSuffix)) shown.remove_suffix(kSuffix.size());
    text += (i == 0 ? "" : ", ") + printable(shown);
    if (archive == nullptr) continue;
    if (const auto header = header_of(archive, members[i].second)) {
      text += fmt::format(" {} {}", format_shape(header->shape), header->descr);
    }
  }
  if (members.size() <= kMaxListed) return text;
  return text + fmt::format(" and {} more", members.size() - kMaxListed);
}

// The dimensions of arrays that have one shape and one dtype; 0 where they do not.
std::size_t dimensions_of_all(zip_t* archive, const Members& members) {
  const auto first = header_of(archive, members.front().second);
  const bool alike =
      first && std::ranges::all_of(members, [&](const auto& entry) {
        const auto header = header_of(archive, entry.second);
        return header && header->shape == first->shape && header->descr == first->descr;
      });
  return alike ? first->shape.size() : 0;
}

std::pair<std::string, zip_uint64_t> find_member(zip_t* archive, const std::string& name,
                                                 std::string_view member) {
  const auto members = members_of(archive);
  if (member.empty()) {
    refuse_foreign_archive(name, [&](std::string_view ending) {
      return std::ranges::any_of(members,
                                 [&](const auto& entry) { return entry.first.ends_with(ending); });
    });
    if (members.size() == 1) return members.front();
    std::string help;
    if (name.ends_with(".npz") && dimensions_of_all(archive, members) > 1) {
      help = conversion_line(name, "{0}:all reads all as one file of more queries");
    } else {
      help = fmt::format(
          "where each is what one teacher predicts, \1layout predictions reads them together; "
          "where each has some of the queries, what makes one array of them: {}",
          conversion_line(name,
                          R"(python3 -c 'import numpy as n; a = [*n.load("{0}").values()]; )"
                          R"(d = max(x.ndim for x in a); )"
                          R"(n.save("{1}.npy", n.concatenate([x for x in a if x.ndim == d]))')"));
    }
    throw input_error(fmt::format("{}: expected a member, as in {}; the archive has {}; {}", name,
                                  conversion_line(name, "{0}:MEMBER"), list(members, archive),
                                  help));
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

std::vector<std::byte> read_member(zip_t* archive, zip_uint64_t index, const std::string& name,
                                   Room::Kind kind = Room::Kind::any) {
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
  const std::size_t packed = known && (status.valid & ZIP_STAT_COMP_SIZE) != 0
                                 ? static_cast<std::size_t>(status.comp_size)
                                 : kAlwaysFine;
  const Packed from{packed,
                    "write the archive without compression: numpy.savez, or "
                    "scipy.sparse.save_npz(..., compressed=False)"};
  if (known && (status.valid & ZIP_STAT_SIZE) != 0) {
    refuse_bomb(name, static_cast<std::size_t>(status.size), packed, from);
  }
  Room room(name, from, kind);
  for (;;) {
    const std::span<std::byte> rest = room.rest();
    const zip_int64_t count = zip_fread(file.get(), rest.data(), rest.size());
    if (count < 0) {
      throw input_error(fmt::format("{}: corrupt or truncated archive: {}", name,
                                    zip_error_strerror(zip_file_get_error(file.get()))));
    }
    if (count == 0) return room.take();
    room.add(static_cast<std::size_t>(count), packed);
  }
}

bool is_sparse(zip_t* archive) {
  return zip_name_locate(archive, "format.npy", 0) >= 0 &&
         zip_name_locate(archive, "shape.npy", 0) >= 0;
}

// What scipy.sparse.save_npz wrote.
std::shared_ptr<const SparseTable> open_sparse(zip_t* archive, const std::string& name) {
  const auto read = [&](const char* member, Room::Kind kind) {
    const auto [found, index] = find_member(archive, name, member);
    return read_member(archive, index, fmt::format("{}:{}", name, member), kind);
  };
  // The form is an array without dimensions: after the header, whose length is in bytes 8 and 9,
  // one string of one or of four bytes a letter.
  const std::vector<std::byte> format = read("format", Room::Kind::word);
  const std::string_view text = as_text(format);
  std::string form;
  if (text.size() > 10) {
    const std::size_t length =
        std::to_integer<std::size_t>(format[8]) | std::to_integer<std::size_t>(format[9]) << 8U;
    for (const char c : text.substr(std::min(text.size(), 10 + length))) {
      if (c != '\0') form += c;
    }
  }
  if (form != "csr") refuse_sparse(name, printable(form));
  const auto array = [&](const char* member) {
    return std::make_shared<const NpyTable>(fmt::format("{}:{}", name, member),
                                            read(member, Room::Kind::any), "npz");
  };
  return std::make_shared<const SparseTable>(
      name, SparseArrays{array("data"), array("indices"), array("indptr"), array("shape")});
}

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
  return as_text(bytes).starts_with("\x1f\x8b");
}

std::vector<std::byte> gunzip(std::span<const std::byte> bytes, const std::string& name,
                              const Look& look) {
  return Inflater(bytes, name, look).inflate_all();
}

bool is_zip(std::span<const std::byte> bytes) {
  // The first member, or the end of an archive without members.
  return as_text(bytes).starts_with("PK\x03\x04") || as_text(bytes).starts_with("PK\x05\x06");
}

std::shared_ptr<const NumericTable> open_npz_member(std::span<const std::byte> archive,
                                                    const std::string& name,
                                                    std::string_view member,
                                                    const FirstLine& reading) {
  const Archive opened = open_archive(archive, name);
  if (member.empty() && is_sparse(opened.get())) {
    return open_sparse(opened.get(), name);
  }
  const auto open_member = [&](std::string_view called, zip_uint64_t index) {
    // An array that is called "all" keeps its ending: lines in messages take it for that array.
    if (called.ends_with(kSuffix) && called != "all.npy") called.remove_suffix(kSuffix.size());
    std::string table = fmt::format("{}:{}", name, printable(called));
    std::vector<std::byte> contents = read_member(opened.get(), index, table);
    return std::make_shared<const NpyTable>(std::move(table), std::move(contents), "npz",
                                            reading.missing);
  };
  const auto members = members_of(opened.get());
  const bool arrays = std::ranges::all_of(
      members, [](const auto& entry) { return entry.first.ends_with(kSuffix); });
  const bool all =
      member == "all" && members.size() > 1 && std::ranges::none_of(members, [](const auto& entry) {
        return entry.first == "all" || entry.first == "all.npy";
      });
  const auto open_all = [&] {
    std::vector<std::shared_ptr<const NpyTable>> tables;
    for (const auto& [called, index] : members) tables.push_back(open_member(called, index));
    return tables;
  };
  if ((member.empty() || all) && reading.stack_members && arrays && members.size() > 1) {
    return std::make_shared<const StackedTable>(name, open_all());
  }
  if (all) {
    if (dimensions_of_all(opened.get(), members) == 0) {
      throw input_error(fmt::format(
          "{}:all: expected arrays of one shape and dtype, found {}: name one, as in {}", name,
          list(members, opened.get()), conversion_line(name, "{0}:MEMBER")));
    }
    return std::make_shared<const StackedTable>(fmt::format("{}:all", name), open_all(),
                                                StackedTable::Each::has_rows);
  }
  const auto [found, index] = find_member(opened.get(), name, member);
  return open_member(found, index);
}

}  // namespace pate::io
