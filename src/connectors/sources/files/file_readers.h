// SPDX-License-Identifier: Apache-2.0
// Who may read a file of this machine, as far as a list of names can say it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "os/accounts.h"
#include "os/files/access_list.h"

namespace cairn::connectors {

/// What says who may do something with a file or a folder.
struct FilePermissions {
  std::uint32_t mode = 0;  // st_mode
  uid_t uid = 0;
  gid_t gid = 0;
  std::optional<os::AccessList> list = {};  // says more than the mode
};

/// Users and groups; or everyone. A value. What the names cannot say is left out, so that nobody is
/// named who may not: a mode that refuses a group what it gives to others gives it to nobody but
/// the owner, and of an access control list that cannot be read the owner's right counts alone.
/// Where such a list refuses somebody what it gives to their group, the group's other users are
/// named one by one.
class FileReaders {
 public:
  static FileReaders everyone();
  static FileReaders none() { return {}; }
  /// Whoever may read a file of these permissions. `accounts` tells who is in a group.
  static FileReaders of_file(const FilePermissions& file, const os::LocalAccounts& accounts);
  /// Whoever may reach what is in a folder of these permissions.
  static FileReaders of_folder(const FilePermissions& folder, const os::LocalAccounts& accounts);

  /// Whoever is of both. `accounts` tells who is in a group.
  FileReaders both(const FileReaders& other, const os::LocalAccounts& accounts) const;

  /// "everyone", "group:staff", "user:ada", ascending; "none" where there is nobody.
  std::vector<std::string> names(const os::LocalAccounts& accounts) const;
  /// What of `names` a user goes by.
  static std::vector<std::string> names_of(const os::LocalAccounts::User& user,
                                           const os::LocalAccounts& accounts);

 private:
  static FileReaders with_bits(const FilePermissions& permissions, std::uint32_t bit,
                               const os::LocalAccounts& accounts);
  static FileReaders of_list(const FilePermissions& permissions, std::uint32_t bit,
                             const os::LocalAccounts& accounts);
  void add_group(gid_t group, const std::set<uid_t>& refused, const os::LocalAccounts& accounts);
  bool everyone_ = false;
  std::set<uid_t> users_;
  std::set<gid_t> groups_;
};

}  // namespace cairn::connectors
