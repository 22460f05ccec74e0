// SPDX-License-Identifier: Apache-2.0
// The errors of indices, with the wire names and texts that clients of the field know.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::index {

/// index_not_found_exception, `no such index [x]`, details index, resource.type, resource.id.
Error no_such_index(std::string_view name);
/// The same where `require_alias` wants an alias of that name.
Error no_such_alias(std::string_view name);
/// The same where `require_data_stream` wants a data stream of that name.
Error no_such_stream(std::string_view name);
/// The same where a template forbids that a write makes it.
Error no_auto_create(std::string_view name, std::string_view template_name);
/// The same where the setting action.auto_create_index does; `how` says what of it.
Error no_auto_create_by_setting(std::string_view name, const std::string& how);
/// index_closed_exception, `closed`.
Error index_closed(std::string_view name, std::string_view uuid);
/// resource_already_exists_exception, `index [x/uuid] already exists`.
Error index_exists(std::string_view name, std::string_view uuid);
/// invalid_index_name_exception, `Invalid index name [x], why`.
Error invalid_index_name(std::string_view name, std::string_view why);
/// cluster_block_exception: an index that the program writes and requests only read.
Error read_only_index(std::string_view name);
/// illegal_argument_exception.
Error illegal_argument(std::string message);
/// mapper_parsing_exception: a mapping that makes no sense.
Error mapper_parsing(std::string message);
/// document_parsing_exception: a document that does not fit its mapping. `cause` becomes caused_by.
Error document_parsing(std::string message, Error cause);
Error document_parsing(std::string message);
/// strict_dynamic_mapping_exception.
Error strict_mapping(std::string_view parent, std::string_view field);
/// version_conflict_engine_exception, `[id]: version conflict, why`.
Error version_conflict(std::string_view id, std::string_view why);
/// routing_missing_exception, `routing is required for [index]/[id]`.
Error routing_missing(std::string_view index, std::string_view id);
/// query_shard_exception: a query that does not fit the mapping.
Error query_error(std::string message);
/// parsing_exception: a query whose values make no sense.
Error parsing_error(std::string message);
/// x_content_parse_exception: a member of a request that is not known, or does not fit.
Error content_error(std::string message);
/// A fault of the request, whatever the index has, which is told without saying that the index
/// failed: its detail `_at`, which is not shown, says where in the request, as names with dots, or
/// "*" where the text says it (`placed`).
Error of_request(Error error, bool placed = false);
/// corrupt: a stored object that does not verify; names it.
Error corrupt_object(std::string_view key, std::string_view what);

}  // namespace cairn::index
