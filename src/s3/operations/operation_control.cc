// SPDX-License-Identifier: Apache-2.0
// The rows of the control API's operations.
#include "s3/operations/operation.h"

namespace cairn::s3::operations {

const decltype(operations::create_access_point) create_access_point =
    describe<decltype(operations::create_access_point)>(
        {.name = "CreateAccessPoint",
         .call = "create_access_point",
         .method = "PUT",
         .target = Target::control,
         .root = "CreateAccessPointResult",
         .path = "/v20180820/accesspoint/{name}"});
const decltype(operations::get_access_point) get_access_point =
    describe<decltype(operations::get_access_point)>({.name = "GetAccessPoint",
                                                      .call = "get_access_point",
                                                      .method = "GET",
                                                      .target = Target::control,
                                                      .root = "GetAccessPointResult",
                                                      .path = "/v20180820/accesspoint/{name}"});
const decltype(operations::list_access_points) list_access_points =
    describe<decltype(operations::list_access_points)>({.name = "ListAccessPoints",
                                                        .call = "list_access_points",
                                                        .method = "GET",
                                                        .target = Target::control,
                                                        .root = "ListAccessPointsResult",
                                                        .path = "/v20180820/accesspoint"});
const decltype(operations::delete_access_point) delete_access_point =
    describe<decltype(operations::delete_access_point)>({.name = "DeleteAccessPoint",
                                                         .call = "delete_access_point",
                                                         .method = "DELETE",
                                                         .target = Target::control,
                                                         .status = 204,
                                                         .path = "/v20180820/accesspoint/{name}"});
const decltype(operations::put_access_point_policy) put_access_point_policy =
    describe<decltype(operations::put_access_point_policy)>(
        {.name = "PutAccessPointPolicy",
         .call = "put_access_point_policy",
         .method = "PUT",
         .target = Target::control,
         .path = "/v20180820/accesspoint/{name}/policy"});
const decltype(operations::get_access_point_policy) get_access_point_policy =
    describe<decltype(operations::get_access_point_policy)>(
        {.name = "GetAccessPointPolicy",
         .call = "get_access_point_policy",
         .method = "GET",
         .target = Target::control,
         .root = "GetAccessPointPolicyResult",
         .path = "/v20180820/accesspoint/{name}/policy"});
const decltype(operations::delete_access_point_policy) delete_access_point_policy =
    describe<decltype(operations::delete_access_point_policy)>(
        {.name = "DeleteAccessPointPolicy",
         .call = "delete_access_point_policy",
         .method = "DELETE",
         .target = Target::control,
         .status = 204,
         .path = "/v20180820/accesspoint/{name}/policy"});
const decltype(operations::get_access_point_policy_status) get_access_point_policy_status =
    describe<decltype(operations::get_access_point_policy_status)>(
        {.name = "GetAccessPointPolicyStatus",
         .call = "get_access_point_policy_status",
         .method = "GET",
         .target = Target::control,
         .root = "GetAccessPointPolicyStatusResult",
         .path = "/v20180820/accesspoint/{name}/policyStatus"});
const decltype(operations::put_access_point_scope) put_access_point_scope =
    describe<decltype(operations::put_access_point_scope)>(
        {.name = "PutAccessPointScope",
         .call = "put_access_point_scope",
         .method = "PUT",
         .target = Target::control,
         .path = "/v20180820/accesspoint/{name}/scope"});
const decltype(operations::get_access_point_scope) get_access_point_scope =
    describe<decltype(operations::get_access_point_scope)>(
        {.name = "GetAccessPointScope",
         .call = "get_access_point_scope",
         .method = "GET",
         .target = Target::control,
         .root = "GetAccessPointScopeResult",
         .path = "/v20180820/accesspoint/{name}/scope"});
const decltype(operations::delete_access_point_scope) delete_access_point_scope =
    describe<decltype(operations::delete_access_point_scope)>(
        {.name = "DeleteAccessPointScope",
         .call = "delete_access_point_scope",
         .method = "DELETE",
         .target = Target::control,
         .status = 204,
         .path = "/v20180820/accesspoint/{name}/scope"});
const decltype(operations::list_access_points_for_directory_buckets)
    list_access_points_for_directory_buckets =
        describe<decltype(operations::list_access_points_for_directory_buckets)>(
            {.name = "ListAccessPointsForDirectoryBuckets",
             .call = "list_access_points_for_directory_buckets",
             .method = "GET",
             .target = Target::control,
             .root = "ListAccessPointsForDirectoryBucketsResult",
             .path = "/v20180820/accesspointfordirectory"});

const decltype(operations::create_outpost_bucket) create_outpost_bucket =
    describe<decltype(operations::create_outpost_bucket)>({.name = "CreateOutpostBucket",
                                                           .call = "create_outpost_bucket",
                                                           .method = "PUT",
                                                           .target = Target::control,
                                                           .root = "CreateBucketResult",
                                                           .path = "/v20180820/bucket/{name}"});
const decltype(operations::get_outpost_bucket) get_outpost_bucket =
    describe<decltype(operations::get_outpost_bucket)>({.name = "GetOutpostBucket",
                                                        .call = "get_outpost_bucket",
                                                        .method = "GET",
                                                        .target = Target::control,
                                                        .root = "GetBucketResult",
                                                        .path = "/v20180820/bucket/{name}"});
const decltype(operations::delete_outpost_bucket) delete_outpost_bucket =
    describe<decltype(operations::delete_outpost_bucket)>({.name = "DeleteOutpostBucket",
                                                           .call = "delete_outpost_bucket",
                                                           .method = "DELETE",
                                                           .target = Target::control,
                                                           .status = 204,
                                                           .path = "/v20180820/bucket/{name}"});
const decltype(operations::list_regional_buckets) list_regional_buckets =
    describe<decltype(operations::list_regional_buckets)>({.name = "ListRegionalBuckets",
                                                           .call = "list_regional_buckets",
                                                           .method = "GET",
                                                           .target = Target::control,
                                                           .root = "ListRegionalBucketsResult",
                                                           .path = "/v20180820/bucket"});

}  // namespace cairn::s3::operations
