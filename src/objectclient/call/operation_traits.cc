// SPDX-License-Identifier: Apache-2.0
// Source: the traits of the S3 service model.
#include "objectclient/call/operation_traits.h"

#include <algorithm>
#include <span>

namespace cairn::objectclient {
namespace {

bool is_one_of(std::span<const std::string_view> names, const s3::Operation& operation) {
  return std::find(names.begin(), names.end(), operation.call) != names.end();
}

bool has_place(const s3::Shape& shape, s3::Place place) {
  return std::any_of(shape.members.begin(), shape.members.end(),
                     [&](const s3::Member& member) { return member.wire.place == place; });
}

}  // namespace

bool goes_to_control_endpoint(const s3::Operation& operation) {
  if (operation.call == "list_directory_buckets") return true;
  if (operation.target != s3::Target::bucket) return false;
  constexpr std::string_view zonal[] = {
      "head_bucket",
      "list_objects",
      "list_objects_v2",
      "list_object_versions",
      "list_multipart_uploads",
      "delete_objects",
      "create_session",
      "put_object_lock_configuration",
      "get_object_lock_configuration",
  };
  return !is_one_of(zonal, operation);
}

bool is_about_directory_points(const s3::Operation& operation, std::string_view path) {
  if (operation.call == "list_access_points_for_directory_buckets") return true;
  constexpr std::string_view point = "/v20180820/accesspoint/";
  if (!path.starts_with(point)) return false;
  path.remove_prefix(point.size());
  return path.substr(0, path.find('/')).ends_with("--xa-s3");
}

bool needs_no_session(const s3::Operation& operation) {
  constexpr std::string_view names[] = {"copy_object", "upload_part_copy", "head_bucket",
                                        "create_session"};
  return is_one_of(names, operation);
}

bool refuses_access_points(const s3::Operation& operation) {
  return operation.call == "create_bucket";
}

bool may_accelerate(const s3::Operation& operation) {
  constexpr std::string_view names[] = {"create_bucket", "list_buckets", "delete_bucket"};
  return !is_one_of(names, operation);
}

bool takes_gzip(const s3::Operation& operation, s3::Dialect dialect) {
  return dialect == s3::Dialect::svc && operation.target == s3::Target::bucket &&
         operation.checksum_required && operation.call != "delete_objects";
}

bool takes_checksum(const s3::Operation& operation) {
  const auto& members = operation.input().members;
  return std::any_of(members.begin(), members.end(), [](const s3::Member& member) {
    return member.wire.name == "x-amz-sdk-checksum-algorithm";
  });
}

bool has_result_in_body(const s3::Operation& operation) {
  if (operation.stream_out || operation.method == "HEAD") return false;
  const s3::Shape& shape = operation.output();
  return has_place(shape, s3::Place::payload) || has_place(shape, s3::Place::element) ||
         has_place(shape, s3::Place::root_text);
}

}  // namespace cairn::objectclient
