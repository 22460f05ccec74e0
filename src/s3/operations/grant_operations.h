// SPDX-License-Identifier: Apache-2.0
// Parameters and results of the control API's operations on access grants.
#pragma once

#include "s3/operations/control_operations.h"
#include "s3/operations/values.h"

namespace cairn::s3 {

inline constexpr std::string_view grant_permission_names[] = {"READ", "WRITE", "READWRITE"};
inline constexpr std::string_view grant_grantee_names[] = {"DIRECTORY_USER", "DIRECTORY_GROUP",
                                                           "IAM"};
inline constexpr std::string_view grant_privilege_names[] = {"Minimal", "Default"};
inline constexpr std::string_view grant_target_names[] = {"Object"};
inline constexpr Values grant_permissions{grant_permission_names};
inline constexpr Values grant_grantees{grant_grantee_names};
inline constexpr Values grant_privileges{grant_privilege_names};
inline constexpr Values grant_targets{grant_target_names};

struct GranteeOfGrant {
  CAIRN_S3_SHAPE(GranteeOfGrant)
  CAIRN_S3_FIELD(std::string, grantee_type, element("GranteeType", &grant_grantees))
  CAIRN_S3_FIELD(std::string, grantee_identifier, element("GranteeIdentifier"))
  CAIRN_S3_SHAPE_END(GranteeOfGrant)
};

struct GrantLocationConfiguration {
  CAIRN_S3_SHAPE(GrantLocationConfiguration)
  CAIRN_S3_FIELD(std::optional<std::string>, s3_sub_prefix, element("S3SubPrefix"))
  CAIRN_S3_SHAPE_END(GrantLocationConfiguration)
};

struct CreateAccessGrantsInstanceRequest {
  CAIRN_S3_SHAPE(CreateAccessGrantsInstanceRequest)
  CAIRN_S3_FIELD(std::optional<std::string>, identity_center_arn, element("IdentityCenterArn"))
  CAIRN_S3_FIELD(std::vector<TagElement>, tags, wrapped("Tags", "Tag"))
  CAIRN_S3_SHAPE_END(CreateAccessGrantsInstanceRequest)
};

struct CreateAccessGrantsInstanceInput {
  CAIRN_S3_SHAPE(CreateAccessGrantsInstanceInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::optional<CreateAccessGrantsInstanceRequest>, create_access_grants_instance_request,
                 payload("CreateAccessGrantsInstanceRequest"))
  CAIRN_S3_SHAPE_END(CreateAccessGrantsInstanceInput)
};

struct AccessGrantsInput {
  CAIRN_S3_SHAPE(AccessGrantsInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_SHAPE_END(AccessGrantsInput)
};

struct AccessGrantsNameInput {
  CAIRN_S3_SHAPE(AccessGrantsNameInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::string, name, wire::key())
  CAIRN_S3_SHAPE_END(AccessGrantsNameInput)
};

struct AccessGrantsInstanceOutput {
  CAIRN_S3_SHAPE(AccessGrantsInstanceOutput)
  CAIRN_S3_FIELD(Time, created_at, element("CreatedAt"))
  CAIRN_S3_FIELD(std::string, access_grants_instance_id, element("AccessGrantsInstanceId"))
  CAIRN_S3_FIELD(std::string, access_grants_instance_arn, element("AccessGrantsInstanceArn"))
  CAIRN_S3_SHAPE_END(AccessGrantsInstanceOutput)
};

struct AccessGrantsPageInput {
  CAIRN_S3_SHAPE(AccessGrantsPageInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, next_token, query("nextToken"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_results, query("maxResults"))
  CAIRN_S3_SHAPE_END(AccessGrantsPageInput)
};

struct ListAccessGrantsInstancesOutput {
  CAIRN_S3_SHAPE(ListAccessGrantsInstancesOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, next_token, element("NextToken"))
  CAIRN_S3_FIELD(std::vector<AccessGrantsInstanceOutput>, access_grants_instances_list,
                 wrapped("AccessGrantsInstancesList", "AccessGrantsInstance").required())
  CAIRN_S3_SHAPE_END(ListAccessGrantsInstancesOutput)
};

struct GetAccessGrantsInstanceForPrefixInput {
  CAIRN_S3_SHAPE(GetAccessGrantsInstanceForPrefixInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::string, s3_prefix, query("s3prefix"))
  CAIRN_S3_SHAPE_END(GetAccessGrantsInstanceForPrefixInput)
};

struct GetAccessGrantsInstanceForPrefixOutput {
  CAIRN_S3_SHAPE(GetAccessGrantsInstanceForPrefixOutput)
  CAIRN_S3_FIELD(std::string, access_grants_instance_arn, element("AccessGrantsInstanceArn"))
  CAIRN_S3_FIELD(std::string, access_grants_instance_id, element("AccessGrantsInstanceId"))
  CAIRN_S3_SHAPE_END(GetAccessGrantsInstanceForPrefixOutput)
};

struct CreateAccessGrantsLocationRequest {
  CAIRN_S3_SHAPE(CreateAccessGrantsLocationRequest)
  CAIRN_S3_FIELD(std::string, location_scope, element("LocationScope"))
  CAIRN_S3_FIELD(std::string, iam_role_arn, element("IAMRoleArn"))
  CAIRN_S3_FIELD(std::vector<TagElement>, tags, wrapped("Tags", "Tag"))
  CAIRN_S3_SHAPE_END(CreateAccessGrantsLocationRequest)
};

struct CreateAccessGrantsLocationInput {
  CAIRN_S3_SHAPE(CreateAccessGrantsLocationInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(CreateAccessGrantsLocationRequest, create_access_grants_location_request,
                 payload("CreateAccessGrantsLocationRequest"))
  CAIRN_S3_SHAPE_END(CreateAccessGrantsLocationInput)
};

struct UpdateAccessGrantsLocationRequest {
  CAIRN_S3_SHAPE(UpdateAccessGrantsLocationRequest)
  CAIRN_S3_FIELD(std::string, iam_role_arn, element("IAMRoleArn"))
  CAIRN_S3_SHAPE_END(UpdateAccessGrantsLocationRequest)
};

struct UpdateAccessGrantsLocationInput {
  CAIRN_S3_SHAPE(UpdateAccessGrantsLocationInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::string, name, wire::key())
  CAIRN_S3_FIELD(UpdateAccessGrantsLocationRequest, update_access_grants_location_request,
                 payload("UpdateAccessGrantsLocationRequest"))
  CAIRN_S3_SHAPE_END(UpdateAccessGrantsLocationInput)
};

struct AccessGrantsLocationOutput {
  CAIRN_S3_SHAPE(AccessGrantsLocationOutput)
  CAIRN_S3_FIELD(Time, created_at, element("CreatedAt"))
  CAIRN_S3_FIELD(std::string, access_grants_location_id, element("AccessGrantsLocationId"))
  CAIRN_S3_FIELD(std::string, access_grants_location_arn, element("AccessGrantsLocationArn"))
  CAIRN_S3_FIELD(std::string, location_scope, element("LocationScope"))
  CAIRN_S3_FIELD(std::string, iam_role_arn, element("IAMRoleArn"))
  CAIRN_S3_SHAPE_END(AccessGrantsLocationOutput)
};

struct ListAccessGrantsLocationsInput {
  CAIRN_S3_SHAPE(ListAccessGrantsLocationsInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, next_token, query("nextToken"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_results, query("maxResults"))
  CAIRN_S3_FIELD(std::optional<std::string>, location_scope, query("locationscope"))
  CAIRN_S3_SHAPE_END(ListAccessGrantsLocationsInput)
};

struct ListAccessGrantsLocationsOutput {
  CAIRN_S3_SHAPE(ListAccessGrantsLocationsOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, next_token, element("NextToken"))
  CAIRN_S3_FIELD(std::vector<AccessGrantsLocationOutput>, access_grants_locations_list,
                 wrapped("AccessGrantsLocationsList", "AccessGrantsLocation").required())
  CAIRN_S3_SHAPE_END(ListAccessGrantsLocationsOutput)
};

struct CreateAccessGrantRequest {
  CAIRN_S3_SHAPE(CreateAccessGrantRequest)
  CAIRN_S3_FIELD(std::string, access_grants_location_id, element("AccessGrantsLocationId"))
  CAIRN_S3_FIELD(std::optional<GrantLocationConfiguration>, access_grants_location_configuration,
                 element("AccessGrantsLocationConfiguration"))
  CAIRN_S3_FIELD(GranteeOfGrant, grantee, element("Grantee"))
  CAIRN_S3_FIELD(std::string, permission, element("Permission", &grant_permissions))
  CAIRN_S3_FIELD(std::optional<std::string>, application_arn, element("ApplicationArn"))
  CAIRN_S3_FIELD(std::optional<std::string>, s3_prefix_type,
                 element("S3PrefixType", &grant_targets))
  CAIRN_S3_FIELD(std::vector<TagElement>, tags, wrapped("Tags", "Tag"))
  CAIRN_S3_SHAPE_END(CreateAccessGrantRequest)
};

struct CreateAccessGrantInput {
  CAIRN_S3_SHAPE(CreateAccessGrantInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(CreateAccessGrantRequest, create_access_grant_request,
                 payload("CreateAccessGrantRequest"))
  CAIRN_S3_SHAPE_END(CreateAccessGrantInput)
};

struct AccessGrantOutput {
  CAIRN_S3_SHAPE(AccessGrantOutput)
  CAIRN_S3_FIELD(Time, created_at, element("CreatedAt"))
  CAIRN_S3_FIELD(std::string, access_grant_id, element("AccessGrantId"))
  CAIRN_S3_FIELD(std::string, access_grant_arn, element("AccessGrantArn"))
  CAIRN_S3_FIELD(GranteeOfGrant, grantee, element("Grantee"))
  CAIRN_S3_FIELD(std::string, permission, element("Permission"))
  CAIRN_S3_FIELD(std::string, access_grants_location_id, element("AccessGrantsLocationId"))
  CAIRN_S3_FIELD(GrantLocationConfiguration, access_grants_location_configuration,
                 element("AccessGrantsLocationConfiguration"))
  CAIRN_S3_FIELD(std::string, grant_scope, element("GrantScope"))
  CAIRN_S3_SHAPE_END(AccessGrantOutput)
};

struct ListAccessGrantsInput {
  CAIRN_S3_SHAPE(ListAccessGrantsInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, next_token, query("nextToken"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_results, query("maxResults"))
  CAIRN_S3_FIELD(std::optional<std::string>, grantee_type, query("granteetype", &grant_grantees))
  CAIRN_S3_FIELD(std::optional<std::string>, grantee_identifier, query("granteeidentifier"))
  CAIRN_S3_FIELD(std::optional<std::string>, permission, query("permission", &grant_permissions))
  CAIRN_S3_FIELD(std::optional<std::string>, grant_scope, query("grantscope"))
  CAIRN_S3_SHAPE_END(ListAccessGrantsInput)
};

struct ListAccessGrantsOutput {
  CAIRN_S3_SHAPE(ListAccessGrantsOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, next_token, element("NextToken"))
  CAIRN_S3_FIELD(std::vector<AccessGrantOutput>, access_grants_list,
                 wrapped("AccessGrantsList", "AccessGrant").required())
  CAIRN_S3_SHAPE_END(ListAccessGrantsOutput)
};

struct GetDataAccessInput {
  CAIRN_S3_SHAPE(GetDataAccessInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::string, target, query("target"))
  CAIRN_S3_FIELD(std::string, permission, query("permission", &grant_permissions))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, duration_seconds, query("durationSeconds"))
  CAIRN_S3_FIELD(std::optional<std::string>, privilege, query("privilege", &grant_privileges))
  CAIRN_S3_FIELD(std::optional<std::string>, target_type, query("targetType", &grant_targets))
  CAIRN_S3_SHAPE_END(GetDataAccessInput)
};

struct GrantCredentials {
  CAIRN_S3_SHAPE(GrantCredentials)
  CAIRN_S3_FIELD(std::string, access_key_id, element("AccessKeyId"))
  CAIRN_S3_FIELD(std::string, secret_access_key, element("SecretAccessKey"))
  CAIRN_S3_FIELD(std::string, session_token, element("SessionToken"))
  CAIRN_S3_FIELD(Time, expiration, element("Expiration"))
  CAIRN_S3_SHAPE_END(GrantCredentials)
};

struct GetDataAccessOutput {
  CAIRN_S3_SHAPE(GetDataAccessOutput)
  CAIRN_S3_FIELD(GrantCredentials, credentials, element("Credentials"))
  CAIRN_S3_FIELD(std::string, matched_grant_target, element("MatchedGrantTarget"))
  CAIRN_S3_FIELD(GranteeOfGrant, grantee, element("Grantee"))
  CAIRN_S3_SHAPE_END(GetDataAccessOutput)
};

}  // namespace cairn::s3
