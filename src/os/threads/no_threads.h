// SPDX-License-Identifier: Apache-2.0
// For tests: a system that has no thread to give.
#pragma once

namespace cairn::os {

/// While it lives, Thread::start fails in this whole process as it does at a limit of the system.
class NoThreads {
 public:
  NoThreads();
  ~NoThreads();
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
};

}  // namespace cairn::os
