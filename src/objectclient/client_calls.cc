// SPDX-License-Identifier: Apache-2.0
// Each operation's typed call, and the table by which names find them.
#include "objectclient/client_calls.h"
#include "objectclient/client.h"
#include "objectclient/core.h"
#include "objectclient/service_errors.h"

namespace cairn::objectclient {

template <class Op>
Response<typename Op::Output> Client::make(const Op& operation, const typename Op::Input& params,
                                           const Body& body, const Target& target,
                                           const CallOptions& options) const {
  typename Op::Output output{};
  std::string bytes;
  CallInfo info;
  Status done =
      make_call(*core_, parts_of(operation, &params, body, target, options), &output, bytes, info);
  if (!done.ok()) {
    if (raises()) throw_error(done.error(), info);
    return {std::move(done).error(), std::move(info)};
  }
  Response<typename Op::Output> response(std::move(output), std::move(info));
  response.body_ = std::move(bytes);
  return response;
}

#define CAIRN_CLIENT_CALL(name)                                                                \
  Response<decltype(s3::operations::name)::Output> Client::name(                               \
      const decltype(s3::operations::name)::Input& params, const CallOptions& options) const { \
    return make(s3::operations::name, params, {}, {}, options);                                \
  }

CAIRN_CLIENT_CALL(list_buckets)
CAIRN_CLIENT_CALL(create_bucket)
CAIRN_CLIENT_CALL(head_bucket)
CAIRN_CLIENT_CALL(get_bucket_location)
CAIRN_CLIENT_CALL(delete_bucket)
CAIRN_CLIENT_CALL(list_objects)
CAIRN_CLIENT_CALL(list_objects_v2)
CAIRN_CLIENT_CALL(list_object_versions)
CAIRN_CLIENT_CALL(put_bucket_versioning)
CAIRN_CLIENT_CALL(get_bucket_versioning)
CAIRN_CLIENT_CALL(put_bucket_tagging)
CAIRN_CLIENT_CALL(get_bucket_tagging)
CAIRN_CLIENT_CALL(delete_bucket_tagging)
CAIRN_CLIENT_CALL(put_bucket_acl)
CAIRN_CLIENT_CALL(get_bucket_acl)
CAIRN_CLIENT_CALL(put_bucket_ownership_controls)
CAIRN_CLIENT_CALL(get_bucket_ownership_controls)
CAIRN_CLIENT_CALL(delete_bucket_ownership_controls)
CAIRN_CLIENT_CALL(put_public_access_block)
CAIRN_CLIENT_CALL(get_public_access_block)
CAIRN_CLIENT_CALL(delete_public_access_block)
CAIRN_CLIENT_CALL(put_bucket_policy)
CAIRN_CLIENT_CALL(get_bucket_policy)
CAIRN_CLIENT_CALL(delete_bucket_policy)
CAIRN_CLIENT_CALL(get_bucket_policy_status)
CAIRN_CLIENT_CALL(put_bucket_cors)
CAIRN_CLIENT_CALL(get_bucket_cors)
CAIRN_CLIENT_CALL(delete_bucket_cors)
CAIRN_CLIENT_CALL(put_bucket_lifecycle_configuration)
CAIRN_CLIENT_CALL(get_bucket_lifecycle_configuration)
CAIRN_CLIENT_CALL(delete_bucket_lifecycle)
CAIRN_CLIENT_CALL(put_object_lock_configuration)
CAIRN_CLIENT_CALL(get_object_lock_configuration)
CAIRN_CLIENT_CALL(put_bucket_encryption)
CAIRN_CLIENT_CALL(get_bucket_encryption)
CAIRN_CLIENT_CALL(delete_bucket_encryption)
CAIRN_CLIENT_CALL(put_bucket_request_payment)
CAIRN_CLIENT_CALL(get_bucket_request_payment)
CAIRN_CLIENT_CALL(get_bucket_accelerate_configuration)
CAIRN_CLIENT_CALL(get_bucket_logging)
CAIRN_CLIENT_CALL(get_bucket_notification_configuration)
CAIRN_CLIENT_CALL(get_bucket_website)
CAIRN_CLIENT_CALL(get_bucket_replication)
CAIRN_CLIENT_CALL(head_object)
CAIRN_CLIENT_CALL(delete_object)
CAIRN_CLIENT_CALL(delete_objects)
CAIRN_CLIENT_CALL(copy_object)
CAIRN_CLIENT_CALL(get_object_attributes)
CAIRN_CLIENT_CALL(restore_object)
CAIRN_CLIENT_CALL(put_object_tagging)
CAIRN_CLIENT_CALL(get_object_tagging)
CAIRN_CLIENT_CALL(delete_object_tagging)
CAIRN_CLIENT_CALL(put_object_acl)
CAIRN_CLIENT_CALL(get_object_acl)
CAIRN_CLIENT_CALL(put_object_retention)
CAIRN_CLIENT_CALL(get_object_retention)
CAIRN_CLIENT_CALL(put_object_legal_hold)
CAIRN_CLIENT_CALL(get_object_legal_hold)
CAIRN_CLIENT_CALL(create_multipart_upload)
CAIRN_CLIENT_CALL(upload_part_copy)
CAIRN_CLIENT_CALL(complete_multipart_upload)
CAIRN_CLIENT_CALL(abort_multipart_upload)
CAIRN_CLIENT_CALL(list_parts)
CAIRN_CLIENT_CALL(list_multipart_uploads)
CAIRN_CLIENT_CALL(create_bucket_metadata_configuration)
CAIRN_CLIENT_CALL(get_bucket_metadata_configuration)
CAIRN_CLIENT_CALL(delete_bucket_metadata_configuration)
CAIRN_CLIENT_CALL(create_session)
CAIRN_CLIENT_CALL(list_directory_buckets)

Response<s3::PutObjectOutput> Client::put_object(const s3::PutObjectInput& params, const Body& body,
                                                 const CallOptions& options) const {
  return make(s3::operations::put_object, params, body, {}, options);
}
Response<s3::UploadPartOutput> Client::upload_part(const s3::UploadPartInput& params,
                                                   const Body& body,
                                                   const CallOptions& options) const {
  return make(s3::operations::upload_part, params, body, {}, options);
}
Response<s3::GetObjectOutput> Client::get_object(const s3::GetObjectInput& params,
                                                 const Target& target,
                                                 const CallOptions& options) const {
  return make(s3::operations::get_object, params, {}, target, options);
}

namespace {

template <class In, class Out>
class StructuresOf final : public Structures {
 public:
  void* input() override { return &input_; }
  void* output() override { return &output_; }

 private:
  In input_{};
  Out output_{};
};

struct Row {
  const s3::Operation* operation;
  std::unique_ptr<Structures> (*make)();
};

template <class In, class Out>
constexpr Row row(const s3::OperationOf<In, Out>& operation) {
  return {&operation, []() -> std::unique_ptr<Structures> {
            return std::make_unique<StructuresOf<In, Out>>();
          }};
}

constexpr Row rows[] = {
    row(s3::operations::list_buckets),
    row(s3::operations::create_bucket),
    row(s3::operations::head_bucket),
    row(s3::operations::get_bucket_location),
    row(s3::operations::delete_bucket),
    row(s3::operations::list_objects),
    row(s3::operations::list_objects_v2),
    row(s3::operations::list_object_versions),
    row(s3::operations::put_bucket_versioning),
    row(s3::operations::get_bucket_versioning),
    row(s3::operations::put_bucket_tagging),
    row(s3::operations::get_bucket_tagging),
    row(s3::operations::delete_bucket_tagging),
    row(s3::operations::put_bucket_acl),
    row(s3::operations::get_bucket_acl),
    row(s3::operations::put_bucket_ownership_controls),
    row(s3::operations::get_bucket_ownership_controls),
    row(s3::operations::delete_bucket_ownership_controls),
    row(s3::operations::put_public_access_block),
    row(s3::operations::get_public_access_block),
    row(s3::operations::delete_public_access_block),
    row(s3::operations::put_bucket_policy),
    row(s3::operations::get_bucket_policy),
    row(s3::operations::delete_bucket_policy),
    row(s3::operations::get_bucket_policy_status),
    row(s3::operations::put_bucket_cors),
    row(s3::operations::get_bucket_cors),
    row(s3::operations::delete_bucket_cors),
    row(s3::operations::put_bucket_lifecycle_configuration),
    row(s3::operations::get_bucket_lifecycle_configuration),
    row(s3::operations::delete_bucket_lifecycle),
    row(s3::operations::put_object_lock_configuration),
    row(s3::operations::get_object_lock_configuration),
    row(s3::operations::put_bucket_encryption),
    row(s3::operations::get_bucket_encryption),
    row(s3::operations::delete_bucket_encryption),
    row(s3::operations::put_bucket_request_payment),
    row(s3::operations::get_bucket_request_payment),
    row(s3::operations::get_bucket_accelerate_configuration),
    row(s3::operations::get_bucket_logging),
    row(s3::operations::get_bucket_notification_configuration),
    row(s3::operations::get_bucket_website),
    row(s3::operations::get_bucket_replication),
    row(s3::operations::put_object),
    row(s3::operations::get_object),
    row(s3::operations::head_object),
    row(s3::operations::delete_object),
    row(s3::operations::delete_objects),
    row(s3::operations::copy_object),
    row(s3::operations::get_object_attributes),
    row(s3::operations::restore_object),
    row(s3::operations::put_object_tagging),
    row(s3::operations::get_object_tagging),
    row(s3::operations::delete_object_tagging),
    row(s3::operations::put_object_acl),
    row(s3::operations::get_object_acl),
    row(s3::operations::put_object_retention),
    row(s3::operations::get_object_retention),
    row(s3::operations::put_object_legal_hold),
    row(s3::operations::get_object_legal_hold),
    row(s3::operations::create_multipart_upload),
    row(s3::operations::upload_part),
    row(s3::operations::upload_part_copy),
    row(s3::operations::complete_multipart_upload),
    row(s3::operations::abort_multipart_upload),
    row(s3::operations::list_parts),
    row(s3::operations::list_multipart_uploads),
    row(s3::operations::create_bucket_metadata_configuration),
    row(s3::operations::get_bucket_metadata_configuration),
    row(s3::operations::delete_bucket_metadata_configuration),
    row(s3::operations::create_session),
    row(s3::operations::list_directory_buckets),
};

}  // namespace

std::unique_ptr<Structures> structures_of(const s3::Operation& operation) {
  for (const Row& known : rows)
    if (known.operation == &operation) return known.make();
  return nullptr;
}

}  // namespace cairn::objectclient
