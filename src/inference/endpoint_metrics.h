// SPDX-License-Identifier: Apache-2.0
// What endpoints were asked for, as metrics.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "inference/endpoint.h"
#include "inference/text_answer.h"
#include "os/clock.h"

namespace cairn::inference {

/// Counts one call of an endpoint, from its making to done() or its end. For one thread.
class EndpointCall {
 public:
  EndpointCall(const Endpoint& endpoint, const os::Clock& clock);
  /// A call that nobody says how it ended was given up by its caller.
  ~EndpointCall();
  EndpointCall(const EndpointCall&) = delete;
  EndpointCall& operator=(const EndpointCall&) = delete;

  void done() { end("ok"); }
  void failed(const Error& error);
  /// Of texts: those of the prompt and those that were made.
  void tokens(std::uint64_t prompt, std::uint64_t made);

 private:
  void end(const char* result);

  const os::Clock& clock_;
  const std::int64_t begin_ns_;
  std::string endpoint_;
  const TaskType task_;
  bool ended_ = false;
};

/// An answer that counts as one call of its endpoint, with its tokens, when its texts are over.
std::unique_ptr<TextAnswer> counted(std::unique_ptr<TextAnswer> answer,
                                    std::unique_ptr<EndpointCall> call);

/// Shows the families before any endpoint is called.
void declare_endpoint_metrics();

}  // namespace cairn::inference
