// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/bucket_events.h"

#include <string>

#include "base/encode.h"
#include "connectors/errors.h"

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

}  // namespace

Result<bool> event_concerns(const Json& event, std::string_view bucket, std::string_view prefix) {
  if (!event.is_object()) return unknown_shape("it is no object");
  if (event.string_or("Event") == "s3:TestEvent") return false;
  const Json* records = event.find("Records");
  if (records == nullptr || !records->is_array() || records->as_array().empty())
    return unknown_shape("[Records] must be a list with records");
  bool concerns = false;
  for (const Json& record : records->as_array()) {
    if (!record.is_object()) return unknown_shape("[Records] must have objects");
    CAIRN_TRY(const std::string of, text_of(record, "s3.bucket.name"));
    CAIRN_TRY(const std::string written, text_of(record, "s3.object.key"));
    if (of != bucket)
      return bad_argument("the event is of the bucket [" + of + "], the connector reads [" +
                          std::string(bucket) + "]");
    const auto key = percent_decode(written, true);
    if (!key) return unknown_shape("[s3.object.key] must be percent-encoded");
    concerns = concerns || key->starts_with(prefix);
  }
  return concerns;
}

}  // namespace cairn::connectors
