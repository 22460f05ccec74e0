// SPDX-License-Identifier: Apache-2.0
#include "index/data_too_large.h"

#include <string>

namespace cairn::index {

Error data_too_large(std::string_view what, std::size_t bytes, std::size_t most,
                     std::string_view advice) {
  return {.kind = ErrorKind::rate_limited,
          .code = std::string(data_too_large_code),
          .message = "[request] Data too large: " + std::string(what) + " would take [" +
                     std::to_string(bytes) + "] bytes, which is larger than the limit of [" +
                     std::to_string(most) + "]; " + std::string(advice)};
}

Error answer_too_large(std::size_t bytes, std::size_t most) {
  return data_too_large("the answer", bytes, most,
                        "ask for fewer documents, or for less of each with [_source]");
}

}  // namespace cairn::index
