// SPDX-License-Identifier: Apache-2.0
// Settings that change while the program runs: the limits, the level of the log, and the folders that
// connectors may read.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "connectors/folder_roots.h"
#include "os/log.h"
#include "ratelimit/policy/policy.h"

namespace cairn::app {

/// What became of reading them again.
struct ReloadOutcome {
  struct Fault {
    std::string what;  // "settings", "tls", "oidc"
    std::string reason;
  };
  bool reloaded = false;                      // false: the old settings had to stay
  std::vector<std::string> changed = {};      // settings that are in use from now on
  std::vector<std::string> needs_restart = {};  // those that differ and are not
  std::vector<Fault> faults = {};
};

/// Reads the settings again from where they came from. New ones are checked whole before any is
/// taken; on an error the old ones go on. Either is told in the log, and so is what needs a
/// restart. For one thread.
class Reload {
 public:
  using TakePolicy = std::function<void(std::shared_ptr<const ratelimit::Policy>)>;
  /// Also called once, by the constructor, with what is in use already.
  using TakeRoots = std::function<void(const connectors::RootsInUse&)>;
  /// What becomes of the level of the log that the settings say.
  using TakeLevel = std::function<void(os::LogLevel)>;
  Reload(LoadedSettings current, SettingsSources sources, TakePolicy take_policy,
         TakeRoots take_roots = {}, TakeLevel take_level = os::set_log_level);

  ReloadOutcome now();
  /// Reads if a file of the settings came, went or changed since they were read last. True where
  /// one did.
  bool look();
  /// The settings that are in use, and where they came from.
  const LoadedSettings& in_use() const { return current_; }

 private:
  ReloadOutcome take(LoadedSettings fresh);
  void take_origins(const LoadedSettings& fresh);
  void take_roots();

  LoadedSettings current_;
  const SettingsSources sources_;
  const TakePolicy take_policy_;
  const TakeRoots take_roots_;
  const TakeLevel take_level_;
  std::string seen_;
};

}  // namespace cairn::app
