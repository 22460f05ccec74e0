// SPDX-License-Identifier: Apache-2.0
// The row of a bucket, of records.h.
#include <cstdint>

#include "base/bytes.h"
#include "objectstore/records.h"

namespace cairn::objectstore {
namespace {

// 1: without what follows the owner; 2: without the zone
constexpr std::uint8_t bucket_version = 3;

constexpr std::uint8_t place_outpost = 3;  // 0: none; 1 and 2: zones

Error broken_bucket() {
  return {.kind = ErrorKind::corrupt, .message = "a stored bucket record is broken"};
}

}  // namespace

std::string encode(std::uint64_t id, const BucketState& state) {
  const s3::Bucket& bucket = state.bucket;
  std::string out;
  put_u8(out, bucket_version);
  put_u64le(out, id);
  put_zigzag(out, bucket.created_ms);
  put_string(out, bucket.name);
  put_string(out, bucket.location_constraint);
  put_string(out, bucket.owner.id);
  put_string(out, bucket.owner.account_id);
  put_u8(out, static_cast<std::uint8_t>(bucket.versioning));
  put_u8(out, static_cast<std::uint8_t>(bucket.ownership));
  put_u8(out, bucket.object_lock.enabled ? 1 : 0);
  const auto& rule = bucket.object_lock.rule;
  put_u8(out, rule ? static_cast<std::uint8_t>(1 + static_cast<int>(rule->mode)) : 0);
  put_varint(out, rule ? static_cast<std::uint64_t>(rule->days) : 0);
  put_varint(out, rule ? static_cast<std::uint64_t>(rule->years) : 0);
  put_u64le(out, state.generation);
  put_varint(out, state.documents.size());
  for (const auto& [name, document] : state.documents) {
    put_string(out, name);
    put_u64le(out, document->generation());
    put_string(out, document->text());
  }
  if (bucket.is_of_outpost()) {
    put_u8(out, place_outpost);
    put_string(out, bucket.outpost_id);
    return out;
  }
  put_u8(out, bucket.zone ? static_cast<std::uint8_t>(1 + static_cast<int>(bucket.zone->type)) : 0);
  if (bucket.zone) put_string(out, bucket.zone->id);
  return out;
}

namespace {

bool read_configuration(ByteReader& in, BucketState& state) {
  const auto versioning = in.u8();
  const auto ownership = in.u8();
  const auto lock = in.u8();
  const auto rule = in.u8();
  const auto days = in.varint();
  const auto years = in.varint();
  const auto generation = in.u64le();
  const auto count = in.varint();
  if (!count || *versioning > 2 || *ownership > 3 || *lock > 1 || *rule > 2) return false;
  // Cut to an int they could come out as no time at all: a lock that ends before it begins.
  if (*days > INT32_MAX || *years > INT32_MAX) return false;
  state.bucket.versioning = static_cast<s3::Versioning>(*versioning);
  state.bucket.ownership = static_cast<s3::Ownership>(*ownership);
  state.bucket.object_lock.enabled = *lock == 1;
  if (*rule > 0)
    state.bucket.object_lock.rule =
        s3::DefaultRetention{.mode = static_cast<s3::LockMode>(*rule - 1),
                             .days = static_cast<int>(*days),
                             .years = static_cast<int>(*years)};
  state.generation = *generation;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto name = in.string();
    const auto number = in.u64le();
    const auto text = in.string();
    if (!text) return false;
    state.documents.emplace(std::string(*name),
                            std::make_shared<BucketDocument>(std::string(*text), *number));
  }
  return true;
}

bool read_zone(ByteReader& in, s3::Bucket& bucket) {
  const auto type = in.u8();
  if (!type || *type > place_outpost) return false;
  if (*type == 0) return true;
  const auto id = in.string();
  if (!id || id->empty()) return false;
  if (*type == place_outpost) {
    bucket.outpost_id = *id;
    return true;
  }
  bucket.zone = s3::Zone{.id = std::string(*id), .type = static_cast<s3::ZoneType>(*type - 1)};
  return true;
}

}  // namespace

Result<StoredBucket> decode_bucket(std::string_view bytes) {
  ByteReader in(bytes);
  const auto version = in.u8();
  const auto id = in.u64le();
  const auto created = in.zigzag();
  const auto name = in.string();
  const auto location = in.string();
  const auto owner = in.string();
  const auto account = in.string();
  if (!account || *version < 1 || *version > bucket_version) return broken_bucket();
  StoredBucket stored{.id = *id,
                      .state = {.bucket = {.name = std::string(*name),
                                           .location_constraint = std::string(*location),
                                           .created_ms = *created,
                                           .owner = {.id = std::string(*owner),
                                                     .account_id = std::string(*account)}}}};
  if (*version > 1 && !read_configuration(in, stored.state)) return broken_bucket();
  if (*version > 2 && !read_zone(in, stored.state.bucket)) return broken_bucket();
  if (!in.at_end()) return broken_bucket();
  return stored;
}

}  // namespace cairn::objectstore
