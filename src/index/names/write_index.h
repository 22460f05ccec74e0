// SPDX-License-Identifier: Apache-2.0
// The index that a data stream writes to stays while it does.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "index/errors.h"
#include "index/names/data_streams.h"

namespace cairn::index {

/// `what` cannot be done to it: "deleted". Errors: illegal_argument_exception.
inline Status check_no_write_index(const StreamTable& streams, std::string_view index,
                                   std::string_view what = "deleted") {
  const std::string* stream = streams.stream_of(index);
  if (stream == nullptr || streams.find(*stream)->write_index() != index) return ok_status();
  return illegal_argument("index [" + std::string(index) +
                          "] is the write index for data stream [" + *stream + "] and cannot be " +
                          std::string(what));
}

}  // namespace cairn::index
