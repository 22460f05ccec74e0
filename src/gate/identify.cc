// SPDX-License-Identifier: Apache-2.0
// The schemes that carry an API key, and what tests put in its place.
#include "gate/identify.h"

#include <algorithm>
#include <optional>

#include "base/encode.h"
#include "base/strings.h"

namespace cairn::gate {
namespace {

const ratelimit::Identity* test_token(const IdentifyParams& params, std::string_view name) {
  return params.tests == nullptr ? nullptr : params.tests->token(name);
}

Result<Caller> by_key(const std::optional<auth::KeyText>& parts, const auth::Keys& keys,
                      const IdentifyParams& params) {
  if (!parts)
    return unable_to_authenticate("API key: the credentials are not base64 of id:api_key");
  auto found = keys.get(parts->id);
  // Its counters come from memory while the secret is hashed.
  if (found != nullptr && params.limiter != nullptr)
    params.limiter->announce(found->counted_as, found->note);
  auto key = keys.verify(std::move(found), parts->id, parts->secret);
  if (!key.ok()) return unable_to_authenticate(key.error().message);
  return Caller(std::move(*key), params.facts, params.objects);
}

/// Basic carries the id and the key, or the client id and the secret of a test's app; or, of tools
/// that insist on a user name (git-lfs), any name and what ApiKey would carry.
Result<Caller> by_basic(std::string_view given, const auth::Keys& keys,
                        const IdentifyParams& params) {
  const auto text = from_base64(given);
  const auto colon = text ? text->find(':') : std::string::npos;
  if (colon == std::string::npos) return by_key(std::nullopt, keys, params);
  const std::string_view name = std::string_view(*text).substr(0, colon);
  const std::string_view password = std::string_view(*text).substr(colon + 1);
  if (params.tests != nullptr)
    if (const auto* app = params.tests->app(name, password)) return Caller(*app, params.facts);
  if (const auto* token = test_token(params, password)) return Caller(*token, params.facts);
  if (keys.get(name) == nullptr)
    if (auto inner = auth::decode_key(password)) return by_key(inner, keys, params);
  return by_key(auth::decode_key(given), keys, params);
}

Result<Caller> by_token(std::string_view token, const IdentifyParams& params) {
  auto user = params.sign_in->verify(token);
  if (!user.ok()) return unable_to_authenticate(user.error().message);
  return Caller(std::move(*user), params.facts, params.objects);
}

}  // namespace

Error unable_to_authenticate(std::string why) {
  Error error{
      ErrorKind::unauthenticated, "security_exception",
      "unable to authenticate with provided credentials and anonymous access is not allowed "
      "for this request"};
  return std::move(error).with_detail("additional_unsuccessful_credentials", std::move(why));
}

Error missing_credentials(std::string_view path) {
  return {ErrorKind::unauthenticated, "security_exception",
          "missing authentication credentials for REST request [" + std::string(path) + "]"};
}

Result<Caller> identify(const net::Headers& headers, std::string_view path, const auth::Keys& keys,
                        const IdentifyParams& params) {
  const auto is_authorization = [](const net::Headers::Field& field) {
    constexpr std::string_view name = "authorization";
    return field.first.size() == name.size() && equals_ignore_case(field.first, name);
  };
  const auto& fields = headers.fields();
  const auto first = std::find_if(fields.begin(), fields.end(), is_authorization);
  if (first == fields.end()) return missing_credentials(path);
  if (std::find_if(first + 1, fields.end(), is_authorization) != fields.end())
    return Error{ErrorKind::invalid_argument, "illegal_argument_exception",
                 "the request has more than one [Authorization] header"};
  const std::string_view value = trim(first->second);
  const auto space = value.find(' ');
  const std::string_view scheme = value.substr(0, space);
  const std::string_view text =
      space == std::string_view::npos ? std::string_view() : trim(value.substr(space));
  if (equals_ignore_case(scheme, "ApiKey")) return by_key(auth::decode_key(text), keys, params);
  if (equals_ignore_case(scheme, "Basic")) return by_basic(text, keys, params);
  if (equals_ignore_case(scheme, "Bearer") || equals_ignore_case(scheme, "token")) {
    if (const auto* token = test_token(params, text)) return Caller(*token, params.facts);
    if (params.sign_in != nullptr && params.sign_in->enabled() && auth::SignIn::is_token(text))
      return by_token(text, params);
    return by_key(auth::decode_key(text), keys, params);
  }
  return unable_to_authenticate("scheme [" + std::string(scheme.substr(0, 32)) +
                                "] is not supported; use ApiKey");
}

}  // namespace cairn::gate
