// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/files/file_readers.h"

#include <algorithm>

namespace cairn::connectors {
namespace {

// Of the class of others; three bits further left stands the group's, six the owner's.
constexpr std::uint32_t read_bit = 04;
constexpr std::uint32_t pass_bit = 01;

std::string user_reader(const std::string& name) { return "user:" + name; }
std::string group_reader(const std::string& name) { return "group:" + name; }

}  // namespace

FileReaders FileReaders::everyone() {
  FileReaders out;
  out.everyone_ = true;
  return out;
}

void FileReaders::add_group(gid_t group, const std::set<uid_t>& refused,
                            const os::LocalAccounts& accounts) {
  const bool holds_refused = std::any_of(
      refused.begin(), refused.end(), [&](uid_t user) { return accounts.is_member(user, group); });
  if (!holds_refused) {
    groups_.insert(group);
    return;
  }
  for (const auto& user : accounts.users())
    if (refused.count(user.uid) == 0 && accounts.is_member(user.uid, group))
      users_.insert(user.uid);
}

// The kernel looks for the owner, then for the user, then for any of the groups, and then for
// others.
FileReaders FileReaders::of_list(const FilePermissions& permissions, std::uint32_t bit,
                                 const os::LocalAccounts& accounts) {
  using Of = os::AccessListEntry::Of;
  std::uint32_t mask = 07;
  for (const auto& entry : permissions.list->entries)
    if (entry.of == Of::mask) mask = entry.bits;
  const auto gives = [&](const os::AccessListEntry& entry) {
    const bool is_masked =
        entry.of == Of::user || entry.of == Of::owning_group || entry.of == Of::group;
    return (entry.bits & bit & (is_masked ? mask : 07)) != 0;
  };
  FileReaders out;
  std::set<uid_t> refused;
  std::vector<gid_t> groups;
  bool all = true;
  for (const auto& entry : permissions.list->entries) {
    if (entry.of == Of::mask) continue;
    const bool given = gives(entry);
    all = all && (given || entry.of == Of::owner);
    if (entry.of == Of::owner && given) out.users_.insert(permissions.uid);
    if (entry.of == Of::user && entry.id != permissions.uid)
      (given ? out.users_ : refused).insert(entry.id);
    if (entry.of == Of::owning_group && given) groups.push_back(permissions.gid);
    if (entry.of == Of::group && given) groups.push_back(entry.id);
  }
  if (all) return everyone();
  for (const gid_t group : groups) out.add_group(group, refused, accounts);
  return out;
}

FileReaders FileReaders::with_bits(const FilePermissions& permissions, std::uint32_t bit,
                                   const os::LocalAccounts& accounts) {
  if (permissions.list && permissions.list->is_known) return of_list(permissions, bit, accounts);
  const bool owner = (permissions.mode & bit << 6) != 0;
  const bool group = (permissions.mode & bit << 3) != 0 && !permissions.list;
  const bool others = (permissions.mode & bit) != 0;
  // An owner without a right takes it when it likes.
  if (others && group) return everyone();
  FileReaders out;
  if (owner) out.users_.insert(permissions.uid);
  if (group) out.groups_.insert(permissions.gid);
  return out;
}

FileReaders FileReaders::of_file(const FilePermissions& file, const os::LocalAccounts& accounts) {
  return with_bits(file, read_bit, accounts);
}

FileReaders FileReaders::of_folder(const FilePermissions& folder,
                                   const os::LocalAccounts& accounts) {
  return with_bits(folder, pass_bit, accounts);
}

FileReaders FileReaders::both(const FileReaders& other, const os::LocalAccounts& accounts) const {
  if (everyone_) return other;
  if (other.everyone_) return *this;
  FileReaders out;
  const auto is_in = [&](uid_t user, const FileReaders& readers) {
    return readers.users_.count(user) > 0 ||
           std::any_of(readers.groups_.begin(), readers.groups_.end(),
                       [&](gid_t group) { return accounts.is_member(user, group); });
  };
  for (const uid_t user : users_)
    if (is_in(user, other)) out.users_.insert(user);
  for (const uid_t user : other.users_)
    if (is_in(user, *this)) out.users_.insert(user);
  bool same_groups = true;
  for (const gid_t group : groups_) {
    if (other.groups_.count(group) > 0)
      out.groups_.insert(group);
    else
      same_groups = false;
  }
  if (same_groups || other.groups_.empty()) return out;
  // Two groups have no name together: their common members have.
  for (const auto& user : accounts.users())
    if (is_in(user.uid, *this) && is_in(user.uid, other)) out.users_.insert(user.uid);
  return out;
}

std::vector<std::string> FileReaders::names(const os::LocalAccounts& accounts) const {
  if (everyone_) return {"everyone"};
  std::vector<std::string> out;
  for (const gid_t group : groups_) out.push_back(group_reader(accounts.group_name(group)));
  for (const uid_t user : users_) out.push_back(user_reader(accounts.user_name(user)));
  if (out.empty()) return {"none"};
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> FileReaders::names_of(const os::LocalAccounts::User& user,
                                               const os::LocalAccounts& accounts) {
  std::vector<std::string> out = {"everyone", user_reader(user.name)};
  for (const gid_t group : user.groups) out.push_back(group_reader(accounts.group_name(group)));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace cairn::connectors
