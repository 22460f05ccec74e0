// SPDX-License-Identifier: Apache-2.0
#include "s3api/accesspoints/control.h"

#include <string>

#include "s3/access_points.h"
#include "s3/errors.h"
#include "s3api/access/access.h"
#include "s3api/grants/grants.h"

namespace cairn::s3api {
namespace {

// The access point of the path, or all of the account's.
std::string resource_of_control(const Call& call) {
  if (is_about_grants(call)) return resource_of_grants(call);
  return s3::arn_of(
      s3::AccessPoint{.name = call.address.key.empty() ? "*" : call.address.key,
                      .owner = {.id = {}, .account_id = call.identity.account().account_id},
                      .region = call.context.options.region});
}

}  // namespace

Status admit_to_control(const Call& call) {
  const auto account = call.header("x-amz-account-id");
  if (!account || !s3::is_account_id(*account))
    return s3::error("InvalidRequest",
                     "The control API is asked with the account in the header field " +
                         s3::header_name("x-amz-account-id", call.dialect) + ", as 12 digits.");
  if (call.identity.is_nobody() || call.identity.session() || call.identity.granted() ||
      *account != call.identity.account().account_id)
    return s3::error("AccessDenied");
  return decide_by_caller("s3:" + std::string(call.operation->name), access_of(call),
                          resource_of_control(call));
}

}  // namespace cairn::s3api
