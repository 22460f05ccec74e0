// SPDX-License-Identifier: Apache-2.0
// The step of a trace that a request is.
#pragma once

#include <cstdint>

#include "net/http/message.h"
#include "os/trace.h"

namespace cairn::net {

/// What the fields traceparent and tracestate say, with a step of this server's own below the
/// caller's; a trace of its own where they say nothing that is valid.
os::TraceContext trace_of(const RequestHead& head);
/// Gives a request that is over to whoever collects, where its trace is sampled.
void record_span(const os::TraceContext& trace, const RequestHead& head, int status,
                 std::int64_t took_ns);

}  // namespace cairn::net
