// SPDX-License-Identifier: Apache-2.0
// Client-side monitoring: what each call and each attempt came to, as JSON in UDP datagrams.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "objectclient/options.h"

namespace cairn::objectclient {

struct AttemptEvent {
  std::string api = {};  // "PutObject"
  std::int64_t timestamp_ms = 0;
  std::string fqdn = {};
  std::string region = {};
  std::string user_agent = {};
  std::string access_key = {};
  std::string session_token = {};
  int status = 0;  // 0: no reply
  std::string service_exception = {};
  std::string service_message = {};
  std::string sdk_exception = {};
  std::string sdk_message = {};
  std::string request_id = {};
  std::string host_id = {};
  std::int64_t latency_ms = 0;
};

struct CallEvent {
  std::string api = {};
  std::int64_t timestamp_ms = 0;
  std::int64_t attempts = 0;
  std::int64_t latency_ms = 0;
  std::string region = {};
  std::string user_agent = {};
  bool retries_exceeded = false;
  AttemptEvent last = {};  // how the last attempt ended
};

/// Safe from any thread; never waits, and never says that nobody listened.
class Monitor {
 public:
  /// Null where monitoring is off.
  static std::unique_ptr<Monitor> open(const ClientOptions& options);
  ~Monitor();
  void attempt(const AttemptEvent& event) const;
  void call(const CallEvent& event) const;

 private:
  struct Impl;
  explicit Monitor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::objectclient
