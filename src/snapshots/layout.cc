// SPDX-License-Identifier: Apache-2.0
#include "snapshots/layout.h"

#include "base/compress.h"
#include "base/encode.h"
#include "base/strings.h"

namespace cairn::snapshots::layout {
namespace {

constexpr std::size_t manifest_bytes_max = 1u << 30;

/// The middle of a text between two ends, or nothing.
std::optional<std::string_view> between(std::string_view text, std::string_view start,
                                        std::string_view end) {
  if (text.size() <= start.size() + end.size() || !text.starts_with(start) || !text.ends_with(end))
    return std::nullopt;
  return text.substr(start.size(), text.size() - start.size() - end.size());
}

Blob parse_below_index(std::string_view id, std::string_view rest) {
  Blob blob{.index_id = std::string(id)};
  if (const auto uuid = between(rest, "meta-", ".dat")) {
    blob.kind = Blob::Kind::index_meta;
    blob.uuid = std::string(*uuid);
  } else if (const auto shard_uuid = between(rest, "0/snap-", ".dat")) {
    blob.kind = Blob::Kind::shard_snapshot;
    blob.uuid = std::string(*shard_uuid);
  } else if (rest.starts_with("0/__")) {
    blob.kind = Blob::Kind::data;
  }
  return blob;
}

}  // namespace

std::string generation_key(std::int64_t generation) { return "index-" + std::to_string(generation); }
std::string lease_key(const std::string& uuid) { return std::string(lease_prefix) + uuid; }
std::string sweep_key(const std::string& uuid) { return std::string(sweep_prefix) + uuid; }
std::string snapshot_key(const std::string& uuid) { return "snap-" + uuid + ".dat"; }

std::string index_key(const std::string& index_id, const std::string& uuid) {
  return "indices/" + index_id + "/meta-" + uuid + ".dat";
}

std::string shard_key(const std::string& index_id, const std::string& uuid) {
  return "indices/" + index_id + "/0/snap-" + uuid + ".dat";
}

std::string data_key(const std::string& index_id, std::string_view object) {
  return "indices/" + index_id + "/0/__" + percent_encode(object);
}

Blob parse_key(std::string_view key) {
  if (key == latest_key) return {.kind = Blob::Kind::latest};
  if (key.starts_with(indices_prefix)) {
    const std::string_view below = key.substr(indices_prefix.size());
    const auto slash = below.find('/');
    if (slash == std::string_view::npos || slash == 0) return {};
    return parse_below_index(below.substr(0, slash), below.substr(slash + 1));
  }
  if (key.starts_with("index-")) {
    const auto generation = parse_number<std::int64_t>(key.substr(6));
    if (generation && *generation >= 0)
      return {.kind = Blob::Kind::generation, .generation = *generation};
  }
  if (const auto uuid = between(key, "snap-", ".dat"))
    return {.kind = Blob::Kind::snapshot, .uuid = std::string(*uuid)};
  if (const auto uuid = between(key, lease_prefix, ""))
    return {.kind = Blob::Kind::lease, .uuid = std::string(*uuid)};
  if (const auto uuid = between(key, sweep_prefix, ""))
    return {.kind = Blob::Kind::sweep_lease, .uuid = std::string(*uuid)};
  return {};
}

std::string encode(const Json& json) { return zstd(json.dump()); }

Result<Json> decode(std::string_view key, std::string_view bytes) {
  auto text = unzstd(bytes, manifest_bytes_max);
  if (!text.ok()) return with_context(std::move(text).error(), "repository blob " + std::string(key));
  auto json = parse_json(*text);
  if (!json.ok())
    return Error{.kind = ErrorKind::corrupt,
                 .code = "repository_exception",
                 .message = "repository blob " + std::string(key) + " holds no JSON"};
  return json;
}

}  // namespace cairn::snapshots::layout
