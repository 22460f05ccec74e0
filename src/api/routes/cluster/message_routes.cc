// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/message_routes.h"

#include <utility>

#include "api/forms/error_json.h"

namespace cairn::api {

void add_message_routes(Router& router, ServiceRef<const MessageSender> sender) {
  router.add({.method = "GET",
              .path = "/_cairn/messages",
              .operation = "cairn.get_messages",
              .cluster = {"monitor"},
              .summary = "What is wrong now, and how far messages about it are."},
             [sender](Call&) -> Result<Reply> { return Reply::json(sender->state()); });
  router.add({.method = "POST",
              .path = "/_cairn/messages/_test",
              .operation = "cairn.test_messages",
              .cluster = {"manage"},
              .summary = "Sends a message by each way, and tells whether it was taken.",
              .waits = true},
             [sender](Call& call) -> Result<Reply> {
               auto sent = sender->test(call.deadline());
               if (!sent.ok() && sent.error().kind == ErrorKind::unsupported)
                 return illegal_argument(sent.error().message);
               CAIRN_TRY(Json body, std::move(sent));
               return Reply::json(std::move(body));
             });
}

}  // namespace cairn::api
