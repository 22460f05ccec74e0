// SPDX-License-Identifier: Apache-2.0
// The users and groups that this machine itself knows.
#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace cairn::os {

/// What two files say, at the moment they were read. A value; questions allocate names alone.
/// Network directories are not asked: they answer when they like.
class LocalAccounts {
 public:
  struct User {
    std::string name;
    uid_t uid = 0;
    std::set<gid_t> groups = {};  // its own, and those that list it
  };

  /// Blocks on two files of the root disk. Errors: those of reading them; too_large beyond 100,000
  /// users or groups. Source: passwd(5), group(5), fgetpwent_r(3).
  static Result<LocalAccounts> read(const std::string& users = "/etc/passwd",
                                    const std::string& groups = "/etc/group");

  const std::vector<User>& users() const { return users_; }  // as the file has them
  /// The name; the number where there is none.
  std::string user_name(uid_t uid) const;
  std::string group_name(gid_t gid) const;
  bool is_member(uid_t uid, gid_t gid) const;

 private:
  std::vector<User> users_;
  std::map<uid_t, std::size_t> by_uid_;  // the first of a number
  std::map<gid_t, std::string> group_names_;
};

}  // namespace cairn::os
