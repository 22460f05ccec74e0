// SPDX-License-Identifier: Apache-2.0
// All rooms of one running Cairn, in the order in which they are built; taken down in reverse.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/settings/settings.h"
#include "base/result.h"
#include "connectors/folder_roots.h"
#include "os/log.h"

namespace cairn::app {

class ClusterNode;
class Reloading;

/// Listens on both ports from open() to drain() or the destructor.
class App {
 public:
  /// Builds everything and listens. Errors: those of the rooms, with the room's name before them;
  /// conflict where the data folder or a port is in use.
  /// `node`: the one that serves the store of store.url; it listens already, and outlives this.
  static Result<std::unique_ptr<App>> open(const Settings& settings, ClusterNode* node = nullptr);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  std::string api_url() const;
  std::string objects_url() const;
  /// Where this start made the administrator's first key: a link that signs a browser in with it,
  /// once, within a day. Empty at other starts.
  std::string first_link();
  /// A new policy, for requests from now on; counts go on.
  void set_limits(std::shared_ptr<const ratelimit::Policy> policy);
  /// The folders that connectors may read, for runs from now on.
  void set_folder_roots(const connectors::RootsInUse& roots);
  /// The level that the configuration says; one that the cluster keeps goes before it.
  void set_log_level(os::LogLevel level);
  /// Reads certificates and keys of TLS again. Errors: invalid_argument, naming the file; a listener
  /// whose files cannot be used goes on with the old ones.
  Status reload_tls();
  /// Reads the keys of the issuer and the roles of groups again. Errors: those of read_sign_in; the
  /// old ones stay.
  Status reload_sign_in();
  /// What shows the settings that are in use, and reads them again, to requests; until then they are
  /// answered 503.
  void set_reloading(std::shared_ptr<Reloading> reloading);
  /// Stops accepting, lets requests finish, suspends jobs, flushes indices. Blocks.
  void drain(std::int64_t grace_ms);
  /// The same for a node that goes on without the store: it listens on, and what is asked meanwhile
  /// waits for whoever serves next.
  void step_down(std::int64_t grace_ms);

 private:
  struct Rooms;
  explicit App(std::unique_ptr<Rooms> rooms);
  std::unique_ptr<Rooms> rooms_;
};

}  // namespace cairn::app
