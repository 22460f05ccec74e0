// SPDX-License-Identifier: Apache-2.0
// What a key may do: cluster privileges, privileges on indices by name pattern, and what implies
// what.
#pragma once

#include <memory>
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
  /// From `{name: {cluster: [], indices: [{names, privileges, query}], ...}}`; `user` is what
  /// templates of queries know as `_user`.
  /// Errors: invalid_argument, for a privilege or member that does not exist, a wrong type, and
  /// members that Cairn cannot enforce (field_security, applications, run_as) unless empty; those of
  /// read_document_query.
  static Result<Rights> parse(const Json& role_descriptors, const Json& user = {});
  /// Everything on everything.
  static Rights all();

  /// True where one of the held privileges is `privilege` or implies it.
  bool cluster(std::string_view privilege) const;
  /// True where `index` (a name, or a wildcard expression, which must be covered whole) may be used
  /// so.
  bool index(std::string_view privilege, std::string_view index) const;
  /// True where `index`, taken as above, may be read, and no query hides documents of it.
  bool reads_all_of(std::string_view index) const;
  /// The queries of which any shows a document, where not all may be read. None where no role with a
  /// query admits to reading it.
  std::vector<std::shared_ptr<const Json>> queries_of(std::string_view index) const;
  /// True where some index may be used so, whatever it is called.
  bool some_index(std::string_view privilege) const;
  std::size_t query_bytes() const { return query_bytes_; }  // of all queries, as JSON
  /// True where nothing is held beside `read` and `view_index_metadata` on indices.
  bool reads_only() const;
  bool empty() const { return cluster_.none() && indices_.empty(); }

 private:
  struct OnIndices {
    std::vector<std::string> names;  // patterns with * and ?
    PrivilegeSet privileges;         // with all that they imply
    bool restricted_too = false;     // allow_restricted_indices
    std::shared_ptr<const Json> query = {};  // of the documents that may be read; null: all
    bool admits(std::size_t privilege, std::string_view index) const;
  };
  Status add_role(const std::string& name, const Json& role, const Json& user);
  Status add_indices(const std::string& role, const Json& entry, const Json& user);
  PrivilegeSet cluster_;  // with all that they imply
  std::vector<OnIndices> indices_;
  std::size_t query_bytes_ = 0;
};

/// The same role descriptors with the templates of their queries filled in, so that another user
/// cannot fill them in otherwise. Errors: those of read_document_query.
Result<Json> filled_roles(const Json& role_descriptors, const Json& user);

/// The same role descriptors in the form in which they are shown: every member there.
Json normalized_roles(const Json& role_descriptors);

/// Names of all privileges that exist, as GET /_security/privilege/_builtin lists them.
const std::vector<std::string>& cluster_privileges();
const std::vector<std::string>& index_privileges();

/// Every privilege that admits to `privilege`, narrowest first, as the text of a 403 lists them.
std::vector<std::string> cluster_grants(std::string_view privilege);
std::vector<std::string> index_grants(std::string_view privilege);

}  // namespace cairn::auth
