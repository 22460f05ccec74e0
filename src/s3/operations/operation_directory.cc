// SPDX-License-Identifier: Apache-2.0
// The rows of the operations that only directory buckets have.
#include "s3/operations/operation.h"

namespace cairn::s3::operations {

const decltype(operations::create_session) create_session =
    describe<decltype(operations::create_session)>({.name = "CreateSession",
                                                    .call = "create_session",
                                                    .method = "GET",
                                                    .target = Target::bucket,
                                                    .marker = "session",
                                                    .root = "CreateSessionResult"});
const decltype(operations::list_directory_buckets) list_directory_buckets =
    describe<decltype(operations::list_directory_buckets)>(
        {.name = "ListDirectoryBuckets",
         .call = "list_directory_buckets",
         .method = "GET",
         .target = Target::service,
         .root = "ListAllMyDirectoryBucketsResult"});
const decltype(operations::rename_object) rename_object =
    describe<decltype(operations::rename_object)>({.name = "RenameObject",
                                                   .call = "rename_object",
                                                   .method = "PUT",
                                                   .target = Target::object,
                                                   .marker = "renameObject"});

}  // namespace cairn::s3::operations
