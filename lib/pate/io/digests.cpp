#include "pate/io/digests.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "pate/error.hpp"

namespace pate::io {

namespace {

// Throws where there is no room.
void require_memory() {
  constexpr std::size_t kEnough = std::size_t{1} << 22U;
  const std::vector<std::byte> memory(kEnough);
}

// The library does not always say that it failed for lack of memory.
void require(bool done) {
  if (done) return;
  if (ERR_GET_REASON(ERR_peek_last_error()) == ERR_R_MALLOC_FAILURE) throw std::bad_alloc();
  require_memory();
  throw error("SHA-256: the cryptographic library failed");
}

constexpr std::int64_t kValuesPerPiece = 1 << 16;

void update(Sha256& digest, std::vector<std::int64_t>& values) {
  if constexpr (std::endian::native == std::endian::big) {
    for (std::int64_t& value : values)
      value = static_cast<std::int64_t>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
  }
  digest.update(std::as_bytes(std::span(values)));
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const {
  EVP_MD_CTX_free(context);
}

void load_digests() {
  // Once. Without memory to load its parts the library may crash.
  static const std::string empty = [] {
    require_memory();
    return sha256_hex({});
  }();
}

Sha256::Context Sha256::new_context() {
  Context context(EVP_MD_CTX_new());
  require(context != nullptr);
  return context;
}

Sha256::Sha256() {
  require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256::update(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex_digest() const {
  // Finishing spoils a context, so a copy is finished.
  const Context copy = new_context();
  require(EVP_MD_CTX_copy_ex(copy.get(), context_.get()) == 1);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  require(EVP_DigestFinal_ex(copy.get(), digest.data(), &size) == 1);
  return fmt::format("{:02x}", fmt::join(std::span(digest).first(size), ""));
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex_digest();
}

std::string votes_digest(const VoteSource& votes, const RowSelection& rows) {
  Sha256 digest;
  const std::int64_t classes = votes.classes();
  const bool empty = classes >= kClassesMostlyEmpty;
  std::vector<std::int64_t> wide{rows.size(), classes};
  if (empty) wide.push_back(-1);
  update(digest, wide);
  const std::int64_t values = empty ? std::max<std::int64_t>(1, votes.teachers()) : classes;
  const std::int64_t piece =
      rows.is_contiguous()
          ? std::max<std::int64_t>(1, kValuesPerPiece / std::max<std::int64_t>(1, values))
          : 1;
  std::vector<std::int32_t> counts;
  for (std::int64_t first = 0; first < rows.size(); first += piece) {
    const std::int64_t count = std::min(piece, rows.size() - first);
    if (empty) {
      wide.clear();
      for (const ClassVotes& voted : votes.read_voted(rows[first], count)) {
        wide.insert(wide.end(), {first + voted.query - rows[first], voted.id, voted.votes});
      }
    } else {
      counts.resize(static_cast<std::size_t>(count * classes));
      votes.read(rows[first], count, counts);
      wide.assign(counts.begin(), counts.end());
    }
    update(digest, wide);
  }
  return digest.hex_digest();
}

}  // namespace pate::io
