// SPDX-License-Identifier: Apache-2.0
// Between the public client and the calls. Not part of the installed headers.
#pragma once

#include "objectclient/call/call.h"
#include "objectclient/client.h"

namespace cairn::objectclient {

inline CallParts parts_of(const s3::Operation& operation, const void* input, const Body& body,
                          const Target& target, const CallOptions& options) {
  return {.operation = operation,
          .input = input,
          .body = body,
          .target = target,
          .deadline = options.deadline,
          .progress = options.progress,
          .use_accelerate_endpoint = options.use_accelerate_endpoint,
          .use_dualstack_endpoint = options.use_dualstack_endpoint,
          .retries = options.retries};
}

}  // namespace cairn::objectclient
