// SPDX-License-Identifier: Apache-2.0
// Beneath which folders a process may read files, where the kernel can hold it to that.
#pragma once

#include <string>
#include <vector>

#include "os/files/descriptor.h"

namespace cairn::os {

/// Rules of the kernel's Landlock, made once and bound in a process of its own. Nothing may be
/// written, made or removed; files are read and run beneath the folders alone. On a kernel without
/// Landlock there are none, and nothing is bound. Safe from any thread.
/// Source: landlock(7).
class ReadableFolders {
 public:
  /// Folders that are not there are left out.
  explicit ReadableFolders(const std::vector<std::string>& folders);
  bool known_to_kernel() const { return rules_.get() >= 0; }
  /// Binds the calling thread and what it starts, for ever. The thread has given up new privileges
  /// before. One system call, so it may run between vfork and exec. Zero, or an errno.
  int bind_this_thread() const;

 private:
  Descriptor rules_;
};

}  // namespace cairn::os
