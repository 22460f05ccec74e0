// SPDX-License-Identifier: Apache-2.0
// PutObject.
#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "s3/errors.h"
#include "s3api/attributes.h"
#include "s3api/body.h"
#include "s3api/conditions.h"
#include "s3api/handlers.h"
#include "s3api/offered.h"
#include "s3api/pump.h"

namespace cairn::s3api {
namespace {

s3::PutObjectOutput describe(const s3::Object& object) {
  s3::PutObjectOutput out;
  out.etag = quoted(object.etag);
  if (object.checksum) set_checksum_fields(out, *object.checksum);
  if (object.checksum) out.checksum_type = s3::name_of(object.checksum->type);
  return out;
}

}  // namespace

Result<s3::PutObjectOutput> put_object(Call& call, const s3::PutObjectInput& in) {
  CAIRN_CHECK(own_bucket(call, in.expected_bucket_owner));
  CAIRN_CHECK(check_key(in.key));
  CAIRN_CHECK(check_write_offered(call));
  CAIRN_TRY(const s3::WriteCondition condition,
            read_write_condition(in.if_match, in.if_none_match));
  CAIRN_TRY(s3::ObjectAttributes attributes, attributes_of(in, call.around.options));
  CAIRN_TRY(const auto body, IncomingBody::open(call));
  CAIRN_CHECK(check_put_size(body->length()));
  // Told before the bytes are sent, where the client waits for 100 Continue. The commit judges
  // again.
  CAIRN_CHECK(check_condition_now(call, condition));
  CAIRN_TRY(const auto writer,
            call.engine().begin_put(call.object(), body->length(), call.deadline()));
  CAIRN_CHECK(pump(*body, *writer));
  objectstore::PutParams params{.attributes = std::move(attributes),
                                .owner = call.caller,
                                .checksum = body->checksum(),
                                .condition = condition};
  const auto object = writer->finish(params, call.deadline());
  if (!object.ok()) return write_fault(call, object.error());
  return describe(*object);
}

}  // namespace cairn::s3api
