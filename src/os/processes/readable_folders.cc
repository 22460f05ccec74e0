// SPDX-License-Identifier: Apache-2.0
#include "os/processes/readable_folders.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace cairn::os {
namespace {

// Numbers of later versions than this machine's headers may know.
constexpr std::uint64_t access_of_version_one = (1ULL << 13) - 1;
constexpr std::uint64_t refer = 1ULL << 13;     // since version 2
constexpr std::uint64_t truncate = 1ULL << 14;  // since version 3
constexpr std::uint64_t reading =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

}  // namespace

ReadableFolders::ReadableFolders(const std::vector<std::string>& folders) {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return;
  std::uint64_t handled = access_of_version_one;
  if (version >= 2) handled |= refer;
  if (version >= 3) handled |= truncate;
  const landlock_ruleset_attr attributes{.handled_access_fs = handled};
  Descriptor rules(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  if (rules.get() < 0) return;
  for (const auto& folder : folders) {
    const Descriptor opened(::open(folder.c_str(), O_PATH | O_CLOEXEC));
    if (opened.get() < 0) continue;
    struct stat status {};
    if (::fstat(opened.get(), &status) != 0) continue;
    landlock_path_beneath_attr rule{};
    rule.allowed_access =
        S_ISDIR(status.st_mode) ? reading : reading & ~LANDLOCK_ACCESS_FS_READ_DIR;
    rule.parent_fd = opened.get();
    (void)::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
  rules_ = std::move(rules);
}

int ReadableFolders::bind_this_thread() const {
  if (rules_.get() < 0) return 0;
  return ::syscall(SYS_landlock_restrict_self, rules_.get(), 0) == 0 ? 0 : errno;
}

}  // namespace cairn::os
