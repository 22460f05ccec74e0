// SPDX-License-Identifier: Apache-2.0
// One store on a cluster, and what its uploads share with it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "remotestore/shared.h"

namespace cairn::remotestore {

/// What a store is made of. Copies mean the same store.
struct Where {
  Shared& shared;
  std::string prefix;  // of all names
  StoreOptions options;

  Wire& wire() const { return *shared.wire; }
  std::size_t tail_bytes() const { return options.marked ? mark_bytes : 0; }
  /// Errors: invalid_argument for a key of no or too many bytes.
  Result<std::string> name_of(std::string_view key) const;
  store::ObjectInfo shown(std::string key, const RemoteInfo& info) const;
  /// Until when something may be changed. Errors: those of the guard.
  Result<os::Deadline> allowed(const os::Deadline& deadline) const;
  /// The metadata of a put of this key under this mark.
  PutMetadata metadata(std::string_view key, const std::string& name, std::string_view mark) const;
};

/// Held around a change where the cluster does not heed all conditions: what it does not check is
/// checked here, for which the guard keeps other processes away.
class Turn {
 public:
  Turn(const Where& where, const Abilities& abilities, const std::string& name);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Mutex* mutex_ = nullptr;
};

/// Judges a condition where the cluster does not, within a Turn. Errors: precondition_failed;
/// unsupported for a store without a guard.
Status judge_here(const Where& where, const std::string& name, const store::Condition& condition,
                  const os::Deadline& deadline);

std::unique_ptr<store::Upload> begin_remote_upload(const Where& where, std::string_view key,
                                                   std::string name, const Abilities& abilities,
                                                   const os::Deadline& deadline);

std::unique_ptr<store::Store> make_store(Where where, std::shared_ptr<void> owner);

}  // namespace cairn::remotestore
