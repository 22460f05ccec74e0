// SPDX-License-Identifier: Apache-2.0
#include "objectstore/cipher.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "os/random.h"
#include "s3/errors.h"

namespace cairn::objectstore {
namespace {

constexpr std::size_t key_bytes = 32;
constexpr std::size_t nonce_bytes = 12;
constexpr std::size_t salt_bytes = 16;

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

const unsigned char* data(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* data(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

Error cipher_fault() {
  return {.kind = ErrorKind::internal, .message = "the cipher of the library failed"};
}

Error changed() {
  return {.kind = ErrorKind::corrupt, .message = "an encrypted body does not verify"};
}

/// Appends ciphertext and tag.
Status gcm_seal(EVP_CIPHER_CTX* context, std::string_view nonce, std::string_view about,
                std::string_view plain, std::string& out) {
  const std::size_t at = out.size();
  out.resize(at + plain.size() + seal_bytes);
  int count = 0;
  bool ok = EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, data(nonce)) == 1;
  if (!about.empty())
    ok = ok && EVP_EncryptUpdate(context, nullptr, &count, data(about),
                                 static_cast<int>(about.size())) == 1;
  ok = ok && EVP_EncryptUpdate(context, data(out) + at, &count, data(plain),
                               static_cast<int>(plain.size())) == 1;
  ok = ok && EVP_EncryptFinal_ex(context, data(out) + at + plain.size(), &count) == 1;
  ok = ok && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, seal_bytes,
                                 data(out) + at + plain.size()) == 1;
  return ok ? ok_status() : Status(cipher_fault());
}

/// Appends the plain bytes.
Status gcm_unseal(EVP_CIPHER_CTX* context, std::string_view nonce, std::string_view about,
                  std::string_view sealed, std::string& out) {
  if (sealed.size() < seal_bytes) return changed();
  const std::string_view cipher = sealed.substr(0, sealed.size() - seal_bytes);
  std::string tag(sealed.substr(cipher.size()));
  const std::size_t at = out.size();
  out.resize(at + cipher.size());
  int count = 0;
  unsigned char none[16];
  bool ok = EVP_DecryptInit_ex(context, nullptr, nullptr, nullptr, data(nonce)) == 1;
  if (!about.empty())
    ok = ok && EVP_DecryptUpdate(context, nullptr, &count, data(about),
                                 static_cast<int>(about.size())) == 1;
  ok = ok && EVP_DecryptUpdate(context, data(out) + at, &count, data(cipher),
                               static_cast<int>(cipher.size())) == 1;
  ok = ok && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, seal_bytes, data(tag)) == 1;
  if (!ok) return cipher_fault();
  if (EVP_DecryptFinal_ex(context, none, &count) == 1) return ok_status();
  out.resize(at);
  return changed();
}

Context gcm(std::string_view key, bool seals) {
  Context context(EVP_CIPHER_CTX_new());
  EVP_CipherInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, data(key), nullptr, seals ? 1 : 0);
  return context;
}

std::string nonce_of(std::uint64_t stream, std::uint64_t chunk) {
  std::string nonce;
  put_u64be(nonce, stream);
  put_u32be(nonce, static_cast<std::uint32_t>(chunk));
  return nonce;
}

}  // namespace

struct BodyCipher::Impl {
  std::string key;
  Context sealing, unsealing;
  Context outer = {};  // the second layer, where there is one

  ~Impl() { OPENSSL_cleanse(key.data(), key.size()); }
  bool two_layers() const { return key.size() == 2 * key_bytes; }

  Status run_outer(const std::string& nonce, unsigned char* bytes, std::size_t size) {
    const std::string start = nonce + std::string(4, '\0');
    int count = 0;
    const bool ok =
        EVP_EncryptInit_ex(outer.get(), EVP_aes_256_ctr(), nullptr, data(key) + key_bytes,
                           data(std::string_view(start))) == 1 &&
        EVP_EncryptUpdate(outer.get(), bytes, &count, bytes, static_cast<int>(size)) == 1;
    return ok ? ok_status() : Status(cipher_fault());
  }
};

BodyCipher::BodyCipher(std::string key) : impl_(std::make_unique<Impl>()) {
  impl_->key = std::move(key);
  const auto first = std::string_view(impl_->key).substr(0, key_bytes);
  impl_->sealing = gcm(first, true);
  impl_->unsealing = gcm(first, false);
  if (impl_->two_layers()) impl_->outer.reset(EVP_CIPHER_CTX_new());
}
BodyCipher::~BodyCipher() = default;
BodyCipher::BodyCipher(BodyCipher&&) noexcept = default;
BodyCipher& BodyCipher::operator=(BodyCipher&&) noexcept = default;

Status BodyCipher::seal(std::uint64_t stream, std::uint64_t chunk, std::string_view plain,
                        std::string& out) {
  const std::string nonce = nonce_of(stream, chunk);
  const std::size_t at = out.size();
  CAIRN_CHECK(gcm_seal(impl_->sealing.get(), nonce, {}, plain, out));
  if (!impl_->two_layers()) return ok_status();
  return impl_->run_outer(nonce, data(out) + at, out.size() - at);
}

Status BodyCipher::unseal(std::uint64_t stream, std::uint64_t chunk, std::string_view sealed,
                          std::string& out) {
  const std::string nonce = nonce_of(stream, chunk);
  if (!impl_->two_layers()) return gcm_unseal(impl_->unsealing.get(), nonce, {}, sealed, out);
  std::string inner(sealed);
  CAIRN_CHECK(impl_->run_outer(nonce, data(inner), inner.size()));
  return gcm_unseal(impl_->unsealing.get(), nonce, {}, inner, out);
}

std::string seal_secret(std::string_view key, std::string_view secret, std::string_view context) {
  std::string out = os::system_random().bytes(nonce_bytes);
  const std::string nonce = out;
  const Context cipher = gcm(key, true);
  if (!gcm_seal(cipher.get(), nonce, context, secret, out).ok()) out.clear();
  return out;
}

Result<std::string> unseal_secret(std::string_view key, std::string_view sealed,
                                  std::string_view context) {
  if (sealed.size() < nonce_bytes) return changed();
  std::string out;
  const Context cipher = gcm(key, false);
  CAIRN_CHECK(gcm_unseal(cipher.get(), sealed.substr(0, nonce_bytes), context,
                         sealed.substr(nonce_bytes), out));
  return out;
}

namespace {

// Of a customer's key only a salt, a keyed hash that tells it from another one, and the data key
// under a key that follows from it are kept.
std::string customer_check(std::string_view key, std::string_view salt) {
  return hmac_sha256(key, std::string(salt) + "check");
}
std::string customer_wrap(std::string_view key, std::string_view salt) {
  return hmac_sha256(key, std::string(salt) + "seal");
}

Error key_missing() {
  return s3::error("InvalidRequest",
                   "The object was stored using a form of Server Side Encryption. The correct "
                   "parameters must be provided to retrieve the object.");
}

Error key_in_vain() {
  return s3::error("InvalidRequest",
                   "The encryption parameters are not applicable to this object.");
}

Error no_ring() {
  return {.kind = ErrorKind::unsupported, .message = "no key is configured for encryption at rest"};
}

}  // namespace

Result<DataKey> make_data_key(KeyRing* ring, const EncryptionRequest& wanted) {
  const bool two = wanted.how.method == s3::EncryptionMethod::kms_dsse;
  DataKey made{.key = os::system_random().bytes(two ? 2 * key_bytes : key_bytes), .sealed = {}};
  if (wanted.how.method == s3::EncryptionMethod::customer) {
    if (!wanted.customer_key || wanted.customer_key->size() != key_bytes)
      return s3::error("InvalidArgument",
                       "The secret key was invalid for the specified algorithm.");
    made.sealed = os::system_random().bytes(salt_bytes);
    const std::string salt = made.sealed;
    made.sealed += customer_check(*wanted.customer_key, salt);
    made.sealed += seal_secret(customer_wrap(*wanted.customer_key, salt), made.key, salt);
    return made;
  }
  if (ring == nullptr) return no_ring();
  CAIRN_TRY(made.sealed, ring->seal(wanted.how, made.key));
  return made;
}

Result<std::string> open_data_key(KeyRing* ring, const s3::Encryption& how, std::string_view sealed,
                                  const std::optional<std::string>& customer_key) {
  if (how.method != s3::EncryptionMethod::customer) {
    if (customer_key) return key_in_vain();
    if (how.method == s3::EncryptionMethod::none) return std::string();
    if (ring == nullptr) return no_ring();
    return ring->unseal(how, sealed);
  }
  if (!customer_key) return key_missing();
  if (sealed.size() < salt_bytes + key_bytes) return changed();
  const std::string_view salt = sealed.substr(0, salt_bytes);
  const std::string check = customer_check(*customer_key, salt);
  if (CRYPTO_memcmp(check.data(), sealed.data() + salt_bytes, key_bytes) != 0)
    return s3::error("AccessDenied");
  return unseal_secret(customer_wrap(*customer_key, salt), sealed.substr(salt_bytes + key_bytes),
                       salt);
}

Result<std::string> MasterKeyRing::seal(const s3::Encryption& how, std::string_view data_key) {
  if (how.method != s3::EncryptionMethod::aes256)
    return Error{.kind = ErrorKind::unsupported, .message = "there is no key service"};
  return seal_secret(key_, data_key, "data key");
}

Result<std::string> MasterKeyRing::unseal(const s3::Encryption& how, std::string_view sealed) {
  if (how.method != s3::EncryptionMethod::aes256)
    return Error{.kind = ErrorKind::unsupported, .message = "there is no key service"};
  return unseal_secret(key_, sealed, "data key");
}

}  // namespace cairn::objectstore
