// SPDX-License-Identifier: Apache-2.0
#include "index/engine/manifest.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/compress.h"
#include "index/segment/bits.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

constexpr std::int64_t format_number = 1;

Json object_json(const ObjectEntry& object) {
  return Json::object({{"name", object.name},
                       {"size", object.size_bytes},
                       {"crc32c", static_cast<std::int64_t>(object.crc32c)}});
}

ObjectEntry object_entry(const Json& json) {
  return {.name = json.string_or("name"),
          .size_bytes = static_cast<std::uint64_t>(json.int_or("size")),
          .crc32c = static_cast<std::uint32_t>(json.int_or("crc32c"))};
}

SegmentEntry segment_entry(const Json& json) {
  SegmentEntry out{.object = object_entry(json)};
  out.hot_offset = static_cast<std::uint64_t>(json.int_or("hot_offset"));
  out.documents = static_cast<std::uint32_t>(json.int_or("documents"));
  out.deleted = static_cast<std::uint32_t>(json.int_or("deleted"));
  if (const Json* deletes = json.find("deletes")) out.deletes = object_entry(*deletes);
  return out;
}

}  // namespace

Json Manifest::to_json() const {
  Json list = Json::array();
  for (const SegmentEntry& s : segments) {
    Json entry = object_json(s.object);
    entry.set("hot_offset", s.hot_offset);
    entry.set("documents", static_cast<std::int64_t>(s.documents));
    entry.set("deleted", static_cast<std::int64_t>(s.deleted));
    if (!s.deletes.name.empty()) entry.set("deletes", object_json(s.deletes));
    list.push(std::move(entry));
  }
  Json out = Json::object({{"format", format_number},
                       {"version", version},
                       {"index", name},
                       {"uuid", uuid},
                       {"created_ms", created_ms},
                       {"mapping", mapping},
                       {"settings", settings},
                       {"segments", std::move(list)},
                       {"max_seq_no", max_seq_no},
                       {"log_epoch", floor.epoch},
                       {"log_number", floor.number}});
  if (!note.empty()) out.set("note", note);
  return out;
}

Result<Manifest> Manifest::from_json(const Json& json, std::string_view key) {
  if (!json.is_object() || json.int_or("format") != format_number)
    return corrupt_object(key, "its format is not one that this program knows");
  Manifest out;
  out.version = static_cast<std::uint64_t>(json.int_or("version"));
  out.name = json.string_or("index");
  out.note = json.string_or("note");
  out.uuid = json.string_or("uuid");
  out.created_ms = json.int_or("created_ms");
  if (const Json* mapping = json.find("mapping")) out.mapping = *mapping;
  if (const Json* settings = json.find("settings")) out.settings = *settings;
  out.max_seq_no = json.int_or("max_seq_no", -1);
  out.floor = {.epoch = static_cast<std::uint64_t>(json.int_or("log_epoch")),
               .number = static_cast<std::uint64_t>(json.int_or("log_number"))};
  const Json* segments = json.find("segments");
  if (segments == nullptr || !segments->is_array())
    return corrupt_object(key, "it lists no segments");
  for (const Json& s : segments->as_array()) out.segments.push_back(segment_entry(s));
  return out;
}

std::string encode_manifest(const Manifest& manifest) { return manifest.to_json().dump(); }

std::string manifest_name(const Manifest& manifest, std::string_view bytes) {
  return fmt::format("manifest/{:020}-{:08x}.mf", manifest.version, crc32c(bytes));
}

Result<Manifest> decode_manifest(std::string_view bytes, std::string_view name,
                                 std::string_view key) {
  if (!name.ends_with(fmt::format("-{:08x}.mf", crc32c(bytes))))
    return corrupt_object(key, "its checksum differs from its name");
  auto json = parse_json(bytes);
  if (!json) return corrupt_object(key, "it is not JSON");
  return Manifest::from_json(*json, key);
}

std::string Current::encode() const {
  return Json::object({{"format", format_number},
                       {"epoch", epoch},
                       {"version", version},
                       {"writer", writer},
                       {"manifest", manifest}})
      .dump();
}

Result<Current> Current::decode(std::string_view bytes, std::string_view key) {
  const auto json = parse_json(bytes);
  if (!json || !json->is_object() || json->int_or("format") != format_number)
    return corrupt_object(key, "it does not name a manifest");
  return Current{.epoch = static_cast<std::uint64_t>(json->int_or("epoch")),
                 .version = static_cast<std::uint64_t>(json->int_or("version")),
                 .writer = json->string_or("writer"),
                 .manifest = json->string_or("manifest")};
}

std::string encode_deletes(const BitSet& deleted) {
  std::string body;
  put_varint(body, deleted.size());
  put_varint(body, deleted.count());
  std::uint32_t before = 0;
  for (std::uint32_t doc = deleted.next(0); doc != UINT32_MAX; doc = deleted.next(doc + 1)) {
    put_varint(body, doc - before);
    before = doc;
  }
  return zstd(body, 3);
}

Result<BitSet> decode_deletes(std::string_view bytes, std::uint32_t documents,
                              std::string_view key) {
  const auto body = unzstd(bytes, 1u << 30);
  if (!body) return corrupt_object(key, "it cannot be decompressed");
  ByteReader in(*body);
  BitSet out(documents);
  if (in.varint() != documents) return corrupt_object(key, "it is of another segment");
  const std::uint64_t count = in.varint().value_or(0);
  std::uint64_t doc = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    doc += in.varint().value_or(UINT32_MAX);
    if (in.failed() || doc >= documents) return corrupt_object(key, "it is damaged");
    out.set(static_cast<std::uint32_t>(doc));
  }
  return out;
}

}  // namespace cairn::index
