// SPDX-License-Identifier: Apache-2.0
// The client: every operation of the object storage, typed and by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objectclient/body.h"
#include "objectclient/environment.h"
#include "objectclient/options.h"
#include "objectclient/presign.h"
#include "objectclient/response.h"
#include "objectclient/stubs.h"
#include "objectclient/value.h"
#include "os/deadline.h"
#include "s3/operations/operation.h"

namespace cairn::objectclient {

struct ClientState;

/// What a caller may say of one call besides its parameters.
struct CallOptions {
  os::Deadline deadline = os::Deadline::never();     // with a stop token: also ends a call early
  Progress progress = {};                            // of the object's bytes, either way
  std::optional<bool> use_accelerate_endpoint = {};  // instead of the client's option
  std::optional<bool> use_dualstack_endpoint = {};   // instead of the client's option
  bool retries = true;  // false: the first failure is final, whatever it is
};

/// A client of an object storage. Copies are cheap, and share connections, credentials and what
/// was learnt of buckets and clocks. Safe from any thread; calls block the calling thread, for at
/// most as long as the time-outs of the options, the retries, and the deadline allow.
///
/// A call that fails throws the exception of its error (service_errors.h) or, where the option
/// `raise_response_errors` is false, gives a response that holds it. Nothing else throws.
///
///   Client client({.region = "us-east-1"});
///   client.put_object({.bucket = "b", .key = "k"}, "bytes");
///   std::string bytes = client.get_object({.bucket = "b", .key = "k"}).body();
class Client {
 public:
  /// Throws ArgumentError for options that are not allowed, MissingRegionError for no region.
  /// Credentials are looked for by the first call.
  explicit Client(ClientOptions options = {});
  /// The same without exceptions, and in other environment than this machine's.
  static Result<Client> open(ClientOptions options, Environment environment);
  static Result<Client> open(ClientOptions options = {});

  /// The same client, whose calls do not throw: their responses hold errors.
  Client without_exceptions() const;
  bool raises() const;

  /// The options in force: with what environment, profile and mode have added.
  const ClientOptions& options() const;

  /// Waits as the client itself does between attempts. Errors: timeout, cancelled.
  Status sleep(double seconds, const os::Deadline& deadline) const;

  /// Answers of `operation` from now on, in turn, the last one for ever; an empty name means all
  /// operations that have none. For clients with the option `stub_responses`.
  void stub(std::string_view operation, std::vector<Stub> stubs) const;
  /// The calls that stubs have answered.
  std::vector<StubbedCall> stubbed_calls() const;

  /// Any operation by its name ("put_object" or "PutObject"), with parameters by name, which are
  /// converted and checked as the options say; `body` may stand among them. The result has the
  /// names of the typed one. Errors: those of the operation; ArgumentError: no such operation.
  Response<Value> call(std::string_view operation, const Params& params = {}, const Body& body = {},
                       const Target& target = {}, const CallOptions& options = {}) const;
  /// A URL by which whoever has it makes this call: signed with the credentials of now.
  /// Errors: ArgumentError: expires_in out of range, a request that sigv4 does not sign; those of
  /// parameters.
  PresignedRequest presign(std::string_view operation, const Params& params,
                           const PresignOptions& presigning = {},
                           const CallOptions& options = {}) const;
  std::string presigned_url(std::string_view operation, const Params& params,
                            const PresignOptions& presigning = {},
                            const CallOptions& options = {}) const;
  /// A form by which whoever has it uploads one file to the bucket, from a page too: its policy is
  /// signed with the credentials of now. "${filename}" in `key` stands for the file's name there: then
  /// the key is whatever begins with what stands before it. Sends nothing.
  /// Errors: ArgumentError: expires_in out of range, no key, a range whose ends are the wrong way
  /// round, a field that the library sets itself, a bucket that takes no forms; those of parameters.
  PresignedPost presign_post(const std::string& bucket, const std::string& key,
                             const PresignedPostOptions& posting = {},
                             const CallOptions& options = {}) const;
  /// The names of all operations, as call() takes them.
  static std::vector<std::string> operation_names();

  Response<s3::ListBucketsOutput> list_buckets(const s3::ListBucketsInput& params = {},
                                               const CallOptions& options = {}) const;
  Response<s3::CreateBucketOutput> create_bucket(const s3::CreateBucketInput& params,
                                                 const CallOptions& options = {}) const;
  Response<s3::HeadBucketOutput> head_bucket(const s3::BucketInput& params,
                                             const CallOptions& options = {}) const;
  Response<s3::GetBucketLocationOutput> get_bucket_location(const s3::BucketInput& params,
                                                            const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> delete_bucket(const s3::BucketInput& params,
                                          const CallOptions& options = {}) const;
  Response<s3::ListObjectsOutput> list_objects(const s3::ListObjectsInput& params,
                                               const CallOptions& options = {}) const;
  Response<s3::ListObjectsV2Output> list_objects_v2(const s3::ListObjectsV2Input& params,
                                                    const CallOptions& options = {}) const;
  Response<s3::ListObjectVersionsOutput> list_object_versions(
      const s3::ListObjectVersionsInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> put_bucket_versioning(const s3::PutBucketVersioningInput& params,
                                                  const CallOptions& options = {}) const;
  Response<s3::GetBucketVersioningOutput> get_bucket_versioning(
      const s3::BucketInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> put_bucket_tagging(const s3::PutBucketTaggingInput& params,
                                               const CallOptions& options = {}) const;
  Response<s3::GetBucketTaggingOutput> get_bucket_tagging(const s3::BucketInput& params,
                                                          const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> delete_bucket_tagging(const s3::BucketInput& params,
                                                  const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> put_bucket_acl(const s3::PutBucketAclInput& params,
                                           const CallOptions& options = {}) const;
  Response<s3::GetAclOutput> get_bucket_acl(const s3::BucketInput& params,
                                            const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> put_bucket_ownership_controls(
      const s3::PutBucketOwnershipControlsInput& params, const CallOptions& options = {}) const;
  Response<s3::GetBucketOwnershipControlsOutput> get_bucket_ownership_controls(
      const s3::BucketInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> delete_bucket_ownership_controls(const s3::BucketInput& params,
                                                             const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> put_public_access_block(const s3::PutPublicAccessBlockInput& params,
                                                    const CallOptions& options = {}) const;
  Response<s3::GetPublicAccessBlockOutput> get_public_access_block(
      const s3::BucketInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> delete_public_access_block(const s3::BucketInput& params,
                                                       const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> put_bucket_policy(const s3::PutBucketPolicyInput& params,
                                              const CallOptions& options = {}) const;
  Response<s3::GetBucketPolicyOutput> get_bucket_policy(const s3::BucketInput& params,
                                                        const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> delete_bucket_policy(const s3::BucketInput& params,
                                                 const CallOptions& options = {}) const;
  Response<s3::GetBucketPolicyStatusOutput> get_bucket_policy_status(
      const s3::BucketInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> put_bucket_cors(const s3::PutBucketCorsInput& params,
                                            const CallOptions& options = {}) const;
  Response<s3::GetBucketCorsOutput> get_bucket_cors(const s3::BucketInput& params,
                                                    const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> delete_bucket_cors(const s3::BucketInput& params,
                                               const CallOptions& options = {}) const;
  Response<s3::PutBucketLifecycleConfigurationOutput> put_bucket_lifecycle_configuration(
      const s3::PutBucketLifecycleConfigurationInput& params,
      const CallOptions& options = {}) const;
  Response<s3::GetBucketLifecycleConfigurationOutput> get_bucket_lifecycle_configuration(
      const s3::BucketInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> delete_bucket_lifecycle(const s3::BucketInput& params,
                                                    const CallOptions& options = {}) const;
  Response<s3::ChargedOutput> put_object_lock_configuration(
      const s3::PutObjectLockConfigurationInput& params, const CallOptions& options = {}) const;
  Response<s3::GetObjectLockConfigurationOutput> get_object_lock_configuration(
      const s3::BucketInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> put_bucket_encryption(const s3::PutBucketEncryptionInput& params,
                                                  const CallOptions& options = {}) const;
  Response<s3::GetBucketEncryptionOutput> get_bucket_encryption(
      const s3::BucketInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> delete_bucket_encryption(const s3::BucketInput& params,
                                                     const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> put_bucket_request_payment(
      const s3::PutBucketRequestPaymentInput& params, const CallOptions& options = {}) const;
  Response<s3::GetBucketRequestPaymentOutput> get_bucket_request_payment(
      const s3::BucketInput& params, const CallOptions& options = {}) const;
  Response<s3::AccelerateOutput> get_bucket_accelerate_configuration(
      const s3::AccelerateInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> get_bucket_logging(const s3::BucketInput& params,
                                               const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> get_bucket_notification_configuration(
      const s3::BucketInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> get_bucket_website(const s3::BucketInput& params,
                                               const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> get_bucket_replication(const s3::BucketInput& params,
                                                   const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> put_bucket_accelerate_configuration(
      const s3::PutBucketDocumentInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> put_bucket_logging(const s3::PutBucketDocumentInput& params,
                                               const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> put_bucket_notification_configuration(
      const s3::PutBucketDocumentInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> delete_bucket_website(const s3::BucketInput& params,
                                                  const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> delete_bucket_replication(const s3::BucketInput& params,
                                                      const CallOptions& options = {}) const;
  Response<s3::PutObjectOutput> put_object(const s3::PutObjectInput& params, const Body& body,
                                           const CallOptions& options = {}) const;
  Response<s3::GetObjectOutput> get_object(const s3::GetObjectInput& params,
                                           const Target& target = {},
                                           const CallOptions& options = {}) const;
  Response<s3::GetObjectOutput> head_object(const s3::GetObjectInput& params,
                                            const CallOptions& options = {}) const;
  Response<s3::DeleteObjectOutput> delete_object(const s3::DeleteObjectInput& params,
                                                 const CallOptions& options = {}) const;
  Response<s3::DeleteObjectsOutput> delete_objects(const s3::DeleteObjectsInput& params,
                                                   const CallOptions& options = {}) const;
  Response<s3::CopyObjectOutput> copy_object(const s3::CopyObjectInput& params,
                                             const CallOptions& options = {}) const;
  Response<s3::GetObjectAttributesOutput> get_object_attributes(
      const s3::GetObjectAttributesInput& params, const CallOptions& options = {}) const;
  Response<s3::RestoreObjectOutput> restore_object(const s3::RestoreObjectInput& params,
                                                   const CallOptions& options = {}) const;
  Response<s3::ObjectTaggingOutput> put_object_tagging(const s3::PutObjectTaggingInput& params,
                                                       const CallOptions& options = {}) const;
  Response<s3::GetObjectTaggingOutput> get_object_tagging(const s3::ObjectInput& params,
                                                          const CallOptions& options = {}) const;
  Response<s3::ObjectTaggingOutput> delete_object_tagging(
      const s3::DeleteObjectTaggingInput& params, const CallOptions& options = {}) const;
  Response<s3::ChargedOutput> put_object_acl(const s3::PutObjectAclInput& params,
                                             const CallOptions& options = {}) const;
  Response<s3::GetAclOutput> get_object_acl(const s3::ObjectInput& params,
                                            const CallOptions& options = {}) const;
  Response<s3::ChargedOutput> put_object_retention(const s3::PutObjectRetentionInput& params,
                                                   const CallOptions& options = {}) const;
  Response<s3::GetObjectRetentionOutput> get_object_retention(
      const s3::ObjectInput& params, const CallOptions& options = {}) const;
  Response<s3::ChargedOutput> put_object_legal_hold(const s3::PutObjectLegalHoldInput& params,
                                                    const CallOptions& options = {}) const;
  Response<s3::GetObjectLegalHoldOutput> get_object_legal_hold(
      const s3::ObjectInput& params, const CallOptions& options = {}) const;
  Response<s3::CreateMultipartUploadOutput> create_multipart_upload(
      const s3::CreateMultipartUploadInput& params, const CallOptions& options = {}) const;
  Response<s3::UploadPartOutput> upload_part(const s3::UploadPartInput& params, const Body& body,
                                             const CallOptions& options = {}) const;
  Response<s3::UploadPartCopyOutput> upload_part_copy(const s3::UploadPartCopyInput& params,
                                                      const CallOptions& options = {}) const;
  Response<s3::CompleteMultipartUploadOutput> complete_multipart_upload(
      const s3::CompleteMultipartUploadInput& params, const CallOptions& options = {}) const;
  Response<s3::AbortMultipartUploadOutput> abort_multipart_upload(
      const s3::AbortMultipartUploadInput& params, const CallOptions& options = {}) const;
  Response<s3::ListPartsOutput> list_parts(const s3::ListPartsInput& params,
                                           const CallOptions& options = {}) const;
  Response<s3::ListMultipartUploadsOutput> list_multipart_uploads(
      const s3::ListMultipartUploadsInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> create_bucket_metadata_configuration(
      const s3::CreateBucketMetadataConfigurationInput& params,
      const CallOptions& options = {}) const;
  Response<s3::GetBucketMetadataConfigurationOutput> get_bucket_metadata_configuration(
      const s3::BucketInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> delete_bucket_metadata_configuration(
      const s3::BucketInput& params, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> update_bucket_metadata_journal_table_configuration(
      const s3::UpdateBucketMetadataJournalTableConfigurationInput& params,
      const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> update_bucket_metadata_inventory_table_configuration(
      const s3::UpdateBucketMetadataInventoryTableConfigurationInput& params,
      const CallOptions& options = {}) const;
  /// Of Cairn alone: rows of a table as JSON, one a line.
  Response<s3::ListBucketMetadataTableRowsOutput> list_bucket_metadata_table_rows(
      const s3::ListBucketMetadataTableRowsInput& params, const CallOptions& options = {}) const;
  Response<s3::CreateSessionOutput> create_session(const s3::CreateSessionInput& params,
                                                   const CallOptions& options = {}) const;
  Response<s3::ListDirectoryBucketsOutput> list_directory_buckets(
      const s3::ListDirectoryBucketsInput& params = {}, const CallOptions& options = {}) const;
  Response<s3::EmptyOutput> rename_object(const s3::RenameObjectInput& params,
                                          const CallOptions& options = {}) const;

 private:
  explicit Client(std::shared_ptr<ClientState> state) : state_(std::move(state)) {}
  struct Filling {
    void* output;
    std::string& body;
    CallInfo& call;
  };
  Status run(const s3::Operation& operation, const void* params, const Body& body,
             const Target& target, const CallOptions& options, Filling filled) const;
  template <class Output>
  Response<Output> make(const s3::Operation& operation, const void* params, const Body& body,
                        const Target& target, const CallOptions& options) const;

  std::shared_ptr<ClientState> state_;
  bool never_raises_ = false;
};

}  // namespace cairn::objectclient
