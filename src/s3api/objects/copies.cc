// SPDX-License-Identifier: Apache-2.0
// CopyObject. Whether bytes move is the engine's affair.
#include "s3/checksum.h"
#include "s3/errors.h"
#include "s3api/wire/conditions.h"
#include "s3api/directory/directory_copies.h"
#include "s3api/objects/encryption.h"
#include "s3api/objects/expirations.h"
#include "s3api/handlers.h"
#include "s3api/objects/new_object.h"
#include "s3api/wire/offered.h"
#include "s3api/objects/pump.h"
#include "s3api/objects/source.h"
#include "s3api/wire/keep_alive.h"

namespace cairn::s3api {
namespace {

// Storage class and redirect are never copied; the rest is unless the request says REPLACE.
Result<s3::ObjectAttributes> target_attributes(const Call& call, const s3::CopyObjectInput& in,
                                               const s3::Object& source) {
  CAIRN_CHECK(check_redirect(in.website_redirect_location));
  s3::ObjectAttributes attributes = source.attributes;
  attributes.website_redirect_location = in.website_redirect_location.value_or("");
  if (in.metadata_directive == "REPLACE") {
    CAIRN_TRY(attributes, attributes_of(in, call.context.options));
  }
  attributes.storage_class = storage_class_of_new(call, in.storage_class);
  return attributes;
}

// What is asked for by name counts as a change, and so does what the bucket encrypts with by now;
// of an older version every copy is one.
Status check_changes_something(const Call& call, const s3::CopyObjectInput& in,
                               const Source& source, const s3::Encryption& wanted) {
  const bool itself =
      source.name.bucket == call.address.bucket && source.name.key == call.address.key;
  const s3::Encryption& now = source.object.encryption;
  const bool changes = in.metadata_directive == "REPLACE" || in.website_redirect_location ||
                       in.server_side_encryption || in.sse_customer_algorithm ||
                       in.storage_class || !source.object.latest || wanted.method != now.method ||
                       wanted.kms_key_id != now.kms_key_id;
  if (!itself || changes) return ok_status();
  return s3::error("InvalidRequest",
                   "This copy request is illegal because it is trying to copy an object to itself "
                   "without changing the object's metadata, storage class, website redirect "
                   "location or encryption attributes.");
}

bool source_changed(const Error& error) {
  for (const auto& [name, value] : error.details)
    if (name == "Condition" && value == "x-amz-copy-source-If-Match") return true;
  return false;
}

s3::CopyObjectOutput describe(const Call& call, const s3::CopyObjectInput& in, const Source& source,
                              const objectstore::Copied& copied) {
  const s3::Object& object = copied.object;
  s3::CopyObjectResult result{.last_modified = s3::Time{object.modified_ms / 1000 * 1000},
                              .etag = quoted(object.etag)};
  if (object.checksum) {
    set_checksum_fields(result, *object.checksum);
    result.checksum_type = s3::name_of(object.checksum->type);
  }
  s3::CopyObjectOutput out;
  out.copy_object_result = std::move(result);
  out.version_id = object.version_id;  // "null" where versioning is off, too
  if (source.bucket->bucket.versioning != s3::Versioning::off)
    out.copy_source_version_id = copied.source_version_id;
  out.expiration = expiration_of(call, object);
  set_encryption_and_context(out, object.encryption);
  set_customer_key(out, object.encryption, in.sse_customer_key_md5);
  return out;
}

// Of parameters that do not depend on the source.
Result<objectstore::CopyParams> plan_copy(Call& call, const s3::CopyObjectInput& in) {
  CAIRN_TRY(const NewObject fresh, new_object_around(call, in));
  objectstore::CopyParams params{.owner = fresh.owner,
                                 .acl = fresh.acl,
                                 .retention = fresh.lock.retention,
                                 .legal_hold = fresh.lock.legal_hold,
                                 .origin = origin_of(call)};
  CAIRN_TRY(params.condition, read_write_condition(in.if_match, in.if_none_match));
  if (in.tagging_directive == "REPLACE") {
    CAIRN_TRY(params.tags, s3::tags_of_field(in.tagging.value_or("")));
  }
  CAIRN_TRY(params.encryption, encryption_request(call, in));
  CAIRN_TRY(params.source_customer_key, source_customer_key(call, in));
  if (in.checksum_algorithm)
    params.checksum_algorithm = s3::checksum_algorithm_of(*in.checksum_algorithm);
  else if (call.directory)
    params.checksum_algorithm = s3::ChecksumAlgorithm::crc32;
  return params;
}

// Bytes may have to move.
Result<objectstore::Copied> copy(Call& call, const Source& source,
                                 objectstore::CopyParams& params) {
  const KeepAlive keep_alive(call);
  params.progress = [&] { return keep_alive.check(); };
  return call.engine().copy_object(source.object_name(), call.object(), params, call.deadline());
}

}  // namespace

Result<s3::CopyObjectOutput> copy_object(Call& call, const s3::CopyObjectInput& in) {
  constexpr int attempts = 8;
  CAIRN_CHECK(check_write_offered(call));
  CAIRN_TRY(objectstore::CopyParams params, plan_copy(call, in));
  for (int attempt = 1;; ++attempt) {
    CAIRN_TRY(const Source source, find_source(call, in, in.tagging_directive != "REPLACE"));
    note_charge(call, source);
    CAIRN_CHECK(check_copy_size(source.object.size_bytes));
    CAIRN_CHECK(check_directory_copy(call, *source.bucket));
    CAIRN_CHECK(check_directory_tags(call, params.tags.value_or(source.object.tags)));
    CAIRN_CHECK(check_condition_now(call, params.condition));
    CAIRN_CHECK(check_changes_something(call, in, source, params.encryption.how));
    CAIRN_TRY(params.attributes, target_attributes(call, in, source.object));
    params.source_if_match = source.object.etag;
    const auto copied = copy(call, source, params);
    if (copied.ok()) return describe(call, in, source, *copied);
    // Replaced between the look and the copy: look again, judge again.
    if (!source_changed(copied.error()) || attempt == attempts)
      return write_fault(call, copied.error());
  }
}

}  // namespace cairn::s3api
