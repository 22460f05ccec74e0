// SPDX-License-Identifier: Apache-2.0
// The audit log in a bucket: sealed segments of it as objects, put there on a schedule.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/settings/settings.h"
#include "base/result.h"
#include "format/json.h"
#include "gate/trail/audit_trail.h"
#include "objectstore/engine.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/threads/thread.h"
#include "store/store.h"

namespace cairn::app {

struct AuditShippingParams {
  /// The place of the setting; asked again after each failure.
  std::function<Result<std::unique_ptr<store::Store>>(const os::Deadline&)> open;
  std::string to;                // as the setting says it
  std::int64_t interval_ms = 0;  // 0: by ship_now() alone
  /// Hears the reason of each round that failed, and an empty text of one that did not.
  std::function<void(const std::string& reason)> on_round = {};
};

/// Each object is one segment, named "<id of the signing key>/<number of its first line>.ndjson",
/// put where there is none of that name, and never changed. What is there says how far it is: a
/// process that was killed at any moment, and a reply that was lost, are followed by a look at the
/// bucket, so that no line is left out and none is there twice. Safe from any thread.
class AuditShipping {
 public:
  /// A thread of its own where there is an interval. `trail` and `clock` outlive it. Errors:
  /// unavailable (no thread can be had).
  static Result<std::unique_ptr<AuditShipping>> start(const gate::AuditTrail& trail,
                                                      const os::Clock& clock,
                                                      AuditShippingParams params);
  ~AuditShipping();
  AuditShipping(const AuditShipping&) = delete;
  AuditShipping& operator=(const AuditShipping&) = delete;

  /// Ships what the bucket lacks, up to the newest line; one call at a time, the others wait.
  /// Errors: conflict where the bucket has lines that this log has not; those of the store and the
  /// log.
  Status ship(const os::Deadline& deadline);
  /// {"to", "folder", "interval", "shipped", "last_success", "last_error"}
  Json state() const;
  /// Ends the rounds, and ships a last time. Later calls do nothing.
  void stop();

 private:
  AuditShipping(const gate::AuditTrail& trail, const os::Clock& clock, AuditShippingParams params)
      : trail_(trail), clock_(clock), params_(std::move(params)) {}
  Status ship_all(const os::Deadline& deadline);
  Status look(const os::Deadline& deadline);
  Status check_follows(const gate::AuditSeal& next) const;
  std::string folder() const { return trail_.signing().id() + "/"; }
  void note(const Status& shipped);

  const gate::AuditTrail& trail_;
  const os::Clock& clock_;
  const AuditShippingParams params_;
  std::timed_mutex shipping_;  // held by the round, around what follows
  std::unique_ptr<store::Store> store_;
  bool looked_ = false;
  std::string last_key_;
  gate::AuditSeal last_;  // of the newest object; `to` 0: there is none

  mutable std::mutex mutex_;  // around what state() shows
  std::uint64_t shipped_ = 0;
  std::int64_t success_ms_ = 0;
  std::int64_t failure_ms_ = 0;
  std::string failure_;
  os::Thread thread_;
};

/// As audit.ship says; null where that names no bucket. The trail's `shipping` and `ship_now` are
/// set, and are not called before this has returned. All that is given outlives it. Errors: as
/// start().
Result<std::unique_ptr<AuditShipping>> start_audit_shipping(const Settings& settings,
                                                            gate::AuditTrail& trail,
                                                            const os::Clock& clock,
                                                            objectstore::Engine& engine);

}  // namespace cairn::app
