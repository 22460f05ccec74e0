// SPDX-License-Identifier: Apache-2.0
// URLs that carry a signature: whoever has one may make that one request, for a while.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "net/http/message.h"

namespace cairn::objectclient {

struct PresignOptions {
  /// 1 second to 7 days. The URL ends sooner where the credentials do.
  std::int64_t expires_in_s = 900;
};

/// A request for somebody else. `headers` are signed too and must be sent with it as they are;
/// empty for most.
struct PresignedRequest {
  std::string method = {};
  std::string url = {};
  net::Headers headers = {};
};

}  // namespace cairn::objectclient
