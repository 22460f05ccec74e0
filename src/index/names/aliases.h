// SPDX-License-Identifier: Apache-2.0
// Other names of indices: what each alias stands for at one moment, as values.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::index {

/// What an alias says about one of its indices.
struct AliasProperties {
  Json filter = {};                 // a query that narrows what searches find; null: nothing does
  std::string index_routing = {};   // of documents that are written through it; empty: none
  std::string search_routing = {};  // shown; there is one shard, so it chooses among no others
  std::optional<bool> is_write_index = {};
  std::optional<bool> is_hidden = {};  // patterns pass over it, unless they want hidden ones
  bool operator==(const AliasProperties&) const = default;
};

/// As the API shows them, and as records keep them.
Json to_json(const AliasProperties& properties);
/// Errors: illegal_argument_exception, naming the member.
Result<AliasProperties> read_alias_properties(const Json& json);

/// An alias of an index that is about to be.
using NewAliases = std::vector<std::pair<std::string, AliasProperties>>;

struct AliasMember {
  std::string uuid;  // of the index; one of the same name that comes later is another
  std::shared_ptr<const AliasProperties> properties;
};

/// How much may be kept.
struct AliasLimits {
  std::size_t most = 10'000;             // pairs of an alias and an index
  std::size_t filter_bytes = 16u << 10;  // of one filter as JSON
  std::size_t total_bytes = 4u << 20;    // of all as JSON
};

/// Every alias with its indices. A value: changed as a copy, read without a lock.
class AliasTable {
 public:
  using Members = std::map<std::string, AliasMember, std::less<>>;  // by the name of the index
  using Aliases = std::map<std::string, Members, std::less<>>;

  const Aliases& all() const { return aliases_; }
  /// Null where there is no such alias.
  const Members* find(std::string_view alias) const;
  /// The aliases of an index, by name.
  std::vector<std::pair<std::string, AliasMember>> of_index(std::string_view index) const;
  bool is_hidden(std::string_view alias) const;

  void add(const std::string& alias, const std::string& index, AliasMember member);
  bool remove(std::string_view alias, std::string_view index);
  void remove_index(std::string_view index);

  /// One write index at most, and one word about being hidden, of each alias; not too many and not
  /// too large. Errors: illegal_argument_exception.
  Status check(const AliasLimits& limits) const;

  Json to_json() const;
  /// Errors: invalid_argument.
  static Result<AliasTable> from_json(const Json& json);

 private:
  Aliases aliases_;
  std::map<std::string, std::vector<std::string>, std::less<>> by_index_;  // names of aliases
};

/// The rules of names of indices, but that letters may be large. Errors:
/// invalid_alias_name_exception.
Status check_alias_name(std::string_view name);
/// Errors: invalid_alias_name_exception, `Invalid alias name [x]: why`.
Error invalid_alias_name(std::string_view name, std::string_view why);

}  // namespace cairn::index
