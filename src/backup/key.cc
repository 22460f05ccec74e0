// SPDX-License-Identifier: Apache-2.0
#include "backup/key.h"

#include <utility>

#include "base/compress.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "objectstore/cipher.h"

namespace cairn::backup {
namespace {

constexpr std::string_view title = "cairn-backup-key-1:";
constexpr std::size_t key_bytes = 32;
constexpr std::size_t probe_bytes = 64 << 10;
constexpr char as_it_is = 'p';
constexpr char compressed = 'z';

/// Bytes that are compressed or encrypted already do not get shorter: a part of them tells.
bool compresses(std::string_view plain) {
  const std::string_view part = plain.substr(0, probe_bytes);
  return zstd(part, 1).size() < part.size() - part.size() / 16;
}

}  // namespace

Key::Key(std::string secret)
    : secret_(std::move(secret)), naming_(hmac_sha256(secret_, "names of pieces")) {}

Key Key::draw(os::Random& random) { return Key(random.bytes(key_bytes)); }

Result<Key> Key::parse(std::string_view text) {
  text = trim(text);
  if (text.starts_with(title)) {
    if (const auto secret = from_base64(text.substr(title.size()));
        secret && secret->size() == key_bytes)
      return Key(*secret);
  }
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "no key of a backup: it is one line, [" + std::string(title) +
                          "] and 44 characters, as `cairn backup init` writes it"};
}

std::string Key::text() const { return std::string(title) + to_base64(secret_) + "\n"; }

std::string Key::name_of(std::string_view plain) const {
  return to_hex(hmac_sha256(naming_, plain));
}

std::string Key::seal(std::string_view plain, std::string_view context) const {
  const bool shorter = compresses(plain);
  std::string out(1, shorter ? compressed : as_it_is);
  const std::string about = out + std::string(context);
  std::string shrunk = shorter ? zstd(plain, 1) : std::string();
  out += objectstore::seal_secret(hmac_sha256(secret_, about),
                                  shorter ? std::string_view(shrunk) : plain, about);
  return out;
}

Result<std::string> Key::open(std::string_view sealed, std::string_view context,
                              std::size_t limit_bytes) const {
  const std::string about = std::string(sealed.substr(0, 1)) + std::string(context);
  if (sealed.empty() || (sealed[0] != as_it_is && sealed[0] != compressed))
    return Error{.kind = ErrorKind::corrupt, .message = "not what was sealed here"};
  CAIRN_TRY(std::string plain,
            objectstore::unseal_secret(hmac_sha256(secret_, about), sealed.substr(1), about));
  if (sealed[0] == compressed) return unzstd(plain, limit_bytes);
  return plain;
}

}  // namespace cairn::backup
