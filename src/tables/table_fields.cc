// SPDX-License-Identifier: Apache-2.0
#include "tables/table_fields.h"

#include <span>
#include <string>
#include <string_view>

namespace cairn::tables {
namespace {

struct TableField {
  std::string_view name;
  std::string_view type;
};

constexpr TableField both_fields[] = {
    {"bucket", "keyword"},
    {"key", "keyword"},
    {"sequence_number", "keyword"},
    {"version_id", "keyword"},
    {"is_delete_marker", "boolean"},
    {"size", "long"},
    {"last_modified_date", "date"},
    {"e_tag", "keyword"},
    {"storage_class", "keyword"},
    {"is_multipart", "boolean"},
    {"encryption_status", "keyword"},
    {"is_bucket_key_enabled", "boolean"},
    {"kms_key_arn", "keyword"},
    {"checksum_algorithm", "keyword"},
};

constexpr TableField journal_fields[] = {
    {"record_type", "keyword"}, {"record_timestamp", "date"},     {"requester", "keyword"},
    {"request_id", "keyword"},  {"source_ip_address", "keyword"},
};

// Shown as they are; not searched, however many names there are.
constexpr std::string_view map_fields[] = {"object_tags", "user_metadata"};
constexpr std::string_view list_fields[] = {"object_tag_list", "user_metadata_list"};

void add_fields(std::span<const TableField> fields, Json& properties) {
  for (const TableField& field : fields)
    properties.set(std::string(field.name), Json::object({{"type", std::string(field.type)}}));
}

}  // namespace

Json mapping_of(TableKind kind) {
  Json properties = Json::object();
  add_fields(both_fields, properties);
  if (kind == TableKind::journal) add_fields(journal_fields, properties);
  for (const std::string_view name : map_fields)
    properties.set(std::string(name), Json::object({{"type", "object"}, {"enabled", false}}));
  for (const std::string_view name : list_fields)
    properties.set(std::string(name),
                   Json::object({{"type", "keyword"}, {"ignore_above", list_value_max}}));
  return Json::object({{"dynamic", "strict"}, {"properties", std::move(properties)}});
}

Json settings_of_tables() {
  return Json::object({{"index", Json::object({{"hidden", true}})}});
}

}  // namespace cairn::tables
