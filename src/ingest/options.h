// SPDX-License-Identifier: Apache-2.0
// What can be set about documents on their way in.
#pragma once

#include <cstddef>

namespace cairn::ingest {

struct Options {
  std::size_t texts_per_request = 100;  // chunks that one call of an endpoint embeds
};

}  // namespace cairn::ingest
