// SPDX-License-Identifier: Apache-2.0
// The source of a copy, of a whole object or of a part: found, allowed, and as its conditions want.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "s3/model.h"
#include "s3api/wire/address.h"
#include "s3api/call.h"
#include "s3api/wire/conditions.h"

namespace cairn::s3api {

struct Source {
  CopySource name;
  s3::Object object;
  objectstore::BucketView bucket;
  objectstore::AccessPointView access_point = {};  // that the name stands for; `name` has its bucket
  BucketRules rules = {};
  objectstore::ObjectName object_name() const { return {name.bucket, name.key, name.version_id}; }
};

struct SourceRequest {
  const std::string& copy_source;
  ReadConditions conditions = {};
  const std::optional<std::string>& expected_owner;
  bool with_tags = false;  // they will be copied too
};
/// Errors: InvalidArgument, NoSuchBucket, AccessDenied, NoSuchKey (with the source's key),
/// NoSuchAccessPoint, NoSuchVersion, PreconditionFailed, InvalidObjectState (archived).
Result<Source> find_source(const Call& call, const SourceRequest& wanted);

template <class Input>
Result<Source> find_source(const Call& call, const Input& in, bool with_tags) {
  return find_source(call,
                     {.copy_source = in.copy_source,
                      .conditions = {.if_match = in.copy_source_if_match,
                                     .if_none_match = in.copy_source_if_none_match,
                                     .if_modified_since = in.copy_source_if_modified_since,
                                     .if_unmodified_since = in.copy_source_if_unmodified_since},
                      .expected_owner = in.expected_source_bucket_owner,
                      .with_tags = with_tags});
}

/// Errors: InvalidRequest for more than one copy may move.
Status check_copy_size(std::uint64_t bytes);

/// Where the source's bucket charges the caller, the reply says so.
void note_charge(Call& call, const Source& source);

}  // namespace cairn::s3api
