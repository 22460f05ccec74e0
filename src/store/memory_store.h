// SPDX-License-Identifier: Apache-2.0
// A Store in memory, for tests: the plain meaning of the interface, with faults on request.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "os/clock.h"
#include "store/store.h"

namespace cairn::store {

struct MemoryStoreOptions {
  /// Called before each call with its name ("put", "get", ...) and key; an error is returned to the
  /// caller instead of doing the call. For delays, sleep inside.
  std::function<Status(std::string_view call, std::string_view key)> before = {};
  const os::Clock* clock = &os::system_clock();  // for modified_ms
};

std::unique_ptr<Store> memory_store(MemoryStoreOptions options = {});

}  // namespace cairn::store
