// SPDX-License-Identifier: Apache-2.0
// Connecting, keeping, and telling the quick from the dead.
#include "net/client/client_pool.h"

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <algorithm>

#include "net/address.h"
#include "os/clock.h"

namespace cairn::net {
namespace {

std::string endpoint_of(const Url& url) {
  return url.scheme + "://" + url.host + ":" + std::to_string(url.port);
}

/// Why the handshake failed.
std::string why_refused(const SSL* session, const ClientOptions& options) {
  const long verified = SSL_get_verify_result(session);
  if (!options.tls_shared_secret.empty()) {
    return verified == X509_V_ERR_APPLICATION_VERIFICATION
               ? "the server shows a certificate and does not prove that it knows the shared secret"
               : "the two may not share the secret: " + tls_error_text();
  }
  return options.tls_verify && verified != X509_V_OK ? X509_verify_cert_error_string(verified)
                                                     : tls_error_text();
}

}  // namespace

std::unique_ptr<ClientConnection> ClientPool::take_kept(const std::string& endpoint) {
  const std::int64_t oldest = os::system_clock().steady_ns() - options_.idle_timeout_ms * 1'000'000;
  std::list<std::unique_ptr<ClientConnection>> dropped;  // closed after the lock
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(endpoint);
  if (found == kept_.end()) return nullptr;
  auto& list = found->second;
  std::unique_ptr<ClientConnection> taken;
  while (!list.empty() && taken == nullptr) {
    auto last = std::move(list.back());
    list.pop_back();
    if (last->kept_since_ns < oldest || last->transport.is_stale()) {
      dropped.push_back(std::move(last));
    } else {
      taken = std::move(last);
    }
  }
  if (list.empty()) kept_.erase(found);
  return taken;
}

void ClientPool::give_back(std::unique_ptr<ClientConnection> connection) {
  connection->kept_since_ns = os::system_clock().steady_ns();
  const std::int64_t oldest = connection->kept_since_ns - options_.idle_timeout_ms * 1'000'000;
  std::list<std::unique_ptr<ClientConnection>> dropped;
  const std::lock_guard lock(mutex_);
  if (options_.connections_per_endpoint == 0) return dropped.push_back(std::move(connection));
  kept_[connection->endpoint].push_back(std::move(connection));
  // Endpoints that nobody asks for again lose their connections here.
  for (auto at = kept_.begin(); at != kept_.end();) {
    auto& list = at->second;
    while (!list.empty() && (list.front()->kept_since_ns < oldest ||
                             list.size() > options_.connections_per_endpoint)) {
      dropped.push_back(std::move(list.front()));
      list.pop_front();
    }
    at = list.empty() ? kept_.erase(at) : std::next(at);
  }
}

Result<const TlsContext*> ClientPool::tls() {
  const std::lock_guard lock(mutex_);
  if (!tls_) {
    CAIRN_TRY(tls_, TlsContext::for_client(options_));
  }
  return &*tls_;
}

Status ClientPool::handshake(Transport& transport, const Url& url, const os::Deadline& deadline) {
  CAIRN_TRY(const TlsContext* const context, tls());
  SSL* const session = context->connect_on(transport.descriptor(), url.host);
  if (session == nullptr) {
    return Error{.kind = ErrorKind::unavailable,
                 .message = "TLS with " + url.host + " cannot start: " + tls_error_text()};
  }
  transport = Transport(transport.release(), session);
  Patience patience({.stall_ms = options_.connect_timeout_ms}, deadline);
  for (;;) {
    const Io io = transport.handshake();
    if (io.state == IoState::done) return ok_status();
    if (io.state != IoState::want_read && io.state != IoState::want_write) {
      return Error{
          .kind = ErrorKind::unavailable,
          .message = "TLS with " + url.host + " failed: " + why_refused(session, options_)};
    }
    CAIRN_CHECK(patience.wait(transport.descriptor(), io.state, "agreeing on TLS"));
  }
}

Result<std::unique_ptr<ClientConnection>> ClientPool::take(const Url& url, bool fresh,
                                                           const os::Deadline& deadline) {
  const std::string endpoint = endpoint_of(url);
  if (!fresh) {
    if (auto kept = take_kept(endpoint)) {
      kept->reused = true;
      return kept;
    }
  }
  const os::Deadline until =
      options_.connect_timeout_ms > 0 ? deadline.sooner_ms(options_.connect_timeout_ms) : deadline;
  CAIRN_TRY(const auto addresses, options_.resolve ? options_.resolve(url.host, url.port, until)
                                                   : resolve(url.host, url.port, until));
  if (options_.check_address) {
    // All of them: which one answers is not ours to choose.
    for (const Address& address : addresses) CAIRN_CHECK(options_.check_address(url.host, address));
  }
  CAIRN_TRY(const int descriptor,
            connect_to(addresses, url.authority(), options_.connect_timeout_ms, until));
  auto connection = std::make_unique<ClientConnection>();
  connection->transport = Transport(descriptor);
  connection->endpoint = endpoint;
  if (url.scheme == "https") CAIRN_CHECK(handshake(connection->transport, url, until));
  return connection;
}

}  // namespace cairn::net
