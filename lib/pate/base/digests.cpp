#include "pate/base/digests.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <new>
#include <vector>

#include "pate/base/error.hpp"

namespace pate::io {

namespace {

// Throws where there is no room.
void require_memory() {
  constexpr std::size_t kEnough = std::size_t{1} << 22U;
  const std::vector<std::byte> memory(kEnough);
}

// Whether the library can make a digest now.
bool works() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  return EVP_Digest("", 0, digest.data(), &size, EVP_sha256(), nullptr) == 1;
}

// The library does not always say that it failed for lack of memory: then it works the next time.
void require(bool done) {
  if (done) return;
  if (ERR_GET_REASON(ERR_peek_last_error()) == ERR_R_MALLOC_FAILURE) throw std::bad_alloc();
  require_memory();
  if (works()) throw std::bad_alloc();
  throw error("SHA-256: the cryptographic library failed");
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

}  // namespace pate::io
