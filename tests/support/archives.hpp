#pragma once

#include <zip.h>
#include <zlib.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pate::test {

/// One gzip member that inflates to `contents`.
inline std::string gzip_member(std::string_view contents, int level = Z_BEST_SPEED) {
  z_stream stream{};
  constexpr int kGzip = 16;
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzip + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
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
  // libzip writes nothing for an archive without members.
  if (members.empty()) return std::string("PK\x05\x06", 4).append(18, '\0');
  const auto check = [](bool well) {
    if (!well) throw std::runtime_error("libzip failed");
  };
  zip_source_t* const bytes = zip_source_buffer_create(nullptr, 0, 0, nullptr);
  check(bytes != nullptr);
  zip_source_keep(bytes);
  zip_t* const archive = zip_open_from_source(bytes, ZIP_TRUNCATE, nullptr);
  check(archive != nullptr);
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
    check(index >= 0);
    if (!member.password.empty()) {
      zip_file_set_encryption(archive, static_cast<zip_uint64_t>(index), ZIP_EM_AES_256,
                              member.password.c_str());
    }
  }
  check(zip_close(archive) == 0);
  zip_stat_t status;
  check(zip_source_stat(bytes, &status) == 0 && zip_source_open(bytes) == 0);
  std::string written(status.size, '\0');
  check(std::cmp_equal(zip_source_read(bytes, written.data(), written.size()), written.size()));
  zip_source_close(bytes);
  zip_source_free(bytes);
  return written;
}

}  // namespace pate::test
