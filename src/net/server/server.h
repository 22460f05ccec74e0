// SPDX-License-Identifier: Apache-2.0
// The HTTP/1.1 server: blocking workers on one epoll set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "net/http/message.h"
#include "net/options.h"

namespace cairn::net {

/// Listens from open() to the destructor. Workers start on demand, share one one-shot epoll set,
/// and at most as many as cores run at once; os::Blocking lends a slot.
class Server {
 public:
  /// Binds and listens. `handler` outlives the server. Errors: invalid_argument (address),
  /// conflict (in use), permission_denied.
  /// `render` words the answers that the server gives by itself; by default they are plain text.
  static Result<std::unique_ptr<Server>> open(ServerOptions options, Handler handler,
                                              ErrorRenderer render = {});
  virtual ~Server() = default;  // as drain(0)

  virtual std::string host() const = 0;
  virtual std::uint16_t port() const = 0;  // the one bound, where 0 was asked for
  /// Stops accepting, lets requests in flight finish for at most `grace_ms`, closes idle
  /// connections at once, then ends the rest through their deadlines. Blocks.
  virtual void drain(std::int64_t grace_ms) = 0;
  /// Reads the files of certificate and key again, for connections from now on; on an error the
  /// old ones stay in use. Nothing without a certificate. Errors: invalid_argument, naming the
  /// file.
  virtual Status reload_tls() = 0;
  /// When the certificate that it shows now ends, in Unix time; nothing where none is.
  virtual std::optional<std::int64_t> certificate_ends_ms() const = 0;
};

}  // namespace cairn::net
