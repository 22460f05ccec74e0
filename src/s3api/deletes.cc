// SPDX-License-Identifier: Apache-2.0
// DeleteObject and DeleteObjects.
#include "s3/errors.h"
#include "s3api/conditions.h"
#include "s3api/handlers.h"
#include "s3api/offered.h"

namespace cairn::s3api {
namespace {

std::optional<std::string> wanted_etag(const std::optional<std::string>& if_match) {
  if (!if_match) return std::nullopt;
  return std::string(bare_etag(*if_match));
}

s3::ErrorElement describe(const s3::ObjectIdentifier& object, const Error& fault) {
  return {.key = object.key,
          .version_id = object.version_id,
          .code = std::string(s3::code_of(fault)),
          .message = fault.message};
}

// Faults that one key of a batch can have on its own.
Status check_entry(const s3::ObjectIdentifier& object) {
  if (object.key.empty()) return s3::error("InvalidArgument", "The key must not be empty");
  CAIRN_CHECK(check_key(object.key));
  if (object.version_id && !object.version_id->empty() && *object.version_id != s3::null_version)
    return s3::error("NoSuchVersion");
  if (object.last_modified_time || object.size) return s3::error("NotImplemented");
  return ok_status();
}

Status delete_conditional(Call& call, const s3::ObjectIdentifier& object) {
  CAIRN_CHECK(call.engine().remove({call.address.bucket, object.key}, call.deadline(),
                                   wanted_etag(object.etag)));
  return ok_status();
}

}  // namespace

Result<s3::DeleteObjectOutput> delete_object(Call& call, const s3::DeleteObjectInput& in) {
  CAIRN_CHECK(own_bucket(call, in.expected_bucket_owner));
  CAIRN_CHECK(check_key(in.key));
  CAIRN_CHECK(check_version_id(in.version_id));
  if (in.if_match_last_modified_time) return not_offered("x-amz-if-match-last-modified-time");
  if (in.if_match_size) return not_offered("x-amz-if-match-size");
  CAIRN_CHECK(call.engine().remove(call.object(), call.deadline(), wanted_etag(in.if_match)));
  return s3::DeleteObjectOutput{};
}

Result<s3::DeleteObjectsOutput> delete_objects(Call& call, const s3::DeleteObjectsInput& in) {
  CAIRN_CHECK(own_bucket(call, in.expected_bucket_owner));
  if (in.delete_.objects.size() > s3::delete_batch_max) return s3::error("MalformedXML");
  std::vector<std::optional<Error>> faults(in.delete_.objects.size());
  std::vector<std::string> keys;  // without a condition: these go in one step
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const s3::ObjectIdentifier& object = in.delete_.objects[i];
    Status status = check_entry(object);
    if (status.ok() && !object.etag) {
      keys.push_back(object.key);
    } else if (status.ok()) {
      status = delete_conditional(call, object);
    }
    if (!status.ok()) faults[i] = status.error();
  }
  CAIRN_CHECK(call.engine().remove_batch(call.address.bucket, keys, call.deadline()));
  s3::DeleteObjectsOutput out;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const s3::ObjectIdentifier& object = in.delete_.objects[i];
    if (faults[i]) {
      out.errors.push_back(describe(object, *faults[i]));
    } else if (!in.delete_.quiet.value_or(false)) {
      out.deleted.push_back({.key = object.key, .version_id = object.version_id});
    }
  }
  return out;
}

}  // namespace cairn::s3api
