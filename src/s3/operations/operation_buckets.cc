// SPDX-License-Identifier: Apache-2.0
// The rows of the operations on buckets and their listings.
#include "s3/operations/operation.h"

namespace cairn::s3::operations {

const decltype(operations::list_buckets) list_buckets =
    describe<decltype(operations::list_buckets)>({.name = "ListBuckets",
                                                  .call = "list_buckets",
                                                  .method = "GET",
                                                  .target = Target::service,
                                                  .root = "ListAllMyBucketsResult"});
const decltype(operations::create_bucket) create_bucket =
    describe<decltype(operations::create_bucket)>({.name = "CreateBucket",
                                                   .call = "create_bucket",
                                                   .method = "PUT",
                                                   .target = Target::bucket});
const decltype(operations::head_bucket) head_bucket = describe<decltype(operations::head_bucket)>(
    {.name = "HeadBucket", .call = "head_bucket", .method = "HEAD", .target = Target::bucket});
const decltype(operations::get_bucket_location) get_bucket_location =
    describe<decltype(operations::get_bucket_location)>({.name = "GetBucketLocation",
                                                         .call = "get_bucket_location",
                                                         .method = "GET",
                                                         .target = Target::bucket,
                                                         .marker = "location"});
const decltype(operations::delete_bucket) delete_bucket =
    describe<decltype(operations::delete_bucket)>({.name = "DeleteBucket",
                                                   .call = "delete_bucket",
                                                   .method = "DELETE",
                                                   .target = Target::bucket,
                                                   .status = 204});
const decltype(operations::list_objects) list_objects =
    describe<decltype(operations::list_objects)>({.name = "ListObjects",
                                                  .call = "list_objects",
                                                  .method = "GET",
                                                  .target = Target::bucket,
                                                  .root = "ListBucketResult"});
const decltype(operations::list_objects_v2) list_objects_v2 =
    describe<decltype(operations::list_objects_v2)>({.name = "ListObjectsV2",
                                                     .call = "list_objects_v2",
                                                     .method = "GET",
                                                     .target = Target::bucket,
                                                     .marker = "list-type=2",
                                                     .root = "ListBucketResult"});
const decltype(operations::list_object_versions) list_object_versions =
    describe<decltype(operations::list_object_versions)>({.name = "ListObjectVersions",
                                                          .call = "list_object_versions",
                                                          .method = "GET",
                                                          .target = Target::bucket,
                                                          .marker = "versions",
                                                          .root = "ListVersionsResult"});

}  // namespace cairn::s3::operations
