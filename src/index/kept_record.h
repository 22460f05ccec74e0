// SPDX-License-Identifier: Apache-2.0
// One object of the store that this process alone replaces.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::index {

/// What the object holds is replaced as a whole, by conditional put. Not safe from two threads.
class KeptRecord {
 public:
  /// `what` names its content in errors: "aliases".
  KeptRecord(store::Store& store, std::string_view key, std::string_view what)
      : store_(store), key_(key), what_(what) {}

  /// The bytes that are there; nothing where there are none. Errors: those of the store.
  Result<std::optional<std::string>> load(const os::Deadline& deadline);
  /// Durable when it returns. After an error the put may have happened where must_load() says so.
  /// Errors: those of the store; unavailable, where another process has changed the object.
  Status put(const std::string& bytes, const os::Deadline& deadline);
  /// Nobody knows what is there: it is to be loaded before it is put again.
  bool must_load() const { return unknown_; }

 private:
  store::Store& store_;
  const std::string key_;
  const std::string what_;
  std::string etag_ = {};  // empty: there is none
  bool unknown_ = false;
};

}  // namespace cairn::index
