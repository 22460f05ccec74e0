// SPDX-License-Identifier: Apache-2.0
#include "s3api/objects/expirations.h"

#include "base/encode.h"
#include "format/time.h"
#include "s3/errors.h"

namespace cairn::s3api {

std::optional<std::string> expiration_of(const Call& call, const s3::Object& object) {
  if (!object.latest) return std::nullopt;
  const auto lifecycle = lifecycle_of(*call.bucket);
  if (lifecycle == nullptr) return std::nullopt;
  const auto expiry = objectstore::expiry_of(object, lifecycle->rules);
  if (!expiry) return std::nullopt;
  return "expiry-date=\"" + format_http_date(expiry->at_ms) + "\", rule-id=\"" +
         percent_encode(expiry->rule_id) + "\"";
}

std::optional<std::string> restore_text(const s3::Object& object, std::int64_t now_ms) {
  const auto& restore = object.restore;
  if (!restore || restore->expires_ms <= now_ms) return std::nullopt;
  if (restore->is_ongoing(now_ms)) return "ongoing-request=\"true\"";
  if (restore->expires_ms == s3::Restore::never) return "ongoing-request=\"false\"";
  return "ongoing-request=\"false\", expiry-date=\"" + format_http_date(restore->expires_ms) + "\"";
}

Status check_readable(const Call& call, const s3::Object& object) {
  if (!s3::is_archived(object, call.context.clock.unix_ms())) return ok_status();
  Error fault =
      s3::error("InvalidObjectState").with_detail("StorageClass", object.attributes.storage_class);
  if (object.archive_tier.empty()) return fault;
  return std::move(fault).with_detail("AccessTier", object.archive_tier);
}

}  // namespace cairn::s3api
