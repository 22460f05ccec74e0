// SPDX-License-Identifier: Apache-2.0
#include "auth/accounts/account_record.h"

#include <algorithm>

#include "auth/errors.h"
#include "base/strings.h"
#include "format/json.h"

namespace cairn::auth {
namespace {

constexpr std::size_t account_name_bytes_max = 128;
constexpr std::size_t user_name_bytes_max = 64;
constexpr std::size_t policy_name_bytes_max = 128;
constexpr std::size_t email_bytes_max = 256;

bool is_name(std::string_view text, std::size_t most) {
  constexpr std::string_view signs = "+=,.@_-";
  return !text.empty() && text.size() <= most && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           signs.find(c) != std::string_view::npos;
  });
}

bool is_email(std::string_view text) {
  const auto at = text.find('@');
  return text.size() <= email_bytes_max && at != std::string_view::npos && at > 0 &&
         at + 1 < text.size() && text.find('@', at + 1) == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

Error unreadable(std::string_view what) {
  return {ErrorKind::corrupt, {}, "the record of " + std::string(what) + " does not read back"};
}

}  // namespace

std::string record_of_account(std::string_view id) {
  return std::string(account_prefix) + std::string(id);
}

std::string record_of_user(std::string_view account_id, std::string_view name) {
  return std::string(user_prefix) + std::string(account_id) + "/" + std::string(name);
}

std::string record_of_account_name(std::string_view name) {
  return "object-account-name/" + std::string(name);
}

std::string record_of_account_email(std::string_view email) {
  return "object-account-email/" + lower_ascii(email);
}

std::string encode_account(const Account& account) {
  return Json::object({{"id", account.id},
                       {"canonical_id", account.canonical_id},
                       {"name", account.name},
                       {"email", account.email},
                       {"creation", account.creation_ms}})
      .dump();
}

Result<Account> decode_account(std::string_view bytes) {
  const auto record = parse_json(bytes);
  if (!record.ok() || !record->is_object()) return unreadable("an account");
  Account account{.id = record->string_or("id"),
                  .canonical_id = record->string_or("canonical_id"),
                  .name = record->string_or("name"),
                  .email = record->string_or("email"),
                  .creation_ms = record->int_or("creation")};
  if (account.id.empty() || account.canonical_id.empty()) return unreadable("an account");
  return account;
}

std::string encode_user(const AccountUser& user) {
  Json policies = Json::object();
  for (const auto& [name, document] : user.policies) policies.set(name, document);
  Json record = Json::object({{"account_id", user.account_id},
                              {"name", user.name},
                              {"user_id", user.user_id},
                              {"policies", std::move(policies)},
                              {"creation", user.creation_ms},
                              {"version", user.version}});
  if (user.service) record.set("service", true);
  return record.dump();
}

Result<AccountUser> decode_user(std::string_view bytes) {
  const auto record = parse_json(bytes);
  if (!record.ok() || !record->is_object()) return unreadable("a user");
  AccountUser user{.account_id = record->string_or("account_id"),
                   .name = record->string_or("name"),
                   .user_id = record->string_or("user_id"),
                   .service = record->bool_or("service"),
                   .creation_ms = record->int_or("creation"),
                   .version = record->int_or("version")};
  const Json* policies = record->find("policies");
  if (user.account_id.empty() || user.name.empty() || policies == nullptr || !policies->is_object())
    return unreadable("a user");
  for (const auto& [name, document] : policies->as_object()) {
    if (!document.is_string()) return unreadable("a user");
    user.policies[name] = document.as_string();
  }
  return user;
}

Status check_new_account(const NewAccount& wanted) {
  if (wanted.name.empty() || wanted.name.size() > account_name_bytes_max || !is_utf8(wanted.name))
    return illegal_argument("[name] of an account must have 1 to 128 bytes of text");
  if (wanted.id &&
      (wanted.id->size() != 12 || !std::all_of(wanted.id->begin(), wanted.id->end(),
                                               [](char c) { return c >= '0' && c <= '9'; })))
    return illegal_argument("[id] of an account must have 12 digits, but was [" + *wanted.id + "]");
  if (!wanted.email.empty() && !is_email(wanted.email))
    return illegal_argument("[email] is not an e-mail address: [" + wanted.email + "]");
  return ok_status();
}

Status check_user_name(std::string_view name) {
  if (is_name(name, user_name_bytes_max)) return ok_status();
  return illegal_argument(
      "a user's name must have 1 to 64 letters, digits and +=,.@_- , but was [" +
      std::string(name) + "]");
}

Status check_policy_name(std::string_view name) {
  if (is_name(name, policy_name_bytes_max)) return ok_status();
  return illegal_argument(
      "a policy's name must have 1 to 128 letters, digits and +=,.@_- , but was [" +
      std::string(name) + "]");
}

}  // namespace cairn::auth
