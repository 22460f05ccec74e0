// SPDX-License-Identifier: Apache-2.0
// Completions and chats of the platform's interface, whole and as streams.
#pragma once

#include "api/call.h"
#include "api/router.h"
#include "inference/service.h"

namespace cairn::api {

/// Runs an endpoint of the task completion or chat_completion on the body of a call.
/// Source: docs/reference/inference.md.
Result<Reply> answer_text(Call& call, inference::Service& service,
                          const inference::Endpoint& endpoint);

void add_text_routes(Router& router, ServiceRef<inference::Service> service);

}  // namespace cairn::api
