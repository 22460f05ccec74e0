// SPDX-License-Identifier: Apache-2.0
// Rows and handlers side by side.
#include "api/router.h"

namespace cairn::api {

void Router::add(gate::Route route, Handler handler, Weigher weigher) {
  routes_.push_back(std::move(route));
  handlers_.push_back(std::move(handler));
  weighers_.push_back(std::move(weigher));
}

}  // namespace cairn::api
