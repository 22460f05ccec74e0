// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/listed_xml.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "format/xml.h"
#include "s3/checksum.h"
#include "s3/wire/xml_body.h"
#include "s3api/call.h"

namespace cairn::s3api {
namespace {

struct Row {
  objectstore::ListedObject object;
  std::string key, etag, storage_class, owner;
};

std::string random_key(std::mt19937_64& dice) {
  const std::vector<std::string> pieces = {
      "a",  "/",  "ü",    "&",    "<",    ">", "\"",           "'", " ",     "+", "%41",
      "\n", "\r", "\x01", "\xff", "\xc3", "𝄞", "\xEF\xBF\xBE", "0", "-._*~", "="};
  std::string out;
  for (std::uint64_t i = dice() % 12 + 1; i > 0; --i) out += pieces[dice() % pieces.size()];
  return out;
}

Row random_row(std::mt19937_64& dice) {
  Row row{.object = {},
          .key = random_key(dice),
          .etag = "0123456789abcdef0123456789abcdef",
          .storage_class = dice() % 2 == 0 ? "STANDARD" : "GLACIER",
          .owner = dice() % 4 == 0 ? "one" : "other"};
  if (dice() % 3 == 0) row.etag += "-17";
  if (dice() % 2 == 0)
    row.object.checksum = {.algorithm = static_cast<s3::ChecksumAlgorithm>(dice() % 5),
                           .type = static_cast<s3::ChecksumType>(dice() % 2),
                           .value = "not shown"};
  row.object.size_bytes = dice() % 3 == 0 ? 0 : dice() % (5ull << 40);
  row.object.modified_ms = static_cast<std::int64_t>(1'700'000'000'000 + dice() % 3'000);
  return row;
}

s3::OwnerElement shown(const std::string& id) {
  return {.id = id,
          .display_name = id == "one" ? std::optional<std::string>("A & B") : std::nullopt};
}

// What the description of the operation makes of it.
s3::ObjectElement element_of(const Row& row, bool with_owner) {
  s3::ObjectElement out{.key = row.key,
                        .last_modified = s3::Time{row.object.modified_ms / 1000 * 1000},
                        .etag = s3api::quoted(row.etag),
                        .size = static_cast<std::int64_t>(row.object.size_bytes),
                        .storage_class = row.storage_class};
  if (const auto& checksum = row.object.checksum) {
    out.checksum_algorithm = {std::string(s3::name_of(checksum->algorithm))};
    out.checksum_type = s3::name_of(checksum->type);
  }
  if (with_owner) out.owner = shown(row.owner);
  return out;
}

}  // namespace

TEST_CASE("listed xml: is what the description of the operation writes, for random objects") {
  const std::uint64_t seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937_64 dice(seed);
  for (int round = 0; round < 200; ++round)
    for (const bool url_coded : {false, true})
      for (const bool with_owner : {false, true}) {
        s3::ListObjectsV2Output expected;
        ListedXml xml(url_coded, with_owner ? shown : ListedXml::OwnerOf(), 10);
        for (std::uint64_t i = dice() % 10; i > 0; --i) {
          Row row = random_row(dice);
          row.object.key = row.key;
          row.object.etag = row.etag;
          row.object.storage_class = row.storage_class;
          row.object.owner_id = row.owner;
          xml.add(row.object);
          expected.contents.push_back(element_of(row, with_owner));
        }
        CHECK(xml.count() == expected.contents.size());
        std::string text;
        XmlWriter out(text);
        for (const s3::ObjectElement& element : expected.contents) {
          out.open("Contents");
          s3::write_elements(out, s3::shape_of<s3::ObjectElement>(), &element,
                             {.url_coded = url_coded});
          out.close("Contents");
        }
        REQUIRE(xml.take() == text);
      }
}

TEST_CASE("listed xml: stands in the reply where the field's elements would") {
  s3::ListObjectsV2Output output{.name = "b", .prefix = "", .max_keys = 10};
  output.contents = {{.key = "k", .size = 3}};
  const std::string whole =
      s3::write_reply(s3::operations::list_objects_v2, output, s3::Dialect::aws).body;
  output.contents.clear();
  const s3::PreparedElements prepared{.member = "contents",
                                      .text = "<Contents><Key>k</Key><Size>3</Size></Contents>"};
  CHECK(
      s3::write_reply(s3::operations::list_objects_v2, output, s3::Dialect::aws, &prepared).body ==
      whole);
}

}  // namespace cairn::s3api
