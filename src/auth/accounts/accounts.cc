// SPDX-License-Identifier: Apache-2.0
// Changes of accounts and users, and the table that requests read.
#include "auth/accounts/accounts.h"

#include <algorithm>

#include "auth/accounts/account_record.h"
#include "auth/errors.h"
#include "base/encode.h"
#include "base/strings.h"
#include "os/threads/blocking.h"
#include "store/read_each.h"
#include "store/update.h"

namespace cairn::auth {
namespace {

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

Error name_taken(const std::string& name) {
  return exists("an account with name [" + name + "]");
}

Error email_taken(const std::string& email) {
  return exists("an account with e-mail address [" + email + "]");
}

Error no_record_of(const std::string& account_id) {
  return {ErrorKind::corrupt, {}, "its account [" + account_id + "] has no record"};
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

ratelimit::Identity counted_as(const ObjectKey& key, const ObjectCaller& caller) {
  if (key.user.empty()) return {};
  if (!caller.service) return ratelimit::user_identity(key.user);
  return {.kind = ratelimit::IdentityKind::service, .account = "service:" + key.user};
}

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
  return accounts;
}

// Accounts first: a user's caller has what its account says. One table for all records: a copy of
// it for each would make the start quadratic.
Status Accounts::load(const os::Deadline& deadline) {
  auto table = std::make_shared<Table>();
  CAIRN_CHECK(store::read_each(
      store_, account_prefix, deadline, [&](const store::Object& object) -> Status {
        auto account = decode_account(object.bytes);
        if (!account.ok()) return with_context(account.error(), object.info.key);
        put_entry(*table, std::make_shared<const Account>(std::move(*account)));
        return ok_status();
      }));
  CAIRN_CHECK(store::read_each(
      store_, user_prefix, deadline, [&](const store::Object& object) -> Status {
        auto user = decode_user(object.bytes);
        if (!user.ok()) return with_context(user.error(), object.info.key);
        const auto entry = table->find(user->account_id);
        if (entry == table->end())
          return with_context(no_record_of(user->account_id), object.info.key);
        const std::string name = user->name;
        auto member = member_of(*entry->second.account, std::move(*user));
        if (!member.ok()) return with_context(member.error(), object.info.key);
        entry->second.members[name] = std::move(*member);
        return ok_status();
      }));
  CAIRN_CHECK(adopt_accounts_of_keys(*table, deadline));
  const std::lock_guard lock(publishing_);
  table_.replace(std::move(table));
  return ok_status();
}

// Keys of before there were accounts name theirs all the same.
Status Accounts::adopt_accounts_of_keys(Table& table, const os::Deadline& deadline) {
  for (const auto& key : keys_.all()) {
    if (table.contains(key->account_id)) continue;
    auto account = std::make_shared<const Account>(Account{.id = key->account_id,
                                                           .canonical_id = key->canonical_id,
                                                           .name = key->user,
                                                           .creation_ms = key->creation_ms});
    CAIRN_CHECK(store_.put(record_of_account(account->id), encode_account(*account), deadline,
                           {.if_none_match = true}));
    put_entry(table, account);
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

Result<Accounts::Member> Accounts::member_of(const Account& account, AccountUser user) {
  ObjectCaller caller{.account_id = account.id,
                      .canonical_id = account.canonical_id,
                      .email = account.email,
                      .arn = principal_arn(account.id, user.name),
                      .user_id = user.user_id,
                      .username = user.name,
                      .service = user.service};
  for (const auto& [name, document] : user.policies) {
    auto policy = Policy::of_identity(document);
    if (!policy.ok()) return with_context(policy.error(), "policy [" + name + "]");
    caller.policies.push_back(std::move(*policy));
  }
  return Member{std::make_shared<const AccountUser>(std::move(user)),
                std::make_shared<const ObjectCaller>(std::move(caller))};
}

void Accounts::put_entry(Table& table, const std::shared_ptr<const Account>& account) {
  AccountEntry& entry = table[account->id];
  entry.account = account;
  entry.root = root_of(*account);
}

void Accounts::publish(const std::shared_ptr<const Account>& account) {
  const std::lock_guard lock(publishing_);
  auto table = std::make_shared<Table>(*table_.read());
  put_entry(*table, account);
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
  Account account{.id = wanted.id.value_or(draw_account_id(random_)),
                  .canonical_id = to_hex(random_.bytes(32)),
                  .name = wanted.name,
                  .email = wanted.email,
                  .creation_ms = clock_.unix_ms()};
  // One at a time: a name that is held by an account without a record was left by a crash then.
  const os::Blocking blocking;
  const std::lock_guard lock(creating_);
  for (const auto& other : all()) {
    if (other->name == wanted.name) return name_taken(wanted.name);
    if (!wanted.email.empty() && equals_ignore_case(other->email, wanted.email))
      return email_taken(wanted.email);
  }
  if (find(account.id) != nullptr) return exists("account [" + account.id + "]");
  CAIRN_TRY(const bool name, reserve(record_of_account_name(account.name), account, deadline));
  if (!name) return name_taken(wanted.name);
  if (!wanted.email.empty()) {
    CAIRN_TRY(const bool email,
              reserve(record_of_account_email(account.email), account, deadline));
    if (!email) return email_taken(wanted.email);
  }
  return write(std::move(account), deadline);
}

/// Takes a name or an address for an account that is about to be written. False where an account
/// has it, also one whose record came through although its answer was lost.
Result<bool> Accounts::reserve(const std::string& record, const Account& account,
                               const os::Deadline& deadline) {
  const auto taken = [&](const store::Object* current) -> Result<std::optional<std::string>> {
    if (current == nullptr) return std::optional<std::string>(account.id);
    const auto owner = store_.get(record_of_account(current->bytes), deadline);
    if (!owner.ok() && owner.error().kind == ErrorKind::not_found)
      return std::optional<std::string>(account.id);
    CAIRN_CHECK(owner);
    CAIRN_TRY(const auto there, decode_account(owner->bytes));
    if (record == record_of_account_name(there.name) ||
        record == record_of_account_email(there.email))
      return std::optional<std::string>();
    return std::optional<std::string>(account.id);
  };
  CAIRN_TRY(const auto written, store::update(store_, record, taken, deadline));
  return written.has_value();
}

Result<std::shared_ptr<const AccountUser>> Accounts::create_user(std::string_view account_id,
                                                                 std::string_view name,
                                                                 const os::Deadline& deadline,
                                                                 bool service) {
  if (find(account_id) == nullptr) return no_account(account_id);
  CAIRN_CHECK(check_user_name(name));
  AccountUser user{.account_id = std::string(account_id),
                   .name = std::string(name),
                   .user_id = draw_user_id(random_),
                   .service = service,
                   .creation_ms = clock_.unix_ms()};
  const auto put = store_.put(record_of_user(account_id, name), encode_user(user), deadline,
                              {.if_none_match = true});
  if (!put.ok() && put.error().kind == ErrorKind::precondition_failed)
    return exists("user [" + std::string(name) + "] of account [" + std::string(account_id) + "]");
  CAIRN_CHECK(put);
  CAIRN_TRY(const auto member, member_of(*find(account_id), std::move(user)));
  publish(member);
  return member.user;
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

Result<bool> Accounts::change_user(std::string_view account_id, std::string_view name,
                                   const std::function<Result<bool>(AccountUser&)>& change,
                                   const os::Deadline& deadline) {
  CAIRN_CHECK(find_member(account_id, name));
  std::optional<AccountUser> changed;
  const auto changed_record =
      [&](const store::Object* current) -> Result<std::optional<std::string>> {
    if (current == nullptr) return no_user(account_id, name);
    CAIRN_TRY(changed, decode_user(current->bytes));
    CAIRN_TRY(const bool different, change(*changed));
    if (!different) return std::optional<std::string>();
    ++changed->version;
    return std::optional<std::string>(encode_user(*changed));
  };
  CAIRN_TRY(const auto written, store::update(store_, record_of_user(account_id, name),
                                              changed_record, deadline));
  if (!written) return false;
  CAIRN_TRY(const auto member, member_of(*find(account_id), *std::move(changed)));
  publish(member);
  return true;
}

Status Accounts::put_user_policy(std::string_view account_id, std::string_view user,
                                 std::string_view policy_name, std::string_view document,
                                 const os::Deadline& deadline) {
  CAIRN_CHECK(check_policy_name(policy_name));
  CAIRN_CHECK(Policy::of_identity(document));
  const auto put = [&](AccountUser& next) -> Result<bool> {
    next.policies[std::string(policy_name)] = document;
    if (next.policies.size() <= user_policies_max) return true;
    return illegal_argument("user [" + next.name + "] has " + std::to_string(user_policies_max) +
                            " policies, and no more fit");
  };
  CAIRN_CHECK(change_user(account_id, user, put, deadline));
  return ok_status();
}

Result<bool> Accounts::delete_user_policy(std::string_view account_id, std::string_view user,
                                          std::string_view policy_name,
                                          const os::Deadline& deadline) {
  const auto erase = [&](AccountUser& next) -> Result<bool> {
    return next.policies.erase(std::string(policy_name)) > 0;
  };
  return change_user(account_id, user, erase, deadline);
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

Result<ObjectKey> Accounts::draw_key(std::string_view account_id, std::string_view user) const {
  const auto account = find(account_id);
  if (account == nullptr) return no_account(account_id);
  if (!user.empty()) CAIRN_CHECK(find_member(account_id, user));
  ObjectKey key = keys_.draw(user.empty() ? account->name : user);
  key.account_id = account->id;
  key.canonical_id = account->canonical_id;
  key.account_user = user;
  return key;
}

Result<std::shared_ptr<const ObjectKey>> Accounts::create_key(std::string_view account_id,
                                                              std::string_view user,
                                                              const os::Deadline& deadline) {
  CAIRN_TRY(auto key, draw_key(account_id, user));
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

std::shared_ptr<const ObjectCaller> Accounts::caller_of(std::string_view account_id,
                                                        std::string_view user) const {
  const Table& table = *table_.read();
  const auto entry = table.find(account_id);
  if (entry == table.end()) return nullptr;
  if (user.empty()) return entry->second.root;
  const auto member = entry->second.members.find(user);
  return member == entry->second.members.end() ? nullptr : member->second.caller;
}

std::shared_ptr<const ObjectCaller> Accounts::caller_of(const ObjectKey& key) const {
  return caller_of(key.account_id, key.account_user);
}

}  // namespace cairn::auth
