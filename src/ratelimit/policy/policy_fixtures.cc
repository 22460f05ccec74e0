// SPDX-License-Identifier: Apache-2.0
// Fixture shorthands, turned into what an API key's metadata says.
#include "ratelimit/policy/policy_fixtures.h"

#include <string>
#include <utility>
#include <vector>

namespace cairn::ratelimit {
namespace {

std::vector<std::string_view> enterprise_facts(std::string_view kind) {
  if (kind == "installation" || kind == "workflow") return {"resource_enterprise"};
  if (kind == "oauth_app") return {"app_owner_enterprise"};
  return {"enterprise_member", "app_owner_enterprise"};
}

// The same in the words of `_cairn.identity`. A fixture that has users means those of an
// organization.
Json spelled_out(const Json& given) {
  Json out = Json::object();
  const std::string kind = given.string_or("kind");
  if (kind == "installation" && given.find("users") != nullptr) out.set("organization", true);
  for (const auto& [name, value] : given.as_object()) {
    if (name == "enterprise") {
      for (const std::string_view fact : enterprise_facts(kind)) out.set(fact, value);
    } else {
      out.set(name == "repos" ? "repositories" : name, value);
    }
  }
  return out;
}

Status read_token(const std::string& name, const Json& given, const std::string& path,
                  Policy& into) {
  const Error no_object{ErrorKind::invalid_argument, "illegal_argument_exception",
                        "[" + path + "] must be an object with a [kind]"};
  if (!given.is_object()) return no_object;
  auto identity = parse_identity(spelled_out(given), name);
  if (!identity.ok()) return with_context(std::move(identity).error(), "[" + path + "]");
  into.tokens.push_back({name, std::move(identity).value()});
  return ok_status();
}

Status read_oauth_app(const std::string& id, const Json& given, const std::string& path,
                      Policy& into) {
  ConfigReader in(given, path);
  TestOauthApp app{.client_id = id, .secret = {}};
  in.text("secret", app.secret);
  in.flag("enterprise", app.enterprise);
  CAIRN_CHECK(in.finish());
  if (app.secret.empty())
    return Error{ErrorKind::invalid_argument, "illegal_argument_exception",
                 "[" + path + "] needs a [secret]"};
  into.oauth_apps.push_back(std::move(app));
  return ok_status();
}

using ReadOne = Status (*)(const std::string&, const Json&, const std::string&, Policy&);

void read_map(ConfigReader& in, std::string_view section, bool admitted, ReadOne read_one,
              Policy& into) {
  const Json* given = in.take(section);
  if (given == nullptr) return;
  if (!admitted) return in.fail(section, "absent: it is for tests, started with --test-identities");
  in.object(section, [&](ConfigReader& inside) -> Status {
    for (const auto& [name, value] : inside.rest())
      CAIRN_CHECK(read_one(name, *value, inside.path_of(name), into));
    return ok_status();
  });
}

}  // namespace

void read_fixtures(ConfigReader& in, bool admitted, Policy& into) {
  read_map(in, "tokens", admitted, read_token, into);
  read_map(in, "oauth_apps", admitted, read_oauth_app, into);
}

}  // namespace cairn::ratelimit
