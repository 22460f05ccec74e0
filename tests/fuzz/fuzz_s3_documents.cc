// SPDX-License-Identifier: Apache-2.0
// XML bodies of object storage: what is read must be written and read back the same. The first byte
// chooses the operation.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "s3/wire/error_body.h"
#include "s3/wire/wire.h"

namespace {

using namespace cairn;

template <class Op>
void request(const Op& operation, std::string_view body) {
  const net::QueryParameters query = {{"uploadId", "u"}, {"delete", ""}};
  const net::Headers headers;
  const auto read = s3::read_request(
      operation, s3::RequestView("bucket", "key", query, headers, body), s3::Dialect::aws);
  if (!read.ok()) return;
  const s3::RequestParts parts = s3::write_request(operation, *read, s3::Dialect::aws);
  const auto again = s3::read_request(operation, parts, s3::Dialect::aws);
  if (!again.ok() || !(*again == *read)) std::abort();
}

template <class Op>
void reply(const Op& operation, std::string_view body) {
  const auto read =
      s3::read_reply(operation, {.status = 200, .body = std::string(body)}, s3::Dialect::aws);
  if (!read.ok()) return;
  const auto again = s3::read_reply(operation, s3::write_reply(operation, *read, s3::Dialect::aws),
                                    s3::Dialect::aws);
  if (!again.ok()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 12) {
    case 0:
      request(s3::operations::delete_objects, body);
      break;
    case 1:
      request(s3::operations::complete_multipart_upload, body);
      break;
    case 2:
      request(s3::operations::create_bucket, body);
      break;
    case 3:
      reply(s3::operations::list_objects_v2, body);
      break;
    case 4:
      reply(s3::operations::list_parts, body);
      break;
    case 5:
      reply(s3::operations::copy_object, body);
      break;
    case 6:
      reply(s3::operations::get_bucket_location, body);
      break;
    case 7:
      request(s3::operations::create_bucket_metadata_configuration, body);
      break;
    case 10:
      request(s3::operations::create_access_point, body);
      break;
    case 8:
      request(s3::operations::put_access_point_policy, body);
      break;
    case 9:
      reply(s3::operations::list_access_points, body);
      break;
    default:
      (void)s3::parse_error(400, body);
  }
  return 0;
}
