// SPDX-License-Identifier: Apache-2.0
// For administrators: who uses most, who is limited, what the rules of the operator said, and why a
// request would be admitted or refused.
#pragma once

#include <functional>
#include <string>

#include "api/call.h"
#include "api/router.h"
#include "auth/keys/keys.h"
#include "net/http/message.h"
#include "ratelimit/limiter.h"

namespace cairn::api {

/// How the object storage would count a request.
struct CountedByObjects {
  Call::Counted counted = {};
  std::string not_understood = {};  // why; it would count as its address' then
  std::string why_uncounted = {};   // where no limit would be asked
};
/// Safe from any thread; must not block. Empty: there is no object storage.
using CountByObjects = std::function<CountedByObjects(const net::RequestHead& head)>;

/// Routes of operations cairn.top_limits, cairn.limited_identities, cairn.limit_rules and
/// cairn.explain_limits. `limiter` and `keys` outlive the router's dispatcher.
void add_limit_watch_routes(Router& router, ServiceRef<ratelimit::Limiter> limiter,
                            ServiceRef<const auth::Keys> keys, CountByObjects by_objects = {});

}  // namespace cairn::api
