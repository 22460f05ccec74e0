// SPDX-License-Identifier: Apache-2.0
// A file or an object as listings have it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace cairn::cli {

struct Entry {
  std::string name = {};   // below the folder or prefix that is listed; pieces separated by '/'
  std::string place = {};  // the whole path, or the whole key
  std::uint64_t size = 0;
  std::int64_t modified_ms = 0;  // since 1970
};

/// The next entry; nothing after the last. For one thread at a time.
using NextEntry = std::function<Result<std::optional<Entry>>()>;

/// What cannot be taken, and why: told, and counted as failed.
using TellOdd = std::function<void(const std::string& what, const std::string& why)>;

}  // namespace cairn::cli
