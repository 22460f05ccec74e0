// SPDX-License-Identifier: Apache-2.0
// What the service does for each operation: the request is authentic and read, the reply is the
// structure that comes back.
#pragma once

#include "base/result.h"
#include "s3/operation.h"
#include "s3api/call.h"

namespace cairn::s3api {

// buckets.cc
Result<s3::ListBucketsOutput> list_buckets(Call& call, const s3::ListBucketsInput& in);
Result<s3::CreateBucketOutput> create_bucket(Call& call, const s3::CreateBucketInput& in);
Result<s3::HeadBucketOutput> head_bucket(Call& call, const s3::BucketInput& in);
Result<s3::GetBucketLocationOutput> get_bucket_location(Call& call, const s3::BucketInput& in);
Result<s3::GetBucketVersioningOutput> get_bucket_versioning(Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> delete_bucket(Call& call, const s3::BucketInput& in);

// listings.cc
Result<s3::ListObjectsOutput> list_objects(Call& call, const s3::ListObjectsInput& in);
Result<s3::ListObjectsV2Output> list_objects_v2(Call& call, const s3::ListObjectsV2Input& in);

// writes.cc
Result<s3::PutObjectOutput> put_object(Call& call, const s3::PutObjectInput& in);

// reads.cc; the first two send their replies themselves
Result<s3::GetObjectOutput> get_object(Call& call, const s3::GetObjectInput& in);
Result<s3::GetObjectOutput> head_object(Call& call, const s3::GetObjectInput& in);

Result<s3::GetObjectTaggingOutput> get_object_tagging(Call& call, const s3::ObjectInput& in);

// copies.cc
Result<s3::CopyObjectOutput> copy_object(Call& call, const s3::CopyObjectInput& in);

// deletes.cc
Result<s3::DeleteObjectOutput> delete_object(Call& call, const s3::DeleteObjectInput& in);
Result<s3::DeleteObjectsOutput> delete_objects(Call& call, const s3::DeleteObjectsInput& in);

// uploads.cc
Result<s3::CreateMultipartUploadOutput> create_multipart_upload(
    Call& call, const s3::CreateMultipartUploadInput& in);
Result<s3::AbortMultipartUploadOutput> abort_multipart_upload(
    Call& call, const s3::AbortMultipartUploadInput& in);
Result<s3::ListMultipartUploadsOutput> list_multipart_uploads(
    Call& call, const s3::ListMultipartUploadsInput& in);

// parts.cc
Result<s3::UploadPartOutput> upload_part(Call& call, const s3::UploadPartInput& in);
Result<s3::UploadPartCopyOutput> upload_part_copy(Call& call, const s3::UploadPartCopyInput& in);
Result<s3::ListPartsOutput> list_parts(Call& call, const s3::ListPartsInput& in);

// completion.cc
Result<s3::CompleteMultipartUploadOutput> complete_multipart_upload(
    Call& call, const s3::CompleteMultipartUploadInput& in);

}  // namespace cairn::s3api
