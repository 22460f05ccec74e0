// SPDX-License-Identifier: Apache-2.0
// DeleteObject and DeleteObjects.
#include "s3/errors.h"
#include "s3api/wire/conditions.h"
#include "s3api/handlers.h"
#include "s3api/wire/offered.h"

namespace cairn::s3api {
namespace {

objectstore::RemoveCondition condition_of(const std::optional<std::string>& etag,
                                          const std::optional<std::int64_t>& size,
                                          const std::optional<s3::Time>& modified) {
  objectstore::RemoveCondition out;
  if (etag) out.if_match = std::string(bare_etag(*etag));
  if (size) out.if_size_bytes = static_cast<std::uint64_t>(*size);
  if (modified) out.if_modified_ms = modified->unix_ms;
  return out;
}

std::string version_of(const s3::ObjectIdentifier& object) {
  return object.version_id.value_or("");  // an empty one counts as none
}

s3::ErrorElement describe(const s3::ObjectIdentifier& object, const Error& fault) {
  return {.key = object.key,
          .version_id = object.version_id,
          .code = std::string(s3::code_of(fault)),
          .message = fault.message};
}

s3::DeletedElement describe(const s3::ObjectIdentifier& object,
                            const objectstore::Removed& removed) {
  s3::DeletedElement out{.key = object.key};
  if (!version_of(object).empty()) out.version_id = object.version_id;
  if (removed.delete_marker) {
    out.delete_marker = true;
    out.delete_marker_version_id = removed.version_id;
  }
  return out;
}

// Faults that one key of a batch can have on its own, and whether it may be deleted.
Status check_entry(const Call& call, const s3::ObjectIdentifier& object, bool bypass) {
  if (object.key.empty()) return s3::error("InvalidArgument", "The key must not be empty");
  CAIRN_CHECK(check_key(object.key));
  const std::string version = version_of(object);
  AccessSubject subject{.rules = call.rules, .key = object.key};
  if (!version.empty()) subject.version_id = version;
  const AccessContext context = access_of(call);
  CAIRN_CHECK(
      decide(version.empty() ? "s3:DeleteObject" : "s3:DeleteObjectVersion", context, subject));
  if (bypass) CAIRN_CHECK(decide("s3:BypassGovernanceRetention", context, subject));
  if (!call.directory && (object.last_modified_time || object.size))
    return s3::error("NotImplemented");
  return ok_status();
}

constexpr std::string_view bypass_field = "x-amz-bypass-governance-retention";

Status check_bypass(const Call& call, const std::optional<bool>& bypass) {
  if (!bypass || call.bucket->bucket.object_lock.enabled) return ok_status();
  return bad_argument(bypass_field, *bypass ? "true" : "false",
                      std::string(bypass_field) +
                          " is only applicable to Object Lock enabled buckets.");
}

objectstore::RemoveParams params_of(const Call& call, const std::optional<bool>& bypass) {
  return {.bypass_governance = bypass.value_or(false), .owner = call.identity.account(),
          .origin = origin_of(call)};
}

}  // namespace

Result<s3::DeleteObjectOutput> delete_object(Call& call, const s3::DeleteObjectInput& in) {
  if (!call.directory && in.if_match_last_modified_time)
    return not_offered("x-amz-if-match-last-modified-time");
  if (!call.directory && in.if_match_size) return not_offered("x-amz-if-match-size");
  CAIRN_CHECK(check_bypass(call, in.bypass_governance_retention));
  objectstore::RemoveParams params = params_of(call, in.bypass_governance_retention);
  params.condition =
      condition_of(in.if_match, in.if_match_size, in.if_match_last_modified_time);
  CAIRN_TRY(const objectstore::Removed removed,
            call.engine().remove(call.object(), params, call.deadline()));
  s3::DeleteObjectOutput out{.version_id = removed.version_id};
  if (removed.delete_marker) out.delete_marker = true;
  return out;
}

Result<s3::DeleteObjectsOutput> delete_objects(Call& call, const s3::DeleteObjectsInput& in) {
  if (in.delete_.objects.size() > s3::delete_batch_max) return s3::error("MalformedXML");
  CAIRN_CHECK(check_bypass(call, in.bypass_governance_retention));
  std::vector<std::optional<Error>> faults(in.delete_.objects.size());
  std::vector<objectstore::RemoveEntry> entries;  // those without faults
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const s3::ObjectIdentifier& object = in.delete_.objects[i];
    const Status status = check_entry(call, object, in.bypass_governance_retention.value_or(false));
    if (status.ok()) {
      entries.push_back(
          {.key = object.key,
           .version = version_of(object),
           .condition = condition_of(object.etag, object.size, object.last_modified_time)});
    } else {
      faults[i] = status.error();
    }
  }
  CAIRN_TRY(
      const auto removed,
      call.engine().remove_batch(call.address.bucket, entries,
                                 params_of(call, in.bypass_governance_retention), call.deadline()));
  s3::DeleteObjectsOutput out;
  const bool quiet = in.delete_.quiet.value_or(false);
  std::size_t next = 0;  // of the results
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const s3::ObjectIdentifier& object = in.delete_.objects[i];
    if (faults[i]) {
      out.errors.push_back(describe(object, *faults[i]));
      continue;
    }
    const Result<objectstore::Removed>& result = removed[next++];
    if (!result.ok()) {
      out.errors.push_back(describe(object, result.error()));
    } else if (!quiet) {
      out.deleted.push_back(describe(object, *result));
    }
  }
  return out;
}

}  // namespace cairn::s3api
