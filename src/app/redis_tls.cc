// SPDX-License-Identifier: Apache-2.0
#include "app/redis_tls.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "net/tls.h"
#include "net/transport.h"
#include "os/deadline.h"

namespace cairn::app {
namespace {

/// A TLS session over a socket that is connected.
class TlsChannel final : public ratelimit::RedisChannel {
 public:
  explicit TlsChannel(net::Transport transport) : transport_(std::move(transport)) {}

  Status agree(const std::string& host, std::int64_t timeout_ms) {
    net::Patience patience({}, os::Deadline::in_ms(timeout_ms));
    for (;;) {
      const net::Io io = transport_.handshake();
      if (io.state == net::IoState::done) return ok_status();
      if (io.state != net::IoState::want_read && io.state != net::IoState::want_write)
        return broken("TLS with [" + host + "] failed: " + net::tls_error_text());
      CAIRN_CHECK(patience.wait(transport_.descriptor(), io.state, "agreeing on TLS with Redis"));
    }
  }

  Status send(std::string_view bytes, std::int64_t timeout_ms) override {
    net::Patience patience({}, os::Deadline::in_ms(timeout_ms));
    return net::send_all(transport_, patience, bytes);
  }

  Result<std::size_t> receive(std::span<char> into, std::int64_t timeout_ms) override {
    net::Patience patience({}, os::Deadline::in_ms(timeout_ms));
    for (;;) {
      const net::Io io = transport_.read(into);
      if (io.state == net::IoState::done) return io.count;
      if (io.state == net::IoState::end) return std::size_t{0};
      if (io.state == net::IoState::failed) return broken("the connection broke");
      CAIRN_CHECK(patience.wait(transport_.descriptor(), io.state, "a reply of Redis"));
    }
  }

 private:
  static Error broken(std::string_view what) {
    return {ErrorKind::unavailable, "", "redis: " + std::string(what)};
  }
  net::Transport transport_;
};

bool is_tls(const std::string& url) { return url.starts_with("rediss://"); }

}  // namespace

Result<ratelimit::StartTls> redis_tls(const ratelimit::SharedState& store) {
  if (std::none_of(store.urls.begin(), store.urls.end(), is_tls) &&
      std::none_of(store.sentinels.begin(), store.sentinels.end(), is_tls))
    return ratelimit::StartTls{};
  auto made = net::TlsContext::for_client({.tls_verify = store.tls.verify,
                                           .tls_ca_file = store.tls.ca_file,
                                           .tls_certificate_file = store.tls.certificate_file,
                                           .tls_key_file = store.tls.key_file});
  if (!made.ok()) return with_context(std::move(made).error(), "rate_limit.store.tls");
  return ratelimit::StartTls(
      [context = *std::move(made), name = store.tls.server_name](
          int descriptor, const std::string& host,
          std::int64_t timeout_ms) -> Result<std::unique_ptr<ratelimit::RedisChannel>> {
        const std::string& whom = name.empty() ? host : name;
        ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
        SSL* const session = context.connect_on(descriptor, whom);
        if (session == nullptr) {
          ::close(descriptor);
          return Error{ErrorKind::unavailable, "",
                       "redis: TLS with [" + whom + "] cannot start: " + net::tls_error_text()};
        }
        auto channel = std::make_unique<TlsChannel>(net::Transport(descriptor, session));
        CAIRN_CHECK(channel->agree(whom, timeout_ms));
        return std::unique_ptr<ratelimit::RedisChannel>(std::move(channel));
      });
}

}  // namespace cairn::app
