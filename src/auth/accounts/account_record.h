// SPDX-License-Identifier: Apache-2.0
// Accounts and users as records in the store, and the rules of their names; no state.
#pragma once

#include <string>
#include <string_view>

#include "auth/accounts/accounts.h"
#include "base/result.h"

namespace cairn::auth {

inline constexpr std::string_view account_prefix = "object-account/";
inline constexpr std::string_view user_prefix = "object-user/";
std::string record_of_account(std::string_view id);
/// Where the id of the account stands that has the name, or the address in whatever case.
std::string record_of_account_name(std::string_view name);
std::string record_of_account_email(std::string_view email);
std::string record_of_user(std::string_view account_id, std::string_view name);

std::string encode_account(const Account& account);
std::string encode_user(const AccountUser& user);
/// Errors: corrupt.
Result<Account> decode_account(std::string_view bytes);
Result<AccountUser> decode_user(std::string_view bytes);

/// Errors of all: invalid_argument.
Status check_new_account(const NewAccount& wanted);
Status check_user_name(std::string_view name);
Status check_policy_name(std::string_view name);

}  // namespace cairn::auth
