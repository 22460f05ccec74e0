// SPDX-License-Identifier: Apache-2.0
// Messages to people about what is wrong: how they are, and one to try.
#pragma once

#include <functional>

#include "api/router.h"
#include "format/json.h"
#include "os/deadline.h"

namespace cairn::api {

/// Of whoever sends them. Safe from any thread.
struct MessageSender {
  std::function<Json()> state = {};
  std::function<Result<Json>(const os::Deadline&)> test = {};  // may block up to the deadline
};

/// Routes of operations cairn.get_messages and cairn.test_messages. `sender` outlives the router's
/// dispatcher.
void add_message_routes(Router& router, ServiceRef<const MessageSender> sender);

}  // namespace cairn::api
