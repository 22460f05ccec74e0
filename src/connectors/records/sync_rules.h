// SPDX-License-Identifier: Apache-2.0
// Rules that say which documents a sync takes: the basic ones of a connector's `filtering`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::connectors {

/// A value; safe from any thread. The first rule that fits a document, by `order`, decides; where
/// none fits it is taken. Source: sync rules of the search platform (docs/reference/connectors.md).
class SyncRules {
 public:
  /// Of an entry like `active`: {"rules": [...], "advanced_snippet": {"value": {}}}. Errors:
  /// illegal_argument_exception for what is not offered here: a regex other than ".*", an advanced
  /// snippet that says something.
  static Result<SyncRules> of(const Json& filtering);
  /// True where no document is left out.
  bool take_everything() const { return rules_.empty(); }
  bool take(const Json& document) const;

 private:
  struct Rule {
    std::string field = {};
    std::string rule = {};  // equals, contains, starts_with, ends_with, >, <, regex (of everything)
    std::string value = {};
    bool includes = true;
    std::int64_t order = 0;
    std::string id = {};
  };
  static bool fits(const Rule& rule, const Json& value);
  static Error not_offered(const Rule& rule, std::string_view what);

  std::vector<Rule> rules_;
};

/// The shape of rules as a request gives them. Errors: illegal_argument_exception that names the
/// member of the rule.
Status check_rules(const Json& rules);
/// The rules ordered by `order`, those without times made now.
Json ordered_rules(const Json& rules, const std::string& now);
/// {"state": "valid" | "invalid", "errors": [{ids, messages}]} of a draft for a source that runs
/// here.
Json validation_of(const Json& draft);
/// {"state", "errors"} as a request gives it. Errors: illegal_argument_exception.
Status check_validation(const Json& validation);

}  // namespace cairn::connectors
