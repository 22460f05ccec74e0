// SPDX-License-Identifier: Apache-2.0
#include "s3/operation.h"

#include <algorithm>

#include "base/strings.h"

namespace cairn::s3 {
namespace operations {
namespace {

template <class In, class Out>
constexpr OperationOf<In, Out> describe(Operation operation) {
  operation.input = &shape_of<In>;
  operation.output = &shape_of<Out>;
  return {operation};
}

}  // namespace

const OperationOf<ListBucketsInput, ListBucketsOutput> list_buckets =
    describe<ListBucketsInput, ListBucketsOutput>({.name = "ListBuckets",
                                                   .call = "list_buckets",
                                                   .method = "GET",
                                                   .target = Target::service,
                                                   .root = "ListAllMyBucketsResult"});
const OperationOf<CreateBucketInput, CreateBucketOutput> create_bucket =
    describe<CreateBucketInput, CreateBucketOutput>({.name = "CreateBucket",
                                                     .call = "create_bucket",
                                                     .method = "PUT",
                                                     .target = Target::bucket});
const OperationOf<BucketInput, HeadBucketOutput> head_bucket =
    describe<BucketInput, HeadBucketOutput>(
        {.name = "HeadBucket", .call = "head_bucket", .method = "HEAD", .target = Target::bucket});
const OperationOf<BucketInput, GetBucketLocationOutput> get_bucket_location =
    describe<BucketInput, GetBucketLocationOutput>({.name = "GetBucketLocation",
                                                    .call = "get_bucket_location",
                                                    .method = "GET",
                                                    .target = Target::bucket,
                                                    .marker = "location"});
const OperationOf<BucketInput, GetBucketVersioningOutput> get_bucket_versioning =
    describe<BucketInput, GetBucketVersioningOutput>({.name = "GetBucketVersioning",
                                                      .call = "get_bucket_versioning",
                                                      .method = "GET",
                                                      .target = Target::bucket,
                                                      .marker = "versioning",
                                                      .root = "VersioningConfiguration"});
const OperationOf<BucketInput, EmptyOutput> delete_bucket =
    describe<BucketInput, EmptyOutput>({.name = "DeleteBucket",
                                        .call = "delete_bucket",
                                        .method = "DELETE",
                                        .target = Target::bucket,
                                        .status = 204});
const OperationOf<ListObjectsInput, ListObjectsOutput> list_objects =
    describe<ListObjectsInput, ListObjectsOutput>({.name = "ListObjects",
                                                   .call = "list_objects",
                                                   .method = "GET",
                                                   .target = Target::bucket,
                                                   .root = "ListBucketResult"});
const OperationOf<ListObjectsV2Input, ListObjectsV2Output> list_objects_v2 =
    describe<ListObjectsV2Input, ListObjectsV2Output>({.name = "ListObjectsV2",
                                                       .call = "list_objects_v2",
                                                       .method = "GET",
                                                       .target = Target::bucket,
                                                       .marker = "list-type=2",
                                                       .root = "ListBucketResult"});
const OperationOf<PutObjectInput, PutObjectOutput> put_object =
    describe<PutObjectInput, PutObjectOutput>({.name = "PutObject",
                                               .call = "put_object",
                                               .method = "PUT",
                                               .target = Target::object,
                                               .stream_in = true});
const OperationOf<GetObjectInput, GetObjectOutput> get_object =
    describe<GetObjectInput, GetObjectOutput>({.name = "GetObject",
                                               .call = "get_object",
                                               .method = "GET",
                                               .target = Target::object,
                                               .stream_out = true});
const OperationOf<GetObjectInput, GetObjectOutput> head_object =
    describe<GetObjectInput, GetObjectOutput>(
        {.name = "HeadObject", .call = "head_object", .method = "HEAD", .target = Target::object});
const OperationOf<DeleteObjectInput, DeleteObjectOutput> delete_object =
    describe<DeleteObjectInput, DeleteObjectOutput>({.name = "DeleteObject",
                                                     .call = "delete_object",
                                                     .method = "DELETE",
                                                     .target = Target::object,
                                                     .status = 204});
const OperationOf<DeleteObjectsInput, DeleteObjectsOutput> delete_objects =
    describe<DeleteObjectsInput, DeleteObjectsOutput>({.name = "DeleteObjects",
                                                       .call = "delete_objects",
                                                       .method = "POST",
                                                       .target = Target::bucket,
                                                       .marker = "delete",
                                                       .root = "DeleteResult",
                                                       .checksum_required = true});
const OperationOf<CopyObjectInput, CopyObjectOutput> copy_object =
    describe<CopyObjectInput, CopyObjectOutput>({.name = "CopyObject",
                                                 .call = "copy_object",
                                                 .method = "PUT",
                                                 .target = Target::object,
                                                 .marker = "x-amz-copy-source:"});
const OperationOf<GetObjectTaggingInput, GetObjectTaggingOutput> get_object_tagging =
    describe<GetObjectTaggingInput, GetObjectTaggingOutput>({.name = "GetObjectTagging",
                                                             .call = "get_object_tagging",
                                                             .method = "GET",
                                                             .target = Target::object,
                                                             .marker = "tagging",
                                                             .root = "Tagging"});
const OperationOf<CreateMultipartUploadInput, CreateMultipartUploadOutput> create_multipart_upload =
    describe<CreateMultipartUploadInput, CreateMultipartUploadOutput>(
        {.name = "CreateMultipartUpload",
         .call = "create_multipart_upload",
         .method = "POST",
         .target = Target::object,
         .marker = "uploads",
         .root = "InitiateMultipartUploadResult"});
const OperationOf<UploadPartInput, UploadPartOutput> upload_part =
    describe<UploadPartInput, UploadPartOutput>({.name = "UploadPart",
                                                 .call = "upload_part",
                                                 .method = "PUT",
                                                 .target = Target::object,
                                                 .marker = "uploadId",
                                                 .stream_in = true});
const OperationOf<UploadPartCopyInput, UploadPartCopyOutput> upload_part_copy =
    describe<UploadPartCopyInput, UploadPartCopyOutput>({.name = "UploadPartCopy",
                                                         .call = "upload_part_copy",
                                                         .method = "PUT",
                                                         .target = Target::object,
                                                         .marker = "uploadId x-amz-copy-source:"});
const OperationOf<CompleteMultipartUploadInput, CompleteMultipartUploadOutput>
    complete_multipart_upload =
        describe<CompleteMultipartUploadInput, CompleteMultipartUploadOutput>(
            {.name = "CompleteMultipartUpload",
             .call = "complete_multipart_upload",
             .method = "POST",
             .target = Target::object,
             .marker = "uploadId",
             .root = "CompleteMultipartUploadResult"});
const OperationOf<AbortMultipartUploadInput, AbortMultipartUploadOutput> abort_multipart_upload =
    describe<AbortMultipartUploadInput, AbortMultipartUploadOutput>(
        {.name = "AbortMultipartUpload",
         .call = "abort_multipart_upload",
         .method = "DELETE",
         .target = Target::object,
         .marker = "uploadId",
         .status = 204});
const OperationOf<ListPartsInput, ListPartsOutput> list_parts =
    describe<ListPartsInput, ListPartsOutput>({.name = "ListParts",
                                               .call = "list_parts",
                                               .method = "GET",
                                               .target = Target::object,
                                               .marker = "uploadId",
                                               .root = "ListPartsResult"});
const OperationOf<ListMultipartUploadsInput, ListMultipartUploadsOutput> list_multipart_uploads =
    describe<ListMultipartUploadsInput, ListMultipartUploadsOutput>(
        {.name = "ListMultipartUploads",
         .call = "list_multipart_uploads",
         .method = "GET",
         .target = Target::bucket,
         .marker = "uploads",
         .root = "ListMultipartUploadsResult"});

}  // namespace operations

namespace {

constexpr const Operation* table[] = {
    &operations::list_buckets,
    &operations::create_bucket,
    &operations::head_bucket,
    &operations::get_bucket_location,
    &operations::get_bucket_versioning,
    &operations::delete_bucket,
    &operations::list_objects,
    &operations::list_objects_v2,
    &operations::put_object,
    &operations::get_object,
    &operations::head_object,
    &operations::delete_object,
    &operations::delete_objects,
    &operations::copy_object,
    &operations::get_object_tagging,
    &operations::create_multipart_upload,
    &operations::upload_part,
    &operations::upload_part_copy,
    &operations::complete_multipart_upload,
    &operations::abort_multipart_upload,
    &operations::list_parts,
    &operations::list_multipart_uploads,
};

// Parts of a bucket or object that the service of this protocol knows.
constexpr std::string_view subresources[] = {
    "accelerate",
    "acl",
    "analytics",
    "annotation",
    "attributes",
    "cors",
    "delete",
    "encryption",
    "intelligent-tiering",
    "inventory",
    "legal-hold",
    "lifecycle",
    "location",
    "logging",
    "metadataConfiguration",
    "metadataInventoryTable",
    "metadataJournalTable",
    "metadataTable",
    "metrics",
    "notification",
    "object-lock",
    "ownershipControls",
    "policy",
    "policyStatus",
    "publicAccessBlock",
    "renameObject",
    "replication",
    "requestPayment",
    "restore",
    "retention",
    "select",
    "session",
    "tagging",
    "torrent",
    "uploadId",
    "uploads",
    "versioning",
    "versions",
    "website",
};

bool has_parameter(const net::QueryParameters& query, std::string_view name,
                   std::optional<std::string_view> value) {
  return std::any_of(query.begin(), query.end(), [&](const auto& parameter) {
    return parameter.first == name && (!value || parameter.second == *value);
  });
}

bool has_marker(std::string_view marker, const net::QueryParameters& query,
                const net::Headers& headers) {
  for (std::string_view piece : split(marker, ' ')) {
    if (piece.ends_with(':')) {
      const std::string_view name = piece.substr(0, piece.size() - 1);
      const std::string neutral = "x-svc-" + std::string(name.substr(6));
      if (!headers.has(name) && !headers.has(neutral)) return false;
      continue;
    }
    const std::size_t equals = piece.find('=');
    const auto value =
        equals == std::string_view::npos ? std::nullopt : std::optional(piece.substr(equals + 1));
    if (!has_parameter(query, piece.substr(0, equals), value)) return false;
  }
  return true;
}

}  // namespace

std::span<const Operation* const> all_operations() { return table; }

const Operation* find_operation(std::string_view name) {
  for (const Operation* operation : table)
    if (operation->name == name || operation->call == name) return operation;
  return nullptr;
}

const Operation* match_operation(std::string_view method, Target target,
                                 const net::QueryParameters& query, const net::Headers& headers) {
  const Operation* best = nullptr;
  for (const Operation* operation : table) {
    if (operation->method != method || operation->target != target) continue;
    if (!operation->marker.empty() && !has_marker(operation->marker, query, headers)) continue;
    if (best == nullptr || operation->marker.size() > best->marker.size()) best = operation;
  }
  // A part of the bucket that has no operation here must not fall through to the whole bucket.
  if (best != nullptr) {
    const auto part = subresource_of(query);
    if (part && best->marker.substr(0, best->marker.find(' ')) != *part) return nullptr;
  }
  return best;
}

std::optional<std::string_view> subresource_of(const net::QueryParameters& query) {
  for (const auto& [name, value] : query)
    for (std::string_view known : subresources)
      if (name == known) return known;
  return std::nullopt;
}

}  // namespace cairn::s3
