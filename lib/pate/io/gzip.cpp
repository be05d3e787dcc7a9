#include "pate/io/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>

#include "pate/error.hpp"

namespace pate::io {

namespace {

constexpr std::size_t kInputPiece = std::size_t{1} << 30U;  // zlib counts in 32 bits
constexpr std::size_t kLeastRoom = std::size_t{1} << 16U;
constexpr std::size_t kBestRatio = 1032;  // of deflate

// What the last four bytes say the last member inflates to, modulo 2^32; a hint and no more.
std::size_t expected_size(std::span<const std::byte> bytes) {
  if (bytes.size() < 18) return 0;  // an empty file's size
  std::size_t size = 0;
  for (std::size_t i = 1; i <= 4; ++i) {
    size = size << 8U | std::to_integer<std::size_t>(bytes[bytes.size() - i]);
  }
  return size > bytes.size() * kBestRatio ? 0 : size;
}

class Inflater {
 public:
  Inflater(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes), name_(name) {
    constexpr int kGzip = 16;
    if (inflateInit2(&stream_, kGzip + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  std::vector<std::byte> inflate_all() {
    out_.resize(std::max(expected_size(bytes_), kLeastRoom));
    for (;;) {
      inflate_member();
      const auto rest = bytes_.subspan(taken_);
      const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
      if (std::all_of(rest.begin(), rest.end(), is_zero)) break;
      if (!is_gzip(rest)) fail("corrupt", "expected the end or another gzip member");
      inflateReset(&stream_);
    }
    out_.resize(filled_);
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const char* kind, const char* what) const {
    throw input_error(fmt::format("{}: {} gzip file: {} at byte {} of {}", name_, kind, what,
                                  taken_, bytes_.size()));
  }

  void inflate_member() {
    for (;;) {
      if (filled_ == out_.size()) out_.resize(out_.size() + out_.size() / 2);
      const std::size_t input = std::min(bytes_.size() - taken_, kInputPiece);
      const std::size_t room = std::min(out_.size() - filled_, kInputPiece);
      // zlib only reads what next_in points to. NOLINTBEGIN(*-const-cast,*-reinterpret-cast)
      stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes_.data() + taken_));
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data() + filled_);
      // NOLINTEND(*-const-cast,*-reinterpret-cast)
      stream_.avail_in = static_cast<uInt>(input);
      stream_.avail_out = static_cast<uInt>(room);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      taken_ += input - stream_.avail_in;
      filled_ += room - stream_.avail_out;
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
  z_stream stream_{};
  std::vector<std::byte> out_;
  std::size_t taken_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

std::vector<std::byte> gunzip(std::span<const std::byte> bytes, const std::string& name) {
  return Inflater(bytes, name).inflate_all();
}

}  // namespace pate::io
