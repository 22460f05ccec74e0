// SPDX-License-Identifier: Apache-2.0
// Changes of accounts and users, and the table that requests read.
#include "auth/accounts.h"

#include <algorithm>

#include "auth/account_record.h"
#include "auth/errors.h"
#include "base/encode.h"
#include "base/strings.h"

namespace cairn::auth {
namespace {

constexpr int account_attempts_max = 10;

Error no_account(std::string_view id) {
  return {ErrorKind::not_found, "resource_not_found_exception",
          "there is no account [" + std::string(id) + "]"};
}

Error no_user(std::string_view account_id, std::string_view name) {
  return {ErrorKind::not_found, "resource_not_found_exception",
          "account [" + std::string(account_id) + "] has no user [" + std::string(name) + "]"};
}

Error exists(std::string what) {
  return {ErrorKind::already_exists, "resource_already_exists_exception",
          std::move(what) + " exists already"};
}

std::string draw_account_id(os::Random& random) {
  return std::to_string(100'000'000'000ull + random.below(900'000'000'000ull));
}

std::string draw_user_id(os::Random& random) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  std::string id = "AIDA";
  while (id.size() < 21) id += letters[random.below(letters.size())];
  return id;
}

std::shared_ptr<const ObjectCaller> root_of(const Account& account) {
  return std::make_shared<const ObjectCaller>(ObjectCaller{.account_id = account.id,
                                                           .canonical_id = account.canonical_id,
                                                           .email = account.email,
                                                           .arn = principal_arn(account.id),
                                                           .user_id = account.id,
                                                           .username = {}});
}

}  // namespace

std::string principal_arn(std::string_view account_id, std::string_view user) {
  std::string arn = "arn:aws:iam::" + std::string(account_id);
  return arn += user.empty() ? ":root" : ":user/" + std::string(user);
}

Accounts::Accounts(store::Store& store, ObjectKeys& keys, const os::Clock& clock,
                   os::Random& random)
    : store_(store),
      keys_(keys),
      clock_(clock),
      random_(random),
      table_(std::make_shared<const Table>()) {}

Result<std::unique_ptr<Accounts>> Accounts::open(store::Store& store, ObjectKeys& keys,
                                                 const os::Clock& clock, os::Random& random,
                                                 const os::Deadline& deadline) {
  std::unique_ptr<Accounts> accounts(new Accounts(store, keys, clock, random));
  CAIRN_CHECK(accounts->load(deadline));
  CAIRN_CHECK(accounts->adopt_accounts_of_keys(deadline));
  return accounts;
}

// Accounts first: a user's caller has what its account says.
Status Accounts::load(const os::Deadline& deadline) {
  CAIRN_CHECK(store::for_each_object(
      store_, account_prefix, deadline, [&](const store::ObjectInfo& info) -> Status {
        CAIRN_TRY(const auto object, store_.get(info.key, deadline));
        auto account = decode_account(object.bytes);
        if (!account.ok()) return with_context(account.error(), info.key);
        publish(std::make_shared<const Account>(std::move(*account)));
        return ok_status();
      }));
  return store::for_each_object(store_, user_prefix, deadline,
                                [&](const store::ObjectInfo& info) -> Status {
                                  CAIRN_TRY(const auto object, store_.get(info.key, deadline));
                                  auto user = decode_user(object.bytes);
                                  if (!user.ok()) return with_context(user.error(), info.key);
                                  auto member = member_of(std::move(*user), object.info.etag);
                                  if (!member.ok()) return with_context(member.error(), info.key);
                                  publish(*member);
                                  return ok_status();
                                });
}

// Keys of before there were accounts name theirs all the same.
Status Accounts::adopt_accounts_of_keys(const os::Deadline& deadline) {
  for (const auto& key : keys_.all()) {
    if (find(key->account_id) != nullptr) continue;
    Account account{.id = key->account_id,
                    .canonical_id = key->canonical_id,
                    .name = key->user,
                    .creation_ms = key->creation_ms};
    CAIRN_CHECK(write(std::move(account), deadline));
  }
  return ok_status();
}

Result<std::shared_ptr<const Account>> Accounts::write(Account account,
                                                       const os::Deadline& deadline) {
  const auto put = store_.put(record_of_account(account.id), encode_account(account), deadline,
                              {.if_none_match = true});
  if (!put.ok() && put.error().kind == ErrorKind::precondition_failed)
    return exists("account [" + account.id + "]");
  CAIRN_CHECK(put);
  auto shared = std::make_shared<const Account>(std::move(account));
  publish(shared);
  return shared;
}

Result<std::shared_ptr<const AccountUser>> Accounts::write(AccountUser user,
                                                           const store::Condition& condition,
                                                           const os::Deadline& deadline) {
  const auto put = store_.put(record_of_user(user.account_id, user.name), encode_user(user),
                              deadline, condition);
  CAIRN_CHECK(put);
  CAIRN_TRY(const auto member, member_of(std::move(user), put->etag));
  publish(member);
  return member.user;
}

Result<Accounts::Member> Accounts::member_of(AccountUser user, std::string etag) const {
  const auto account = find(user.account_id);
  if (account == nullptr)
    return Error{ErrorKind::corrupt, {}, "its account [" + user.account_id + "] has no record"};
  ObjectCaller caller{.account_id = account->id,
                      .canonical_id = account->canonical_id,
                      .email = account->email,
                      .arn = principal_arn(account->id, user.name),
                      .user_id = user.user_id,
                      .username = user.name};
  for (const auto& [name, document] : user.policies) {
    auto policy = Policy::of_identity(document);
    if (!policy.ok()) return with_context(policy.error(), "policy [" + name + "]");
    caller.policies.push_back(std::move(*policy));
  }
  return Member{std::make_shared<const AccountUser>(std::move(user)),
                std::make_shared<const ObjectCaller>(std::move(caller)), std::move(etag)};
}

void Accounts::publish(const std::shared_ptr<const Account>& account) {
  const std::lock_guard lock(publishing_);
  auto table = std::make_shared<Table>(*table_.read());
  AccountEntry& entry = (*table)[account->id];
  entry.account = account;
  entry.root = root_of(*account);
  table_.replace(std::move(table));
}

void Accounts::publish(const Member& member) {
  const std::lock_guard lock(publishing_);
  auto table = std::make_shared<Table>(*table_.read());
  const auto entry = table->find(member.user->account_id);
  if (entry == table->end()) return;
  Member& there = entry->second.members[member.user->name];
  if (there.user != nullptr && there.user->user_id == member.user->user_id &&
      there.user->version > member.user->version)
    return;  // a later change was faster
  there = member;
  table_.replace(std::move(table));
}

void Accounts::forget(const AccountUser& user) {
  const std::lock_guard lock(publishing_);
  auto table = std::make_shared<Table>(*table_.read());
  const auto entry = table->find(user.account_id);
  if (entry == table->end()) return;
  entry->second.members.erase(user.name);
  table_.replace(std::move(table));
}

Result<std::shared_ptr<const Account>> Accounts::create_account(const NewAccount& wanted,
                                                                const os::Deadline& deadline) {
  CAIRN_CHECK(check_new_account(wanted));
  for (const auto& account : all()) {
    if (account->name == wanted.name) return exists("an account with name [" + wanted.name + "]");
    if (!wanted.email.empty() && equals_ignore_case(account->email, wanted.email))
      return exists("an account with e-mail address [" + wanted.email + "]");
  }
  Account account{.id = wanted.id.value_or(draw_account_id(random_)),
                  .canonical_id = to_hex(random_.bytes(32)),
                  .name = wanted.name,
                  .email = wanted.email,
                  .creation_ms = clock_.unix_ms()};
  return write(std::move(account), deadline);
}

Result<std::shared_ptr<const AccountUser>> Accounts::create_user(std::string_view account_id,
                                                                 std::string_view name,
                                                                 const os::Deadline& deadline) {
  if (find(account_id) == nullptr) return no_account(account_id);
  CAIRN_CHECK(check_user_name(name));
  AccountUser user{.account_id = std::string(account_id),
                   .name = std::string(name),
                   .user_id = draw_user_id(random_),
                   .creation_ms = clock_.unix_ms()};
  auto written = write(std::move(user), {.if_none_match = true}, deadline);
  if (!written.ok() && written.error().kind == ErrorKind::precondition_failed)
    return exists("user [" + std::string(name) + "] of account [" + std::string(account_id) + "]");
  return written;
}

Result<Accounts::Member> Accounts::find_member(std::string_view account_id,
                                               std::string_view name) const {
  const Table& table = *table_.read();
  const auto entry = table.find(account_id);
  if (entry == table.end()) return no_account(account_id);
  const auto member = entry->second.members.find(name);
  if (member == entry->second.members.end()) return no_user(account_id, name);
  return member->second;
}

Result<Accounts::Member> Accounts::read_again(const AccountUser& user,
                                              const os::Deadline& deadline) {
  const auto object = store_.get(record_of_user(user.account_id, user.name), deadline);
  if (!object.ok() && object.error().kind == ErrorKind::not_found)
    return no_user(user.account_id, user.name);
  CAIRN_CHECK(object);
  CAIRN_TRY(auto fresh, decode_user(object->bytes));
  CAIRN_TRY(auto member, member_of(std::move(fresh), object->info.etag));
  publish(member);
  return member;
}

Status Accounts::put_user_policy(std::string_view account_id, std::string_view user,
                                 std::string_view policy_name, std::string_view document,
                                 const os::Deadline& deadline) {
  CAIRN_CHECK(check_policy_name(policy_name));
  CAIRN_CHECK(Policy::of_identity(document));
  CAIRN_TRY(auto member, find_member(account_id, user));
  for (int attempt = 0; attempt < account_attempts_max; ++attempt) {
    AccountUser next = *member.user;
    next.policies[std::string(policy_name)] = document;
    if (next.policies.size() > user_policies_max)
      return illegal_argument("user [" + next.name + "] has " + std::to_string(user_policies_max) +
                              " policies, and no more fit");
    ++next.version;
    const auto written = write(std::move(next), {.if_match = member.etag}, deadline);
    if (written.ok()) return ok_status();
    if (written.error().kind != ErrorKind::precondition_failed) return written.error();
    CAIRN_TRY(member, read_again(*member.user, deadline));
  }
  return Error{ErrorKind::conflict, "version_conflict_engine_exception",
               "user [" + std::string(user) + "] is being changed by others; try again"};
}

Result<bool> Accounts::delete_user_policy(std::string_view account_id, std::string_view user,
                                          std::string_view policy_name,
                                          const os::Deadline& deadline) {
  CAIRN_TRY(auto member, find_member(account_id, user));
  for (int attempt = 0; attempt < account_attempts_max; ++attempt) {
    AccountUser next = *member.user;
    if (next.policies.erase(std::string(policy_name)) == 0) return false;
    ++next.version;
    const auto written = write(std::move(next), {.if_match = member.etag}, deadline);
    if (written.ok()) return true;
    if (written.error().kind != ErrorKind::precondition_failed) return written.error();
    CAIRN_TRY(member, read_again(*member.user, deadline));
  }
  return Error{ErrorKind::conflict, "version_conflict_engine_exception",
               "user [" + std::string(user) + "] is being changed by others; try again"};
}

Status Accounts::delete_user(std::string_view account_id, std::string_view name,
                             const os::Deadline& deadline) {
  CAIRN_TRY(const auto member, find_member(account_id, name));
  for (const auto& key : keys_.all())
    if (key->account_id == account_id && key->account_user == name)
      return Error{ErrorKind::conflict, "status_exception",
                   "user [" + std::string(name) + "] has access keys; delete them first"};
  CAIRN_CHECK(store_.remove(record_of_user(account_id, name), deadline));
  forget(*member.user);
  return ok_status();
}

Result<std::shared_ptr<const ObjectKey>> Accounts::create_key(std::string_view account_id,
                                                              std::string_view user,
                                                              const os::Deadline& deadline) {
  const auto account = find(account_id);
  if (account == nullptr) return no_account(account_id);
  if (!user.empty()) CAIRN_CHECK(find_member(account_id, user));
  ObjectKey key = keys_.draw(user.empty() ? account->name : user);
  key.account_id = account->id;
  key.canonical_id = account->canonical_id;
  key.account_user = user;
  return keys_.install(std::move(key), deadline);
}

std::shared_ptr<const Account> Accounts::first() const {
  std::shared_ptr<const Account> oldest;
  for (const auto& account : all())
    if (oldest == nullptr || account->creation_ms < oldest->creation_ms) oldest = account;
  return oldest;
}

std::vector<std::shared_ptr<const Account>> Accounts::all() const {
  std::vector<std::shared_ptr<const Account>> out;
  for (const auto& [id, entry] : *table_.read()) out.push_back(entry.account);
  return out;
}

std::shared_ptr<const Account> Accounts::find(std::string_view id) const {
  const Table& table = *table_.read();
  const auto entry = table.find(id);
  return entry == table.end() ? nullptr : entry->second.account;
}

std::shared_ptr<const Account> Accounts::find_canonical(std::string_view canonical_id) const {
  for (const auto& [id, entry] : *table_.read())
    if (entry.account->canonical_id == canonical_id) return entry.account;
  return nullptr;
}

std::shared_ptr<const Account> Accounts::find_email(std::string_view email) const {
  if (email.empty()) return nullptr;
  for (const auto& [id, entry] : *table_.read())
    if (equals_ignore_case(entry.account->email, email)) return entry.account;
  return nullptr;
}

std::shared_ptr<const AccountUser> Accounts::find_user(std::string_view account_id,
                                                       std::string_view name) const {
  const auto member = find_member(account_id, name);
  return member.ok() ? member->user : nullptr;
}

std::vector<std::shared_ptr<const AccountUser>> Accounts::users(std::string_view account_id) const {
  std::vector<std::shared_ptr<const AccountUser>> out;
  const Table& table = *table_.read();
  const auto entry = table.find(account_id);
  if (entry == table.end()) return out;
  for (const auto& [name, member] : entry->second.members) out.push_back(member.user);
  return out;
}

std::shared_ptr<const ObjectCaller> Accounts::caller_of(const ObjectKey& key) const {
  const Table& table = *table_.read();
  const auto entry = table.find(key.account_id);
  if (entry == table.end()) return nullptr;
  if (key.account_user.empty()) return entry->second.root;
  const auto member = entry->second.members.find(key.account_user);
  return member == entry->second.members.end() ? nullptr : member->second.caller;
}

}  // namespace cairn::auth
