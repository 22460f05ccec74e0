// SPDX-License-Identifier: Apache-2.0
// What a key may do: cluster privileges, privileges on indices by name pattern, and what implies
// what.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::auth {

/// Privileges on every index whose name fits one of the patterns (* and ?).
struct IndexRights {
  std::vector<std::string> names;
  std::vector<std::string> privileges;
};

/// The union of role descriptors, made ready for questions. A value; questions neither lock nor
/// allocate.
class Rights {
 public:
  Rights() = default;
  /// From `{name: {cluster: [], indices: [{names, privileges}], ...}}`.
  /// Errors: invalid_argument, illegal_argument_exception or x_content_parse_exception, for a
  /// privilege or member that does not exist, or of the wrong type; unsupported for members that
  /// Cairn cannot enforce (field_security, query, applications, run_as), unless they are empty.
  static Result<Rights> parse(const Json& role_descriptors);
  /// Everything on everything.
  static Rights all();

  /// True where one of the held privileges is `privilege` or implies it.
  bool cluster(std::string_view privilege) const;
  /// True where `index` (a name, or a wildcard expression that must be covered whole) may be used
  /// so.
  bool index(std::string_view privilege, std::string_view index) const;
  /// True where `privilege` is held on at least one pattern.
  bool some_index(std::string_view privilege) const;
  bool empty() const { return cluster_.empty() && indices_.empty(); }

 private:
  std::vector<std::string> cluster_;
  std::vector<IndexRights> indices_;
};

/// Names of all privileges that exist, as GET /_security/privilege/_builtin lists them.
const std::vector<std::string>& cluster_privileges();
const std::vector<std::string>& index_privileges();

/// Every privilege that admits to `privilege`, narrowest first, as the text of a 403 lists them.
std::vector<std::string> cluster_grants(std::string_view privilege);
std::vector<std::string> index_grants(std::string_view privilege);

}  // namespace cairn::auth
