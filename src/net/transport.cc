// SPDX-License-Identifier: Apache-2.0
// Reading and writing without blocking, and waiting with a limit.
#include "net/transport.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stop_token>
#include <utility>

#include "os/clock.h"
#include "os/threads/blocking.h"

namespace cairn::net {
namespace {

constexpr std::size_t tls_write_max = 1 << 20;

Io plain_result(ssize_t count, IoState want) {
  if (count > 0) return {IoState::done, static_cast<std::size_t>(count)};
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {want, 0};
  if (count == 0) return {IoState::end, 0};
  return {IoState::failed, 0};
}

template <class Call>
ssize_t again(Call call) {
  for (;;) {
    const ssize_t count = call();
    if (count >= 0 || errno != EINTR) return count;
  }
}

/// Why the peer ended TLS, where this thread's last failed call was told.
const char* last_alert() {
  const unsigned long code = ERR_peek_last_error();
  const bool is_alert =
      ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) >= SSL_AD_REASON_OFFSET;
  return is_alert ? ERR_reason_error_string(code) : nullptr;
}

}  // namespace

Transport::Transport(Transport&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      session_(std::exchange(other.session_, nullptr)),
      handshaken_(std::exchange(other.handshaken_, false)),
      drained_(std::exchange(other.drained_, false)),
      gathered_(std::exchange(other.gathered_, 1)) {}

Transport& Transport::operator=(Transport&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
    session_ = std::exchange(other.session_, nullptr);
    handshaken_ = std::exchange(other.handshaken_, false);
    drained_ = std::exchange(other.drained_, false);
    gathered_ = std::exchange(other.gathered_, 1);
  }
  return *this;
}

Io Transport::tls_result(int result) {
  if (result > 0) return {IoState::done, static_cast<std::size_t>(result)};
  switch (SSL_get_error(session_, result)) {
    case SSL_ERROR_WANT_READ:
      return {IoState::want_read, 0};
    case SSL_ERROR_WANT_WRITE:
      return {IoState::want_write, 0};
    case SSL_ERROR_ZERO_RETURN:
      return {IoState::end, 0};
    default:
      alert_ = last_alert();
      handshaken_ = false;  // nothing may be said any more, not even goodbye
      return {IoState::failed, 0};
  }
}

std::string_view Transport::tls_version() const {
  if (session_ == nullptr) return {};
  switch (SSL_version(session_)) {
    case TLS1_3_VERSION:
      return "1.3";
    case TLS1_2_VERSION:
      return "1.2";
    case TLS1_1_VERSION:
      return "1.1";
    default:
      return "1.0";
  }
}

Io Transport::handshake() {
  if (session_ == nullptr || handshaken_) return {IoState::done, 1};
  ERR_clear_error();
  const Io io = tls_result(SSL_do_handshake(session_));
  handshaken_ = io.state == IoState::done;
  return io;
}

Io Transport::read(std::span<char> into) {
  if (session_ != nullptr) {
    ERR_clear_error();
    const auto room = std::min<std::size_t>(into.size(), tls_write_max);
    const Io io = tls_result(SSL_read(session_, into.data(), static_cast<int>(room)));
    drained_ = io.state == IoState::want_read;
    return io;
  }
  const Io io = plain_result(
      again([&] { return ::recv(descriptor_, into.data(), into.size(), 0); }), IoState::want_read);
  drained_ = io.state != IoState::done || io.count < into.size();
  return io;
}

Io Transport::write(std::string_view bytes, bool more) {
  if (session_ != nullptr) {
    ERR_clear_error();
    const auto count = std::min<std::size_t>(bytes.size(), tls_write_max);
    return tls_result(SSL_write(session_, bytes.data(), static_cast<int>(count)));
  }
  const int flags = MSG_NOSIGNAL | (more ? MSG_MORE : 0);
  return plain_result(again([&] { return ::send(descriptor_, bytes.data(), bytes.size(), flags); }),
                      IoState::want_write);
}

Io Transport::write_both(std::string_view first, std::string_view second, bool more) {
  if (second.empty()) return write(first, more);
  if (first.empty()) return write(second, more);
  if (session_ != nullptr) return write(first, true);
  iovec parts[2] = {{const_cast<char*>(first.data()), first.size()},
                    {const_cast<char*>(second.data()), second.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  const int flags = MSG_NOSIGNAL | (more ? MSG_MORE : 0);
  return plain_result(again([&] { return ::sendmsg(descriptor_, &message, flags); }),
                      IoState::want_write);
}

Io Transport::send_file(int file, std::uint64_t offset, std::size_t count) {
  auto at = static_cast<off_t>(offset);
  return plain_result(again([&] { return ::sendfile(descriptor_, file, &at, count); }),
                      IoState::want_write);
}

void Transport::gather(std::size_t bytes) {
  if (session_ != nullptr || bytes == gathered_) return;
  const auto least = static_cast<int>(bytes);
  if (::setsockopt(descriptor_, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least) == 0)
    gathered_ = bytes;
}

bool Transport::has_pending() const {
  return session_ != nullptr && SSL_has_pending(session_) == 1;
}

bool Transport::is_stale() {
  if (session_ != nullptr) {
    // Session tickets are bytes that nobody asked for, so OpenSSL is asked.
    char byte;
    ERR_clear_error();
    return tls_result(SSL_peek(session_, &byte, 1)).state != IoState::want_read;
  }
  char byte;
  const ssize_t count = ::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return !(count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

void Transport::finish_sending() {
  if (session_ != nullptr && handshaken_) {
    ERR_clear_error();
    SSL_shutdown(session_);
  }
  if (descriptor_ >= 0) ::shutdown(descriptor_, SHUT_WR);
}

void Transport::close() {
  if (session_ != nullptr) {
    if (handshaken_) {
      ERR_clear_error();
      SSL_shutdown(session_);  // says goodbye if that needs no waiting
    }
    SSL_free(std::exchange(session_, nullptr));
  }
  handshaken_ = false;
  alert_ = nullptr;
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void Patience::restart(WaitLimits limits, os::Deadline deadline) {
  limits_ = limits;
  deadline_ = std::move(deadline);
  waited_ns_ = 0;
  bytes_ = 0;
}

/// What poll(2) said last; after a signal it goes on with what is left of the time.
int Patience::poll_for(int descriptor, short events, std::int64_t limit_ms, short& ready) {
  // A stop wakes the poll by ending the connection, which is what it is about.
  const std::stop_callback on_stop(deadline_.stop(),
                                   [descriptor] { ::shutdown(descriptor, SHUT_RDWR); });
  pollfd asked{descriptor, events, 0};
  const std::int64_t began = os::system_clock().steady_ns();
  int count = 0;
  {
    const os::Blocking blocking;
    for (;;) {
      const std::int64_t spent = (os::system_clock().steady_ns() - began) / 1'000'000;
      const std::int64_t left = std::clamp<std::int64_t>(limit_ms - spent, 0, 3'600'000);
      count = ::poll(&asked, 1, static_cast<int>(left));
      if (count > 0 || (count == 0 && spent + left >= limit_ms)) break;
      if (count < 0 && errno != EINTR) break;
    }
  }
  waited_ns_ += os::system_clock().steady_ns() - began;
  ready = asked.revents;
  return count;
}

Result<bool> Patience::wait_briefly(int descriptor, IoState state, std::string_view doing,
                                    std::int64_t most_ms) {
  CAIRN_CHECK(deadline_.check(doing));
  if (before_) std::exchange(before_, nullptr)();
  short ready = 0;
  const int count = poll_for(descriptor, state == IoState::want_write ? POLLOUT : POLLIN,
                             std::min(most_ms, deadline_.remaining_ms()), ready);
  if (deadline_.stopped()) CAIRN_CHECK(deadline_.check(doing));
  if (count < 0) return peer_gone(doing);
  return count > 0;
}

Status Patience::wait(int descriptor, IoState state, std::string_view doing, bool* also_readable) {
  CAIRN_CHECK(deadline_.check(doing));
  if (before_) std::exchange(before_, nullptr)();
  std::int64_t limit_ms = deadline_.remaining_ms();
  const char* why = "the time allowed passed while ";
  if (limits_.stall_ms > 0 && limits_.stall_ms < limit_ms) {
    limit_ms = limits_.stall_ms;
    why = "the peer stood still for too long while ";
  }
  if (limits_.bytes_per_second_min > 0) {
    // So long may all waiting together take for the bytes that came.
    const auto earned = static_cast<std::int64_t>(bytes_ * 1000 / limits_.bytes_per_second_min);
    const std::int64_t left = limits_.grace_ms + earned - waited_ns_ / 1'000'000;
    if (left < limit_ms) {
      limit_ms = std::max<std::int64_t>(left, 0);
      why = "the peer was slower than the minimum rate while ";
    }
  }
  short ready = 0;
  short events = state == IoState::want_write ? POLLOUT : POLLIN;
  if (also_readable != nullptr) events |= POLLIN;
  const int count = poll_for(descriptor, events, limit_ms, ready);
  if (deadline_.stopped()) return deadline_.check(doing);
  if (count < 0) return peer_gone(doing);
  if (count == 0) {
    return Error{.kind = ErrorKind::timeout, .message = why + std::string(doing)};
  }
  if (also_readable != nullptr) *also_readable = (ready & POLLIN) != 0;
  return ok_status();
}

Status send_all(Transport& transport, Patience& patience, std::string_view first,
                std::string_view second, bool more) {
  while (!first.empty() || !second.empty()) {
    const Io io = transport.write_both(first, second, more);
    if (io.state == IoState::done) {
      patience.moved(io.count);
      const std::size_t of_first = std::min(io.count, first.size());
      first.remove_prefix(of_first);
      second.remove_prefix(io.count - of_first);
    } else if (io.state == IoState::want_read || io.state == IoState::want_write) {
      CAIRN_CHECK(patience.wait(transport.descriptor(), io.state, "sending"));
    } else {
      return peer_gone("sending");
    }
  }
  return ok_status();
}

Error peer_gone(std::string_view doing) {
  return Error{.kind = ErrorKind::cancelled,
               .message = "the peer closed the connection while " + std::string(doing)};
}

}  // namespace cairn::net
