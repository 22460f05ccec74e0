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

/// A record that was appended to `count` times, and the pieces of its manifest.
std::pair<ObjectRecord, std::vector<std::string>> grown(int count) {
  ObjectRecord record;
  record.serial = record.order = 7;
  std::vector<std::string> pieces;
  for (int i = 1; i <= count; ++i) {
    record.object.parts.push_back({.number = i, .size_bytes = 10, .etag = "e"});
    record.extents.push_back({.id = static_cast<std::uint64_t>(i), .size_bytes = 10});
    record.object.size_bytes += 10;
    if (std::string piece = encode_piece(record); !piece.empty()) pieces.push_back(piece);
  }
  return {record, pieces};
}

TEST_CASE(
    "records: what is appended is in pieces that stay, and behind them, and comes back whole") {
  for (const int count : {1, 64, 65, 66, 129, 130, 131, 400}) {
    CAPTURE(count);
    const auto [record, pieces] = grown(count);
    CHECK(pieces.size() == static_cast<std::size_t>(count / 65));
    CHECK(part_count(record) == static_cast<std::size_t>(count));
    const std::string row = encode(record);
    auto back = decode_object(row, "k");
    REQUIRE(back.ok());
    CHECK(back->has_manifest == !pieces.empty());
    const bool told = pieces.empty() || count != 65;  // one piece alone says itself what is in it
    CHECK(part_count(*back) == (told ? static_cast<std::size_t>(count) : 0));
    CHECK(encode(*back) == row);  // without its manifest
    if (pieces.empty()) continue;
    REQUIRE(decode_manifest(pieces, *back).ok());
    CHECK(part_count(*back) == static_cast<std::size_t>(count));
    REQUIRE(back->object.parts.size() == static_cast<std::size_t>(count));
    for (int i = 1; i <= count; ++i) {
      CHECK(back->object.parts[static_cast<std::size_t>(i - 1)].number == i);
      CHECK(back->extents[static_cast<std::size_t>(i - 1)].id == static_cast<std::uint64_t>(i));
    }
    CHECK(encode(*back) == row);  // and with it
  }
}

TEST_CASE("records: a piece that is missing, cut or of another manifest is damage") {
  const auto [record, pieces] = grown(200);
  REQUIRE(pieces.size() == 3);
  auto bad = pieces;
  bad.pop_back();
  std::vector<std::vector<std::string>> all = {bad};
  bad = pieces;
  bad[1].resize(bad[1].size() / 2);
  all.push_back(bad);
  bad = pieces;
  bad[1] = grown(131).second.at(1) + pieces[1];
  all.push_back(bad);
  for (const auto& one : all) {
    auto back = decode_object(encode(record), "k");
    REQUIRE(back.ok());
    const Status read = decode_manifest(one, *back);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().kind == ErrorKind::corrupt);
  }
}

TEST_CASE("records: what a damaged record says of its parts takes no memory") {
  const auto [record, pieces] = grown(200);
  auto back = decode_object(encode(record), "k");
  REQUIRE(back.ok());
  back->manifest.parts = back->manifest.extents = std::size_t{1} << 60;
  CHECK(decode_manifest(pieces, *back).error().kind == ErrorKind::corrupt);
}

}  // namespace
}  // namespace cairn::objectstore::records_test
