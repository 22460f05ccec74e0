// SPDX-License-Identifier: Apache-2.0
// How many may listen to events.
#pragma once

#include <cstddef>

namespace cairn::api {

struct EventOptions {
  std::size_t streams_max = 1'000;
  std::size_t streams_of_one_max = 16;  // with one API key
};

}  // namespace cairn::api
