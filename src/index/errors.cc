// SPDX-License-Identifier: Apache-2.0
// The texts of the errors.
#include "index/errors.h"

#include <memory>

namespace cairn::index {
namespace {

Error refused(std::string code, std::string message) {
  return {
      .kind = ErrorKind::invalid_argument, .code = std::move(code), .message = std::move(message)};
}

std::string bracketed(std::string_view text) { return "[" + std::string(text) + "]"; }

}  // namespace

Error no_such_index(std::string_view name) {
  return Error{.kind = ErrorKind::not_found,
               .code = "index_not_found_exception",
               .message = "no such index " + bracketed(name)}
      .with_detail("resource.type", "index_or_alias")
      .with_detail("resource.id", std::string(name))
      .with_detail("index_uuid", "_na_")
      .with_detail("index", std::string(name));
}

Error no_such_alias(std::string_view name) {
  Error error = no_such_index(name);
  error.message +=
      " and [require_alias] request flag is [true] and " + bracketed(name) + " is not an alias";
  return error;
}

Error no_such_stream(std::string_view name) {
  Error error = no_such_index(name);
  error.message += " and the data stream was required: [require_data_stream] is [true] and " +
                   bracketed(name) + " is not a data stream";
  return error;
}

Error no_auto_create(std::string_view name, std::string_view template_name) {
  Error error = no_such_index(name);
  error.message += " and composable template " + bracketed(template_name) +
                   " forbids index auto creation";
  return error;
}

Error no_auto_create_by_setting(std::string_view name, const std::string& how) {
  Error error = no_such_index(name);
  error.message += " and [action.auto_create_index] " + how;
  return error;
}

Error index_closed(std::string_view name, std::string_view uuid) {
  return refused("index_closed_exception", "closed")
      .with_detail("index_uuid", std::string(uuid))
      .with_detail("index", std::string(name));
}

Error index_exists(std::string_view name, std::string_view uuid) {
  return Error{
      .kind = ErrorKind::already_exists,
      .code = "resource_already_exists_exception",
      .message = "index [" + std::string(name) + "/" + std::string(uuid) + "] already exists"}
      .with_detail("index_uuid", std::string(uuid))
      .with_detail("index", std::string(name));
}

Error invalid_index_name(std::string_view name, std::string_view why) {
  return refused("invalid_index_name_exception",
                 "Invalid index name " + bracketed(name) + ", " + std::string(why))
      .with_detail("index_uuid", "_na_")
      .with_detail("index", std::string(name));
}

Error read_only_index(std::string_view name) {
  return {.kind = ErrorKind::permission_denied,
          .code = "cluster_block_exception",
          .message = "index [" + std::string(name) +
                     "] blocked by: [FORBIDDEN/5/index read-only (api)];"};
}

Error illegal_argument(std::string message) {
  return refused("illegal_argument_exception", std::move(message));
}

Error mapper_parsing(std::string message) {
  return refused("mapper_parsing_exception", std::move(message));
}

Error document_parsing(std::string message, Error cause) {
  Error error = refused("document_parsing_exception", std::move(message));
  error.cause = std::make_shared<const Error>(std::move(cause));
  return error;
}

Error document_parsing(std::string message) {
  return refused("document_parsing_exception", std::move(message));
}

Error strict_mapping(std::string_view parent, std::string_view field) {
  return refused("strict_dynamic_mapping_exception",
                 "mapping set to strict, dynamic introduction of " + bracketed(field) + " within " +
                     bracketed(parent) + " is not allowed");
}

Error version_conflict(std::string_view id, std::string_view why) {
  return {.kind = ErrorKind::conflict,
          .code = "version_conflict_engine_exception",
          .message = bracketed(id) + ": version conflict, " + std::string(why)};
}

Error routing_missing(std::string_view index, std::string_view id) {
  return refused("routing_missing_exception",
                 "routing is required for " + bracketed(index) + "/" +
                     bracketed(id.empty() ? "null" : id))
      .with_detail("index_uuid", "_na_")
      .with_detail("index", std::string(index));
}

Error query_error(std::string message) {
  return refused("query_shard_exception", std::move(message));
}

Error parsing_error(std::string message) {
  return refused("parsing_exception", std::move(message));
}

Error content_error(std::string message) {
  return refused("x_content_parse_exception", std::move(message));
}

Error of_request(Error error, bool placed) {
  error.details.emplace_back("_at", placed ? "*" : "");
  return error;
}

Error corrupt_object(std::string_view key, std::string_view what) {
  return {.kind = ErrorKind::corrupt,
          .message = "stored object " + bracketed(key) + " does not verify: " + std::string(what) +
                     "; restore it from a snapshot"};
}

}  // namespace cairn::index
