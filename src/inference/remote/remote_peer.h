// SPDX-License-Identifier: Apache-2.0
// The server behind one endpoint: requests with its key, repeated while it asks for patience.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "inference/endpoint.h"
#include "inference/remote/key_seal.h"
#include "net/client/client.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "ratelimit/client/retry.h"

namespace cairn::inference {

/// Safe from any thread. What is passed by reference outlives it.
class RemotePeer {
 public:
  RemotePeer(const Endpoint& endpoint, KeySeal keys, net::Client& client, const os::Clock& clock,
             os::Random& random, ratelimit::Waits* waits = nullptr);

  /// Posts a JSON body; gives the reply once its head says success. Connections that cannot be
  /// made, 429 and 503 are repeated within the deadline, as the answer's Retry-After asks, but
  /// nothing waits longer than five minutes. 429 holds the other calls too. A request that a server
  /// may have read is not sent again where the connection ends. Blocks.
  /// Errors, which name service, host and endpoint: invalid_argument, what the server refused, or a
  /// host that is not allowed; rate_limited; unavailable with status 502 for a refused key, a
  /// redirect, a failure; timeout with 504 where the server is late; timeout, cancelled of the
  /// deadline.
  Result<std::unique_ptr<net::ClientStream>> open(std::string_view body, bool streams,
                                                  const os::Deadline& deadline);
  /// The whole answer. Errors: as above; unavailable, with status 502, beyond `most_bytes`.
  Result<std::string> post(std::string_view body, std::size_t most_bytes,
                           const os::Deadline& deadline);

  /// An error of what came later, with service, host and endpoint in its message and never the key.
  Error worded(Error error, const os::Deadline& deadline) const;
  /// Of this settings, so that it still is the endpoint's.
  bool serves(const Endpoint& endpoint) const;

 private:
  struct Attempt;
  Status attempt(net::ClientRequest request, const os::Deadline& deadline,
                 ratelimit::SeenResponse& seen, Attempt& out);
  Result<net::ClientRequest> request(std::string_view body, bool streams) const;
  Error refusal(int status, std::string_view text) const;
  std::string without_key(std::string text) const;

  const std::string inference_id_;
  const RemoteSettings settings_;
  const KeySeal keys_;
  net::Client& client_;
  const os::Clock& clock_;
  ratelimit::Waits own_waits_;
  ratelimit::Waits& waits_;
  ratelimit::RetryRules rules_;
};

}  // namespace cairn::inference
