// SPDX-License-Identifier: Apache-2.0
#include "auth/sessions/session.h"

#include "base/encode.h"
#include "base/hash.h"
#include "format/json.h"

namespace cairn::auth {
namespace {

constexpr std::string_view csrf_purpose = "cairn csrf token";
constexpr std::size_t sha256_bytes = 32;

}  // namespace

std::string csrf_token_of(std::string_view session_token) {
  return to_base64url(hmac_sha256(session_token, csrf_purpose));
}

std::string Session::encode() const {
  Json record = Json::object({{"id", id},
                              {"token_sha256", to_hex(token_sha256)},
                              {"key_id", key_id},
                              {"key_name", key_name},
                              {"username", username},
                              {"created", created_ms},
                              {"expires", expires_ms},
                              {"used", used_ms.load()},
                              {"address", address},
                              {"browser", browser}});
  if (user)
    record.set("user", user->to_json());
  else
    record.set("secret_sha256", to_hex(secret_sha256));
  return record.dump();
}

Status Session::decode(std::string_view bytes) {
  const Error corrupt{ErrorKind::corrupt, {}, "a session's record does not read back"};
  const auto record = parse_json(bytes);
  if (!record.ok() || !record->is_object()) return corrupt;
  const auto token = from_hex(record->string_or("token_sha256"));
  const auto secret = from_hex(record->string_or("secret_sha256"));
  const Json* const issued = record->find("user");
  id = record->string_or("id");
  if (id.empty() || !token || token->size() != sha256_bytes) return corrupt;
  if (issued == nullptr && (!secret || secret->size() != sha256_bytes)) return corrupt;
  token_sha256 = *token;
  secret_sha256 = secret.value_or("");
  if (issued != nullptr) user = IssuedUser::from_json(*issued);
  key_id = record->string_or("key_id");
  key_name = record->string_or("key_name");
  username = record->string_or("username");
  created_ms = record->int_or("created");
  expires_ms = record->int_or("expires");
  used_ms = stored_used_ms = record->int_or("used");
  address = record->string_or("address");
  browser = record->string_or("browser");
  return ok_status();
}

}  // namespace cairn::auth
