// SPDX-License-Identifier: Apache-2.0
// What tasks know of the rooms above them: how errors are shown, and who pays for their work.
#pragma once

#include "auth/keys/keys.h"
#include "ratelimit/limiter.h"
#include "tasks/ground.h"

namespace cairn::app {

/// `ground` with its functions filled in. The work of a task in the background is charged to the
/// account of the key that began it, as CPU time and nothing else: it waits while that account has
/// no more. `keys` and `limiter` outlive what is given back.
tasks::Ground task_ground(tasks::Ground ground, const auth::Keys& keys,
                          ratelimit::Limiter& limiter);

}  // namespace cairn::app
