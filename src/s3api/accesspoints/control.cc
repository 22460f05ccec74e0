// SPDX-License-Identifier: Apache-2.0
#include "s3api/accesspoints/control.h"

#include <string>

#include "s3/access_points.h"
#include "s3/errors.h"
#include "s3/signing/signing.h"
#include "s3api/access/access.h"
#include "s3api/grants/grants.h"

namespace cairn::s3api {
namespace {

bool is_about_outpost_buckets(const ParsedCall& call) {
  return call.operation != nullptr && call.operation->path.starts_with("/v20180820/bucket");
}

// Outposts have buckets and access points, and no others do have these buckets.
Status check_outpost_named(const Call& call) {
  if (call.outpost_id.empty()) {
    if (!is_about_outpost_buckets(call)) return ok_status();
    return s3::error("InvalidRequest",
                     "Buckets of outposts are asked about with the outpost in the header field " +
                         s3::header_name("x-amz-outpost-id", call.dialect) + ".");
  }
  if (is_about_grants(call) || call.directory)
    return s3::error("InvalidRequest", "This operation is about no outpost: leave it out.");
  if (s3::is_outpost_id(call.outpost_id)) return ok_status();
  return s3::error("InvalidRequest",
                   "The id of an outpost is op- and 17 hexadecimal digits: " + call.outpost_id);
}

// What policies call it: "s3-outposts:CreateBucket".
std::string action_of_control(const Call& call) {
  std::string name(call.operation->name);
  if (!call.of_outpost())
    return (call.directory ? "s3express:" : "s3:") + name;
  constexpr std::string_view outpost = "Outpost";
  if (const auto at = name.find(outpost); at != std::string::npos) name.erase(at, outpost.size());
  return std::string(s3::outposts_service) + ":" + name;
}

// The access point of the path, or all of the account's.
std::string resource_of_control(const Call& call) {
  if (is_about_grants(call)) return resource_of_grants(call);
  const std::string& account = call.identity.account().account_id;
  if (call.of_outpost())
    return "arn:aws:s3-outposts:" + call.context.options.region + ":" + account + ":outpost/" +
           call.outpost_id + (is_about_outpost_buckets(call) ? "/bucket/" : "/accesspoint/") +
           (call.address.key.empty() ? "*" : call.address.key);
  if (call.directory && call.address.key.empty())
    return "arn:aws:s3express:" + call.context.options.region + ":" + account + ":accesspoint/*";
  return s3::arn_of(s3::AccessPoint{.name = call.address.key.empty() ? "*" : call.address.key,
                                    .owner = {.id = {}, .account_id = account},
                                    .region = call.context.options.region});
}

std::string field_of(const ParsedCall& call, std::string_view aws_name) {
  return std::string(
      call.exchange.head.headers.find(s3::header_name(aws_name, call.dialect)).value_or(""));
}

}  // namespace

void note_outpost(ParsedCall& call) {
  call.outpost_id = field_of(call, "x-amz-outpost-id");
  const std::string_view kind = is_about_outpost_buckets(call) ? "bucket" : "accesspoint";
  call.address.key = name_on_outpost(call, kind, call.address.key);
}

std::string name_on_outpost(const ParsedCall& call, std::string_view kind,
                            const std::string& given) {
  if (call.outpost_id.empty() || !given.starts_with("arn:")) return given;
  const std::string middle = std::string(":outpost/")
                                 .append(call.outpost_id)
                                 .append("/")
                                 .append(kind)
                                 .append("/");
  const std::size_t at = given.find(middle);
  const std::string head = "s3-outposts:" + call.context.options.region + ":" +
                           field_of(call, "x-amz-account-id");
  if (at == std::string::npos || !given.substr(0, at).ends_with(":" + head)) return given;
  return given.substr(at + middle.size());
}

bool is_about_directory_points(const ParsedCall& call) {
  if (call.address.target != s3::Target::control || call.operation == nullptr) return false;
  return call.operation == &s3::operations::list_access_points_for_directory_buckets ||
         (!is_about_grants(call) && !s3::zone_id_of_access_point_name(call.address.key).empty());
}

Status admit_to_control(const Call& call) {
  auto account = call.header("x-amz-account-id");
  // Clients of the vendor make buckets of outposts without it.
  if (!account && call.of_outpost() && !call.identity.is_nobody())
    account = call.identity.account().account_id;
  if (!account || !s3::is_account_id(*account))
    return s3::error("InvalidRequest",
                     "The control API is asked with the account in the header field " +
                         s3::header_name("x-amz-account-id", call.dialect) + ", as 12 digits.");
  if (call.identity.is_nobody() || call.identity.session() || call.identity.granted() ||
      *account != call.identity.account().account_id)
    return s3::error("AccessDenied");
  CAIRN_CHECK(check_outpost_named(call));
  return decide_by_caller(action_of_control(call), access_of(call),
                          resource_of_control(call));
}

}  // namespace cairn::s3api
