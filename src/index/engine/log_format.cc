// SPDX-License-Identifier: Apache-2.0
#include "index/engine/log_format.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/compress.h"
#include "base/strings.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

constexpr std::string_view magic = "CRNWAL01";
constexpr std::size_t compress_from = 4096;
constexpr std::size_t log_bytes_max = 1u << 30;
constexpr std::uint8_t routed_index = 5;  // a document with a routing, which follows its source
constexpr std::uint8_t compressed_flag = 1, fence_flag = 2;

void put_semantic(std::string& out, const SemanticValue& value) {
  put_string(out, value.field);
  put_string(out, value.model_settings.to_json().dump());
  put_varint(out, value.chunks.size());
  for (const SemanticChunk& chunk : value.chunks) {
    put_varint(out, chunk.input);
    put_varint(out, chunk.start);
    put_varint(out, chunk.end);
    put_varint(out, chunk.dense.size());
    for (const float v : chunk.dense) put_f32le(out, v);
    put_varint(out, chunk.sparse.size());
    for (const auto& [token, weight] : chunk.sparse) {
      put_string(out, token);
      put_f32le(out, weight);
    }
  }
}

std::uint32_t small(ByteReader& in) { return static_cast<std::uint32_t>(in.varint().value_or(0)); }

bool read_semantic(ByteReader& in, SemanticValue& value) {
  value.field = in.string().value_or("");
  const auto json = parse_json(in.string().value_or(""));
  if (!json) return false;
  auto settings = ModelSettings::parse(*json, value.field);
  if (!settings) return false;
  value.model_settings = std::move(*settings);
  const std::uint64_t chunks = in.varint().value_or(0);
  for (std::uint64_t c = 0; c < chunks && !in.failed(); ++c) {
    SemanticChunk chunk{.input = small(in), .start = small(in), .end = small(in)};
    const std::uint64_t dims = in.varint().value_or(0);
    for (std::uint64_t i = 0; i < dims && !in.failed(); ++i)
      chunk.dense.push_back(in.f32le().value_or(0));
    const std::uint64_t tokens = in.varint().value_or(0);
    for (std::uint64_t i = 0; i < tokens && !in.failed(); ++i) {
      std::string token(in.string().value_or(""));
      chunk.sparse.emplace_back(std::move(token), in.f32le().value_or(0));
    }
    value.chunks.push_back(std::move(chunk));
  }
  return !in.failed();
}

bool read_record(ByteReader& in, LogRecord& record) {
  std::uint8_t kind = in.u8().value_or(0);
  const bool routed = kind == routed_index;
  if (routed) kind = static_cast<std::uint8_t>(LogRecord::Kind::index);
  if (kind < 1 || kind > 4) return false;
  record.kind = static_cast<LogRecord::Kind>(kind);
  record.id = in.string().value_or("");
  record.version = in.zigzag().value_or(0);
  record.seq_no = in.zigzag().value_or(0);
  record.source = in.string().value_or("");
  if (routed) record.routing = in.string().value_or("");
  const std::uint64_t semantic = in.varint().value_or(0);
  for (std::uint64_t i = 0; i < semantic && !in.failed(); ++i) {
    SemanticValue value;
    if (!read_semantic(in, value)) return false;
    record.semantic.push_back(std::move(value));
  }
  return !in.failed();
}

}  // namespace

std::string encode_log(const LogObject& object) {
  std::string body = object.nonce;
  put_varint(body, object.position.epoch);
  put_varint(body, object.position.number);
  put_varint(body, object.records.size());
  for (const LogRecord& record : object.records) {
    const bool routed = !record.routing.empty();
    put_u8(body, routed ? routed_index : static_cast<std::uint8_t>(record.kind));
    put_string(body, record.id);
    put_zigzag(body, record.version);
    put_zigzag(body, record.seq_no);
    put_string(body, record.source);
    if (routed) put_string(body, record.routing);
    put_varint(body, record.semantic.size());
    for (const SemanticValue& value : record.semantic) put_semantic(body, value);
  }
  std::uint8_t flags = object.fence ? fence_flag : 0;
  if (body.size() > compress_from) {
    body = zstd(body, 1);
    flags |= compressed_flag;
  }
  std::string out(magic);
  put_u8(out, flags);
  put_u32le(out, crc32c(body));
  out += body;
  return out;
}

Result<LogObject> decode_log(std::string_view bytes, std::string_view key) {
  const auto damaged = [&](const char* what) { return corrupt_object(key, what); };
  if (!bytes.starts_with(magic)) return damaged("it does not begin as a log object does");
  ByteReader head(bytes.substr(magic.size()));
  const std::uint8_t flags = head.u8().value_or(0);
  const std::uint32_t checksum = head.u32le().value_or(0);
  if (head.failed()) return damaged("it is cut off");
  std::string_view body = bytes.substr(magic.size() + head.position());
  if ((flags & ~(compressed_flag | fence_flag)) != 0)
    return damaged("it is of a form that this version does not know");
  if (crc32c(body) != checksum) return damaged("its checksum differs");
  std::string raw;
  if ((flags & compressed_flag) != 0) {
    auto out = unzstd(body, log_bytes_max);
    if (!out) return damaged("it cannot be decompressed");
    raw = std::move(*out);
    body = raw;
  }
  ByteReader in(body);
  LogObject out;
  out.fence = (flags & fence_flag) != 0;
  out.nonce = in.bytes(16).value_or("");
  out.position.epoch = in.varint().value_or(0);
  out.position.number = in.varint().value_or(0);
  const std::uint64_t count = in.varint().value_or(0);
  for (std::uint64_t i = 0; i < count; ++i) {
    LogRecord record;
    if (!read_record(in, record)) return damaged("a record is damaged");
    out.records.push_back(std::move(record));
  }
  if (!in.at_end()) return damaged("there are bytes behind its end");
  return out;
}

std::string log_key(const LogPosition& position) {
  return fmt::format("wal/{:010}/{:012}", position.epoch, position.number);
}

std::optional<LogPosition> log_position(std::string_view key) {
  const auto pieces = split(key, '/');
  if (pieces.size() != 3 || pieces[0] != "wal") return std::nullopt;
  const auto epoch = parse_number<std::uint64_t>(pieces[1]);
  const auto number = parse_number<std::uint64_t>(pieces[2]);
  if (!epoch || !number) return std::nullopt;
  return LogPosition{.epoch = *epoch, .number = *number};
}

}  // namespace cairn::index
