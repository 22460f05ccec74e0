// SPDX-License-Identifier: Apache-2.0
// The operations of the object storage, one description each, for client and service alike.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "net/message.h"
#include "s3/bucket_operations.h"
#include "s3/list_operations.h"
#include "s3/multipart_operations.h"
#include "s3/object_operations.h"
#include "s3/shape.h"

namespace cairn::s3 {

enum class Target { service, bucket, object };

struct Operation {
  std::string_view name;  // "PutObject", as policies and logs know it
  std::string_view call;  // "put_object", as callers know it
  std::string_view method;
  Target target;
  /// What tells it from others of that method and target: a parameter of the query ("uploads",
  /// "list-type=2"), or a header field ("x-amz-copy-source:"), or both, separated by a space.
  std::string_view marker = {};
  int status = 200;                // of success
  std::string_view root = {};      // the root element of a result that is a body but no payload
  bool stream_in = false;          // the request's body is an object's bytes
  bool stream_out = false;         // the reply's body is
  bool checksum_required = false;  // the body needs Content-MD5 or a checksum
  const Shape& (*input)() = nullptr;
  const Shape& (*output)() = nullptr;
};

template <class In, class Out>
struct OperationOf : Operation {
  using Input = In;
  using Output = Out;
};

namespace operations {
extern const OperationOf<ListBucketsInput, ListBucketsOutput> list_buckets;
extern const OperationOf<CreateBucketInput, CreateBucketOutput> create_bucket;
extern const OperationOf<BucketInput, HeadBucketOutput> head_bucket;
extern const OperationOf<BucketInput, GetBucketLocationOutput> get_bucket_location;
extern const OperationOf<BucketInput, GetBucketVersioningOutput> get_bucket_versioning;
extern const OperationOf<BucketInput, EmptyOutput> delete_bucket;
extern const OperationOf<ListObjectsInput, ListObjectsOutput> list_objects;
extern const OperationOf<ListObjectsV2Input, ListObjectsV2Output> list_objects_v2;
extern const OperationOf<PutObjectInput, PutObjectOutput> put_object;
extern const OperationOf<GetObjectInput, GetObjectOutput> get_object;
extern const OperationOf<GetObjectInput, GetObjectOutput> head_object;
extern const OperationOf<DeleteObjectInput, DeleteObjectOutput> delete_object;
extern const OperationOf<DeleteObjectsInput, DeleteObjectsOutput> delete_objects;
extern const OperationOf<CopyObjectInput, CopyObjectOutput> copy_object;
extern const OperationOf<GetObjectTaggingInput, GetObjectTaggingOutput> get_object_tagging;
extern const OperationOf<CreateMultipartUploadInput, CreateMultipartUploadOutput>
    create_multipart_upload;
extern const OperationOf<UploadPartInput, UploadPartOutput> upload_part;
extern const OperationOf<UploadPartCopyInput, UploadPartCopyOutput> upload_part_copy;
extern const OperationOf<CompleteMultipartUploadInput, CompleteMultipartUploadOutput>
    complete_multipart_upload;
extern const OperationOf<AbortMultipartUploadInput, AbortMultipartUploadOutput>
    abort_multipart_upload;
extern const OperationOf<ListPartsInput, ListPartsOutput> list_parts;
extern const OperationOf<ListMultipartUploadsInput, ListMultipartUploadsOutput>
    list_multipart_uploads;
}  // namespace operations

std::span<const Operation* const> all_operations();
/// By either name; null where there is none.
const Operation* find_operation(std::string_view name);

/// The operation that a request asks for: of those of its method and target the one whose marker it
/// has, or the one without a marker. Null where there is none.
const Operation* match_operation(std::string_view method, Target target,
                                 const net::QueryParameters& query, const net::Headers& headers);

/// The first parameter of a query that names a part of a bucket or object with operations of its
/// own ("acl", "versioning"); nothing where all are plain parameters.
std::optional<std::string_view> subresource_of(const net::QueryParameters& query);

}  // namespace cairn::s3
