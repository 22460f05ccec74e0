// SPDX-License-Identifier: Apache-2.0
// How the object storage would count a request, for the platform's port.
#pragma once

#include "api/routes/cluster/limit_watch_routes.h"
#include "s3api/service.h"

namespace cairn::app {

/// `service` outlives the answer.
api::CountByObjects count_by(const s3api::Service& service);

}  // namespace cairn::app
