// SPDX-License-Identifier: Apache-2.0
// What can be set about the gate.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace cairn::gate {

struct AuditOptions {
  std::string folder = {};  // empty: no audit log
  std::string key = {};     // of the chain of lines, 32 bytes
  /// Where the newest link of the chain is kept, apart from the log; empty: nowhere.
  std::string head_file = {};
  std::uint64_t file_bytes_max = 64ull << 20;
  std::size_t files_max = 8;  // older ones are deleted
  Status validate() const;
};

}  // namespace cairn::gate
