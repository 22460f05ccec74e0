// SPDX-License-Identifier: Apache-2.0
// A stub turned into the result of an operation. Not part of the installed headers.
#pragma once

#include "base/result.h"
#include "objectclient/call/sink.h"
#include "objectclient/response.h"
#include "objectclient/stubs.h"
#include "s3/operations/operation.h"

namespace cairn::objectclient {

/// Errors: that of the stub; invalid_argument for members that the result has not.
Status answer_with(const Stub& stub, const s3::Operation& operation, std::int64_t now_ms,
                   void* output, Sink& sink, CallInfo& call);

}  // namespace cairn::objectclient
