// SPDX-License-Identifier: Apache-2.0
// ListObjectVersions.
#include "s3/checksum.h"
#include "s3/errors.h"
#include "s3api/access/account_book.h"
#include "s3api/handlers.h"
#include "s3api/objects/listings.h"

namespace cairn::s3api {
namespace {

s3::VersionElement describe(const Call& call, const s3::Object& object, bool with_restore) {
  s3::VersionElement out{.delete_marker = object.delete_marker,
                         .key = object.key,
                         .version_id = object.version_id,
                         .is_latest = object.latest,
                         .last_modified = s3::Time{object.modified_ms / 1000 * 1000},
                         .owner = owner_element(call, object.owner.id)};
  if (object.delete_marker) return out;
  out.etag = quoted(object.etag);
  out.size = static_cast<std::int64_t>(object.size_bytes);
  out.storage_class = object.attributes.storage_class;
  if (object.checksum) {
    out.checksum_algorithm = {std::string(s3::name_of(object.checksum->algorithm))};
    out.checksum_type = s3::name_of(object.checksum->type);
  }
  if (with_restore) out.restore_status = restore_status_of(object, call.context.clock.unix_ms());
  return out;
}

}  // namespace

Result<s3::ListObjectVersionsOutput> list_object_versions(Call& call,
                                                          const s3::ListObjectVersionsInput& in) {
  CAIRN_TRY(const std::int64_t limit, page_limit("max-keys", in.max_keys));
  const std::string key_marker = in.key_marker.value_or("");
  const std::string version_marker = in.version_id_marker.value_or("");
  if (in.version_id_marker && !in.key_marker)
    return bad_argument("version-id-marker", version_marker,
                        "A version-id marker cannot be specified without a key marker.");
  s3::ListVersionsPage page;
  if (limit > 0) {
    CAIRN_TRY(page, call.engine().list_versions(in.bucket,
                                                {.prefix = in.prefix.value_or(""),
                                                 .delimiter = in.delimiter.value_or(""),
                                                 .key_marker = key_marker,
                                                 .version_id_marker = version_marker,
                                                 .limit = static_cast<std::size_t>(limit)},
                                                call.deadline()));
  }
  s3::ListObjectVersionsOutput out{.name = in.bucket,
                                   .prefix = in.prefix.value_or(""),
                                   .key_marker = key_marker,
                                   .version_id_marker = version_marker,
                                   .max_keys = limit,
                                   .encoding_type = in.encoding_type,
                                   .is_truncated = page.truncated};
  if (in.delimiter && !in.delimiter->empty()) out.delimiter = in.delimiter;
  if (page.truncated) {
    out.next_key_marker = page.next_key_marker;
    if (!page.next_version_id_marker.empty())
      out.next_version_id_marker = page.next_version_id_marker;
  }
  const bool with_restore = wants_restore_status(in.optional_object_attributes);
  for (const s3::Object& object : page.versions)
    out.versions.push_back(describe(call, object, with_restore));
  for (const std::string& prefix : page.common_prefixes)
    out.common_prefixes.push_back({.prefix = prefix});
  return out;
}

}  // namespace cairn::s3api
