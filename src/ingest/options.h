// SPDX-License-Identifier: Apache-2.0
// What can be set about documents on their way in.
#pragma once

#include <cstddef>

#include "index/data_too_large.h"

namespace cairn::ingest {

struct Options {
  std::size_t texts_per_request = 100;  // chunks that one call of an endpoint embeds
  std::size_t write_bytes = 16u << 20;  // updated documents of a batch that are written at once
  std::size_t answer_bytes_max = index::answer_bytes_max;  // documents that a batch gives back
};

}  // namespace cairn::ingest
