// SPDX-License-Identifier: Apache-2.0
// PutObject.
#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "s3/errors.h"
#include "s3api/wire/body.h"
#include "s3api/wire/conditions.h"
#include "s3api/objects/encryption.h"
#include "s3api/objects/expirations.h"
#include "s3api/objects/appends.h"
#include "s3api/handlers.h"
#include "s3api/objects/new_object.h"
#include "s3api/wire/offered.h"
#include "s3api/objects/pump.h"

namespace cairn::s3api {
namespace {

s3::PutObjectOutput describe(const Call& call, const s3::PutObjectInput& in,
                             const s3::Object& object) {
  s3::PutObjectOutput out;
  out.etag = quoted(object.etag);
  if (object.checksum) set_checksum_fields(out, *object.checksum);
  if (object.checksum) out.checksum_type = s3::name_of(object.checksum->type);
  out.version_id = shown_version(*call.bucket, object);
  out.expiration = expiration_of(call, object);
  set_encryption_and_context(out, object.encryption);
  set_customer_key(out, object.encryption, in.sse_customer_key_md5);
  return out;
}

// A lock on what was damaged on the way could not be undone.
Status check_locked_body(const LockRequest& lock, const IncomingBody& body) {
  if (!lock.any() || body.is_covered()) return ok_status();
  return s3::error("InvalidRequest",
                   "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object "
                   "requests with Object Lock parameters");
}

}  // namespace

Result<s3::PutObjectOutput> put_object(Call& call, const s3::PutObjectInput& in) {
  CAIRN_CHECK(check_write_offered(call));
  if (in.write_offset_bytes) return append_object(call, in);
  CAIRN_TRY(const s3::WriteCondition condition,
            read_write_condition(in.if_match, in.if_none_match));
  CAIRN_TRY(const objectstore::EncryptionRequest encryption, encryption_request(call, in));
  CAIRN_TRY(const NewObject fresh, new_object(call, in));
  CAIRN_TRY(const auto body, IncomingBody::open(call));
  CAIRN_CHECK(check_locked_body(fresh.lock, *body));
  CAIRN_CHECK(check_put_size(body->length()));
  // Told before the bytes are sent, where the client waits for 100 Continue. The commit judges
  // again.
  CAIRN_CHECK(check_condition_now(call, condition));
  CAIRN_TRY(const auto writer,
            call.engine().begin_put(call.object(),
                                    objectstore::BeginPutParams{.expected_bytes = body->length(),
                                                                .encryption = encryption},
                                    call.deadline()));
  CAIRN_CHECK(pump(call, *body, *writer));
  const auto object = writer->finish({.attributes = fresh.attributes,
                                      .owner = fresh.owner,
                                      .checksum = body->checksum(),
                                      .condition = condition,
                                      .tags = fresh.tags,
                                      .acl = fresh.acl,
                                      .retention = fresh.lock.retention,
                                      .legal_hold = fresh.lock.legal_hold,
                                      .origin = origin_of(call)},
                                     call.deadline());
  if (!object.ok()) return write_fault(call, object.error());
  return describe(call, in, *object);
}

}  // namespace cairn::s3api
