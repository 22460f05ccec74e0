// SPDX-License-Identifier: Apache-2.0
// The numbers that a server shows about itself.
#pragma once

#include <array>
#include <string>

#include "os/metrics.h"

namespace cairn::net {

struct Traffic {
  explicit Traffic(const std::string& server);
  void request(int status, std::int64_t ns) {
    requests[static_cast<std::size_t>(status >= 100 && status < 600 ? status / 100 : 5)]->add();
    seconds.observe_ns(ns);
  }
  os::Counter& accepted;
  os::Gauge& open;
  os::Counter& received_bytes;
  os::Counter& sent_bytes;
  os::Counter& refused_heads;
  os::Counter& timeouts;
  os::Counter& overloads;
  os::Histogram& seconds;
  std::array<os::Counter*, 6> requests;  // by the first digit of the status
};

}  // namespace cairn::net
