// SPDX-License-Identifier: Apache-2.0
#include "s3/bucket_rules.h"

#include <set>
#include <string>

#include "s3/errors.h"
#include "s3/tags.h"

namespace cairn::s3 {
namespace {

constexpr std::size_t id_characters_max = 255;
constexpr std::int64_t day_ms = 86'400'000;
constexpr std::int64_t newer_versions_max = 100;
constexpr std::int64_t retention_days_max = 36'500;
constexpr std::int64_t retention_years_max = 100;

Error malformed() { return error("MalformedXML"); }
Error invalid_argument(std::string message) { return error("InvalidArgument", std::move(message)); }
Error invalid_request(std::string message) { return error("InvalidRequest", std::move(message)); }

// What a rule's filter looks at, wherever it stands.
struct Predicates {
  std::size_t count = 0;
  bool tags = false;
  bool sizes = false;
};

Status check_prefix(const std::optional<std::string>& prefix) {
  if (prefix && prefix->size() > key_bytes_max)
    return invalid_request("The maximum size of a prefix is 1024.");
  return ok_status();
}

template <class Element>
Status check_sizes(const Element& element) {
  const auto over = element.object_size_greater_than, under = element.object_size_less_than;
  const auto most = static_cast<std::int64_t>(object_bytes_max);
  if ((over && (*over < 0 || *over > most)) || (under && (*under < 0 || *under > most)))
    return invalid_argument(
        "'ObjectSizeGreaterThan' and 'ObjectSizeLessThan' must be sizes of "
        "objects in bytes");
  if (over && under && *under <= *over)
    return invalid_request(
        "'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'.");
  return ok_status();
}

Status check_filter(const LifecycleFilterElement& filter, Predicates& found) {
  CAIRN_CHECK(check_prefix(filter.prefix));
  CAIRN_CHECK(check_sizes(filter));
  found.tags = filter.tag.has_value();
  found.sizes = filter.object_size_greater_than || filter.object_size_less_than;
  found.count = std::size_t{filter.prefix.has_value()} + std::size_t{filter.tag.has_value()} +
                std::size_t{filter.object_size_greater_than.has_value()} +
                std::size_t{filter.object_size_less_than.has_value()} +
                std::size_t{filter.and_.has_value()};
  if (found.count > 1) return malformed();
  if (filter.tag) CAIRN_CHECK(tags_of({*filter.tag}, Tagged::object));
  if (!filter.and_) return ok_status();
  const LifecycleAndElement& all = *filter.and_;
  CAIRN_CHECK(check_prefix(all.prefix));
  CAIRN_CHECK(check_sizes(all));
  CAIRN_CHECK(tags_of(all.tags, Tagged::object));
  found.tags = !all.tags.empty();
  found.sizes = all.object_size_greater_than || all.object_size_less_than;
  const std::size_t inside = std::size_t{all.prefix.has_value()} + all.tags.size() +
                             std::size_t{all.object_size_greater_than.has_value()} +
                             std::size_t{all.object_size_less_than.has_value()};
  if (inside < 2) return malformed();
  return ok_status();
}

Status check_expiration(const LifecycleExpirationElement& expiration, const Predicates& found) {
  const int ways = int{expiration.date.has_value()} + int{expiration.days.has_value()} +
                   int{expiration.expired_object_delete_marker.has_value()};
  if (ways != 1) return malformed();
  if (expiration.days && (*expiration.days < 1 || *expiration.days > INT32_MAX))
    return invalid_argument("'Days' for Expiration action must be a positive integer");
  if (expiration.date && expiration.date->unix_ms % day_ms != 0)
    return invalid_argument("'Date' must be at midnight GMT");
  if (expiration.expired_object_delete_marker && (found.tags || found.sizes))
    return invalid_request("ExpiredObjectDeleteMarker cannot be specified with " +
                           std::string(found.tags ? "Tags." : "Object Size."));
  return ok_status();
}

Status check_noncurrent(const NoncurrentExpirationElement& expiration) {
  if (!expiration.noncurrent_days) return malformed();
  if (*expiration.noncurrent_days < 1 || *expiration.noncurrent_days > INT32_MAX)
    return invalid_argument(
        "'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer");
  const auto& newer = expiration.newer_noncurrent_versions;
  if (newer && (*newer < 1 || *newer > newer_versions_max))
    return invalid_argument(
        "'NewerNoncurrentVersions' for NoncurrentVersionExpiration action must be a positive "
        "integer of at most 100");
  return ok_status();
}

Status check_abort(const AbortUploadsElement& abort, const Predicates& found) {
  if (!abort.days_after_initiation) return malformed();
  if (*abort.days_after_initiation < 1 || *abort.days_after_initiation > INT32_MAX)
    return invalid_argument(
        "'DaysAfterInitiation' for AbortIncompleteMultipartUpload action must be a positive "
        "integer");
  if (found.tags || found.sizes)
    return invalid_request("AbortIncompleteMultipartUpload cannot be specified with " +
                           std::string(found.tags ? "Tags." : "Object Size."));
  return ok_status();
}

Status check_rule(const LifecycleRuleElement& rule) {
  if (rule.id && rule.id->size() > id_characters_max)
    return invalid_argument("ID length should not exceed allowed limit of 255");
  if (rule.prefix.has_value() == rule.filter.has_value()) return malformed();
  CAIRN_CHECK(check_prefix(rule.prefix));
  Predicates found;
  if (rule.filter) CAIRN_CHECK(check_filter(*rule.filter, found));
  if (!rule.transitions.empty() || !rule.noncurrent_version_transitions.empty())
    return error("NotImplemented",
                 "Lifecycle rules do not move objects to another storage class here: all classes "
                 "lie on the same disks. Leave Transition and NoncurrentVersionTransition out.");
  if (!rule.expiration && !rule.noncurrent_version_expiration &&
      !rule.abort_incomplete_multipart_upload)
    return invalid_request("At least one action needs to be specified in a rule.");
  if (rule.expiration) CAIRN_CHECK(check_expiration(*rule.expiration, found));
  if (rule.noncurrent_version_expiration)
    CAIRN_CHECK(check_noncurrent(*rule.noncurrent_version_expiration));
  if (rule.abort_incomplete_multipart_upload)
    CAIRN_CHECK(check_abort(*rule.abort_incomplete_multipart_upload, found));
  return ok_status();
}

}  // namespace

Status check_lifecycle(const LifecycleConfigurationElement& configuration) {
  if (configuration.rules.size() > lifecycle_rules_max) return malformed();
  std::set<std::string> ids;
  for (const LifecycleRuleElement& rule : configuration.rules) {
    CAIRN_CHECK(check_rule(rule));
    if (rule.id && !rule.id->empty() && !ids.insert(*rule.id).second)
      return invalid_argument("Rule ID must be unique. Found same ID for more than one rule");
  }
  return ok_status();
}

Result<ObjectLock> object_lock_of(const ObjectLockConfigurationElement& configuration) {
  if (!configuration.object_lock_enabled) return malformed();
  ObjectLock lock{.enabled = true};
  if (!configuration.rule) return lock;
  const auto& retention = configuration.rule->default_retention;
  if (!retention || !retention->mode) return malformed();
  if (retention->days.has_value() == retention->years.has_value()) return malformed();
  const std::int64_t length = retention->days ? *retention->days : *retention->years;
  if (length < 1)
    return invalid_argument("Default retention period must be a positive integer value.");
  if (length > (retention->days ? retention_days_max : retention_years_max))
    return invalid_argument("Default retention period too large");
  lock.rule = DefaultRetention{
      .mode = *retention->mode == "COMPLIANCE" ? LockMode::compliance : LockMode::governance,
      .days = static_cast<int>(retention->days.value_or(0)),
      .years = static_cast<int>(retention->years.value_or(0))};
  return lock;
}

Status check_encryption(const EncryptionConfigurationElement& configuration) {
  if (configuration.rules.size() != 1) return malformed();
  const EncryptionRuleElement& rule = configuration.rules.front();
  if (!rule.apply_server_side_encryption_by_default) return malformed();
  const EncryptionByDefaultElement& how = *rule.apply_server_side_encryption_by_default;
  if (how.sse_algorithm == "aws:fsx") return malformed();
  if (how.sse_algorithm == "AES256" && how.kms_master_key_id)
    return invalid_argument(
        "a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or "
        "aws:kms:dsse");
  return ok_status();
}

}  // namespace cairn::s3
