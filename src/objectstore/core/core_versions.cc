// SPDX-License-Identifier: Apache-2.0
// Finding and listing versions, of core.h.
#include <algorithm>

#include "base/bytes.h"
#include "objectstore/core/core.h"
#include "os/steps.h"
#include "s3/errors.h"
#include "store/folding.h"

namespace cairn::objectstore {
namespace {

Error bad_version(std::string_view version) {
  return s3::error("InvalidArgument", "Invalid version id specified")
      .with_detail("ArgumentName", "versionId")
      .with_detail("ArgumentValue", std::string(version));
}

// How many parts there are, and a checksum that goes on without theirs.
bool says_enough(const ObjectRecord& record) {
  const auto& checksum = record.object.checksum;
  return record.manifest.extents > 0 &&
         !(checksum && checksum->type == s3::ChecksumType::composite);
}

}  // namespace

// Between the record and its manifest the version may be replaced: a record seen twice decides.
Result<std::optional<Standing>> Core::read_whole(Table table, const std::string& row,
                                                 std::string_view key, Manifests which) {
  std::string before;
  for (;;) {
    Standing standing;
    CAIRN_TRY(const bool found, kv_->get(table, row, standing.value));
    if (!found) return std::optional<Standing>();
    CAIRN_TRY(standing.record, decode_object(standing.value, key));
    standing.in_versions = table == Table::versions;
    if (!standing.record.has_manifest) return std::optional(std::move(standing));
    if (which == Manifests::needed && says_enough(standing.record))
      return std::optional(std::move(standing));
    CAIRN_TRY(const bool there, read_manifest(standing.record));
    if (there) return std::optional(std::move(standing));
    if (standing.value == before)
      return Error{.kind = ErrorKind::corrupt,
                   .message = "the list of parts of [" + std::string(key) + "] is missing"};
    before = std::move(standing.value);
  }
}

/// False where a piece is missing.
Result<bool> Core::read_manifest(ObjectRecord& record) {
  std::vector<std::string> pieces(record.manifest.pieces);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    CAIRN_TRY(const bool there,
              kv_->get(Table::bodies, piece_row(record.serial, i), pieces[i]));
    if (!there) return false;
  }
  CAIRN_CHECK(decode_manifest(pieces, record));
  return true;
}

Result<std::optional<Standing>> Core::find_row(std::string_view row) {
  return read_whole(Table::objects, std::string(row), row.substr(object_row_key_at));
}

Result<std::optional<Standing>> Core::find_version_row(std::uint64_t bucket_id,
                                                       std::string_view key, std::uint64_t order) {
  CAIRN_TRY(auto standing, read_whole(Table::versions, version_row(bucket_id, key, order), key));
  if (standing) standing->latest = false;
  return standing;
}

Result<std::optional<Standing>> Core::newest_version(std::uint64_t bucket_id,
                                                     std::string_view key) {
  const std::string prefix = version_key_prefix(bucket_id, key);
  CAIRN_TRY(const auto cursor, kv_->cursor(Table::versions, store::after_prefix(prefix)));
  cursor->seek(prefix);
  CAIRN_CHECK(cursor->status());
  if (!cursor->valid()) return std::optional<Standing>();
  Standing standing{.record = {}, .value = std::string(cursor->value()), .in_versions = true};
  CAIRN_TRY(standing.record, decode_object(cursor->value(), key));
  return std::optional(std::move(standing));
}

Result<std::optional<std::uint64_t>> Core::null_order(std::uint64_t bucket_id,
                                                      std::string_view key) {
  std::string value;
  CAIRN_TRY(const bool found, kv_->get(Table::system, null_row(bucket_id, key), value));
  if (!found) return std::optional<std::uint64_t>();
  return ByteReader(value).u64be();
}

Result<std::optional<Standing>> Core::look_for(const Bucket& bucket, std::string_view key,
                                               std::string_view version) {
  const std::uint64_t id = bucket.record.id;
  const bool versioned = bucket.state()->bucket.versioning != s3::Versioning::off;
  const bool wants_null = version == s3::null_version;
  std::optional<std::uint64_t> order = version_order(version);
  if (!version.empty() && !wants_null && !order) return bad_version(version);
  CAIRN_TRY(std::optional<Standing> current, find_row(object_row(id, key)));
  if (version.empty() && current) return current;
  if (current) {
    const ObjectRecord& record = current->record;
    if (wants_null ? !record.named : record.named && record.order == *order) return current;
  }
  if (!versioned) return std::optional<Standing>();
  if (wants_null) {
    CAIRN_TRY(order, null_order(id, key));
  }
  if (!version.empty() && !order) return std::optional<Standing>();
  std::optional<Standing> newest;
  if (!current) {
    CAIRN_TRY(newest, newest_version(id, key));
  }
  // Below no live version there is a marker on top, or nothing at all.
  if (version.empty()) return newest;
  CAIRN_TRY(std::optional<Standing> found, find_version_row(id, key, *order));
  if (found && found->record.named == wants_null) return std::optional<Standing>();
  if (found) found->latest = newest && newest->record.order == *order;
  return found;
}

// A version moves between the tables when it becomes the current one, or no longer is: one that was
// not met on the first look is looked for again while it cannot move.
Result<std::optional<Standing>> Core::find_version(const Bucket& bucket, std::string_view key,
                                                   std::string_view version) {
  CAIRN_TRY(std::optional<Standing> found, look_for(bucket, key, version));
  if (found || version.empty()) return found;
  if (bucket.state()->bucket.versioning == s3::Versioning::off) return found;
  const auto lock = locks_.lock(object_row(bucket.record.id, key));
  return look_for(bucket, key, version);
}

Result<std::optional<ObjectRecord>> Core::find(const Bucket& bucket, std::string_view key) {
  CAIRN_TRY(std::optional<Standing> standing, find_row(object_row(bucket.record.id, key)));
  if (!standing) return std::optional<ObjectRecord>();
  return std::optional(std::move(standing->record));
}

namespace {

/// The rows of a bucket in both tables as one sequence: by key, the current version first.
class VersionRows {
 public:
  VersionRows(KvCursor& objects, KvCursor& versions, std::uint64_t bucket_id)
      : objects_(objects), versions_(versions), id_(bucket_id) {}

  void seek(std::string_view key) {
    objects_.seek(object_row(id_, key));
    versions_.seek(version_prefix(id_, key));
  }
  void seek_past_key(std::string_view key) {
    objects_.seek(object_row(id_, std::string(key) + '\0'));
    versions_.seek(store::after_prefix(version_key_prefix(id_, key)));
  }
  /// To what is older than `order` of that key.
  void seek_below(std::string_view key, std::uint64_t order) {
    objects_.seek(object_row(id_, key));
    versions_.seek(version_row(id_, key, order) + '\0');
  }
  Status look() {
    CAIRN_CHECK(objects_.status());
    CAIRN_CHECK(versions_.status());
    at_object_ = objects_.valid();
    valid_ = at_object_ || versions_.valid();
    if (!valid_) return ok_status();
    if (at_object_) key_ = objects_.key().substr(object_row_key_at);
    if (!versions_.valid()) return ok_status();
    const auto key = version_row_key(versions_.key());
    if (!key) return Error{.kind = ErrorKind::corrupt, .message = "a row of versions is broken"};
    if (at_object_ && key_ <= *key) return ok_status();
    at_object_ = false;
    key_ = *key;
    return ok_status();
  }
  bool valid() const { return valid_; }
  bool at_object() const { return at_object_; }
  const std::string& key() const { return key_; }
  std::string_view value() const { return at_object_ ? objects_.value() : versions_.value(); }
  void next() { at_object_ ? objects_.next() : versions_.next(); }

 private:
  KvCursor& objects_;
  KvCursor& versions_;
  const std::uint64_t id_;
  std::string key_;
  bool valid_ = false;
  bool at_object_ = false;
};

std::string fold_of(const s3::ListVersionsParams& params, std::string_view key) {
  if (params.delimiter.empty()) return {};
  const std::size_t at = key.find(params.delimiter, params.prefix.size());
  if (at == std::string_view::npos) return {};
  return std::string(key.substr(0, at + params.delimiter.size()));
}

}  // namespace

Result<bool> Core::has_from(std::uint64_t bucket_id, std::string_view key, std::uint64_t order) {
  CAIRN_TRY(std::optional<Standing> newest, find_row(object_row(bucket_id, key)));
  if (!newest) {
    CAIRN_TRY(newest, newest_version(bucket_id, key));
  }
  return newest && newest->record.order >= order;
}

Result<s3::ListVersionsPage> Core::list_versions(const Bucket& bucket,
                                                 const s3::ListVersionsParams& params,
                                                 const os::Deadline& deadline) {
  s3::ListVersionsPage page;
  const std::uint64_t id = bucket.record.id;
  std::optional<std::uint64_t> below;
  if (!params.version_id_marker.empty()) {
    below = version_order(params.version_id_marker);
    if (!below && params.version_id_marker != s3::null_version)
      return bad_version(params.version_id_marker);
    if (!below) {
      CAIRN_TRY(const auto marked, look_for(bucket, params.key_marker, s3::null_version));
      if (marked) below = marked->record.order;
    }
  }
  const std::string& marker = params.key_marker;
  const std::string& prefix = params.prefix;
  if (params.limit == 0 || (marker > prefix && !marker.starts_with(prefix))) return page;
  CAIRN_TRY(const auto objects,
            kv_->cursor(Table::objects, store::after_prefix(object_row(id, prefix))));
  CAIRN_TRY(const auto versions,
            kv_->cursor(Table::versions, store::after_prefix(version_prefix(id, prefix))));
  VersionRows rows(*objects, *versions, id);
  std::string key_before;  // of the row before: the first row of a key is its latest version
  if (marker.empty() || marker < prefix) {
    rows.seek(prefix);
  } else if (const std::string fold = fold_of(params, marker); !fold.empty()) {
    const std::string past = store::after_prefix(fold);
    if (past.empty()) return page;
    rows.seek(past);
  } else if (!below) {
    rows.seek_past_key(marker);
  } else {
    rows.seek_below(marker, *below);
    // What the page before showed as the latest may be gone by now.
    CAIRN_TRY(const bool newer, has_from(id, marker, *below));
    if (newer) key_before = marker;
  }
  os::Steps steps(deadline, "list versions");
  for (;;) {
    CAIRN_CHECK(deadline.check("list versions"));
    CAIRN_CHECK(steps.take(store::steps_of_a_row));
    CAIRN_CHECK(rows.look());
    if (!rows.valid()) break;
    if (std::string fold = fold_of(params, rows.key()); !fold.empty()) {
      if (page.versions.size() + page.common_prefixes.size() == params.limit) {
        page.truncated = true;
        break;
      }
      const std::string past = store::after_prefix(fold);
      page.next_key_marker = fold;
      page.next_version_id_marker.clear();
      page.common_prefixes.push_back(std::move(fold));
      if (past.empty()) break;
      rows.seek(past);
      continue;
    }
    CAIRN_TRY(ObjectRecord record, decode_object(rows.value(), rows.key()));
    if (below && rows.at_object() && rows.key() == marker && record.order >= *below) {
      rows.next();  // the current version of the marker's key is newer than the marker
      continue;
    }
    if (page.versions.size() + page.common_prefixes.size() == params.limit) {
      page.truncated = true;
      break;
    }
    record.object.latest = rows.key() != key_before;
    record.object.parts.clear();
    key_before = rows.key();
    page.next_key_marker = rows.key();
    page.next_version_id_marker = record.object.version_id;
    page.versions.push_back(std::move(record.object));
    rows.next();
  }
  if (!page.truncated) page.next_key_marker.clear(), page.next_version_id_marker.clear();
  return page;
}

}  // namespace cairn::objectstore
