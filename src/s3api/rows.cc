// SPDX-License-Identifier: Apache-2.0
// Which handler answers which operation.
#include "s3/errors.h"
#include "s3api/admission.h"
#include "s3api/handlers.h"
#include "s3api/wire/send.h"

namespace cairn::s3api {
namespace {

// Documents of grants have an error of their own.
Error worded(const s3::Operation& operation, Error fault) {
  const bool of_grants = &operation == &s3::operations::put_bucket_acl ||
                         &operation == &s3::operations::put_object_acl;
  return of_grants && fault.code == "MalformedXML" ? s3::error("MalformedACLError") : fault;
}

// Reads the parameters, does the work, sends the result.
template <const auto& operation, auto handler>
Status run(Call& call) {
  const auto input = s3::read_request(operation, call.view(), call.dialect);
  if (!input.ok()) return parameter_fault(call, worded(operation, input.error()));
  CAIRN_TRY(const auto output, handler(call, *input));
  if (call.answered) return ok_status();
  s3::ReplyParts parts =
      s3::write_reply(operation, output, call.dialect, call.prepared ? &*call.prepared : nullptr);
  if (call.status != 0) parts.status = call.status;
  return send_reply(call, std::move(parts));
}

namespace ops = s3::operations;

constexpr Handler all[] = {
    {&ops::list_buckets, run<ops::list_buckets, list_buckets>},
    {&ops::create_bucket, run<ops::create_bucket, create_bucket>},
    {&ops::head_bucket, run<ops::head_bucket, head_bucket>},
    {&ops::get_bucket_location, run<ops::get_bucket_location, get_bucket_location>},
    {&ops::delete_bucket, run<ops::delete_bucket, delete_bucket>},
    {&ops::list_objects, run<ops::list_objects, list_objects>},
    {&ops::list_objects_v2, run<ops::list_objects_v2, list_objects_v2>},
    {&ops::list_object_versions, run<ops::list_object_versions, list_object_versions>},
    {&ops::put_bucket_versioning, run<ops::put_bucket_versioning, put_bucket_versioning>},
    {&ops::get_bucket_versioning, run<ops::get_bucket_versioning, get_bucket_versioning>},
    {&ops::put_bucket_tagging, run<ops::put_bucket_tagging, put_bucket_tagging>},
    {&ops::get_bucket_tagging, run<ops::get_bucket_tagging, get_bucket_tagging>},
    {&ops::delete_bucket_tagging, run<ops::delete_bucket_tagging, delete_bucket_tagging>},
    {&ops::put_bucket_acl, run<ops::put_bucket_acl, put_bucket_acl>},
    {&ops::get_bucket_acl, run<ops::get_bucket_acl, get_bucket_acl>},
    {&ops::put_bucket_ownership_controls,
     run<ops::put_bucket_ownership_controls, put_bucket_ownership_controls>},
    {&ops::get_bucket_ownership_controls,
     run<ops::get_bucket_ownership_controls, get_bucket_ownership_controls>},
    {&ops::delete_bucket_ownership_controls,
     run<ops::delete_bucket_ownership_controls, delete_bucket_ownership_controls>},
    {&ops::put_public_access_block, run<ops::put_public_access_block, put_public_access_block>},
    {&ops::get_public_access_block, run<ops::get_public_access_block, get_public_access_block>},
    {&ops::delete_public_access_block,
     run<ops::delete_public_access_block, delete_public_access_block>},
    {&ops::put_bucket_policy, run<ops::put_bucket_policy, put_bucket_policy>},
    {&ops::get_bucket_policy, run<ops::get_bucket_policy, get_bucket_policy>},
    {&ops::delete_bucket_policy, run<ops::delete_bucket_policy, delete_bucket_policy>},
    {&ops::get_bucket_policy_status, run<ops::get_bucket_policy_status, get_bucket_policy_status>},
    {&ops::put_bucket_cors, run<ops::put_bucket_cors, put_bucket_cors>},
    {&ops::get_bucket_cors, run<ops::get_bucket_cors, get_bucket_cors>},
    {&ops::delete_bucket_cors, run<ops::delete_bucket_cors, delete_bucket_cors>},
    {&ops::put_bucket_lifecycle_configuration,
     run<ops::put_bucket_lifecycle_configuration, put_bucket_lifecycle_configuration>},
    {&ops::get_bucket_lifecycle_configuration,
     run<ops::get_bucket_lifecycle_configuration, get_bucket_lifecycle_configuration>},
    {&ops::delete_bucket_lifecycle, run<ops::delete_bucket_lifecycle, delete_bucket_lifecycle>},
    {&ops::put_object_lock_configuration,
     run<ops::put_object_lock_configuration, put_object_lock_configuration>},
    {&ops::get_object_lock_configuration,
     run<ops::get_object_lock_configuration, get_object_lock_configuration>},
    {&ops::put_bucket_encryption, run<ops::put_bucket_encryption, put_bucket_encryption>},
    {&ops::get_bucket_encryption, run<ops::get_bucket_encryption, get_bucket_encryption>},
    {&ops::delete_bucket_encryption, run<ops::delete_bucket_encryption, delete_bucket_encryption>},
    {&ops::put_bucket_request_payment,
     run<ops::put_bucket_request_payment, put_bucket_request_payment>},
    {&ops::get_bucket_request_payment,
     run<ops::get_bucket_request_payment, get_bucket_request_payment>},
    {&ops::get_bucket_accelerate_configuration,
     run<ops::get_bucket_accelerate_configuration, get_bucket_accelerate_configuration>},
    {&ops::get_bucket_logging, run<ops::get_bucket_logging, get_bucket_logging>},
    {&ops::get_bucket_notification_configuration,
     run<ops::get_bucket_notification_configuration, get_bucket_notification_configuration>},
    {&ops::get_bucket_website, run<ops::get_bucket_website, get_bucket_website>},
    {&ops::get_bucket_replication, run<ops::get_bucket_replication, get_bucket_replication>},
    {&ops::put_bucket_accelerate_configuration,
     run<ops::put_bucket_accelerate_configuration, put_bucket_accelerate_configuration>},
    {&ops::put_bucket_logging, run<ops::put_bucket_logging, put_bucket_logging>},
    {&ops::put_bucket_notification_configuration,
     run<ops::put_bucket_notification_configuration, put_bucket_notification_configuration>},
    {&ops::delete_bucket_website, run<ops::delete_bucket_website, delete_nothing>},
    {&ops::delete_bucket_replication, run<ops::delete_bucket_replication, delete_nothing>},
    {&ops::put_object, run<ops::put_object, put_object>},
    {&ops::get_object, run<ops::get_object, get_object>},
    {&ops::head_object, run<ops::head_object, head_object>},
    {&ops::delete_object, run<ops::delete_object, delete_object>},
    {&ops::delete_objects, run<ops::delete_objects, delete_objects>},
    {&ops::copy_object, run<ops::copy_object, copy_object>},
    {&ops::get_object_attributes, run<ops::get_object_attributes, get_object_attributes>},
    {&ops::restore_object, run<ops::restore_object, restore_object>},
    {&ops::put_object_tagging, run<ops::put_object_tagging, put_object_tagging>},
    {&ops::get_object_tagging, run<ops::get_object_tagging, get_object_tagging>},
    {&ops::delete_object_tagging, run<ops::delete_object_tagging, delete_object_tagging>},
    {&ops::put_object_acl, run<ops::put_object_acl, put_object_acl>},
    {&ops::get_object_acl, run<ops::get_object_acl, get_object_acl>},
    {&ops::put_object_retention, run<ops::put_object_retention, put_object_retention>},
    {&ops::get_object_retention, run<ops::get_object_retention, get_object_retention>},
    {&ops::put_object_legal_hold, run<ops::put_object_legal_hold, put_object_legal_hold>},
    {&ops::get_object_legal_hold, run<ops::get_object_legal_hold, get_object_legal_hold>},
    {&ops::create_multipart_upload, run<ops::create_multipart_upload, create_multipart_upload>},
    {&ops::upload_part, run<ops::upload_part, upload_part>},
    {&ops::upload_part_copy, run<ops::upload_part_copy, upload_part_copy>},
    {&ops::complete_multipart_upload,
     run<ops::complete_multipart_upload, complete_multipart_upload>},
    {&ops::abort_multipart_upload, run<ops::abort_multipart_upload, abort_multipart_upload>},
    {&ops::list_parts, run<ops::list_parts, list_parts>},
    {&ops::list_multipart_uploads, run<ops::list_multipart_uploads, list_multipart_uploads>},
    {&ops::create_session, run<ops::create_session, create_session>},
    {&ops::list_directory_buckets, run<ops::list_directory_buckets, list_directory_buckets>},
    {&ops::rename_object, run<ops::rename_object, rename_object>},
    {&ops::create_bucket_metadata_configuration,
     run<ops::create_bucket_metadata_configuration, create_bucket_metadata_configuration>},
    {&ops::get_bucket_metadata_configuration,
     run<ops::get_bucket_metadata_configuration, get_bucket_metadata_configuration>},
    {&ops::delete_bucket_metadata_configuration,
     run<ops::delete_bucket_metadata_configuration, delete_bucket_metadata_configuration>},
    {&ops::update_bucket_metadata_journal_table_configuration,
     run<ops::update_bucket_metadata_journal_table_configuration, update_bucket_metadata_journal_table_configuration>},
    {&ops::update_bucket_metadata_inventory_table_configuration,
     run<ops::update_bucket_metadata_inventory_table_configuration, update_bucket_metadata_inventory_table_configuration>},
    {&ops::list_bucket_metadata_table_rows,
     run<ops::list_bucket_metadata_table_rows, list_bucket_metadata_table_rows>},
    {&ops::create_access_point, run<ops::create_access_point, create_access_point>},
    {&ops::get_access_point, run<ops::get_access_point, get_access_point>},
    {&ops::list_access_points, run<ops::list_access_points, list_access_points>},
    {&ops::delete_access_point, run<ops::delete_access_point, delete_access_point>},
    {&ops::put_access_point_policy, run<ops::put_access_point_policy, put_access_point_policy>},
    {&ops::get_access_point_policy, run<ops::get_access_point_policy, get_access_point_policy>},
    {&ops::delete_access_point_policy, run<ops::delete_access_point_policy, delete_access_point_policy>},
    {&ops::get_access_point_policy_status,
     run<ops::get_access_point_policy_status, get_access_point_policy_status>},
    {&ops::create_outpost_bucket, run<ops::create_outpost_bucket, create_outpost_bucket>},
    {&ops::get_outpost_bucket, run<ops::get_outpost_bucket, get_outpost_bucket>},
    {&ops::delete_outpost_bucket, run<ops::delete_outpost_bucket, delete_outpost_bucket>},
    {&ops::list_regional_buckets, run<ops::list_regional_buckets, list_regional_buckets>},
    {&ops::put_access_point_scope, run<ops::put_access_point_scope, put_access_point_scope>},
    {&ops::get_access_point_scope, run<ops::get_access_point_scope, get_access_point_scope>},
    {&ops::delete_access_point_scope,
     run<ops::delete_access_point_scope, delete_access_point_scope>},
    {&ops::list_access_points_for_directory_buckets,
     run<ops::list_access_points_for_directory_buckets, list_access_points_for_directory_buckets>},
    {&ops::create_access_grants_instance, run<ops::create_access_grants_instance, create_access_grants_instance>},
    {&ops::get_access_grants_instance, run<ops::get_access_grants_instance, get_access_grants_instance>},
    {&ops::delete_access_grants_instance, run<ops::delete_access_grants_instance, delete_access_grants_instance>},
    {&ops::list_access_grants_instances, run<ops::list_access_grants_instances, list_access_grants_instances>},
    {&ops::get_access_grants_instance_for_prefix, run<ops::get_access_grants_instance_for_prefix, get_access_grants_instance_for_prefix>},
    {&ops::create_access_grants_location, run<ops::create_access_grants_location, create_access_grants_location>},
    {&ops::get_access_grants_location, run<ops::get_access_grants_location, get_access_grants_location>},
    {&ops::update_access_grants_location, run<ops::update_access_grants_location, update_access_grants_location>},
    {&ops::delete_access_grants_location, run<ops::delete_access_grants_location, delete_access_grants_location>},
    {&ops::list_access_grants_locations, run<ops::list_access_grants_locations, list_access_grants_locations>},
    {&ops::create_access_grant, run<ops::create_access_grant, create_access_grant>},
    {&ops::get_access_grant, run<ops::get_access_grant, get_access_grant>},
    {&ops::delete_access_grant, run<ops::delete_access_grant, delete_access_grant>},
    {&ops::list_access_grants, run<ops::list_access_grants, list_access_grants>},
    {&ops::get_data_access, run<ops::get_data_access, get_data_access>},
};

}  // namespace

std::span<const Handler> handlers() { return all; }

}  // namespace cairn::s3api
