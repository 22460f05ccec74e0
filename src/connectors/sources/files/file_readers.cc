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

FileReaders FileReaders::with_bits(const FilePermissions& permissions, std::uint32_t bit) {
  const bool owner = (permissions.mode & bit << 6) != 0;
  const bool group = (permissions.mode & bit << 3) != 0 && !permissions.has_more;
  const bool others = (permissions.mode & bit) != 0;
  // An owner without a right takes it when it likes.
  if (others && group) return everyone();
  FileReaders out;
  if (owner) out.users_.insert(permissions.uid);
  if (group) out.groups_.insert(permissions.gid);
  return out;
}

FileReaders FileReaders::of_file(const FilePermissions& file) { return with_bits(file, read_bit); }

FileReaders FileReaders::of_folder(const FilePermissions& folder) {
  return with_bits(folder, pass_bit);
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
