// SPDX-License-Identifier: Apache-2.0
// The step of a trace that a request to another server is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/trace.h"

namespace cairn::net {

struct ClientRequest;

/// Of the trace that this thread works on; nothing where it works on none, or the request names a
/// trace by itself. For one thread.
class CallTrace {
 public:
  explicit CallTrace(const ClientRequest& request);
  /// The lines of the head that pass the trace on; empty: none.
  const std::string& lines() const { return lines_; }
  /// The head of the reply is there, or will not come.
  void answered(int status);
  void failed(const Error& error);

 private:
  const ClientRequest& request_;
  std::optional<os::TraceContext> step_;
  std::int64_t begin_ns_ = 0;
  std::string lines_;
};

}  // namespace cairn::net
