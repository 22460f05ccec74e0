// SPDX-License-Identifier: Apache-2.0
#include "os/accounts.h"

#include <grp.h>
#include <pwd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace cairn::os {
namespace {

constexpr std::size_t entries_max = 100'000;
constexpr std::size_t line_bytes_max = 1u << 20;  // a group lists all of its members in one line

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using AccountsFile = std::unique_ptr<std::FILE, CloseFile>;

Error unreadable_accounts(const std::string& path, int number) {
  return {.kind = number == EACCES ? ErrorKind::permission_denied : ErrorKind::unavailable,
          .message = path + ": " + std::strerror(number)};
}

/// Calls `next` with room for one line, and `take` with what it read, to the end of the file.
template <class Entry, class Next, class Take>
Status each_entry(const std::string& path, Next next, Take take) {
  const AccountsFile file(std::fopen(path.c_str(), "re"));
  if (!file) return unreadable_accounts(path, errno);
  std::string line(4096, '\0');
  for (std::size_t count = 0; count <= entries_max; ++count) {
    Entry entry{};
    Entry* found = nullptr;
    int fault = next(file.get(), &entry, line.data(), line.size(), &found);
    while (fault == ERANGE && line.size() < line_bytes_max) {
      line.resize(line.size() * 2);
      fault = next(file.get(), &entry, line.data(), line.size(), &found);
    }
    if (fault == ENOENT || (fault == 0 && found == nullptr)) return ok_status();
    if (fault != 0) return unreadable_accounts(path, fault);
    take(entry);
  }
  return Error{.kind = ErrorKind::too_large,
               .message = path + " has more than " + std::to_string(entries_max) + " entries"};
}

}  // namespace

Result<LocalAccounts> LocalAccounts::read(const std::string& users, const std::string& groups) {
  LocalAccounts out;
  std::map<std::string, std::size_t, std::less<>> by_name;
  CAIRN_CHECK(each_entry<passwd>(users, ::fgetpwent_r, [&](const passwd& entry) {
    by_name.emplace(entry.pw_name, out.users_.size());
    out.by_uid_.emplace(entry.pw_uid, out.users_.size());
    out.users_.push_back(
        {.name = entry.pw_name, .uid = entry.pw_uid, .groups = {entry.pw_gid}});
  }));
  CAIRN_CHECK(each_entry<group>(groups, ::fgetgrent_r, [&](const group& entry) {
    out.group_names_.emplace(entry.gr_gid, entry.gr_name);
    for (char** member = entry.gr_mem; *member != nullptr; ++member)
      if (const auto user = by_name.find(*member); user != by_name.end())
        out.users_[user->second].groups.insert(entry.gr_gid);
  }));
  return out;
}

std::string LocalAccounts::user_name(uid_t uid) const {
  const auto found = by_uid_.find(uid);
  return found == by_uid_.end() ? std::to_string(uid) : users_[found->second].name;
}

std::string LocalAccounts::group_name(gid_t gid) const {
  const auto found = group_names_.find(gid);
  return found == group_names_.end() ? std::to_string(gid) : found->second;
}

bool LocalAccounts::is_member(uid_t uid, gid_t gid) const {
  const auto found = by_uid_.find(uid);
  return found != by_uid_.end() && users_[found->second].groups.count(gid) > 0;
}

}  // namespace cairn::os
