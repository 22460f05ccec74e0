// SPDX-License-Identifier: Apache-2.0
// Grants that come with what is created, and whose it is then.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "s3/grants.h"
#include "s3/model.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// What a request says of grants: a canned name, or grants of header fields, or nothing.
struct GrantsRequest {
  std::optional<std::string> canned = {};
  std::optional<std::vector<s3::Grant>> grants = {};
  bool any() const { return canned || grants; }
};
/// `region`: of the bucket. Errors: InvalidRequest (both); those of grants_of_fields and of
/// check_grantees.
Result<GrantsRequest> grants_of_request(const Call& call, std::string_view region,
                                     const std::optional<std::string>& canned,
                                     const s3::GrantFields& fields);

/// Of a new object in the call's bucket.
template <class Input>
Result<GrantsRequest> grants_request(const Call& call, const Input& in) {
  return grants_of_request(call, region_of(call.bucket->bucket, call.context.options), in.acl,
                           {.full_control = in.grant_full_control,
                            .read = in.grant_read,
                            .read_acp = in.grant_read_acp,
                            .write_acp = in.grant_write_acp});
}

s3::GrantList list_of(const GrantsRequest& wanted, const std::string& owner_id,
                      const std::string& bucket_owner_id);

/// Whose a new object is: the writer's, or the bucket owner's where ACLs are off or it was given
/// away.
s3::Owner owner_of_new(const Call& call, const GrantsRequest& wanted);
/// The document to keep with a new object. Errors: AccessControlListNotSupported; AccessDenied,
/// where public grants are blocked.
Result<std::string> acl_of_new(const Call& call, const GrantsRequest& wanted, const s3::Owner& owner);

s3::Ownership ownership_of(std::string_view name);
std::string_view name_of(s3::Ownership ownership);

}  // namespace cairn::s3api
