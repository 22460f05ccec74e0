// SPDX-License-Identifier: Apache-2.0
#include "auth/sessions/sign_in_codes.h"

#include <utility>

#include "base/encode.h"
#include "base/hash.h"

namespace cairn::auth {
namespace {

constexpr std::size_t code_bytes = 32;

}  // namespace

SignInCode SignInCodes::make(const Key& key, std::int64_t lifetime_ms) {
  SignInCode out{.code = to_base64url(random_.bytes(code_bytes)),
                 .expires_ms = clock_.unix_ms() + lifetime_ms};
  const std::lock_guard lock(mutex_);
  make_room(key.id);
  codes_.emplace(
      sha256(out.code),
      Entry{.taken = {key.id, key.secret_sha256}, .made = ++made_, .expires_ms = out.expires_ms});
  return out;
}

/// Under mutex_.
void SignInCodes::make_room(std::string_view key_id) {
  const std::int64_t now = clock_.unix_ms();
  std::erase_if(codes_, [now](const auto& one) { return one.second.expires_ms <= now; });
  std::size_t mine = 0;
  auto oldest = codes_.end(), oldest_mine = codes_.end();
  for (auto one = codes_.begin(); one != codes_.end(); ++one) {
    if (oldest == codes_.end() || one->second.made < oldest->second.made) oldest = one;
    if (one->second.taken.key_id != key_id) continue;
    ++mine;
    if (oldest_mine == codes_.end() || one->second.made < oldest_mine->second.made)
      oldest_mine = one;
  }
  if (mine >= of_one_max)
    codes_.erase(oldest_mine);
  else if (codes_.size() >= all_max)
    codes_.erase(oldest);
}

std::optional<SignInCodes::Taken> SignInCodes::take(std::string_view code) {
  const std::string digest = sha256(code);
  const std::lock_guard lock(mutex_);
  const auto found = codes_.find(digest);
  if (found == codes_.end()) return std::nullopt;
  Entry entry = std::move(found->second);
  codes_.erase(found);
  if (entry.expires_ms <= clock_.unix_ms()) return std::nullopt;
  return std::move(entry.taken);
}

}  // namespace cairn::auth
