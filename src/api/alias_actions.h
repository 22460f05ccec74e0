// SPDX-License-Identifier: Apache-2.0
// Actions on aliases as bodies and addresses give them, and doing them all or none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/call.h"
#include "base/result.h"
#include "format/json.h"
#include "index/indices.h"
#include "os/deadline.h"
#include "search/service.h"

namespace cairn::api {

/// One action, with names and patterns as they were given.
struct AliasAction {
  index::AliasChange::Kind kind = index::AliasChange::Kind::add;
  std::vector<std::string> indices;
  std::vector<std::string> aliases;
  index::AliasProperties properties = {};
  std::optional<bool> must_exist = {};
};

/// The `actions` of a body. Errors: illegal_argument_exception, x_content_parse_exception.
Result<std::vector<AliasAction>> read_alias_actions(const Json& body);

/// The aliases of a new index; each is checked as a filter only once there is an index.
/// Errors: illegal_argument_exception, invalid_alias_name_exception; security_exception, where the
/// caller may not manage one of the names.
Result<index::NewAliases> new_aliases(const Call& call, const Json& given);

struct AliasServices {
  index::Indices& indices;
  search::Service& search;
};

/// Does all actions or none, with the rights of the caller on every index and alias. The answer of
/// the API: `errors` where one found nothing to remove.
/// Errors: aliases_not_found_exception, where there was nothing to do at all; those of
/// Indices::change_aliases; of filters; security_exception.
Result<Json> do_alias_actions(const Call& call, const AliasServices& services,
                              const std::vector<AliasAction>& actions,
                              const os::Deadline& deadline);

/// aliases_not_found_exception, `aliases [a, b] missing`.
Error aliases_not_found(const std::vector<std::string>& names);

/// "_all", or with *.
bool is_name_pattern(std::string_view name);
/// Whether an alias is one of these names and patterns ("a", "b*", "-bc", "_all"), in order.
bool names_alias(const std::vector<std::string>& names, std::string_view alias);

}  // namespace cairn::api
