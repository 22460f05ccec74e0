// SPDX-License-Identifier: Apache-2.0
#include "api/routes/security/master_key_routes.h"

#include "api/routes/security/administrator_routes.h"

namespace cairn::api {

void add_master_key_routes(Router& router, ServiceRef<const MasterKeyChange> change) {
  router.add(
      for_administrators({.method = "POST",
                          .path = "/_cairn/master_key/_rotate",
                          .operation = "cairn.rotate_master_key",
                          .summary = "Draws a new master key, and seals every kept secret with it.",
                          .waits = true}),
      [change](Call& call) -> Result<Reply> {
        CAIRN_CHECK(change->rotate(call.deadline()));
        return Reply::json(Json::object({{"acknowledged", true}}));
      });
}

}  // namespace cairn::api
