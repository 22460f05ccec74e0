// SPDX-License-Identifier: Apache-2.0
#include "backup/manifest.h"

#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/encode.h"

namespace cairn::backup {
namespace {

constexpr std::size_t name_bytes = 32;  // of a piece, raw

Error bad_manifest(const std::string& what) {
  return {.kind = ErrorKind::corrupt, .message = "the manifest of the backup has " + what};
}

Json json_of(const std::vector<FileEntry>& files) {
  Json out = Json::array();
  for (const FileEntry& file : files)
    out.push(Json::object({{"path", file.path},
                           {"size", file.size_bytes},
                           {"secret", file.is_secret},
                           {"pieces", Json::array_of(file.pieces)}}));
  return out;
}

/// A count that is not negative.
Result<std::uint64_t> count_in(const Json& json, std::string_view name) {
  const Json* const value = json.find(name);
  if (value == nullptr || !value->is_count()) return bad_manifest("no " + std::string(name));
  return value->as_unsigned();
}

Result<std::vector<FileEntry>> files_of(const Json& json, std::string_view name) {
  std::vector<FileEntry> out;
  const Json* const all = json.find(name);
  if (all == nullptr || !all->is_array()) return bad_manifest("no " + std::string(name));
  for (const Json& each : all->as_array()) {
    FileEntry file{.path = each.string_or("path"), .is_secret = each.bool_or("secret")};
    CAIRN_TRY(file.size_bytes, count_in(each, "size"));
    const Json* const pieces = each.find("pieces");
    if (file.path.empty() || pieces == nullptr || !pieces->is_array())
      return bad_manifest("a file without a path or pieces");
    for (const Json& piece : pieces->as_array()) {
      if (!piece.is_string()) return bad_manifest("a piece that is no name");
      file.pieces.push_back(piece.as_string());
    }
    out.push_back(std::move(file));
  }
  return out;
}

Result<std::vector<ExtentList>> lists_of(const Json& json) {
  std::vector<ExtentList> out;
  const Json* const all = json.find("extents");
  if (all == nullptr || !all->is_array()) return bad_manifest("no extents");
  for (const Json& each : all->as_array()) {
    ExtentList list{.piece = each.string_or("piece")};
    CAIRN_TRY(list.number, count_in(each, "number"));
    CAIRN_TRY(list.count, count_in(each, "count"));
    CAIRN_TRY(list.size_bytes, count_in(each, "size"));
    out.push_back(std::move(list));
  }
  return out;
}

}  // namespace

std::uint64_t Manifest::size_bytes() const {
  std::uint64_t sum = 0;
  for (const auto* const group : {&metadata, &files, &configuration})
    for (const FileEntry& file : *group) sum += file.size_bytes;
  for (const ExtentList& list : extents) sum += list.size_bytes;
  return sum;
}

Json to_json(const Manifest& manifest) {
  Json lists = Json::array();
  for (const ExtentList& list : manifest.extents)
    lists.push(Json::object({{"number", list.number},
                             {"count", list.count},
                             {"size", list.size_bytes},
                             {"piece", list.piece}}));
  Json damaged = Json::array();
  for (const DamagedExtent& each : manifest.damaged)
    damaged.push(Json::object({{"id", each.id}, {"reason", each.reason}}));
  return Json::object({{"format", manifest_format},
                       {"id", manifest.id},
                       {"begun_ms", manifest.begun_ms},
                       {"ended_ms", manifest.ended_ms},
                       {"program", manifest.program},
                       {"installation", manifest.installation},
                       {"data_format", manifest.data_format},
                       {"database_id", manifest.database_id},
                       {"starts", manifest.starts},
                       {"new_bytes", manifest.new_bytes},
                       {"new_pieces", manifest.new_pieces},
                       {"metadata", json_of(manifest.metadata)},
                       {"extents", std::move(lists)},
                       {"files", json_of(manifest.files)},
                       {"configuration", json_of(manifest.configuration)},
                       {"damaged", std::move(damaged)}});
}

Result<Manifest> manifest_of(const Json& json) {
  CAIRN_TRY(const std::uint64_t format, count_in(json, "format"));
  if (format > manifest_format)
    return Error{.kind = ErrorKind::unsupported,
                 .message = "the backup has format " + std::to_string(format) +
                            " and this program reads up to " + std::to_string(manifest_format) +
                            "; use the newer program that wrote it"};
  Manifest out;
  out.id = json.string_or("id");
  out.begun_ms = json.int_or("begun_ms");
  out.ended_ms = json.int_or("ended_ms");
  out.program = json.string_or("program");
  out.installation = json.string_or("installation");
  out.data_format = static_cast<int>(json.int_or("data_format"));
  out.database_id = json.string_or("database_id");
  CAIRN_TRY(out.starts, count_in(json, "starts"));
  CAIRN_TRY(out.new_bytes, count_in(json, "new_bytes"));
  CAIRN_TRY(out.new_pieces, count_in(json, "new_pieces"));
  CAIRN_TRY(out.metadata, files_of(json, "metadata"));
  CAIRN_TRY(out.extents, lists_of(json));
  CAIRN_TRY(out.files, files_of(json, "files"));
  CAIRN_TRY(out.configuration, files_of(json, "configuration"));
  if (const Json* const damaged = json.find("damaged"); damaged != nullptr && damaged->is_array())
    for (const Json& each : damaged->as_array()) {
      CAIRN_TRY(const std::uint64_t id, count_in(each, "id"));
      out.damaged.push_back({id, each.string_or("reason")});
    }
  return out;
}

std::string encode_extents(const std::vector<ExtentEntry>& extents) {
  std::string out;
  for (const ExtentEntry& extent : extents) {
    put_u64le(out, extent.id);
    put_varint(out, extent.size_bytes);
    put_varint(out, extent.pieces.size());
    for (const std::string& piece : extent.pieces)
      out += from_hex(piece).value_or(std::string(name_bytes, '\0'));
  }
  return out;
}

Result<std::vector<ExtentEntry>> decode_extents(std::string_view bytes) {
  std::vector<ExtentEntry> out;
  const auto damaged = [] {
    return Error{.kind = ErrorKind::corrupt, .message = "a list of extents ends too early"};
  };
  ByteReader reader(bytes);
  while (!reader.at_end()) {
    const auto id = reader.u64le();
    const auto size = reader.varint();
    const auto count = reader.varint();
    if (!id || !size || !count || *count > reader.remaining() / name_bytes) return damaged();
    ExtentEntry extent{.id = *id, .size_bytes = *size};
    for (std::uint64_t i = 0; i < *count; ++i) {
      const auto piece = reader.bytes(name_bytes);
      if (!piece) return damaged();
      extent.pieces.push_back(to_hex(*piece));
    }
    out.push_back(std::move(extent));
  }
  return out;
}

}  // namespace cairn::backup
