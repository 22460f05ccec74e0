// SPDX-License-Identifier: Apache-2.0
// Looks for what is wrong, and sends a message where something is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/routes/cluster/message_routes.h"
#include "app/settings/message_options.h"
#include "app/messages/conditions.h"
#include "app/messages/ways.h"
#include "base/result.h"
#include "format/json.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/files/files.h"
#include "os/threads/thread.h"

namespace cairn::app {

/// One look: what is wrong, and what was looked at (see Conditions::update).
struct LookedAt {
  std::vector<Fault> faults = {};
  std::vector<std::string> kinds = {};
};

struct MessageParams {
  MessageOptions options = {};
  std::string folder = {};  // for what is told and what is still to be sent
  os::Files& files = os::system_files();  // in which it lies; outlive this
  std::string node = {};
  std::function<LookedAt(const os::Deadline&)> look = {};  // empty: what is told is asked for
};

/// A message that no way has taken is kept over restarts and tried again for a day: after a second,
/// then after twice as long each time, up to ten minutes, or as the receiver says. Each way has it
/// at least once; the id of one that comes twice is the same. Safe from any thread.
class Messages {
 public:
  static constexpr std::int64_t tried_for_ms = 86'400'000;
  static constexpr std::size_t waiting_max = 1000;  // of all ways; the oldest are given up

  /// A thread of its own where there is a way. `clock` outlives it. Errors: unavailable (no thread
  /// can be had); those of reading its folder.
  static Result<std::unique_ptr<Messages>> start(const os::Clock& clock, MessageParams params);
  ~Messages();
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  /// {"ways", "conditions", "waiting", "sent", "given_up", "last_error"}
  Json state() const;
  /// Sends one now by each way, and tells of each whether it was taken. Errors: unsupported, where
  /// there is no way.
  Result<Json> test(const os::Deadline& deadline);
  void stop();
  /// For the routes; what it holds works as long as this does.
  api::MessageSender sender();

  // For tests.
  /// Looks once, and tells.
  void look_now(const os::Deadline& deadline);
  /// Sends what is due; the milliseconds until something is due again.
  std::int64_t send_due(const os::Deadline& deadline);

 private:
  struct Waiting {
    Message message;
    std::string way;
    int attempts = 0;
    std::int64_t next_ms = 0;  // by the clock
    std::int64_t queued_ms = 0;
  };
  Messages(const os::Clock& clock, MessageParams params);
  Status restore();
  void save();
  void work(const std::stop_token& stop);
  std::vector<std::string> ways() const;
  std::optional<Undelivered> send_by(const std::string& way, const Message& message,
                                     const os::Deadline& deadline);
  std::optional<Waiting> take_due(std::int64_t now_ms, std::int64_t& next_in_ms);
  void settle(Waiting one, const std::optional<Undelivered>& failure);

  const os::Clock& clock_;
  const MessageParams params_;
  std::mutex sending_;        // around files of the ways
  mutable std::mutex mutex_;  // around what follows
  Conditions conditions_;
  std::vector<Waiting> waiting_;
  std::uint64_t sent_ = 0, given_up_ = 0;
  std::string last_error_;
  std::int64_t last_error_ms_ = 0;
  os::Thread thread_;
};

}  // namespace cairn::app
