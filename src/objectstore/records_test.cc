// SPDX-License-Identifier: Apache-2.0
// Rows that are damaged: what protects an object must not be lost with a byte of its row.
#include "objectstore/records.h"

#include <doctest/doctest.h>

namespace cairn::objectstore::records_test {
namespace {

ObjectRecord locked() {
  ObjectRecord record;
  record.object.key = "k";
  record.object.etag = "0123456789abcdef0123456789abcdef";
  record.object.retention =
      s3::Retention{.mode = s3::LockMode::compliance, .until_ms = 1'800'000'000'000};
  record.object.legal_hold = true;
  return record;
}

TEST_CASE("records: retention and legal hold come back as they were, OFF and never said too") {
  ObjectRecord record = locked();
  for (const std::optional<bool> hold :
       {std::optional<bool>(), std::optional(true), std::optional(false)}) {
    record.object.legal_hold = hold;
    const auto back = decode_object(encode(record), "k");
    REQUIRE(back.ok());
    CHECK(back->object.legal_hold == hold);
    CHECK(back->object.retention == record.object.retention);
  }
}

TEST_CASE("records: a lock that cannot be read is damage, and never no lock") {
  const std::string good = encode(locked());
  // Without its lock the row is the shorter by what the lock takes: it stands at the end.
  ObjectRecord open = locked();
  open.object.retention.reset();
  open.object.legal_hold.reset();
  const std::size_t lock_at = encode(open).size();
  REQUIRE(good.size() > lock_at);
  for (std::size_t end = lock_at + 1; end < good.size(); ++end) {
    CAPTURE(end);
    const auto cut = decode_object(std::string_view(good).substr(0, end), "k");
    if (cut.ok()) CHECK(cut->object.retention == locked().object.retention);  // the hold is cut off
  }
  int refused = 0;
  for (std::size_t at = lock_at; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(0x7f);
    const auto read = decode_object(bad, "k");
    if (read.ok()) continue;
    ++refused;
    CHECK(read.error().kind == ErrorKind::corrupt);
  }
  CHECK(refused > 0);
}

TEST_CASE("records: a bucket whose object lock cannot be read is damage, and never without lock") {
  BucketState state;
  state.bucket = {.name = "b", .owner = {.id = "o", .account_id = "1"}};
  state.bucket.object_lock.enabled = true;
  const std::string good = encode(7, state);
  BucketState open = state;
  open.bucket.object_lock.enabled = false;
  const std::string other = encode(7, open);
  REQUIRE(good.size() == other.size());
  std::size_t at = 0;
  while (good[at] == other[at]) ++at;
  std::string bad = good;
  bad[at] = 2;
  const auto read = decode_bucket(bad);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().kind == ErrorKind::corrupt);
  for (std::size_t end = at; end < good.size(); ++end) {
    CAPTURE(end);
    CHECK_FALSE(decode_bucket(std::string_view(good).substr(0, end)).ok());
  }
}

}  // namespace
}  // namespace cairn::objectstore::records_test
