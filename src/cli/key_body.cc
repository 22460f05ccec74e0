// SPDX-License-Identifier: Apache-2.0
#include "cli/key_body.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"

namespace cairn::cli {
namespace {

Json strings(std::string_view comma_list) {
  Json out = Json::array();
  for (const auto piece : split(comma_list, ',')) out.push(std::string(trim(piece)));
  return out;
}

/// A fact's value as what it is: a number, a boolean, or text.
Json fact_value(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto number = parse_number<std::int64_t>(text)) return *number;
  return text;
}

Error bad_option(std::string message) {
  return {.kind = ErrorKind::invalid_argument, .message = std::move(message)};
}

}  // namespace

Result<Json> identity_of(const Arguments& arguments) {
  const auto kind = arguments.option("--kind");
  const auto facts = arguments.options("--fact");
  Json names = Json::object();
  for (const auto* member : {"user", "id", "repo"})
    if (const auto name = arguments.option("--" + std::string(member))) names.set(member, *name);
  if (names.as_object().size() > 1) return bad_option("--user, --id and --repo exclude each other");
  if (!kind && facts.empty() && names.as_object().empty()) return Json();
  Json identity = Json::object({{"kind", kind.value_or("user")}});
  for (auto& [member, name] : names.as_object()) identity.set(member, std::move(name));
  for (const auto& fact : facts) {
    const auto equals = fact.find('=');
    if (equals == std::string::npos) return bad_option("--fact takes NAME=VALUE");
    identity.set(fact.substr(0, equals), fact_value(fact.substr(equals + 1)));
  }
  return identity;
}

Result<Json> role_of(const Arguments& arguments) {
  Json role = Json::object();
  for (const auto& list : arguments.options("--cluster")) {
    const Json privileges = strings(list);
    for (const Json& privilege : privileges.as_array()) {
      if (role.find("cluster") == nullptr) role.set("cluster", Json::array());
      role.find("cluster")->push(privilege);
    }
  }
  for (const auto& rule : arguments.options("--index")) {
    const auto colon = rule.rfind(':');
    if (colon == std::string::npos)
      return bad_option("--index takes NAMES:PRIVILEGES, for example logs*:read");
    if (role.find("indices") == nullptr) role.set("indices", Json::array());
    role.find("indices")->push(Json::object({{"names", strings(rule.substr(0, colon))},
                                             {"privileges", strings(rule.substr(colon + 1))}}));
  }
  return role;
}

}  // namespace cairn::cli
