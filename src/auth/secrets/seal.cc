// SPDX-License-Identifier: Apache-2.0
// AES-256-GCM by OpenSSL: 12 random bytes of nonce, the ciphertext, 16 bytes of tag.
#include "auth/secrets/seal.h"

#include <openssl/evp.h>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/encode.h"
#include "base/strings.h"
#include "os/files/secret_file.h"
#include "os/snapshot.h"

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

/// Nothing where it does not open.
std::optional<std::string> unseal_under(std::string_view key, std::string_view sealed,
                                        std::string_view context) {
  if (sealed.size() < nonce_bytes + tag_bytes) return std::nullopt;
  const std::string_view nonce = sealed.substr(0, nonce_bytes);
  const std::string_view text = sealed.substr(nonce_bytes, sealed.size() - nonce_bytes - tag_bytes);
  std::string tag(sealed.substr(sealed.size() - tag_bytes));
  const Cipher cipher = new_cipher();
  std::string out(text.size(), '\0');
  std::string rest(tag_bytes, '\0');
  int written = 0;
  const bool ok =
      EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key),
                         bytes_of(nonce)) == 1 &&
      EVP_DecryptUpdate(cipher.get(), nullptr, &written, bytes_of(context), length_of(context)) ==
          1 &&
      EVP_DecryptUpdate(cipher.get(), bytes_of(out), &written, bytes_of(text), length_of(text)) ==
          1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, tag_bytes, tag.data()) == 1 &&
      EVP_DecryptFinal_ex(cipher.get(), bytes_of(rest), &written) == 1;
  if (!ok) return std::nullopt;
  return out;
}

using KeyList = std::vector<std::string>;  // the first one seals

/// The keys in the lines of a text; nothing where a line is none.
std::optional<KeyList> keys_in(std::string_view text) {
  KeyList keys;
  for (const std::string_view line : split(trim(text), '\n')) {
    auto key = from_base64(trim(line));
    if (!key || key->size() != key_bytes) return std::nullopt;
    keys.push_back(std::move(*key));
  }
  return keys;
}

}  // namespace

struct Seal::Keys {
  Keys(std::string file, KeyFileSeal sealed, KeyList keys)
      : path(std::move(file)),
        file_seal(std::move(sealed)),
        list(std::make_shared<const KeyList>(std::move(keys))) {}
  const std::string path;  // empty: of a test
  const KeyFileSeal file_seal;
  std::mutex changing;
  os::Snapshot<KeyList> list;

  Status write(const KeyList& keys) const {
    if (path.empty()) return ok_status();
    std::string text;
    for (const std::string& key : keys) text += to_base64(key) + "\n";
    if (file_seal.seal) {
      auto sealed = file_seal.seal(text);
      if (!sealed.ok()) return with_context(std::move(sealed).error(), path);
      text = std::move(*sealed);
    }
    return os::write_secret_file(path, text);
  }

  /// The file before the memory: what a process has sealed opens after a crash.
  Status replace(KeyList keys) {
    CAIRN_CHECK(write(keys));
    list.replace(std::make_shared<const KeyList>(std::move(keys)));
    return ok_status();
  }
};

Seal::Seal(std::string key)
    : keys_(std::make_shared<Keys>(std::string(), KeyFileSeal(), KeyList{std::move(key)})) {}

Result<Seal> Seal::open(const std::string& path, os::Random& random, KeyFileSeal file) {
  CAIRN_TRY(const auto text, os::read_secret_file(path));
  if (!text) {
    const auto keys =
        std::make_shared<Keys>(path, std::move(file), KeyList{random.bytes(key_bytes)});
    CAIRN_CHECK(keys->write(*keys->list.read()));
    return Seal(keys);
  }
  const auto plain = keys_in(*text);
  if (!file.open) {
    if (plain) return Seal(std::make_shared<Keys>(path, std::move(file), *plain));
    return Error{ErrorKind::corrupt,
                 {},
                 path +
                     " holds no master key (32 bytes in base64); restore it from a backup, since "
                     "object-storage secrets can be read with the same key only"};
  }
  if (plain) {  // the service was named since
    const auto keys = std::make_shared<Keys>(path, std::move(file), *plain);
    CAIRN_CHECK(keys->write(*plain));
    return Seal(keys);
  }
  auto opened = file.open(*text);
  if (!opened.ok()) return with_context(std::move(opened).error(), path);
  const auto keys = keys_in(*opened);
  if (keys) return Seal(std::make_shared<Keys>(path, std::move(file), *keys));
  return Error{ErrorKind::corrupt,
               {},
               path + ": what the key service opened is no master key (32 bytes in base64)"};
}

std::size_t Seal::older_keys() const { return keys_->list.read()->size() - 1; }

Status Seal::begin_change(os::Random& random) {
  const std::lock_guard lock(keys_->changing);
  KeyList keys = *keys_->list.read();
  if (keys.size() > 1)
    return Error{ErrorKind::conflict, {}, "the master key is being changed already"};
  keys.insert(keys.begin(), random.bytes(key_bytes));
  return keys_->replace(std::move(keys));
}

Status Seal::end_change() {
  const std::lock_guard lock(keys_->changing);
  KeyList keys = *keys_->list.read();
  if (keys.size() == 1) return ok_status();
  keys.resize(1);
  return keys_->replace(std::move(keys));
}

std::string Seal::seal(std::string_view secret, std::string_view context,
                       os::Random& random) const {
  const auto keys = keys_->list.read();
  const std::string_view key = keys->front();
  const std::string nonce = random.bytes(nonce_bytes);
  const Cipher cipher = new_cipher();
  std::string out(secret.size(), '\0');
  std::string tag(tag_bytes, '\0');
  int written = 0;
  const bool ok =
      EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key),
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
  const auto keys = keys_->list.read();
  for (const std::string& key : *keys)
    if (auto secret = unseal_under(key, sealed, context)) return *std::move(secret);
  return Error{ErrorKind::corrupt,
               {},
               "a sealed secret does not open: it was sealed under another master key, or "
               "changed"};
}

}  // namespace cairn::auth
