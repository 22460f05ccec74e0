// SPDX-License-Identifier: Apache-2.0
#include "s3/operations/operation.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/strings.h"

namespace cairn::s3 {
namespace {

constexpr const Operation* table[] = {
    &operations::list_buckets,
    &operations::create_bucket,
    &operations::head_bucket,
    &operations::get_bucket_location,
    &operations::delete_bucket,
    &operations::list_objects,
    &operations::list_objects_v2,
    &operations::list_object_versions,
    &operations::put_bucket_versioning,
    &operations::get_bucket_versioning,
    &operations::put_bucket_tagging,
    &operations::get_bucket_tagging,
    &operations::delete_bucket_tagging,
    &operations::put_bucket_acl,
    &operations::get_bucket_acl,
    &operations::put_bucket_ownership_controls,
    &operations::get_bucket_ownership_controls,
    &operations::delete_bucket_ownership_controls,
    &operations::put_public_access_block,
    &operations::get_public_access_block,
    &operations::delete_public_access_block,
    &operations::put_bucket_policy,
    &operations::get_bucket_policy,
    &operations::delete_bucket_policy,
    &operations::get_bucket_policy_status,
    &operations::put_bucket_cors,
    &operations::get_bucket_cors,
    &operations::delete_bucket_cors,
    &operations::put_bucket_lifecycle_configuration,
    &operations::get_bucket_lifecycle_configuration,
    &operations::delete_bucket_lifecycle,
    &operations::put_object_lock_configuration,
    &operations::get_object_lock_configuration,
    &operations::put_bucket_encryption,
    &operations::get_bucket_encryption,
    &operations::delete_bucket_encryption,
    &operations::put_bucket_request_payment,
    &operations::get_bucket_request_payment,
    &operations::get_bucket_accelerate_configuration,
    &operations::get_bucket_logging,
    &operations::get_bucket_notification_configuration,
    &operations::get_bucket_website,
    &operations::get_bucket_replication,
    &operations::put_bucket_accelerate_configuration,
    &operations::put_bucket_logging,
    &operations::put_bucket_notification_configuration,
    &operations::delete_bucket_website,
    &operations::delete_bucket_replication,
    &operations::put_object,
    &operations::get_object,
    &operations::head_object,
    &operations::delete_object,
    &operations::delete_objects,
    &operations::copy_object,
    &operations::get_object_attributes,
    &operations::restore_object,
    &operations::put_object_tagging,
    &operations::get_object_tagging,
    &operations::delete_object_tagging,
    &operations::put_object_acl,
    &operations::get_object_acl,
    &operations::put_object_retention,
    &operations::get_object_retention,
    &operations::put_object_legal_hold,
    &operations::get_object_legal_hold,
    &operations::create_multipart_upload,
    &operations::upload_part,
    &operations::upload_part_copy,
    &operations::complete_multipart_upload,
    &operations::abort_multipart_upload,
    &operations::list_parts,
    &operations::list_multipart_uploads,
    &operations::create_session,
    &operations::list_directory_buckets,
    &operations::rename_object,
    &operations::create_bucket_metadata_configuration,
    &operations::get_bucket_metadata_configuration,
    &operations::delete_bucket_metadata_configuration,
    &operations::update_bucket_metadata_journal_table_configuration,
    &operations::update_bucket_metadata_inventory_table_configuration,
    &operations::list_bucket_metadata_table_rows,
};

constexpr const Operation* control_table[] = {
    &operations::create_access_point,
    &operations::get_access_point,
    &operations::list_access_points,
    &operations::delete_access_point,
    &operations::put_access_point_policy,
    &operations::get_access_point_policy,
    &operations::delete_access_point_policy,
    &operations::get_access_point_policy_status,
    &operations::put_access_point_scope,
    &operations::get_access_point_scope,
    &operations::delete_access_point_scope,
    &operations::list_access_points_for_directory_buckets,
    &operations::create_outpost_bucket,
    &operations::get_outpost_bucket,
    &operations::delete_outpost_bucket,
    &operations::list_regional_buckets,
    &operations::create_access_grants_instance,
    &operations::get_access_grants_instance,
    &operations::delete_access_grants_instance,
    &operations::list_access_grants_instances,
    &operations::get_access_grants_instance_for_prefix,
    &operations::create_access_grants_location,
    &operations::get_access_grants_location,
    &operations::update_access_grants_location,
    &operations::delete_access_grants_location,
    &operations::list_access_grants_locations,
    &operations::create_access_grant,
    &operations::get_access_grant,
    &operations::delete_access_grant,
    &operations::list_access_grants,
    &operations::get_data_access,
};

// Parts of a bucket or object that the service of this protocol knows.
constexpr std::string_view subresources[] = {
    "abac",
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
    "metadataAnnotationTable",
    "metadataConfiguration",
    "metadataInventoryTable",
    "metadataJournalTable",
    "metadataTable",
    "metadataTableRows",
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
std::span<const Operation* const> control_operations() { return control_table; }

const Operation* find_operation(std::string_view name) {
  for (const std::span<const Operation* const> known : {all_operations(), control_operations()})
    for (const Operation* operation : known)
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

const Operation* match_control_operation(std::string_view method, std::string_view path,
                                         std::string& name) {
  constexpr std::string_view placeholder = "{name}";
  for (const Operation* operation : control_table) {
    if (operation->method != method) continue;
    const std::size_t at = operation->path.find(placeholder);
    if (at == std::string_view::npos) {
      if (operation->path == path) return operation;
      continue;
    }
    const std::string_view before = operation->path.substr(0, at);
    const std::string_view after = operation->path.substr(at + placeholder.size());
    if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
        !path.ends_with(after))
      continue;
    const std::string_view raw =
        path.substr(before.size(), path.size() - before.size() - after.size());
    if (raw.find('/') != std::string_view::npos) continue;
    auto decoded = percent_decode(raw);
    if (!decoded) continue;
    name = std::move(*decoded);
    return operation;
  }
  return nullptr;
}

std::optional<std::string_view> subresource_of(const net::QueryParameters& query) {
  for (const auto& [name, value] : query)
    for (std::string_view known : subresources)
      if (name == known) return known;
  return std::nullopt;
}

}  // namespace cairn::s3
