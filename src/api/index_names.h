// SPDX-License-Identifier: Apache-2.0
// What routes about indices share: which indices a call names, and the shapes of replies.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "base/result.h"
#include "format/json.h"
#include "index/indices.h"
#include "index/names/named_index.h"

namespace cairn::api {

using IndexList = std::vector<index::NamedIndex>;

/// Names of indices with date math in them, <logs-{now/d}>, as they are at this moment. Whatever
/// rights are asked for is asked for these. Errors: parse_exception; illegal_argument_exception.
Result<std::string> plain_names(std::string_view expression);

/// How names of indices are taken.
struct IndexOptions {
  bool ignore_unavailable = false;
  bool allow_no_indices = true;
  std::vector<std::string> expand_wildcards = {};
  bool aliases = true;  // false: aliases and data streams are no names of indices here
  bool closed = false;  // closed indices count too
};
/// Those of the query. Errors: invalid_argument.
Result<IndexOptions> index_options(const Call& call);

/// The same as the catalogue takes them, with the rights of the caller. Not to outlive the call.
/// Errors: illegal_argument_exception.
Result<index::ResolveOptions> resolve_options(const Call& call, const IndexOptions& given);
/// Whose rights narrow what names come to: which a wildcard may reach, and what of each is shown.
struct ReadRights {
  std::function<bool(std::string_view name)> admits;
  std::function<std::shared_ptr<const Json>(std::string_view name)> narrows;
};
/// Those of the caller. Not to outlive the call.
ReadRights read_rights(const Call& call);
/// The same for whoever has these rights.
Result<index::ResolveOptions> resolve_options(ReadRights rights, const IndexOptions& given);
Result<index::ResolveOptions> resolve_options(const Call& call);

/// The indices of an expression (empty: all), without those that a wildcard reached and the caller
/// may not use. Without options, those of the query.
/// Errors: index_not_found_exception; illegal_argument_exception.
Result<IndexList> indices_of(const Call& call, const index::Indices& indices,
                             std::string_view expression);
Result<IndexList> indices_of(const Call& call, const index::Indices& indices,
                             std::string_view expression, const IndexOptions& given);

/// The same for what closed indices answer too: their mappings and settings.
Result<IndexList> described_indices_of(const Call& call, const index::Indices& indices,
                                       std::string_view expression);

/// One index by its name or by an alias of it alone, and the routing of what is read from it.
struct ReadPlace {
  std::shared_ptr<index::Index> index;
  std::string routing;
};
/// Errors: those of Indices::find_one; illegal_argument_exception for another routing than that of
/// the alias.
Result<ReadPlace> read_place(const index::Indices& indices, std::string_view name,
                             std::string routing);

/// The query parameters that indices_of reads, and `more`.
std::vector<gate::Parameter> with_index_options(std::vector<gate::Parameter> more = {});

/// {"total": n, "successful": n, "failed": 0}
Json shards_of(std::size_t count);

/// `refresh` of a write: true, false, wait_for.
enum class RefreshPolicy { none, now, wait };
Result<RefreshPolicy> refresh_policy(const Call& call);
Status apply_refresh(index::Index& index, RefreshPolicy policy, const os::Deadline& deadline);

/// Members of the reply to a write, after begin_object().
void write_result(JsonWriter& out, std::string_view index_name, const index::WriteResult& result,
                  bool forced_refresh);
int status_of(const index::WriteResult& result);

}  // namespace cairn::api
