// SPDX-License-Identifier: Apache-2.0
#include "objectclient/token_watch.h"

#include "objectclient/faults.h"

namespace cairn::objectclient {

Status TokenWatch::see(std::string_view token) {
  if (limit_ > 0 && token == kept_)
    return unexpected_reply("the listing comes round to a page that it has given before");
  if (since_++ < limit_) return ok_status();
  kept_ = token;
  since_ = 0;
  limit_ = limit_ * 2 + 1;
  return ok_status();
}

}  // namespace cairn::objectclient
