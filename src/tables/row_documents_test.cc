// SPDX-License-Identifier: Apache-2.0
// Rows taken apart at once, beside the same rows as JSON that is parsed.
#include "tables/row_documents.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "format/json.h"
#include "os/random.h"
#include "s3api/tables/table_rows.h"
#include "tables/table_fields.h"

namespace cairn::tables::row_documents_test {
namespace {

struct Values {
  std::vector<std::string> terms;
  std::vector<std::int64_t> numbers;
  friend bool operator==(const Values&, const Values&) = default;
};

std::map<std::string, Values> values_of(const index::ParsedDocument& document) {
  std::map<std::string, Values> out;
  for (const index::FieldValues& values : document.fields) {
    CHECK_FALSE(out.contains(values.field->name));
    Values& to = out[values.field->name];
    to = {.terms = values.terms, .numbers = values.numbers};
    std::sort(to.terms.begin(), to.terms.end());
  }
  return out;
}

Json lists_of(const std::map<std::string, std::string>& pairs) {
  Json out = Json::array();
  for (const auto& [name, value] : pairs) out.push(name + "=" + value);
  return out;
}

index::ParsedDocument parsed(const std::string& id, Json row,
                             const objectstore::JournalRecord& record,
                             const std::shared_ptr<const index::Mapping>& mapping) {
  const bool body = !record.gone && !record.object.delete_marker;
  row.set("object_tag_list", body ? lists_of(record.object.tags) : Json::array());
  row.set("user_metadata_list", body ? lists_of(record.object.attributes.metadata) : Json::array());
  auto document = index::parse_document(id, row.dump(), {}, mapping, {});
  REQUIRE_MESSAGE(document.ok(), document.error().message);
  return std::move(*document);
}

std::shared_ptr<const index::Mapping> mapping(TableKind kind) {
  auto made = index::Mapping::parse(mapping_of(kind), index::MappingLimits());
  REQUIRE(made.ok());
  return *made;
}

objectstore::JournalRecord random_record(os::Random& random) {
  const auto any = [&](std::uint32_t below) {
    return static_cast<std::uint8_t>(random.bytes(1)[0]) % below;
  };
  const auto text = [&]() -> std::string {
    static const std::string texts[] = {"",
                                        "plain",
                                        "with \"quotes\" and \\",
                                        "\xc3\xa4\xe2\x82\xac",
                                        "cut \xe2\x82",
                                        "\x01\n",
                                        std::string(9000, 'x'),
                                        "a.b=c"};
    return texts[any(8)];
  };
  objectstore::JournalRecord out;
  out.kind = static_cast<objectstore::ChangeKind>(any(3));
  out.at_ms = 1'700'000'000'000 + any(255);
  out.gone = any(5) == 0;
  out.multipart = any(2) == 0;
  out.requester = text();
  out.source_ip = any(2) == 0 ? "" : "127.0.0.1";
  out.request_id = "0123456789ABCDEF";
  s3::Object& object = out.object;
  object.key = "key " + text();
  object.version_id = any(2) == 0 ? std::string(s3::null_version) : "version-of-it";
  object.delete_marker = any(5) == 0;
  object.size_bytes = any(2) == 0 ? any(255) : INT64_MAX;
  object.modified_ms = any(2) == 0 ? 0 : 1'700'000'000'123;
  object.etag =
      any(2) == 0 ? "d41d8cd98f00b204e9800998ecf8427e" : "d41d8cd98f00b204e9800998ecf8427e-2";
  object.attributes.storage_class = any(2) == 0 ? "STANDARD" : "GLACIER";
  object.encryption.method = static_cast<s3::EncryptionMethod>(any(5));
  object.encryption.bucket_key = any(2) == 0;
  if (any(2) == 0) object.encryption.kms_key_id = "arn:of:a:key";
  if (any(2) == 0) object.checksum = s3::Checksum{.algorithm = s3::ChecksumAlgorithm::crc32c};
  for (std::uint32_t i = any(4); i > 0; --i) object.tags["tag" + std::to_string(any(9))] = text();
  for (std::uint32_t i = any(3); i > 0; --i) object.attributes.metadata["m" + text()] = text();
  return out;
}

void check_equal(const index::ParsedOperation& fast, const index::ParsedDocument& slow) {
  CHECK(fast.document.id == slow.id);
  CHECK(fast.document.source == slow.source);
  CHECK(fast.document.mapping == slow.mapping);
  CHECK(slow.mapping_change.is_null());
  CHECK((values_of(fast.document) == values_of(slow)));
}

}  // namespace

TEST_CASE("rows: taken apart at once they are what their JSON is when it is parsed") {
  const auto random = os::seeded_random(11);
  const auto of_journal = mapping(TableKind::journal);
  const auto of_inventory = mapping(TableKind::inventory);
  RowDocuments journal("books", of_journal), inventory("books", of_inventory);
  index::ParsedOperation fast, version, change;  // filled again and again
  for (std::uint64_t round = 0; round < 500; ++round) {
    CAPTURE(round);
    const objectstore::JournalRow row{.number = round << 20, .record = random_record(*random)};
    REQUIRE(journal.of_journal(row, fast).ok());
    check_equal(fast, parsed(s3api::sequence_text(row.number),
                             s3api::journal_row_json("books", row), row.record, of_journal));
    if (row.record.gone) {
      REQUIRE(inventory.change_of_inventory(row, change).ok());
      CHECK(change.kind == index::WriteOperation::Kind::remove);
      continue;
    }
    REQUIRE(inventory.of_inventory(row.number, row.record, version).ok());
    check_equal(version, parsed(version.document.id,
                                s3api::inventory_row_json(
                                    "books", {.number = row.number, .record = row.record}),
                                row.record, of_inventory));
    REQUIRE(inventory.change_of_inventory(row, change).ok());
    CHECK(change.kind == index::WriteOperation::Kind::index);
    CHECK(change.document.id == version.document.id);
  }
}

}  // namespace cairn::tables::row_documents_test
