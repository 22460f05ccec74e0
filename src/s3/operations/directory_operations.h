// SPDX-License-Identifier: Apache-2.0
// Parameters and results of what only directory buckets have: sessions, their listing, renaming.
#pragma once

#include "s3/operations/bucket_operations.h"
#include "s3/operations/values.h"

namespace cairn::s3 {

struct CreateSessionInput {
  CAIRN_S3_SHAPE(CreateSessionInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::optional<std::string>, session_mode,
                 header("x-amz-create-session-mode", &session_modes))
  CAIRN_S3_ENCRYPTION_FIELDS
  CAIRN_S3_SHAPE_END(CreateSessionInput)
};

struct SessionCredentials {
  CAIRN_S3_SHAPE(SessionCredentials)
  CAIRN_S3_FIELD(std::string, access_key_id, element("AccessKeyId"))
  CAIRN_S3_FIELD(std::string, secret_access_key, element("SecretAccessKey"))
  CAIRN_S3_FIELD(std::string, session_token, element("SessionToken"))
  CAIRN_S3_FIELD(Time, expiration, element("Expiration"))
  CAIRN_S3_SHAPE_END(SessionCredentials)
};

struct CreateSessionOutput {
  CAIRN_S3_SHAPE(CreateSessionOutput)
  CAIRN_S3_ENCRYPTION_RESULT
  CAIRN_S3_FIELD(std::optional<std::string>, ssekms_encryption_context,
                 header("x-amz-server-side-encryption-context"))
  CAIRN_S3_FIELD(std::optional<SessionCredentials>, credentials, element("Credentials"))
  CAIRN_S3_SHAPE_END(CreateSessionOutput)
};

struct ListDirectoryBucketsInput {
  CAIRN_S3_SHAPE(ListDirectoryBucketsInput)
  CAIRN_S3_FIELD(std::optional<std::string>, continuation_token, query("continuation-token"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_directory_buckets, query("max-directory-buckets"))
  CAIRN_S3_SHAPE_END(ListDirectoryBucketsInput)
};

struct ListDirectoryBucketsOutput {
  CAIRN_S3_SHAPE(ListDirectoryBucketsOutput)
  CAIRN_S3_FIELD(std::vector<BucketElement>, buckets, wrapped("Buckets", "Bucket"))
  CAIRN_S3_FIELD(std::optional<std::string>, continuation_token, element("ContinuationToken"))
  CAIRN_S3_SHAPE_END(ListDirectoryBucketsOutput)
};

struct RenameObjectInput {
  CAIRN_S3_SHAPE(RenameObjectInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::string, rename_source, header("x-amz-rename-source"))
  CAIRN_S3_FIELD(std::optional<std::string>, destination_if_match, header("If-Match"))
  CAIRN_S3_FIELD(std::optional<std::string>, destination_if_none_match, header("If-None-Match"))
  CAIRN_S3_FIELD(std::optional<Time>, destination_if_modified_since,
                 header("If-Modified-Since").ignore_malformed())
  CAIRN_S3_FIELD(std::optional<Time>, destination_if_unmodified_since,
                 header("If-Unmodified-Since").ignore_malformed())
  CAIRN_S3_FIELD(std::optional<std::string>, source_if_match,
                 header("x-amz-rename-source-if-match"))
  CAIRN_S3_FIELD(std::optional<std::string>, source_if_none_match,
                 header("x-amz-rename-source-if-none-match"))
  CAIRN_S3_FIELD(std::optional<Time>, source_if_modified_since,
                 header("x-amz-rename-source-if-modified-since").ignore_malformed())
  CAIRN_S3_FIELD(std::optional<Time>, source_if_unmodified_since,
                 header("x-amz-rename-source-if-unmodified-since").ignore_malformed())
  CAIRN_S3_FIELD(std::optional<std::string>, client_token, header("x-amz-client-token"))
  CAIRN_S3_SHAPE_END(RenameObjectInput)
};

}  // namespace cairn::s3
