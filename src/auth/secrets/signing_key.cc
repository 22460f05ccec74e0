// SPDX-License-Identifier: Apache-2.0
#include "auth/secrets/signing_key.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <utility>

#include "base/assert.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/held.h"
#include "os/files/secret_file.h"

namespace cairn::auth {
namespace {

using HeldEdKey = Held<EVP_PKEY, EVP_PKEY_free>;
using HeldEdDigest = Held<EVP_MD_CTX, EVP_MD_CTX_free>;
using HeldBio = Held<BIO, BIO_free_all>;

constexpr std::size_t ed_key_bytes = 32;
constexpr std::size_t ed_signature_bytes = 64;

const unsigned char* ed_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string id_of(std::string_view public_raw) { return to_hex(sha256(public_raw)).substr(0, 16); }

std::string pem_in(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return std::string(text, static_cast<std::size_t>(size));
}

HeldBio bio_of(std::string_view text) {
  return HeldBio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

template <class Get>
std::string raw_part(const EVP_PKEY* key, Get get) {
  std::string raw(ed_key_bytes, '\0');
  std::size_t size = raw.size();
  if (get(key, reinterpret_cast<unsigned char*>(raw.data()), &size) != 1) return {};
  raw.resize(size);
  return raw;
}

std::string private_pem(const EVP_PKEY* key) {
  const HeldBio bio(BIO_new(BIO_s_mem()));
  CAIRN_ASSERT(bio != nullptr && PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0,
                                                               nullptr, nullptr) == 1);
  return pem_in(bio.get());
}

}  // namespace

Result<SigningKey> SigningKey::of_seed(std::string_view seed) {
  const HeldEdKey key(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, ed_bytes(seed), seed.size()));
  if (key == nullptr) return Error{ErrorKind::corrupt, {}, "a key of Ed25519 has 32 bytes"};
  const HeldBio bio(BIO_new(BIO_s_mem()));
  CAIRN_ASSERT(bio != nullptr && PEM_write_bio_PUBKEY(bio.get(), key.get()) == 1);
  SigningKey out;
  out.seed_ = seed;
  out.public_pem_ = pem_in(bio.get());
  out.id_ = id_of(raw_part(key.get(), EVP_PKEY_get_raw_public_key));
  return out;
}

Result<SigningKey> SigningKey::open(const std::string& path, os::Random& random) {
  CAIRN_TRY(auto kept, read(path));
  if (kept) return *std::move(kept);
  const std::string seed = random.bytes(ed_key_bytes);
  const HeldEdKey key(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, ed_bytes(seed), seed.size()));
  CAIRN_ASSERT(key != nullptr);
  CAIRN_TRY(SigningKey drawn, of_seed(seed));
  // With the public half, without which a damaged key would be another key.
  CAIRN_CHECK(os::write_secret_file(path, private_pem(key.get()) + drawn.public_pem()));
  return drawn;
}

Result<std::optional<SigningKey>> SigningKey::read(const std::string& path) {
  CAIRN_TRY(const auto text, os::read_secret_file(path));
  if (!text) return std::optional<SigningKey>();
  const HeldBio bio = bio_of(*text);
  const HeldEdKey key(
      bio == nullptr ? nullptr : PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  const bool is_one = key != nullptr && EVP_PKEY_get_id(key.get()) == EVP_PKEY_ED25519;
  auto out = of_seed(is_one ? raw_part(key.get(), EVP_PKEY_get_raw_private_key) : std::string());
  if (!out.ok() || text->find(out->public_pem()) == std::string::npos)
    return Error{ErrorKind::corrupt,
                 {},
                 path +
                     " holds no private key of Ed25519 with its public key; move it away, and a "
                     "new one is made: what was signed before is verified with the old public "
                     "key"};
  return std::optional(*std::move(out));
}

std::string SigningKey::sign(std::string_view text) const {
  const HeldEdKey key(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, ed_bytes(seed_), seed_.size()));
  const HeldEdDigest context(EVP_MD_CTX_new());
  std::string out(ed_signature_bytes, '\0');
  std::size_t size = out.size();
  CAIRN_ASSERT(key != nullptr && context != nullptr &&
               EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
               EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size,
                              ed_bytes(text), text.size()) == 1);
  return out;
}

Result<VerifyingKey> VerifyingKey::parse(std::string_view pem) {
  const HeldBio bio = bio_of(pem);
  const HeldEdKey key(bio == nullptr ? nullptr
                                     : PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr));
  if (key == nullptr || EVP_PKEY_get_id(key.get()) != EVP_PKEY_ED25519)
    return Error{ErrorKind::invalid_argument, {}, "no public key of Ed25519 (PEM) is in it"};
  VerifyingKey out;
  out.raw_ = raw_part(key.get(), EVP_PKEY_get_raw_public_key);
  out.id_ = id_of(out.raw_);
  return out;
}

bool VerifyingKey::verifies(std::string_view text, std::string_view signature) const {
  const HeldEdKey key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, ed_bytes(raw_), raw_.size()));
  const HeldEdDigest context(EVP_MD_CTX_new());
  return key != nullptr && context != nullptr &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), ed_bytes(signature), signature.size(), ed_bytes(text),
                          text.size()) == 1;
}

}  // namespace cairn::auth
