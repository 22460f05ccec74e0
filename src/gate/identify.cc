// SPDX-License-Identifier: Apache-2.0
// The two schemes that carry an API key.
#include "gate/identify.h"

#include <algorithm>
#include <optional>

#include "base/encode.h"
#include "base/strings.h"

namespace cairn::gate {
namespace {

Error missing(std::string_view path) {
  return {ErrorKind::unauthenticated, "security_exception",
          "missing authentication credentials for REST request [" + std::string(path) + "]"};
}

Error unable(std::string additional) {
  Error error{
      ErrorKind::unauthenticated, "security_exception",
      "unable to authenticate with provided credentials and anonymous access is not allowed "
      "for this request"};
  return std::move(error).with_detail("additional_unsuccessful_credentials", std::move(additional));
}

/// What Basic carries: the id and the key; or, of tools that insist on a user name (git-lfs), any
/// name and the encoded key.
std::optional<auth::KeyText> key_of_basic(std::string_view given, const auth::Keys& keys) {
  const auto text = from_base64(given);
  const auto colon = text ? text->find(':') : std::string::npos;
  if (colon == std::string::npos) return std::nullopt;
  const std::string_view name = std::string_view(*text).substr(0, colon);
  if (keys.get(name) == nullptr)
    if (auto inner = auth::decode_key(std::string_view(*text).substr(colon + 1))) return inner;
  return auth::decode_key(given);
}

}  // namespace

Result<Caller> identify(const net::Headers& headers, std::string_view path,
                        const auth::Keys& keys) {
  const auto is_authorization = [](const net::Headers::Field& field) {
    return equals_ignore_case(field.first, "authorization");
  };
  const auto& fields = headers.fields();
  const auto first = std::find_if(fields.begin(), fields.end(), is_authorization);
  if (first == fields.end()) return missing(path);
  if (std::find_if(first + 1, fields.end(), is_authorization) != fields.end())
    return Error{ErrorKind::invalid_argument, "illegal_argument_exception",
                 "the request has more than one [Authorization] header"};
  const std::string_view value = trim(first->second);
  const auto space = value.find(' ');
  const std::string_view scheme = value.substr(0, space);
  const bool api_key = equals_ignore_case(scheme, "ApiKey");
  if (!api_key && !equals_ignore_case(scheme, "Basic"))
    return unable("scheme [" + std::string(scheme.substr(0, 32)) +
                  "] is not supported; use ApiKey");
  const std::string_view given =
      space == std::string_view::npos ? std::string_view() : trim(value.substr(space));
  const auto parts = api_key ? auth::decode_key(given) : key_of_basic(given, keys);
  if (!parts) return unable("API key: the credentials are not base64 of id:api_key");
  auto key = keys.verify(parts->id, parts->secret);
  if (!key.ok()) return unable(key.error().message);
  return Caller(std::move(*key));
}

}  // namespace cairn::gate
