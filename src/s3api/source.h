// SPDX-License-Identifier: Apache-2.0
// The source of a copy, of a whole object or of a part: found, allowed, and as its conditions want.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "s3/model.h"
#include "s3api/address.h"
#include "s3api/call.h"
#include "s3api/conditions.h"

namespace cairn::s3api {

struct Source {
  CopySource name;
  s3::Object object;
  objectstore::ObjectName object_name() const { return {name.bucket, name.key}; }
};

/// Errors: InvalidArgument, NoSuchBucket, AccessDenied, NoSuchKey (with the source's key),
/// PreconditionFailed.
Result<Source> find_source(const Call& call, const std::string& copy_source,
                           const ReadConditions& conditions,
                           const std::optional<std::string>& expected_owner);

template <class Input>
Result<Source> find_source(const Call& call, const Input& in) {
  return find_source(call, in.copy_source,
                     {.if_match = in.copy_source_if_match,
                      .if_none_match = in.copy_source_if_none_match,
                      .if_modified_since = in.copy_source_if_modified_since,
                      .if_unmodified_since = in.copy_source_if_unmodified_since},
                     in.expected_source_bucket_owner);
}

/// Errors: InvalidRequest for more than one copy may move.
Status check_copy_size(std::uint64_t bytes);

/// Moves the bytes of a reader into a writer and shows the client that work goes on.
/// Errors: those of both.
template <class Writer>
Status pump_copy(Call& call, objectstore::ObjectReader& reader, Writer& writer);

/// True when it is time for another sign of life; keeps the time.
bool is_keep_alive_due(const Call& call, std::int64_t& shown_ns);
Status send_keep_alive(Call& call);

template <class Writer>
Status pump_copy(Call& call, objectstore::ObjectReader& reader, Writer& writer) {
  std::int64_t shown_ns = call.around.clock.steady_ns();
  while (true) {
    CAIRN_TRY(const std::string_view piece, reader.next());
    if (piece.empty()) return ok_status();
    CAIRN_CHECK(writer.write(piece));
    if (is_keep_alive_due(call, shown_ns)) CAIRN_CHECK(send_keep_alive(call));
  }
}

}  // namespace cairn::s3api
