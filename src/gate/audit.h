// SPDX-License-Identifier: Apache-2.0
// The audit log: who did or was refused what, on what, from where. JSON lines in files that rotate.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gate/audit_chain.h"
#include "gate/options.h"
#include "net/http/message.h"
#include "os/clock.h"
#include "os/files/files.h"
#include "os/random.h"

namespace cairn::gate {

/// The key of the chain: 32 bytes that the file holds in hexadecimal. Drawn where `random` is given
/// and there is no file. Errors: not_found, corrupt; those of os::read_secret_file.
Result<std::string> audit_key(const std::string& path, os::Random* random);

/// One line. Bodies, secrets and query strings are never part of it.
struct AuditEvent {
  std::string_view action;  // authentication_failed, access_denied, access_granted
  std::string_view method;
  std::string_view path;            // without the query
  std::string_view operation = {};  // of the table of routes
  std::string_view origin = {};     // the peer's address
  std::string_view request_id = {};
  std::string_view trace_id = {};
  std::string_view username = {};
  std::string_view principal = {};  // ARN of who holds the credentials, on either port
  std::string_view key_id = {};
  std::string_view key_name = {};
  std::string_view session_id = {};  // of the browser's session that stood for the key
  std::string_view reason = {};
  int status = 0;
};

/// A request on either port, and how it ended.
struct Outcome {
  const net::Exchange& exchange;
  std::string_view operation = {};
  bool is_change = false;  // of what is there for all: keys, repositories, indices, buckets
  std::string_view username = {};
  std::string principal = {};  // ARN of who holds the credentials; empty: nobody of an account
  std::string_view key_id = {};  // that was named, verified or not
  std::string_view key_name = {};
  std::string_view session_id = {};  // of a browser's session; empty: the key itself was shown
  int status = 0;
  const Error* error = nullptr;  // null: it was done
};

/// What of the log is there at one instant, while lines are added behind it and old files go.
struct AuditSnapshot {
  std::string folder = {};
  std::vector<std::string> old_files = {};      // names, oldest first; one may be gone meanwhile
  std::shared_ptr<os::File> current = nullptr;  // null: it has no file yet
  std::uint64_t current_bytes = 0;              // all of them whole lines
  ChainLink newest = {};
};

/// Writes whole lines, one at a time; safe from any thread. The file is "audit.jsonl"; full ones
/// are renamed to "audit-<time>.jsonl". Each line is chained to the one before it, over files and
/// restarts; what a crash cut off in the middle of a line is taken away at the start. A line that
/// cannot be written is told once in the log and counted in cairn_audit_lost_total, and the request
/// goes on.
class AuditLog {
 public:
  static Result<std::unique_ptr<AuditLog>> open(os::Files& files, const os::Clock& clock,
                                                AuditOptions options);
  /// A clean end keeps the newest link, so that a log that is cut later is found out.
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;
  void write(const AuditEvent& event);
  /// Writes the line that an outcome calls for, if any: refusals, and changes.
  void record(const Outcome& outcome);
  /// The files as they are now, for readers. With `durable` no line of it can be lost here any more,
  /// as it must be before lines are given away. Errors: unsupported where the log is switched off;
  /// those of the files.
  Result<AuditSnapshot> snapshot(bool durable);

 private:
  AuditLog(os::Files& files, const os::Clock& clock, AuditOptions options)
      : files_(files), clock_(clock), options_(std::move(options)) {}
  Status append(std::string object);
  Status find_newest();
  Status go_on_after_head();
  void keep_head(bool is_end = false);
  Status rotate();
  Status drop_old();
  std::string current() const { return options_.folder + "/audit.jsonl"; }

  os::Files& files_;
  const os::Clock& clock_;
  const AuditOptions options_;
  std::mutex mutex_;  // around the file and what follows
  std::unique_ptr<os::File> file_;
  std::uint64_t size_ = 0;
  ChainLink newest_;
  std::uint64_t oldest_ = 0;  // number of the oldest line that is kept; 0: not known
  bool failing_ = false;
};

}  // namespace cairn::gate
