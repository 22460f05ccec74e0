// SPDX-License-Identifier: Apache-2.0
// What a key may do: cluster privileges, privileges on indices by name pattern, and what implies
// what.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "auth/keys/privilege_table.h"
#include "base/result.h"
#include "format/json.h"

namespace cairn::auth {

/// Indices whose names begin so are tables of buckets: they tell of objects, which have rights of
/// their own. A pattern of a role reaches them where it begins with a dot, or where the role says
/// allow_restricted_indices.
inline constexpr std::string_view restricted_prefix = ".objects-";

/// The union of role descriptors, made ready for questions. A value; questions neither lock nor
/// allocate.
class Rights {
 public:
  Rights() = default;
  /// From `{name: {cluster: [], indices: [{names, privileges}], ...}}`.
  /// Errors: invalid_argument, for a privilege or member that does not exist, a wrong type, and
  /// members that Cairn cannot enforce (field_security, query, applications, run_as) unless empty.
  static Result<Rights> parse(const Json& role_descriptors);
  /// Everything on everything.
  static Rights all();

  /// True where one of the held privileges is `privilege` or implies it.
  bool cluster(std::string_view privilege) const;
  /// True where `index` (a name, or a wildcard expression, which must be covered whole) may be used
  /// so.
  bool index(std::string_view privilege, std::string_view index) const;
  /// True where some index may be used so, whatever it is called.
  bool some_index(std::string_view privilege) const;
  bool empty() const { return cluster_.none() && indices_.empty(); }

 private:
  struct OnIndices {
    std::vector<std::string> names;  // patterns with * and ?
    PrivilegeSet privileges;         // with all that they imply
    bool restricted_too = false;     // allow_restricted_indices
  };
  Status add_role(const std::string& name, const Json& role);
  Status add_indices(const std::string& role, const Json& entry);
  PrivilegeSet cluster_;  // with all that they imply
  std::vector<OnIndices> indices_;
};

/// The same role descriptors in the form in which they are shown: every member there.
Json normalized_roles(const Json& role_descriptors);

/// Names of all privileges that exist, as GET /_security/privilege/_builtin lists them.
const std::vector<std::string>& cluster_privileges();
const std::vector<std::string>& index_privileges();

/// Every privilege that admits to `privilege`, narrowest first, as the text of a 403 lists them.
std::vector<std::string> cluster_grants(std::string_view privilege);
std::vector<std::string> index_grants(std::string_view privilege);

}  // namespace cairn::auth
