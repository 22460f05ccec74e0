// SPDX-License-Identifier: Apache-2.0
#include "auth/sign_in/sign_in.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "auth/errors.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"

namespace cairn::auth {
namespace {

constexpr std::int64_t clocks_differ_s = 60;
constexpr std::size_t groups_max = 500;
constexpr std::size_t user_bytes_max = 256;
constexpr std::string_view everybody = "*";
constexpr std::size_t id_characters = 27;  // 160 bits

Error not_signed_in(std::string why) {
  return {ErrorKind::unauthenticated, "security_exception", "token: " + std::move(why)};
}

struct Parts {
  std::string_view header, claims, signature;
  std::string_view signed_text;  // header and claims, with the dot between
};

std::optional<Parts> parts_of(std::string_view token) {
  const auto first = token.find('.');
  const auto second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos)
    return std::nullopt;
  return Parts{.header = token.substr(0, first),
               .claims = token.substr(first + 1, second - first - 1),
               .signature = token.substr(second + 1),
               .signed_text = token.substr(0, second)};
}

/// The object in a part; padding is no part of the form.
Result<Json> object_in(std::string_view part, std::string_view what) {
  const auto bytes = part.find('=') == std::string_view::npos ? from_base64url(part) : std::nullopt;
  if (bytes) {
    auto json = parse_json(*bytes);
    if (json.ok() && json->is_object()) return json;
  }
  return not_signed_in("its " + std::string(what) + " cannot be read");
}

bool names_audience(const Json& claims, std::string_view audience) {
  const Json* given = claims.find("aud");
  if (given == nullptr) return false;
  if (given->is_string()) return given->as_string() == audience;
  if (!given->is_array()) return false;
  const auto& all = given->as_array();
  return std::any_of(all.begin(), all.end(), [&](const Json& one) {
    return one.is_string() && one.as_string() == audience;
  });
}

/// Seconds since 1970; RFC 7519 lets them have fractions.
std::optional<std::int64_t> seconds_in(const Json& claims, std::string_view name) {
  constexpr double most = 1e12;
  const Json* given = claims.find(name);
  if (given == nullptr || !given->is_number()) return std::nullopt;
  const double value = given->as_double();
  if (!(value >= 0 && value < most)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::vector<std::string> groups_in(const Json& claims, const std::string& path) {
  const Json* given = claims.find(path);
  if (given == nullptr) given = claims.find_path(path);
  std::vector<std::string> out;
  if (given == nullptr) return out;
  if (given->is_string()) out.push_back(given->as_string());
  if (given->is_array())
    for (const Json& one : given->as_array())
      if (one.is_string() && out.size() < groups_max) out.push_back(one.as_string());
  return out;
}

/// A key that is stored nowhere, with the union of the roles of the user's groups.
Result<std::shared_ptr<const Key>> key_of(const IssuedUser& user, const GroupRoles& roles_of) {
  auto key = std::make_shared<Key>();
  key->id =
      "oidc-" + to_base64url(sha256(user.issuer + "\n" + user.subject)).substr(0, id_characters);
  key->name = user.name;
  key->username = user.name;
  key->created_by = "oidc";
  key->signed_in = true;
  std::vector<std::string> groups = user.groups;
  groups.emplace_back(everybody);
  Json roles = Json::object();
  for (const std::string& group : groups)
    if (const auto found = roles_of.find(group); found != roles_of.end())
      for (const auto& [name, role] : found->second.as_object())
        roles.set(group + "/" + name, role);
  // Whoever is in no group may do nothing, not all that nobody limits.
  key->role_descriptors = roles.as_object().empty() ? no_rights() : std::move(roles);
  key->metadata = Json::object(
      {{"_cairn",
        Json::object({{"identity", Json::object({{"kind", "user"}, {"user", user.name}})}})}});
  if (const Status ready = key->prepare(); !ready.ok())
    return not_signed_in("its user cannot be taken: " + ready.error().message);
  return std::shared_ptr<const Key>(std::move(key));
}

}  // namespace

Status SignInOptions::validate() const {
  if (issuer.empty()) return ok_status();
  if (audience.empty())
    return illegal_argument(
        "oidc.audience must be set where oidc.issuer is: without it tokens that "
        "were made for others would be taken");
  if (user_claim.empty() || groups_claim.empty())
    return illegal_argument("oidc.user_claim and oidc.groups_claim must not be empty");
  return ok_status();
}

Result<GroupRoles> parse_group_roles(std::string_view json) {
  CAIRN_TRY(const Json given, parse_json(json));
  if (!given.is_object())
    return illegal_argument("roles by group are an object: {\"group\": {\"role\": {…}}}");
  GroupRoles out;
  for (const auto& [group, roles] : given.as_object()) {
    const auto checked = Rights::parse(roles);
    if (!checked.ok()) return with_context(checked.error(), "group [" + group + "]");
    out.emplace(group, roles);
  }
  return out;
}

bool SignIn::is_token(std::string_view text) { return parts_of(text).has_value(); }

void SignIn::set(PublicKeys keys, GroupRoles roles) {
  auto fresh = std::make_shared<const State>(State{std::move(keys), std::move(roles)});
  const std::lock_guard lock(mutex_);
  state_ = std::move(fresh);
  remembered_.clear();
}

std::shared_ptr<const SignIn::State> SignIn::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::shared_ptr<const Key> SignIn::remembered(const std::string& digest) const {
  const std::lock_guard lock(mutex_);
  const auto known = remembered_.find(digest);
  return known != remembered_.end() && known->second.until_ms > clock_.unix_ms() ? known->second.key
                                                                                 : nullptr;
}

Result<std::shared_ptr<const Key>> SignIn::verify(std::string_view token) const {
  if (token.size() > token_bytes_max) return not_signed_in("it is too long");
  const std::string digest = sha256(token);
  const auto now = state();
  if (auto key = remembered(digest)) return key;
  if (now == nullptr) return not_signed_in("nobody can sign in");
  CAIRN_TRY(const Claims claims, judge(token, *now, options_.audience));
  CAIRN_TRY(const IssuedUser user, user_of(claims));
  CAIRN_TRY(auto key, key_of(user, now->roles));
  remember(digest, {.key = key, .until_ms = (claims.expires_s + clocks_differ_s) * 1000}, now);
  return key;
}

Result<VerifiedToken> SignIn::verify_id_token(std::string_view token,
                                              std::string_view client_id) const {
  if (token.size() > token_bytes_max) return not_signed_in("it is too long");
  const auto now = state();
  if (now == nullptr) return not_signed_in("nobody can sign in");
  CAIRN_TRY(const Claims claims, judge(token, *now, client_id));
  // A token for several is for whom `azp` names (OpenID Connect Core 3.1.3.7).
  if (const Json* party = claims.all.find("azp");
      party != nullptr && (!party->is_string() || party->as_string() != client_id))
    return not_signed_in("it was made for another client");
  VerifiedToken out{.nonce = claims.all.string_or("nonce")};
  CAIRN_TRY(out.user, user_of(claims));
  CAIRN_TRY(out.key, key_of(out.user, now->roles));
  return out;
}

Result<std::shared_ptr<const Key>> SignIn::caller_again(const IssuedUser& user) const {
  if (user.issuer != options_.issuer) return not_signed_in("it is of another issuer");
  if (clock_.unix_ms() >= user.until_ms) return not_signed_in("it has expired");
  const std::string digest = sha256("user\n" + user.to_json().dump());
  const auto now = state();
  if (auto key = remembered(digest)) return key;
  if (now == nullptr) return not_signed_in("nobody can sign in");
  CAIRN_TRY(auto key, key_of(user, now->roles));
  remember(digest, {.key = key, .until_ms = user.until_ms}, now);
  return key;
}

void SignIn::remember(const std::string& digest, const Remembered& verified,
                      const std::shared_ptr<const State>& under) const {
  const std::int64_t now = clock_.unix_ms();
  const std::lock_guard lock(mutex_);
  if (state_ != under) return;  // judged by keys and roles that are in use no more
  if (remembered_.size() >= remembered_max)
    std::erase_if(remembered_, [now](const auto& one) { return one.second.until_ms <= now; });
  if (remembered_.size() >= remembered_max) remembered_.clear();
  remembered_.insert_or_assign(digest, verified);
}

Result<SignIn::Claims> SignIn::judge(std::string_view token, const State& state,
                                     std::string_view audience) const {
  const auto parts = parts_of(token);
  if (!parts) return not_signed_in("it has not three parts");
  CAIRN_TRY(const Json header, object_in(parts->header, "header"));
  if (header.find("crit") != nullptr) return not_signed_in("its header asks for what is not known");
  const auto signature = from_base64url(parts->signature);
  if (!signature || !state.keys.verify(header.string_or("alg"), header.string_or("kid"),
                                       parts->signed_text, *signature))
    return not_signed_in("it is not signed by a key of the issuer");
  // Nothing in it is believed before this line.
  CAIRN_TRY(Json claims, object_in(parts->claims, "claims"));
  if (claims.string_or("iss") != options_.issuer) return not_signed_in("it is of another issuer");
  if (!names_audience(claims, audience)) return not_signed_in("it was made for another audience");
  const std::int64_t now = clock_.unix_ms() / 1000;
  const auto expires = seconds_in(claims, "exp");
  if (!expires) return not_signed_in("it says not when it expires");
  if (now >= *expires + clocks_differ_s) return not_signed_in("it has expired");
  if (const auto begins = seconds_in(claims, "nbf"); begins && now + clocks_differ_s < *begins)
    return not_signed_in("it is not yet valid");
  return Claims{.all = std::move(claims), .expires_s = *expires};
}

Result<IssuedUser> SignIn::user_of(const Claims& claims) const {
  IssuedUser out{.issuer = options_.issuer,
                 .subject = claims.all.string_or("sub"),
                 .name = claims.all.string_or(options_.user_claim),
                 .groups = groups_in(claims.all, options_.groups_claim),
                 .until_ms = claims.expires_s * 1000};
  if (out.subject.empty() || out.name.empty() || out.name.size() > user_bytes_max)
    return not_signed_in("it names no user in [" + options_.user_claim + "]");
  return out;
}

Json IssuedUser::to_json() const {
  Json all = Json::array();
  for (const std::string& group : groups) all.push(group);
  return Json::object({{"issuer", issuer},
                       {"subject", subject},
                       {"name", name},
                       {"groups", std::move(all)},
                       {"until_ms", until_ms}});
}

IssuedUser IssuedUser::from_json(const Json& json) {
  IssuedUser out{.issuer = json.string_or("issuer"),
                 .subject = json.string_or("subject"),
                 .name = json.string_or("name"),
                 .groups = groups_in(json, "groups"),
                 .until_ms = json.int_or("until_ms")};
  return out;
}

}  // namespace cairn::auth
