// SPDX-License-Identifier: Apache-2.0
// The client's connections: in use, or kept for the next request to the same endpoint.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "net/client/client.h"
#include "net/tls.h"
#include "net/transport.h"

namespace cairn::net {

/// A connection of a client with the buffer for what it receives.
struct ClientConnection {
  static constexpr std::size_t buffer_bytes = 80 << 10;
  Transport transport;
  std::unique_ptr<char[]> buffer = std::make_unique_for_overwrite<char[]>(buffer_bytes);
  std::string endpoint;
  bool reused = false;
  std::int64_t kept_since_ns = 0;
};

/// Safe from any thread.
class ClientPool {
 public:
  explicit ClientPool(ClientOptions options) : options_(std::move(options)) {}
  /// One that was kept, if `fresh` is not asked for; else a new one.
  Result<std::unique_ptr<ClientConnection>> take(const Url& url, bool fresh,
                                                 const os::Deadline& deadline);
  /// Keeps a connection on which a reply was read to its end.
  void give_back(std::unique_ptr<ClientConnection> connection);
  const ClientOptions& options() const { return options_; }

 private:
  std::unique_ptr<ClientConnection> take_kept(const std::string& endpoint);
  Result<const TlsContext*> tls();
  Status handshake(Transport& transport, const Url& url, const os::Deadline& deadline);

  const ClientOptions options_;
  std::mutex mutex_;
  std::map<std::string, std::list<std::unique_ptr<ClientConnection>>> kept_;  // newest last
  std::optional<TlsContext> tls_;
};

}  // namespace cairn::net
