// SPDX-License-Identifier: Apache-2.0
// AES-256-GCM by OpenSSL: 12 random bytes of nonce, the ciphertext, 16 bytes of tag.
#include "auth/secrets/seal.h"

#include <openssl/evp.h>

#include <memory>

#include "base/assert.h"
#include "base/encode.h"
#include "base/strings.h"
#include "os/files/secret_file.h"

namespace cairn::auth {
namespace {

constexpr std::size_t key_bytes = 32;
constexpr std::size_t nonce_bytes = 12;
constexpr std::size_t tag_bytes = 16;

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

Cipher new_cipher() {
  Cipher cipher(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  CAIRN_ASSERT(cipher != nullptr);
  return cipher;
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
int length_of(std::string_view text) { return static_cast<int>(text.size()); }

}  // namespace

Result<Seal> Seal::open(const std::string& path, os::Random& random) {
  CAIRN_TRY(const auto text, os::read_secret_file(path));
  if (!text) {
    std::string key = random.bytes(key_bytes);
    CAIRN_CHECK(os::write_secret_file(path, to_base64(key) + "\n"));
    return Seal(std::move(key));
  }
  auto key = from_base64(trim(*text));
  if (!key || key->size() != key_bytes)
    return Error{ErrorKind::corrupt,
                 {},
                 path +
                     " holds no master key (32 bytes in base64); restore it from a backup, since "
                     "object-storage secrets can be read with the same key only"};
  return Seal(std::move(*key));
}

std::string Seal::seal(std::string_view secret, std::string_view context,
                       os::Random& random) const {
  const std::string nonce = random.bytes(nonce_bytes);
  const Cipher cipher = new_cipher();
  std::string out(secret.size(), '\0');
  std::string tag(tag_bytes, '\0');
  int written = 0;
  const bool ok =
      EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(std::string_view(key_)),
                         bytes_of(std::string_view(nonce))) == 1 &&
      EVP_EncryptUpdate(cipher.get(), nullptr, &written, bytes_of(context), length_of(context)) ==
          1 &&
      EVP_EncryptUpdate(cipher.get(), bytes_of(out), &written, bytes_of(secret),
                        length_of(secret)) == 1 &&
      EVP_EncryptFinal_ex(cipher.get(), bytes_of(tag), &written) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, tag_bytes, tag.data()) == 1;
  CAIRN_ASSERT(ok);
  return nonce + out + tag;
}

Result<std::string> Seal::unseal(std::string_view sealed, std::string_view context) const {
  const Error corrupt{ErrorKind::corrupt,
                      {},
                      "a sealed secret does not open: it was sealed under another master key, or "
                      "changed"};
  if (sealed.size() < nonce_bytes + tag_bytes) return corrupt;
  const std::string_view nonce = sealed.substr(0, nonce_bytes);
  const std::string_view text = sealed.substr(nonce_bytes, sealed.size() - nonce_bytes - tag_bytes);
  std::string tag(sealed.substr(sealed.size() - tag_bytes));
  const Cipher cipher = new_cipher();
  std::string out(text.size(), '\0');
  std::string rest(tag_bytes, '\0');
  int written = 0;
  const bool ok =
      EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(std::string_view(key_)),
                         bytes_of(nonce)) == 1 &&
      EVP_DecryptUpdate(cipher.get(), nullptr, &written, bytes_of(context), length_of(context)) ==
          1 &&
      EVP_DecryptUpdate(cipher.get(), bytes_of(out), &written, bytes_of(text), length_of(text)) ==
          1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, tag_bytes, tag.data()) == 1 &&
      EVP_DecryptFinal_ex(cipher.get(), bytes_of(rest), &written) == 1;
  if (!ok) return corrupt;
  return out;
}

}  // namespace cairn::auth
