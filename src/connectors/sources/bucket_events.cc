// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/bucket_events.h"

#include <set>
#include <string>
#include <utility>

#include "base/encode.h"
#include "connectors/errors.h"
#include "connectors/file_documents.h"

namespace cairn::connectors {
namespace {

Error unknown_shape(const std::string& what) {
  return bad_argument("the body must be an event message of a bucket: " + what);
}

/// The text of a member of a record.
Result<std::string> text_of(const Json& record, std::string_view path) {
  const Json* value = record.find_path(path);
  if (value == nullptr || !value->is_string())
    return unknown_shape("[Records] must have [" + std::string(path) + "]");
  return value->as_string();
}

/// Ceph sends keys as they are, the others as in a form.
Result<std::string> key_of(const Json& record) {
  CAIRN_TRY(std::string written, text_of(record, "s3.object.key"));
  if (record.string_or("eventSource") == "ceph:s3") return written;
  auto key = percent_decode(written, true);
  if (!key) return unknown_shape("[s3.object.key] must be percent-encoded");
  return *std::move(key);
}

/// "ObjectAccessed:Get", with or without "s3:" before it.
bool changes_nothing(const Json& record) {
  std::string_view name;
  const Json* said = record.find("eventName");
  if (said != nullptr && said->is_string()) name = said->as_string();
  if (name.starts_with("s3:")) name.remove_prefix(3);
  return name.starts_with("ObjectAccessed:");
}

}  // namespace

Result<ToldChange> told_objects(const Json& event, std::string_view bucket,
                                std::string_view prefix) {
  if (!event.is_object()) return unknown_shape("it is no object");
  if (event.string_or("Event") == "s3:TestEvent") return ToldChange{};
  const Json* records = event.find("Records");
  if (records == nullptr || !records->is_array() || records->as_array().empty())
    return unknown_shape("[Records] must be a list with records");
  std::set<std::string> keys;
  for (const Json& record : records->as_array()) {
    if (!record.is_object()) return unknown_shape("[Records] must have objects");
    CAIRN_TRY(const std::string of, text_of(record, "s3.bucket.name"));
    CAIRN_TRY(std::string key, key_of(record));
    if (of != bucket)
      return bad_argument("the event is of the bucket [" + of + "], the connector reads [" +
                          std::string(bucket) + "]");
    const bool read = key.starts_with(prefix) && !key.empty() && !key.ends_with('/') &&
                      why_skipped(key).empty() && !changes_nothing(record);
    if (read) keys.insert(std::move(key));
  }
  return ToldChange{.concerns = !keys.empty(), .paths = {keys.begin(), keys.end()}};
}

}  // namespace cairn::connectors
