// SPDX-License-Identifier: Apache-2.0
// The rows of the operations that other services of this protocol have and Cairn's has not.
#include "s3/operation.h"

namespace cairn::s3::operations {

const decltype(operations::create_bucket_metadata_configuration)
    create_bucket_metadata_configuration =
        describe<decltype(operations::create_bucket_metadata_configuration)>(
            {.name = "CreateBucketMetadataConfiguration",
             .call = "create_bucket_metadata_configuration",
             .method = "POST",
             .target = Target::bucket,
             .marker = "metadataConfiguration",
             .checksum_required = true});
const decltype(operations::get_bucket_metadata_configuration) get_bucket_metadata_configuration =
    describe<decltype(operations::get_bucket_metadata_configuration)>(
        {.name = "GetBucketMetadataConfiguration",
         .call = "get_bucket_metadata_configuration",
         .method = "GET",
         .target = Target::bucket,
         .marker = "metadataConfiguration"});
const decltype(operations::delete_bucket_metadata_configuration)
    delete_bucket_metadata_configuration =
        describe<decltype(operations::delete_bucket_metadata_configuration)>(
            {.name = "DeleteBucketMetadataConfiguration",
             .call = "delete_bucket_metadata_configuration",
             .method = "DELETE",
             .target = Target::bucket,
             .marker = "metadataConfiguration",
             .status = 204});

}  // namespace cairn::s3::operations
