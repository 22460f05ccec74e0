// SPDX-License-Identifier: Apache-2.0
// What goes on, as a stream of events, and what went on.
#pragma once

#include "api/events/event_publisher.h"
#include "api/events/history.h"
#include "api/router.h"
#include "api/routes/security/session_routes.h"
#include "auth/keys/keys.h"

namespace cairn::api {

/// All outlive the router's dispatcher.
void add_event_routes(Router& router, ServiceRef<EventPublisher> publisher,
                      ServiceRef<const History> history, ServiceRef<const auth::Keys> keys,
                      ServiceRef<const SessionServices> sessions);

}  // namespace cairn::api
