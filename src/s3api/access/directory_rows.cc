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
    {"AbortMultipartUpload", zonal, session, !reads, "AbortMultipartUpload"},
    {"CompleteMultipartUpload", zonal, session, !reads, "PutObject"},
    {"CopyObject", zonal, session, !reads, "PutObject"},
    {"CreateBucket", control, "s3express:CreateBucket"},
    {"CreateMultipartUpload", zonal, session, !reads, "PutObject"},
    {"CreateSession", zonal, session},
    {"DeleteBucket", control, "s3express:DeleteBucket"},
    {"DeleteBucketEncryption", control, "s3express:PutEncryptionConfiguration"},
    {"DeleteBucketLifecycle", control, "s3express:PutLifecycleConfiguration"},
    {"DeleteBucketPolicy", control, "s3express:DeleteBucketPolicy"},
    {"DeleteObject", zonal, session, !reads, "DeleteObject"},
    {"DeleteObjects", zonal, session, !reads, "DeleteObject"},
    {"GetBucketEncryption", control, "s3express:GetEncryptionConfiguration"},
    {"GetBucketLifecycleConfiguration", control, "s3express:GetLifecycleConfiguration"},
    {"GetBucketPolicy", control, "s3express:GetBucketPolicy"},
    {"GetObject", zonal, session, reads, "GetObject"},
    {"GetObjectAttributes", zonal, session, reads, "GetObjectAttributes"},
    {"HeadBucket", zonal, session, reads, "ListBucket"},
    {"HeadObject", zonal, session, reads, "GetObject"},
    {"ListDirectoryBuckets", control, "s3express:ListAllMyDirectoryBuckets"},
    {"ListMultipartUploads", zonal, session, reads, "ListBucketMultipartUploads"},
    {"ListObjectsV2", zonal, session, reads, "ListBucket"},
    {"ListParts", zonal, session, reads, "ListMultipartUploadParts"},
    {"PutBucketEncryption", control, "s3express:PutEncryptionConfiguration"},
    {"PutBucketLifecycleConfiguration", control, "s3express:PutLifecycleConfiguration"},
    {"PutBucketPolicy", control, "s3express:PutBucketPolicy"},
    {"PutObject", zonal, session, !reads, "PutObject"},
    {"RenameObject", zonal, session, !reads, "PutObject"},
    {"UploadPart", zonal, session, !reads, "PutObject"},
    {"UploadPartCopy", zonal, session, !reads, "PutObject"},
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
