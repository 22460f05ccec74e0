// SPDX-License-Identifier: Apache-2.0
// Sockets of our own, so that no call outlasts its time and none raises SIGPIPE; libhiredis reads
// the replies.
#include "ratelimit/redis/redis_connection.h"

#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/encode.h"
#include "base/strings.h"
#include "os/threads/blocking.h"
#include "ratelimit/units.h"

namespace cairn::ratelimit {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Error bad_url(std::string_view why) {
  return {
      ErrorKind::invalid_argument, "illegal_argument_exception",
      "[rate_limit.store.urls] must hold addresses like redis://host:6379/0: " + std::string(why)};
}
Error unavailable(std::string_view what) {
  return {ErrorKind::unavailable, "", "redis: " + std::string(what)};
}
Error failed(std::string_view what, int number) {
  if (number == EAGAIN || number == EWOULDBLOCK || number == EINPROGRESS || number == ETIMEDOUT)
    return {ErrorKind::timeout, "", "redis: " + std::string(what) + " took too long"};
  return unavailable(std::string(what) + ": " + std::strerror(number));
}

std::int64_t left_ms(std::int64_t until_ns) {
  return std::max<std::int64_t>(1, (until_ns - now_ns()) / ms_ns);
}

/// Replies of a server that was the master, or is not ready to be it.
bool is_no_master(const RedisReply& reply) {
  return reply.is_error("READONLY") || reply.is_error("MASTERDOWN") || reply.is_error("LOADING");
}

Result<int> connect_to(const addrinfo& to, std::int64_t until_ns) {
  const int fd = ::socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return failed("socket", errno);
  int fault = 0;
  if (::connect(fd, to.ai_addr, to.ai_addrlen) != 0) {
    fault = errno;
    if (fault == EINPROGRESS) {
      pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
      const std::int64_t most_ms = std::min<std::int64_t>(left_ms(until_ns), 60'000);
      if (::poll(&ready, 1, static_cast<int>(most_ms)) == 1) {
        socklen_t size = sizeof fault;
        if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &fault, &size) != 0) fault = errno;
      } else {
        fault = ETIMEDOUT;
      }
    }
  }
  if (fault != 0) {
    ::close(fd);
    return failed("connecting", fault);
  }
  const int one = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  // Waits are the socket's own timeouts from here on: one call to the system instead of two.
  const int blocking = ::fcntl(fd, F_GETFL) & ~O_NONBLOCK;
  ::fcntl(fd, F_SETFL, blocking);
  return fd;
}

RedisReply reply_of(const redisReply& from) {
  RedisReply out;
  switch (from.type) {
    case REDIS_REPLY_INTEGER:
      out.type = RedisReply::Type::integer;
      out.integer = from.integer;
      break;
    case REDIS_REPLY_ERROR:
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_STRING:
      out.type = from.type == REDIS_REPLY_ERROR ? RedisReply::Type::error : RedisReply::Type::text;
      out.text.assign(from.str, static_cast<std::size_t>(from.len));
      break;
    case REDIS_REPLY_ARRAY:
      out.type = RedisReply::Type::array;
      out.elements.reserve(from.elements);
      for (std::size_t i = 0; i < from.elements; ++i)
        out.elements.push_back(reply_of(*from.element[i]));
      break;
    default:
      break;
  }
  return out;
}

void append_words(std::string& out, std::span<const std::string_view> words) {
  const auto count = [&out](char mark, std::size_t n) {
    out += mark;
    std::array<char, 24> digits{};
    const auto [end, fault] = std::to_chars(digits.data(), digits.data() + digits.size(), n);
    static_cast<void>(fault);
    out.append(digits.data(), end);
    out += "\r\n";
  };
  count('*', words.size());
  for (const std::string_view word : words) {
    count('$', word.size());
    (out += word) += "\r\n";
  }
}

}  // namespace

Result<RedisAddress> parse_redis_url(std::string_view url) {
  RedisAddress out;
  out.tls = url.starts_with("rediss://");
  const std::string_view scheme = out.tls ? "rediss://" : "redis://";
  if (!url.starts_with(scheme)) return bad_url("it begins with neither redis:// nor rediss://");
  std::string_view rest = url.substr(scheme.size());
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = rest.substr(0, at);
    const auto colon = who.find(':');
    const auto user = percent_decode(who.substr(0, std::min(colon, who.size())));
    const auto password =
        colon == std::string_view::npos ? std::string() : percent_decode(who.substr(colon + 1));
    if (!user || !password || password->empty()) return bad_url("no password before the @");
    out.user = *user;
    out.password = *password;
    rest = rest.substr(at + 1);
  }
  if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view database = rest.substr(slash + 1);
    const auto number = parse_number<std::uint32_t>(database);
    if (!database.empty() && !number) return bad_url("the database is no number");
    out.database = number.value_or(0);
    rest = rest.substr(0, slash);
  }
  const auto bracket = rest.rfind(']');
  const auto colon = rest.rfind(':');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    const auto port = parse_number<std::uint16_t>(rest.substr(colon + 1));
    if (!port || *port == 0) return bad_url("the port is no number from 1 to 65535");
    out.port = *port;
    rest = rest.substr(0, colon);
  }
  if (rest.size() > 2 && rest.front() == '[' && rest.back() == ']')
    rest = rest.substr(1, rest.size() - 2);
  if (rest.empty()) return bad_url("it names no host");
  out.host = rest;
  return out;
}

struct RedisConnection::Reader {
  redisReader* reader = redisReaderCreate();
  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    if (reader != nullptr) redisReaderFree(reader);
  }
};

RedisConnection::RedisConnection(int fd, std::unique_ptr<RedisChannel> channel)
    : fd_(fd), channel_(std::move(channel)), reader_(std::make_unique<Reader>()) {}
RedisConnection::~RedisConnection() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::unique_ptr<RedisConnection>> RedisConnection::open(const RedisAddress& address,
                                                               std::int64_t timeout_ms,
                                                               const StartTls& start_tls) {
  const std::int64_t until_ns = now_ns() + timeout_ms * ms_ns;
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int fault = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(),
                                      &wanted, &found);
      fault != 0)
    return unavailable("looking up [" + address.host + "]: " + ::gai_strerror(fault));
  Result<int> fd = unavailable("no address of [" + address.host + "]");
  for (const addrinfo* to = found; to != nullptr && !fd.ok() && now_ns() < until_ns;
       to = to->ai_next)
    fd = connect_to(*to, until_ns);
  ::freeaddrinfo(found);
  if (!fd.ok()) return std::move(fd).error();
  std::unique_ptr<RedisChannel> channel;
  if (address.tls) {
    if (!start_tls) {
      ::close(*fd);
      return unavailable("there is no TLS here for [" + address.host + "]");
    }
    CAIRN_TRY(channel, start_tls(std::exchange(*fd, -1), address.host, left_ms(until_ns)));
  }
  std::unique_ptr<RedisConnection> out(new RedisConnection(*fd, std::move(channel)));
  if (out->reader_->reader == nullptr) return unavailable("no memory for a reader");
  CAIRN_CHECK(out->prepare(address, until_ns));
  return out;
}

Status RedisConnection::prepare(const RedisAddress& address, std::int64_t until_ns) {
  const auto ask = [&](std::span<const std::string_view> words) -> Status {
    CAIRN_TRY(const RedisReply reply, call(words, left_ms(until_ns)));
    if (reply.type == RedisReply::Type::error)
      return unavailable(std::string(words.front()) + " was refused: " + reply.text);
    return ok_status();
  };
  if (!address.password.empty()) {
    const std::array<std::string_view, 3> words = {"AUTH", address.user, address.password};
    const std::array<std::string_view, 2> short_words = {"AUTH", address.password};
    CAIRN_CHECK(address.user.empty() ? ask(short_words) : ask(words));
  }
  if (address.database == 0) return ok_status();
  const std::string number = std::to_string(address.database);
  const std::array<std::string_view, 2> words = {"SELECT", number};
  return ask(words);
}

Status RedisConnection::set_timeout(std::int64_t ms) {
  if (channel_ != nullptr) return ok_status();  // it is told with each call
  ms = std::max<std::int64_t>(ms, 1);
  if (ms == timeout_ms_) return ok_status();
  timeval time{};
  time.tv_sec = ms / 1'000;
  time.tv_usec = static_cast<suseconds_t>(ms % 1'000 * 1'000);
  for (const int which : {SO_RCVTIMEO, SO_SNDTIMEO})
    if (::setsockopt(fd_, SOL_SOCKET, which, &time, sizeof time) != 0)
      return failed("setting a timeout", errno);
  timeout_ms_ = ms;
  return ok_status();
}

Status RedisConnection::send(std::string_view bytes, std::int64_t until_ns) {
  if (channel_ != nullptr) return channel_->send(bytes, left_ms(until_ns));
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return failed("sending", errno);
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    if (!bytes.empty() && now_ns() >= until_ns) return failed("sending", ETIMEDOUT);
  }
  return ok_status();
}

/// 0: nothing yet.
Result<std::size_t> RedisConnection::receive_some(std::span<char> into, std::int64_t until_ns) {
  if (channel_ != nullptr) {
    CAIRN_TRY(const std::size_t count, channel_->receive(into, left_ms(until_ns)));
    if (count == 0) return unavailable("the connection was closed");
    return count;
  }
  const ssize_t count = ::recv(fd_, into.data(), into.size(), 0);
  if (count == 0) return unavailable("the connection was closed");
  if (count < 0 && errno != EINTR) return failed("the reply", errno);
  return static_cast<std::size_t>(std::max<ssize_t>(count, 0));
}

Result<RedisReply> RedisConnection::receive(std::int64_t until_ns) {
  std::array<char, 16 * 1024> buffer;
  for (bool first = true;; first = false) {
    void* got = nullptr;
    if (redisReaderGetReply(reader_->reader, &got) != REDIS_OK)
      return unavailable("what came is no reply of Redis");
    if (got != nullptr) {
      auto* const reply = static_cast<redisReply*>(got);
      RedisReply out = reply_of(*reply);
      freeReplyObject(reply);
      return out;
    }
    // The socket's timeout bounds each read; a reply in drops must not outlast them all.
    if (!first && now_ns() >= until_ns) return failed("the reply", ETIMEDOUT);
    CAIRN_TRY(const std::size_t count, receive_some(buffer, until_ns));
    if (count > 0) redisReaderFeed(reader_->reader, buffer.data(), count);
  }
}

Result<RedisReply> RedisConnection::call(std::span<const std::string_view> words,
                                         std::int64_t timeout_ms) {
  CAIRN_CHECK(set_timeout(timeout_ms));
  const std::int64_t until_ns = now_ns() + timeout_ms * ms_ns;
  out_.clear();
  append_words(out_, words);
  CAIRN_CHECK(send(out_, until_ns));
  return receive(until_ns);
}

Result<std::unique_ptr<RedisConnection>> RedisConnections::open(std::int64_t timeout_ms) const {
  if (ways_.sentinels.empty()) return RedisConnection::open(address_, timeout_ms, ways_.start_tls);
  const std::int64_t until_ns = now_ns() + timeout_ms * ms_ns;
  CAIRN_TRY(const RedisAddress found, find_master(address_.host, ways_, timeout_ms));
  RedisAddress master = address_;
  master.host = found.host;
  master.port = found.port;
  CAIRN_TRY(auto connection, RedisConnection::open(master, left_ms(until_ns), ways_.start_tls));
  // Sentinels may not have heard yet that it is one no more.
  const std::array<std::string_view, 1> words = {"ROLE"};
  CAIRN_TRY(const RedisReply role, connection->call(words, left_ms(until_ns)));
  if (!role.elements.empty() && role.elements.front().text != "master")
    return unavailable("[" + master.host + ":" + std::to_string(master.port) +
                       "] is not the master of [" + address_.host + "] any more");
  return connection;
}

Result<RedisReply> RedisConnections::call(std::span<const std::string_view> words,
                                          std::int64_t timeout_ms) {
  const os::Blocking blocking;
  calls_.fetch_add(1, std::memory_order_relaxed);
  std::unique_ptr<RedisConnection> connection;
  {
    MutexLock lock(mutex_);
    if (!idle_.empty()) {
      connection = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  const std::int64_t until_ns = now_ns() + timeout_ms * ms_ns;
  if (connection == nullptr) {
    CAIRN_TRY(connection, open(timeout_ms));
  }
  auto reply = connection->call(words, left_ms(until_ns));
  MutexLock lock(mutex_);
  if (reply.ok() && !is_no_master(*reply))
    idle_.push_back(std::move(connection));
  else
    idle_.clear();
  return reply;
}

}  // namespace cairn::ratelimit
