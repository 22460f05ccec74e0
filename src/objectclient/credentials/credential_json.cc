// SPDX-License-Identifier: Apache-2.0
// One shape, two names for the token.
#include "objectclient/credentials/credential_json.h"

#include <string>

#include "format/json.h"
#include "format/time.h"

namespace cairn::objectclient {

Result<Credentials> credentials_of_json(std::string_view text, std::string_view source) {
  const auto fault = [&](std::string_view what) {
    return Error{ErrorKind::unavailable, {}, std::string(source) + " " + std::string(what)};
  };
  const auto json = parse_json(text);
  if (!json.ok() || !json->is_object()) return fault("gave no JSON object");
  Credentials out{.access_key_id = json->string_or("AccessKeyId"),
                  .secret_access_key = json->string_or("SecretAccessKey"),
                  .session_token = json->string_or("SessionToken"),
                  .account_id = json->string_or("AccountId")};
  if (out.session_token.empty()) out.session_token = json->string_or("Token");
  if (!out.complete()) {
    const std::string code = json->string_or("Code");
    return fault("gave no AccessKeyId and SecretAccessKey" +
                 (code.empty() || code == "Success" ? "" : " (" + code + ")"));
  }
  if (const std::string expiration = json->string_or("Expiration"); !expiration.empty()) {
    out.expiration_ms = parse_iso8601(expiration);
    if (!out.expiration_ms) return fault("gave an Expiration that is no time");
  }
  return out;
}

}  // namespace cairn::objectclient
