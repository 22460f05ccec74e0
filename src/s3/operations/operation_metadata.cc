// SPDX-License-Identifier: Apache-2.0
// The rows of the operations on the metadata tables of buckets.
#include "s3/operations/operation.h"

namespace cairn::s3::operations {

const decltype(operations::create_bucket_metadata_configuration)
    create_bucket_metadata_configuration =
        describe<decltype(operations::create_bucket_metadata_configuration)>(
            {.name = "CreateBucketMetadataConfiguration",
             .call = "create_bucket_metadata_configuration",
             .method = "POST",
             .target = Target::bucket,
             .marker = "metadataConfiguration",
             .checksum_required = true,
             .checksum_demanded = true});
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
const decltype(operations::update_bucket_metadata_journal_table_configuration)
    update_bucket_metadata_journal_table_configuration =
        describe<decltype(operations::update_bucket_metadata_journal_table_configuration)>(
            {.name = "UpdateBucketMetadataJournalTableConfiguration",
             .call = "update_bucket_metadata_journal_table_configuration",
             .method = "PUT",
             .target = Target::bucket,
             .marker = "metadataJournalTable",
             .checksum_required = true,
             .checksum_demanded = true});
const decltype(operations::update_bucket_metadata_inventory_table_configuration)
    update_bucket_metadata_inventory_table_configuration =
        describe<decltype(operations::update_bucket_metadata_inventory_table_configuration)>(
            {.name = "UpdateBucketMetadataInventoryTableConfiguration",
             .call = "update_bucket_metadata_inventory_table_configuration",
             .method = "PUT",
             .target = Target::bucket,
             .marker = "metadataInventoryTable",
             .checksum_required = true,
             .checksum_demanded = true});

const decltype(operations::list_bucket_metadata_table_rows) list_bucket_metadata_table_rows =
    describe<decltype(operations::list_bucket_metadata_table_rows)>(
        {.name = "ListBucketMetadataTableRows",
         .call = "list_bucket_metadata_table_rows",
         .method = "GET",
         .target = Target::bucket,
         .marker = "metadataTableRows"});

}  // namespace cairn::s3::operations
