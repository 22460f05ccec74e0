// SPDX-License-Identifier: Apache-2.0
// The rows of the control API's operations on access grants.
#include "s3/operations/operation.h"

namespace cairn::s3::operations {

const decltype(operations::create_access_grants_instance) create_access_grants_instance =
    describe<decltype(operations::create_access_grants_instance)>(
        {.name = "CreateAccessGrantsInstance",
         .call = "create_access_grants_instance",
         .method = "POST",
         .target = Target::control,
         .root = "CreateAccessGrantsInstanceResult",
         .path = "/v20180820/accessgrantsinstance"});
const decltype(operations::get_access_grants_instance) get_access_grants_instance =
    describe<decltype(operations::get_access_grants_instance)>(
        {.name = "GetAccessGrantsInstance",
         .call = "get_access_grants_instance",
         .method = "GET",
         .target = Target::control,
         .root = "GetAccessGrantsInstanceResult",
         .path = "/v20180820/accessgrantsinstance"});
const decltype(operations::delete_access_grants_instance) delete_access_grants_instance =
    describe<decltype(operations::delete_access_grants_instance)>(
        {.name = "DeleteAccessGrantsInstance",
         .call = "delete_access_grants_instance",
         .method = "DELETE",
         .target = Target::control,
         .status = 204,
         .path = "/v20180820/accessgrantsinstance"});
const decltype(operations::list_access_grants_instances) list_access_grants_instances =
    describe<decltype(operations::list_access_grants_instances)>(
        {.name = "ListAccessGrantsInstances",
         .call = "list_access_grants_instances",
         .method = "GET",
         .target = Target::control,
         .root = "ListAccessGrantsInstancesResult",
         .path = "/v20180820/accessgrantsinstances"});
const decltype(operations::get_access_grants_instance_for_prefix) get_access_grants_instance_for_prefix =
    describe<decltype(operations::get_access_grants_instance_for_prefix)>(
        {.name = "GetAccessGrantsInstanceForPrefix",
         .call = "get_access_grants_instance_for_prefix",
         .method = "GET",
         .target = Target::control,
         .root = "GetAccessGrantsInstanceForPrefixResult",
         .path = "/v20180820/accessgrantsinstance/prefix"});
const decltype(operations::create_access_grants_location) create_access_grants_location =
    describe<decltype(operations::create_access_grants_location)>(
        {.name = "CreateAccessGrantsLocation",
         .call = "create_access_grants_location",
         .method = "POST",
         .target = Target::control,
         .root = "CreateAccessGrantsLocationResult",
         .path = "/v20180820/accessgrantsinstance/location"});
const decltype(operations::get_access_grants_location) get_access_grants_location =
    describe<decltype(operations::get_access_grants_location)>(
        {.name = "GetAccessGrantsLocation",
         .call = "get_access_grants_location",
         .method = "GET",
         .target = Target::control,
         .root = "GetAccessGrantsLocationResult",
         .path = "/v20180820/accessgrantsinstance/location/{name}"});
const decltype(operations::update_access_grants_location) update_access_grants_location =
    describe<decltype(operations::update_access_grants_location)>(
        {.name = "UpdateAccessGrantsLocation",
         .call = "update_access_grants_location",
         .method = "PUT",
         .target = Target::control,
         .root = "UpdateAccessGrantsLocationResult",
         .path = "/v20180820/accessgrantsinstance/location/{name}"});
const decltype(operations::delete_access_grants_location) delete_access_grants_location =
    describe<decltype(operations::delete_access_grants_location)>(
        {.name = "DeleteAccessGrantsLocation",
         .call = "delete_access_grants_location",
         .method = "DELETE",
         .target = Target::control,
         .status = 204,
         .path = "/v20180820/accessgrantsinstance/location/{name}"});
const decltype(operations::list_access_grants_locations) list_access_grants_locations =
    describe<decltype(operations::list_access_grants_locations)>(
        {.name = "ListAccessGrantsLocations",
         .call = "list_access_grants_locations",
         .method = "GET",
         .target = Target::control,
         .root = "ListAccessGrantsLocationsResult",
         .path = "/v20180820/accessgrantsinstance/locations"});
const decltype(operations::create_access_grant) create_access_grant =
    describe<decltype(operations::create_access_grant)>(
        {.name = "CreateAccessGrant",
         .call = "create_access_grant",
         .method = "POST",
         .target = Target::control,
         .root = "CreateAccessGrantResult",
         .path = "/v20180820/accessgrantsinstance/grant"});
const decltype(operations::get_access_grant) get_access_grant =
    describe<decltype(operations::get_access_grant)>(
        {.name = "GetAccessGrant",
         .call = "get_access_grant",
         .method = "GET",
         .target = Target::control,
         .root = "GetAccessGrantResult",
         .path = "/v20180820/accessgrantsinstance/grant/{name}"});
const decltype(operations::delete_access_grant) delete_access_grant =
    describe<decltype(operations::delete_access_grant)>(
        {.name = "DeleteAccessGrant",
         .call = "delete_access_grant",
         .method = "DELETE",
         .target = Target::control,
         .status = 204,
         .path = "/v20180820/accessgrantsinstance/grant/{name}"});
const decltype(operations::list_access_grants) list_access_grants =
    describe<decltype(operations::list_access_grants)>(
        {.name = "ListAccessGrants",
         .call = "list_access_grants",
         .method = "GET",
         .target = Target::control,
         .root = "ListAccessGrantsResult",
         .path = "/v20180820/accessgrantsinstance/grants"});
const decltype(operations::get_data_access) get_data_access =
    describe<decltype(operations::get_data_access)>(
        {.name = "GetDataAccess",
         .call = "get_data_access",
         .method = "GET",
         .target = Target::control,
         .root = "GetDataAccessResult",
         .path = "/v20180820/accessgrantsinstance/dataaccess"});

}  // namespace cairn::s3::operations
