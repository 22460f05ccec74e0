// SPDX-License-Identifier: Apache-2.0
#include "objectstore/core/access_point_records.h"

#include "base/bytes.h"

namespace cairn::objectstore {
namespace {

constexpr std::uint8_t access_point_version = 1;
constexpr std::uint8_t policy_tag = 1;
constexpr std::uint8_t scope_prefix_tag = 2;      // one each
constexpr std::uint8_t scope_permission_tag = 3;  // likewise
constexpr std::uint8_t outpost_tag = 4;

std::uint8_t bits_of(const s3::AccessPointBlock& block) {
  return static_cast<std::uint8_t>((block.block_public_acls ? 1 : 0) |
                                   (block.ignore_public_acls ? 2 : 0) |
                                   (block.block_public_policy ? 4 : 0) |
                                   (block.restrict_public_buckets ? 8 : 0));
}

s3::AccessPointBlock block_of(std::uint8_t bits) {
  return {.block_public_acls = (bits & 1) != 0,
          .ignore_public_acls = (bits & 2) != 0,
          .block_public_policy = (bits & 4) != 0,
          .restrict_public_buckets = (bits & 8) != 0};
}

Error broken_access_point() {
  return {.kind = ErrorKind::corrupt, .message = "a stored access point record is broken"};
}

}  // namespace

std::string access_point_row(std::string_view account_id, std::string_view name) {
  return std::string(access_point_rows).append(account_id).append("/").append(name);
}

std::string encode(const s3::AccessPoint& point) {
  std::string out;
  put_u8(out, access_point_version);
  put_zigzag(out, point.created_ms);
  put_u8(out, bits_of(point.block));
  for (const std::string* text :
       {&point.name, &point.owner.id, &point.owner.account_id, &point.bucket,
        &point.bucket_account_id, &point.region, &point.alias})
    put_string(out, *text);
  if (!point.policy.empty()) {
    put_u8(out, policy_tag);
    put_string(out, point.policy);
  }
  const auto add_all = [&](std::uint8_t tag, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      put_u8(out, tag);
      put_string(out, text);
    }
  };
  add_all(scope_prefix_tag, point.scope.prefixes);
  add_all(scope_permission_tag, point.scope.permissions);
  if (point.is_of_outpost()) {
    put_u8(out, outpost_tag);
    put_string(out, point.outpost_id);
  }
  return out;
}

Result<s3::AccessPoint> decode_access_point(std::string_view bytes) {
  ByteReader in(bytes);
  s3::AccessPoint point;
  const auto version = in.u8();
  const auto created = in.zigzag();
  const auto block = in.u8();
  if (!block || *version != access_point_version || *block > 15) return broken_access_point();
  point.created_ms = *created;
  point.block = block_of(*block);
  for (std::string* text :
       {&point.name, &point.owner.id, &point.owner.account_id, &point.bucket,
        &point.bucket_account_id, &point.region, &point.alias}) {
    const auto read = in.string();
    if (!read) return broken_access_point();
    *text = *read;
  }
  while (!in.at_end()) {
    const auto tag = in.u8();
    const auto content = in.string();
    if (!content) return broken_access_point();
    switch (*tag) {
      case policy_tag:
        point.policy = *content;
        break;
      case scope_prefix_tag:
        point.scope.prefixes.emplace_back(*content);
        break;
      case scope_permission_tag:
        point.scope.permissions.emplace_back(*content);
        break;
      case outpost_tag:
        if (content->empty()) return broken_access_point();
        point.outpost_id = *content;
        break;
      default:
        return broken_access_point();
    }
  }
  return point;
}

}  // namespace cairn::objectstore
