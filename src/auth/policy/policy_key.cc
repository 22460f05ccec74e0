// SPDX-License-Identifier: Apache-2.0
#include "auth/policy/policy_key.h"

#include <algorithm>

#include "base/strings.h"

namespace cairn::auth {
namespace {

struct KeyRow {
  std::string_view name;  // lower case
  Fact fact;
  std::string_view of = {};
};

constexpr KeyRow key_rows[] = {
    {"aws:currenttime", Fact::time},
    {"aws:epochtime", Fact::epoch_seconds},
    {"aws:principalaccount", Fact::principal_account},
    {"aws:principalarn", Fact::principal_arn},
    {"aws:principaltype", Fact::principal_type},
    {"aws:referer", Fact::referer},
    {"aws:requestedregion", Fact::region},
    {"aws:resourceaccount", Fact::resource_account},
    {"aws:securetransport", Fact::secure_transport},
    {"aws:sourceip", Fact::source_ip},
    {"aws:useragent", Fact::user_agent},
    {"aws:userid", Fact::user_id},
    {"aws:username", Fact::username},
    {"s3:accesspointnetworkorigin", Fact::access_point_origin},
    {"s3-outposts:accesspointnetworkorigin", Fact::access_point_origin},
    {"s3-outposts:authtype", Fact::auth_type},
    {"s3-outposts:dataaccesspointaccount", Fact::access_point_account},
    {"s3-outposts:dataaccesspointarn", Fact::access_point_arn},
    {"s3-outposts:delimiter", Fact::query, "delimiter"},
    {"s3-outposts:max-keys", Fact::query, "max-keys"},
    {"s3-outposts:prefix", Fact::query, "prefix"},
    {"s3-outposts:signatureage", Fact::signature_age_ms},
    {"s3-outposts:signatureversion", Fact::signature_version},
    {"s3:authtype", Fact::auth_type},
    {"s3:dataaccesspointaccount", Fact::access_point_account},
    {"s3:dataaccesspointarn", Fact::access_point_arn},
    {"s3:delimiter", Fact::query, "delimiter"},
    {"s3:if-match", Fact::header, "if-match"},
    {"s3:if-none-match", Fact::header, "if-none-match"},
    {"s3:locationconstraint", Fact::location_constraint},
    {"s3:max-keys", Fact::query, "max-keys"},
    {"s3:object-lock-legal-hold", Fact::lock_legal_hold},
    {"s3:object-lock-mode", Fact::lock_mode},
    {"s3:object-lock-remaining-retention-days", Fact::lock_remaining_days},
    {"s3:object-lock-retain-until-date", Fact::lock_retain_until},
    {"s3:prefix", Fact::query, "prefix"},
    {"s3:requestobjecttagkeys", Fact::request_tag_names},
    {"s3:resourceaccount", Fact::resource_account},
    {"s3:signatureage", Fact::signature_age_ms},
    {"s3:signatureversion", Fact::signature_version},
    {"s3:tlsversion", Fact::tls_version},
    {"s3:versionid", Fact::version_id},
    {"s3:x-amz-acl", Fact::header, "x-amz-acl"},
    {"s3:x-amz-content-sha256", Fact::header, "x-amz-content-sha256"},
    {"s3:x-amz-copy-source", Fact::header, "x-amz-copy-source"},
    {"s3:x-amz-grant-full-control", Fact::header, "x-amz-grant-full-control"},
    {"s3:x-amz-grant-read", Fact::header, "x-amz-grant-read"},
    {"s3:x-amz-grant-read-acp", Fact::header, "x-amz-grant-read-acp"},
    {"s3:x-amz-grant-write", Fact::header, "x-amz-grant-write"},
    {"s3:x-amz-grant-write-acp", Fact::header, "x-amz-grant-write-acp"},
    {"s3:x-amz-metadata-directive", Fact::header, "x-amz-metadata-directive"},
    {"s3:x-amz-object-ownership", Fact::header, "x-amz-object-ownership"},
    {"s3:x-amz-server-side-encryption", Fact::header, "x-amz-server-side-encryption"},
    {"s3:x-amz-server-side-encryption-aws-kms-key-id", Fact::header,
     "x-amz-server-side-encryption-aws-kms-key-id"},
    {"s3:x-amz-server-side-encryption-customer-algorithm", Fact::header,
     "x-amz-server-side-encryption-customer-algorithm"},
    {"s3:x-amz-storage-class", Fact::header, "x-amz-storage-class"},
    {"s3:x-amz-website-redirect-location", Fact::header, "x-amz-website-redirect-location"},
    {"s3express:accesspointnetworkorigin", Fact::access_point_origin},
    {"s3express:authtype", Fact::auth_type},
    {"s3express:dataaccesspointaccount", Fact::access_point_account},
    {"s3express:dataaccesspointarn", Fact::access_point_arn},
    {"s3express:locationname", Fact::location_name},
    {"s3express:resourceaccount", Fact::resource_account},
    {"s3express:sessionmode", Fact::session_mode},
    {"s3express:signatureage", Fact::signature_age_ms},
    {"s3express:signatureversion", Fact::signature_version},
    {"s3express:tlsversion", Fact::tls_version},
    {"s3express:x-amz-content-sha256", Fact::header, "x-amz-content-sha256"},
    {"s3express:x-amz-server-side-encryption", Fact::header, "x-amz-server-side-encryption"},
    {"s3express:x-amz-server-side-encryption-aws-kms-key-id", Fact::header,
     "x-amz-server-side-encryption-aws-kms-key-id"},
};

// Keys of other services, organizations, networks and devices: a policy that was written elsewhere
// may have them.
constexpr std::string_view never_rows[] = {"aws:assumedroot",
                                           "aws:calledvia",
                                           "aws:calledviafirst",
                                           "aws:calledvialast",
                                           "aws:ec2instancesourceprivateipv4",
                                           "aws:ec2instancesourcevpc",
                                           "aws:federatedprovider",
                                           "aws:multifactorauthage",
                                           "aws:multifactorauthpresent",
                                           "aws:principalisawsservice",
                                           "aws:principalorgid",
                                           "aws:principalorgpaths",
                                           "aws:principalservicename",
                                           "aws:principalservicenameslist",
                                           "aws:resourceorgid",
                                           "aws:resourceorgpaths",
                                           "aws:sourceaccount",
                                           "aws:sourcearn",
                                           "aws:sourceidentity",
                                           "aws:sourceorgid",
                                           "aws:sourceorgpaths",
                                           "aws:sourceowner",
                                           "aws:sourcevpc",
                                           "aws:sourcevpcarn",
                                           "aws:sourcevpce",
                                           "aws:tagkeys",
                                           "aws:tokenissuetime",
                                           "aws:viaawsservice",
                                           "aws:vpceaccount",
                                           "aws:vpceorgid",
                                           "aws:vpceorgpaths",
                                           "aws:vpcsourceip",
                                           "s3:accessgrantsinstancearn",
                                           "s3:destinationregion",
                                           "s3:existingjoboperation",
                                           "s3:existingjobpriority",
                                           "s3:isreplicationpauserequest",
                                           "s3:inventoryaccessibleoptionalfields",
                                           "s3:jobsuspendedcause",
                                           "s3:objectcreationoperation",
                                           "s3:requestjoboperation",
                                           "s3:requestjobpriority"};

constexpr std::string_view existing_tag = "s3:existingobjecttag/";
constexpr std::string_view request_tag = "s3:requestobjecttag/";
// Of callers, requests and resources with tags, which there are none of here.
constexpr std::string_view never_prefixes[] = {"aws:principaltag/", "aws:requesttag/",
                                               "aws:resourcetag/", "s3:buckettag/"};

bool one_of(std::string_view action, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), action) != names.end();
}

}  // namespace

std::optional<PolicyKey> find_policy_key(std::string_view name) {
  const std::string lower = lower_ascii(name);
  for (const KeyRow& row : key_rows)
    if (row.name == lower) return PolicyKey{row.fact, std::string(row.of)};
  if (lower.starts_with(existing_tag) && lower.size() > existing_tag.size())
    return PolicyKey{Fact::existing_tag, std::string(name.substr(existing_tag.size()))};
  if (lower.starts_with(request_tag) && lower.size() > request_tag.size())
    return PolicyKey{Fact::request_tag, std::string(name.substr(request_tag.size()))};
  const bool known =
      std::find(std::begin(never_rows), std::end(never_rows), lower) != std::end(never_rows) ||
      std::any_of(std::begin(never_prefixes), std::end(never_prefixes), [&](std::string_view p) {
        return lower.starts_with(p) && lower.size() > p.size();
      });
  if (known) return PolicyKey{Fact::never, lower};
  return std::nullopt;
}

bool key_applies(const PolicyKey& key, std::string_view action) {
  if (key.fact == Fact::query)
    return one_of(action, {"s3:ListBucket", "s3:ListBucketVersions", "s3-outposts:ListBucket"}) ||
           (key.name != "max-keys" && one_of(action, {"s3:ListBucketMultipartUploads",
                                                      "s3-outposts:ListBucketMultipartUploads"}));
  if (key.fact == Fact::version_id) return action.find("Version") != std::string_view::npos;
  if (key.fact == Fact::location_constraint) return action == "s3:CreateBucket";
  if (key.fact == Fact::session_mode) return action == "s3express:CreateSession";
  if (key.fact != Fact::header) return true;
  if (key.name == "x-amz-acl" || key.name.starts_with("x-amz-grant-"))
    return one_of(action, {"s3:CreateBucket", "s3:PutBucketAcl", "s3:PutObject", "s3:PutObjectAcl",
                           "s3:PutObjectVersionAcl"});
  if (one_of(key.name, {"x-amz-copy-source", "x-amz-metadata-directive"}))
    return action == "s3:PutObject";
  return true;
}

bool key_narrows(std::string_view name) {
  const std::string lower = lower_ascii(name);
  return one_of(lower,
                {"aws:principalaccount", "aws:principalarn", "aws:principalorgid",
                 "aws:principalorgpaths", "aws:sourceaccount", "aws:sourcearn", "aws:sourceip",
                 "aws:sourceowner", "aws:sourcevpc", "aws:sourcevpce", "aws:userid", "aws:username",
                 "aws:vpcsourceip", "s3:dataaccesspointaccount", "s3:dataaccesspointarn",
                 "s3:x-amz-server-side-encryption-aws-kms-key-id",
                 "s3express:dataaccesspointaccount", "s3express:dataaccesspointarn",
                 "s3express:x-amz-server-side-encryption-aws-kms-key-id"});
}

}  // namespace cairn::auth
