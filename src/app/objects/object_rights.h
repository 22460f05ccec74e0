// SPDX-License-Identifier: Apache-2.0
// What accounts of the object storage may do on the platform's port.
#pragma once

#include <string>

#include "auth/principals.h"
#include "gate/route.h"
#include "objectstore/engine.h"
#include "os/clock.h"

namespace cairn::app {

/// Holders of keys, and the tables of buckets that they may read. All of the arguments but `region`
/// outlive what is returned.
gate::ObjectRights object_rights(const auth::Principals& principals,
                                 const objectstore::Engine& engine, std::string region,
                                 const os::Clock& clock);

}  // namespace cairn::app
