// SPDX-License-Identifier: Apache-2.0
// The query of an index privilege: which documents of an index a key may read.
#pragma once

#include "base/result.h"
#include "format/json.h"

namespace cairn::auth {

/// What templates of such queries know of the key as `_user`: {username, full_name, email, roles,
/// metadata}. A key stands for a user, so that its metadata is the user's.
Json user_of_templates(std::string_view username, const Json& metadata);

/// `given` is a query, or JSON text of one, or {"template": {"source", "params"}} whose source, a
/// text or an object, is a template of search (format/mustache.h) that knows `params` and `_user`.
/// Gives the query with the template filled in. Whether an index can be asked it is not known here.
/// Errors: illegal_argument_exception; script_exception.
/// Source: docs/reference/document-level-security.md.
Result<Json> read_document_query(const Json& given, const Json& user);

}  // namespace cairn::auth
