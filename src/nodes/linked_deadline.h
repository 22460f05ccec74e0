// SPDX-License-Identifier: Apache-2.0
// A deadline that two stop tokens may end.
#pragma once

#include <functional>
#include <stop_token>

#include "os/deadline.h"

namespace cairn::nodes {

/// As `deadline`, ended by `other` too. For the thread that made it; valid while this lives.
class LinkedDeadline {
 public:
  LinkedDeadline(const os::Deadline& deadline, const std::stop_token& other)
      : first_(deadline.stop(), Stop{&source_}),
        second_(other, Stop{&source_}),
        deadline_(deadline.with_stop(source_.get_token())) {}
  LinkedDeadline(const LinkedDeadline&) = delete;
  LinkedDeadline& operator=(const LinkedDeadline&) = delete;

  const os::Deadline& deadline() const { return deadline_; }

 private:
  struct Stop {
    std::stop_source* source;
    void operator()() const { source->request_stop(); }
  };
  std::stop_source source_;
  std::stop_callback<Stop> first_, second_;
  os::Deadline deadline_;
};

}  // namespace cairn::nodes
