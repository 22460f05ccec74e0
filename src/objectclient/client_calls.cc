// SPDX-License-Identifier: Apache-2.0
// Each operation's typed call.
#include "objectclient/client_calls.h"
#include "objectclient/call/client_state.h"
#include "objectclient/client.h"
#include "objectclient/service_errors.h"

namespace cairn::objectclient {

// What all calls have in common, for a result that lies somewhere.
Status Client::run(const s3::Operation& operation, const void* params, const Body& body,
                   const Target& target, const CallOptions& options, Filling filled) const {
  Status done = make_call(*state_, parts_of(operation, params, body, target, options),
                          filled.output, filled.body, filled.call);
  if (!done.ok() && raises()) throw_error(done.error(), filled.call);
  return done;
}

template <class Output>
Response<Output> Client::make(const s3::Operation& operation, const void* params, const Body& body,
                              const Target& target, const CallOptions& options) const {
  Response<Output> response(Output{}, CallInfo{});
  Status done = run(operation, params, body, target, options,
                    {&response.output_, response.body_, response.call_});
  if (!done.ok()) response.error_ = std::move(done).error();
  return response;
}

#define CAIRN_CLIENT_CALL(name)                                                                \
  Response<decltype(s3::operations::name)::Output> Client::name(                               \
      const decltype(s3::operations::name)::Input& params, const CallOptions& options) const { \
    return make<decltype(s3::operations::name)::Output>(s3::operations::name, &params, {}, {}, \
                                                        options);                              \
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
CAIRN_CLIENT_CALL(put_bucket_accelerate_configuration)
CAIRN_CLIENT_CALL(put_bucket_logging)
CAIRN_CLIENT_CALL(put_bucket_notification_configuration)
CAIRN_CLIENT_CALL(delete_bucket_website)
CAIRN_CLIENT_CALL(delete_bucket_replication)
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
CAIRN_CLIENT_CALL(update_bucket_metadata_journal_table_configuration)
CAIRN_CLIENT_CALL(update_bucket_metadata_inventory_table_configuration)
CAIRN_CLIENT_CALL(list_bucket_metadata_table_rows)
CAIRN_CLIENT_CALL(create_session)
CAIRN_CLIENT_CALL(list_directory_buckets)
CAIRN_CLIENT_CALL(rename_object)

Response<s3::PutObjectOutput> Client::put_object(const s3::PutObjectInput& params, const Body& body,
                                                 const CallOptions& options) const {
  return make<s3::PutObjectOutput>(s3::operations::put_object, &params, body, {}, options);
}
Response<s3::UploadPartOutput> Client::upload_part(const s3::UploadPartInput& params,
                                                   const Body& body,
                                                   const CallOptions& options) const {
  return make<s3::UploadPartOutput>(s3::operations::upload_part, &params, body, {}, options);
}
Response<s3::GetObjectOutput> Client::get_object(const s3::GetObjectInput& params,
                                                 const Target& target,
                                                 const CallOptions& options) const {
  return make<s3::GetObjectOutput>(s3::operations::get_object, &params, {}, target, options);
}

}  // namespace cairn::objectclient
