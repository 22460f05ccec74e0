// SPDX-License-Identifier: Apache-2.0
// Source: the table of operations in the user guide of S3 Express One Zone.
#include "s3api/access/directory_rows.h"

#include <algorithm>

namespace cairn::s3api {
namespace {

constexpr DirectoryEndpoint control = DirectoryEndpoint::control;
constexpr DirectoryEndpoint zonal = DirectoryEndpoint::zonal;
constexpr std::string_view session = create_session_action;
constexpr bool reads = true;

constexpr DirectoryRow directory_table[] = {
    {"AbortMultipartUpload", zonal, session},
    {"CompleteMultipartUpload", zonal, session},
    {"CopyObject", zonal, session},
    {"CreateBucket", control, "s3express:CreateBucket"},
    {"CreateMultipartUpload", zonal, session},
    {"CreateSession", zonal, session},
    {"DeleteBucket", control, "s3express:DeleteBucket"},
    {"DeleteBucketEncryption", control, "s3express:PutEncryptionConfiguration"},
    {"DeleteBucketLifecycle", control, "s3express:PutLifecycleConfiguration"},
    {"DeleteBucketPolicy", control, "s3express:DeleteBucketPolicy"},
    {"DeleteObject", zonal, session},
    {"DeleteObjects", zonal, session},
    {"GetBucketEncryption", control, "s3express:GetEncryptionConfiguration"},
    {"GetBucketLifecycleConfiguration", control, "s3express:GetLifecycleConfiguration"},
    {"GetBucketPolicy", control, "s3express:GetBucketPolicy"},
    {"GetObject", zonal, session, reads},
    {"GetObjectAttributes", zonal, session, reads},
    {"HeadBucket", zonal, session, reads},
    {"HeadObject", zonal, session, reads},
    {"ListDirectoryBuckets", control, "s3express:ListAllMyDirectoryBuckets"},
    {"ListMultipartUploads", zonal, session, reads},
    {"ListObjectsV2", zonal, session, reads},
    {"ListParts", zonal, session, reads},
    {"PutBucketEncryption", control, "s3express:PutEncryptionConfiguration"},
    {"PutBucketLifecycleConfiguration", control, "s3express:PutLifecycleConfiguration"},
    {"PutBucketPolicy", control, "s3express:PutBucketPolicy"},
    {"PutObject", zonal, session},
    {"RenameObject", zonal, session},
    {"UploadPart", zonal, session},
    {"UploadPartCopy", zonal, session},
};

constexpr auto by_directory_operation = [](const DirectoryRow& a, const DirectoryRow& b) {
  return a.operation < b.operation;
};
static_assert(std::is_sorted(std::begin(directory_table), std::end(directory_table), by_directory_operation));

}  // namespace

const DirectoryRow* find_directory_row(std::string_view operation) {
  const auto* row = std::lower_bound(std::begin(directory_table), std::end(directory_table),
                                     DirectoryRow{operation, zonal, {}}, by_directory_operation);
  return row != std::end(directory_table) && row->operation == operation ? row : nullptr;
}

std::span<const DirectoryRow> directory_rows() { return directory_table; }

bool action_reads(std::string_view action) {
  return action.starts_with("s3:Get") || action.starts_with("s3:List");
}

}  // namespace cairn::s3api
