// SPDX-License-Identifier: Apache-2.0
// What an access control list of a file or folder says.
// Source: acl(5); the layout of its attribute: uapi/linux/posix_acl_xattr.h of the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::os {

struct AccessListEntry {
  enum class Of : std::uint8_t { owner, user, owning_group, group, mask, others };
  Of of = Of::owner;
  std::uint32_t bits = 0;  // 04 to read, 02 to write, 01 to pass or run
  std::uint32_t id = 0;    // of a user or group
};

struct AccessList {
  bool is_known = false;  // false: there may be one, and what it says cannot be found out
  std::vector<AccessListEntry> entries = {};
};

/// The value of "system.posix_acl_access". Not known where it is of no such form.
AccessList parse_access_list(std::string_view value);

/// Of what lies at that path; nothing where the mode says all. File systems without lists have
/// none.
std::optional<AccessList> access_list_of(const std::string& path);

}  // namespace cairn::os
