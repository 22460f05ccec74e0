// SPDX-License-Identifier: Apache-2.0
#include "objectstore/journal/journal_record.h"

#include <doctest/doctest.h>

#include "objectstore/engine_rig_test.h"

namespace journal_record_test {

using namespace cairn;
using namespace cairn::objectstore;
using cairn::objectstore::testing::must;

namespace {

s3::Object whole() {
  return {.key = "a/b",
          .version_id = "0123",
          .size_bytes = 5ull << 32,
          .etag = "abc-3",
          .modified_ms = -1,
          .checksum = s3::Checksum{.algorithm = s3::ChecksumAlgorithm::sha256, .value = "x"},
          .attributes = {.storage_class = "GLACIER", .metadata = {{"color", "red"}, {"", "é"}}},
          .tags = {{"team", "a"}},
          .encryption = {.method = s3::EncryptionMethod::kms,
                         .kms_key_id = "arn:key",
                         .bucket_key = true}};
}

constexpr ChangeOrigin somebody{
    .requester = "111122223333", .source_ip = "127.0.0.1", .request_id = "R"};

}  // namespace

TEST_CASE("journal record: all columns come back") {
  const auto row = encode_change(ChangeKind::update_metadata, whole(), false, somebody);
  const auto record = must(decode_change(row));
  CHECK(record.kind == ChangeKind::update_metadata);
  CHECK(record.object.key == "a/b");
  CHECK(record.object.version_id == "0123");
  CHECK(record.object.size_bytes == 5ull << 32);
  CHECK(record.object.modified_ms == -1);
  CHECK(record.object.etag == "abc-3");
  CHECK(record.object.attributes.storage_class == "GLACIER");
  CHECK(record.object.attributes.metadata == whole().attributes.metadata);
  CHECK(record.object.tags == whole().tags);
  CHECK(record.object.checksum->algorithm == s3::ChecksumAlgorithm::sha256);
  CHECK(record.object.encryption == whole().encryption);
  CHECK(record.multipart);
  CHECK_FALSE(record.gone);
  CHECK_FALSE(record.object.delete_marker);
  CHECK(record.requester == "111122223333");
  CHECK(record.source_ip == "127.0.0.1");
  CHECK(record.request_id == "R");
}

TEST_CASE("journal record: of what is gone for good only key and version are kept") {
  const auto record =
      must(decode_change(encode_change(ChangeKind::remove, whole(), true, {})));
  CHECK(record.gone);
  CHECK(record.object.key == "a/b");
  CHECK(record.object.version_id == "0123");
  CHECK(record.object.etag.empty());
  CHECK(record.object.tags.empty());
}

TEST_CASE("journal record: what is cut, longer or of another kind is corrupt") {
  const std::string row = encode_change(ChangeKind::create, whole(), false, somebody);
  for (std::size_t cut = 0; cut < row.size(); ++cut)
    CHECK_FALSE(decode_change(row.substr(0, cut)).ok());
  CHECK_FALSE(decode_change(row + 'x').ok());
  for (const auto& [at, byte] : {std::pair{0, 2}, {1, 3}, {2, 16}}) {
    std::string changed = row;
    changed[static_cast<std::size_t>(at)] = static_cast<char>(byte);
    CHECK_FALSE(decode_change(changed).ok());
  }
}

TEST_CASE("journal record: columns differ where one of them does, and not by parts or locks") {
  s3::Object other = whole();
  other.retention = s3::Retention{.until_ms = 1};
  other.acl = "acl";
  other.parts.push_back({.number = 1});
  CHECK(encode_columns(other) == encode_columns(whole()));
  other.tags["team"] = "b";
  CHECK(encode_columns(other) != encode_columns(whole()));
}

}  // namespace journal_record_test
