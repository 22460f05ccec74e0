// SPDX-License-Identifier: Apache-2.0
#include "s3api/access/directory_sessions.h"

#include <utility>

#include "base/bytes.h"
#include "base/encode.h"
#include "s3/errors.h"

namespace cairn::s3api {
namespace {

constexpr std::string_view sealed_for = "directory session";
constexpr std::uint8_t token_version = 1;

Error invalid_token(std::string_view token) {
  return s3::error("InvalidToken").with_detail("Token-0", std::string(token));
}

}  // namespace

DirectorySession DirectorySessions::draw(DirectorySession session) const {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  session.access_key_id = "CS";
  while (session.access_key_id.size() < 20)
    session.access_key_id += letters[random_.below(letters.size())];
  session.secret = to_base64(random_.bytes(30));
  return session;
}

std::string DirectorySessions::token(const DirectorySession& session) const {
  std::string bytes;
  put_u8(bytes, token_version);
  put_u8(bytes, session.read_only ? 1 : 0);
  put_zigzag(bytes, session.expires_ms);
  for (const std::string* text :
       {&session.access_key_id, &session.secret, &session.parent_key_id, &session.bucket})
    put_string(bytes, *text);
  return to_base64url(seal_.seal(bytes, sealed_for, random_));
}

Result<DirectorySession> DirectorySessions::open(std::string_view token) const {
  const auto sealed = from_base64url(token);
  if (!sealed) return invalid_token(token);
  const auto bytes = seal_.unseal(*sealed, sealed_for);
  if (!bytes.ok()) return invalid_token(token);
  ByteReader in(*bytes);
  const auto version = in.u8();
  const auto read_only = in.u8();
  const auto expires = in.zigzag();
  const auto access_key_id = in.string();
  const auto secret = in.string();
  const auto parent = in.string();
  const auto bucket = in.string();
  if (!bucket || !in.at_end() || *version != token_version) return invalid_token(token);
  return DirectorySession{.access_key_id = std::string(*access_key_id),
                          .secret = std::string(*secret),
                          .parent_key_id = std::string(*parent),
                          .bucket = std::string(*bucket),
                          .read_only = *read_only == 1,
                          .expires_ms = *expires};
}

}  // namespace cairn::s3api
