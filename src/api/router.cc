// SPDX-License-Identifier: Apache-2.0
// Rows and handlers side by side.
#include "api/router.h"

namespace cairn::api {

void Router::add(gate::Route route, Handler handler) {
  routes_.push_back(std::move(route));
  handlers_.push_back(std::move(handler));
}

}  // namespace cairn::api
