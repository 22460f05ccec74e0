// SPDX-License-Identifier: Apache-2.0
// Digests through OpenSSL's EVP, with the methods fetched once and contexts kept per thread: a
// look-up by name costs more than a short digest.
#include "base/hash.h"

#include "base/secret_work.h"

#include <openssl/evp.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/assert.h"
#include "base/hmac_sha1.h"

namespace cairn {
namespace {

struct ContextDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, ContextDeleter>;

const EVP_MD* fetch(const char* name) {
  const EVP_MD* method = EVP_MD_fetch(nullptr, name, nullptr);  // lives as long as the process
  CAIRN_ASSERT(method != nullptr);
  return method;
}

const EVP_MD* method_of(DigestKind kind) {
  static const EVP_MD* const methods[] = {fetch("MD5"), fetch("SHA1"), fetch("SHA256"),
                                          fetch("SHA512")};
  return methods[static_cast<int>(kind)];
}

Context start(DigestKind kind) {
  Context context(EVP_MD_CTX_new());
  CAIRN_ASSERT(context != nullptr);
  CAIRN_ASSERT(EVP_DigestInit_ex2(context.get(), method_of(kind), nullptr) == 1);
  return context;
}

// The context of this thread for `kind`, ready for a new digest.
EVP_MD_CTX* thread_context(DigestKind kind) {
  thread_local Context contexts[4];
  Context& context = contexts[static_cast<int>(kind)];
  if (context == nullptr) {
    context = start(kind);
  } else {
    CAIRN_ASSERT(EVP_DigestInit_ex2(context.get(), nullptr, nullptr) == 1);
  }
  return context.get();
}

void feed(EVP_MD_CTX* context, std::string_view bytes) {
  CAIRN_ASSERT(EVP_DigestUpdate(context, bytes.data(), bytes.size()) == 1);
}

std::string take(EVP_MD_CTX* context) {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  CAIRN_ASSERT(EVP_DigestFinal_ex(context, bytes, &size) == 1);
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

}  // namespace

struct Digest::Impl {
  Context context;
};

Digest::Digest(DigestKind kind) : impl_(std::make_unique<Impl>(Impl{start(kind)})) {}
Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

void Digest::update(std::string_view bytes) { feed(impl_->context.get(), bytes); }
std::string Digest::finish() { return take(impl_->context.get()); }

std::string digest(DigestKind kind, std::string_view bytes) {
  secret_work().digested_bytes += bytes.size();
  EVP_MD_CTX* context = thread_context(kind);
  feed(context, bytes);
  return take(context);
}

namespace {

// Both digests work on blocks of 64 bytes.
std::string hmac(DigestKind kind, std::string_view key, std::string_view bytes) {
  constexpr std::size_t block = 64;
  std::string inner_pad(block, '\x36');
  std::string outer_pad(block, '\x5c');
  const std::string short_key = key.size() > block ? digest(kind, key) : std::string(key);
  for (std::size_t i = 0; i < short_key.size(); ++i) {
    inner_pad[i] = static_cast<char>(inner_pad[i] ^ short_key[i]);
    outer_pad[i] = static_cast<char>(outer_pad[i] ^ short_key[i]);
  }
  EVP_MD_CTX* context = thread_context(kind);
  feed(context, inner_pad);
  feed(context, bytes);
  const std::string inner = take(context);
  context = thread_context(kind);
  feed(context, outer_pad);
  feed(context, inner);
  return take(context);
}

}  // namespace

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  return hmac(DigestKind::sha256, key, bytes);
}

std::string hmac_sha1(std::string_view key, std::string_view bytes) {
  return hmac(DigestKind::sha1, key, bytes);
}

std::uint64_t fast_hash(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::array<std::uint64_t, 2> fast_hash_128(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

}  // namespace cairn
