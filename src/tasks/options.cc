// SPDX-License-Identifier: Apache-2.0
#include "tasks/options.h"

#include "tasks/remote/remote_scroll.h"

namespace cairn::tasks {

Status Options::validate() const {
  if (const auto access = RemoteAccess::of(*this); !access.ok())
    return with_context(access.error(), "reindex.remote.allowed_hosts");
  return ok_status();
}

}  // namespace cairn::tasks
