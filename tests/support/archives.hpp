#pragma once

#include <zip.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/temp_directory.hpp"

namespace pate::test {

/// One gzip member that inflates to `contents`.
inline std::string gzip_member(std::string_view contents) {
  z_stream stream{};
  constexpr int kGzip = 16;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::runtime_error("deflateInit2 failed");
  }
  std::string in(contents);
  std::string out(deflateBound(&stream, static_cast<uLong>(in.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate failed");
  return out;
}

struct ZipMember {
  std::string name;
  std::string contents;
  std::int32_t method = ZIP_CM_DEFLATE;  ///< numpy.savez: ZIP_CM_STORE
  std::string password = {};             ///< not empty: encrypted
};

/// The bytes of a zip archive.
inline std::string zip_archive(const std::vector<ZipMember>& members) {
  const TempDirectory directory;
  const std::string path = (directory / "archive").string();
  int code = 0;
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (archive == nullptr) throw std::runtime_error("zip_open failed");
  for (const ZipMember& member : members) {
    zip_int64_t index = 0;
    if (member.name.ends_with('/')) {
      index = zip_dir_add(archive, member.name.c_str(), ZIP_FL_ENC_UTF_8);
    } else {
      zip_source_t* const source =
          zip_source_buffer(archive, member.contents.data(), member.contents.size(), 0);
      index = zip_file_add(archive, member.name.c_str(), source, ZIP_FL_ENC_UTF_8);
      zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), member.method, 0);
    }
    if (index < 0) throw std::runtime_error("zip_file_add failed");
    if (!member.password.empty()) {
      zip_file_set_encryption(archive, static_cast<zip_uint64_t>(index), ZIP_EM_AES_256,
                              member.password.c_str());
    }
  }
  if (zip_close(archive) != 0) throw std::runtime_error("zip_close failed");
  // libzip writes no file for an archive without members.
  if (members.empty()) return std::string("PK\x05\x06", 4).append(18, '\0');
  return read_bytes(path);
}

}  // namespace pate::test
