// SPDX-License-Identifier: Apache-2.0
// What whoever writes the indices of a store tells its replicas, so that they need not ask the
// store.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "index/engine/log_format.h"

namespace cairn::index {

/// Changes of one process are numbered; those after `since` are asked for. Of another process all
/// are.
struct ChangesQuestion {
  std::string writer = {};
  std::uint64_t since = 0;

  std::string encode() const;
  /// Errors: invalid_argument.
  static Result<ChangesQuestion> decode(std::string_view text);
};

/// Of one index.
struct ToldIndex {
  LogPosition log;            // how far it goes
  std::uint64_t version = 0;  // of CURRENT, which grows with each flush and merge
};

struct ToldChanges {
  std::string writer;
  std::uint64_t until = 0;  // the last change that this tells of
  bool names = false;       // there are other names
  /// Those that have changed, by uuid.
  std::map<std::string, ToldIndex, std::less<>> indices = {};

  std::string encode() const;
  /// Errors: corrupt.
  static Result<ToldChanges> decode(std::string_view text);
};

}  // namespace cairn::index
