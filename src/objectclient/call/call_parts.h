// SPDX-License-Identifier: Apache-2.0
// One call before it is made. Not part of the installed headers.
#pragma once

#include <optional>
#include <string>

#include "objectclient/body.h"
#include "objectclient/call/operation_traits.h"
#include "objectclient/endpoint/endpoint_cache.h"
#include "os/deadline.h"
#include "s3/operations/operation.h"

namespace cairn::objectclient {

struct CallParts {
  const s3::Operation& operation;
  const void* input;  // the operation's structure
  Body body = {};
  Target target = {};
  os::Deadline deadline = os::Deadline::never();
  Progress progress = {};
  std::optional<bool> use_accelerate_endpoint = {};
  std::optional<bool> use_dualstack_endpoint = {};
  bool retries = true;
  OperationExtras extras = {};
  EndpointCache* endpoints = nullptr;  // of operations that discover theirs
};

}  // namespace cairn::objectclient
