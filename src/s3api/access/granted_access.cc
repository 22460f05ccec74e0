// SPDX-License-Identifier: Apache-2.0
#include "s3api/access/granted_access.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/encode.h"
#include "s3/errors.h"

namespace cairn::s3api {
namespace {

constexpr std::string_view sealed_for_grants = "granted access";
constexpr std::uint8_t grant_token_version = 1;

constexpr std::string_view reading_actions[] = {
    "s3:GetObject",           "s3:GetObjectVersion",           "s3:GetObjectAcl",
    "s3:GetObjectVersionAcl", "s3:GetObjectAttributes",        "s3:GetObjectVersionAttributes",
    "s3:ListBucket",          "s3:ListBucketMultipartUploads", "s3:ListBucketVersions",
    "s3:ListMultipartUploadParts"};
constexpr std::string_view writing_actions[] = {
    "s3:AbortMultipartUpload", "s3:DeleteObject", "s3:DeleteObjectVersion",
    "s3:PutObject",            "s3:PutObjectAcl", "s3:PutObjectVersionAcl"};

bool is_among(std::string_view action, std::span<const std::string_view> actions) {
  return std::find(actions.begin(), actions.end(), action) != actions.end();
}

Error no_grant_token(std::string_view token) {
  return s3::error("InvalidToken").with_detail("Token-0", std::string(token));
}

}  // namespace

GrantedAccess GrantTokens::draw(GrantedAccess access) const {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  access.access_key_id = "CG";
  while (access.access_key_id.size() < 20)
    access.access_key_id += letters[random_.below(letters.size())];
  access.secret = to_base64(random_.bytes(30));
  return access;
}

std::string GrantTokens::token(const GrantedAccess& access) const {
  std::string bytes;
  put_u8(bytes, grant_token_version);
  put_u8(bytes, static_cast<std::uint8_t>(access.permission));
  put_u8(bytes, access.scope.exact ? 1 : 0);
  put_zigzag(bytes, access.expires_ms);
  for (const std::string* text :
       {&access.access_key_id, &access.secret, &access.parent_key_id, &access.account_id,
        &access.grant_id, &access.scope.bucket, &access.scope.key})
    put_string(bytes, *text);
  return to_base64url(seal_.seal(bytes, sealed_for_grants, random_));
}

Result<GrantedAccess> GrantTokens::open(std::string_view token) const {
  const auto sealed = from_base64url(token);
  if (!sealed) return no_grant_token(token);
  const auto bytes = seal_.unseal(*sealed, sealed_for_grants);
  if (!bytes.ok()) return no_grant_token(token);
  ByteReader in(*bytes);
  const auto version = in.u8();
  const auto permission = in.u8();
  const auto exact = in.u8();
  const auto expires = in.zigzag();
  GrantedAccess out;
  for (std::string* text : {&out.access_key_id, &out.secret, &out.parent_key_id, &out.account_id,
                            &out.grant_id, &out.scope.bucket, &out.scope.key}) {
    const auto read = in.string();
    if (!read) return no_grant_token(token);
    *text = *read;
  }
  if (!in.at_end() || *version != grant_token_version ||
      *permission > static_cast<std::uint8_t>(auth::GrantPermission::read_write))
    return no_grant_token(token);
  out.permission = static_cast<auth::GrantPermission>(*permission);
  out.scope.exact = *exact == 1;
  out.expires_ms = *expires;
  return out;
}

std::shared_ptr<const auth::ObjectCaller> rights_of(const GrantedAccess& access,
                                                    const auth::ObjectCaller& holder,
                                                    const GrantBook& book) {
  if (book.grants == nullptr || !book.find_user) return nullptr;
  const auto account = book.grants->find(access.account_id);
  if (account == nullptr) return nullptr;
  const auto grant = account->grants.find(access.grant_id);
  if (grant == account->grants.end()) return nullptr;
  const auth::AccessGrant& now = grant->second;
  if (now.grantee != holder.arn || !now.scope.covers(access.scope) ||
      !auth::gives(now.permission, access.permission))
    return nullptr;
  const auto location = account->locations.find(now.location_id);
  if (location == account->locations.end()) return nullptr;
  return book.find_user(access.account_id, location->second.user);
}

bool covers(const GrantedAccess& access, std::string_view action, std::string_view bucket,
            std::string_view key, std::string_view prefix) {
  const bool reads = is_among(action, reading_actions);
  if (!reads && !is_among(action, writing_actions)) return false;
  if (!auth::gives(access.permission,
                   reads ? auth::GrantPermission::read : auth::GrantPermission::write))
    return false;
  if (!key.empty()) return access.scope.covers(bucket, key);
  return !access.scope.exact && access.scope.covers(bucket, prefix);  // one object is no listing
}

}  // namespace cairn::s3api
