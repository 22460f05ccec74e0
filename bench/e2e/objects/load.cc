// SPDX-License-Identifier: Apache-2.0
#include "load.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>

#include "base/strings.h"
#include "net/http/head_parser.h"
#include "os/clock.h"

namespace cairn::bench {
namespace {

constexpr std::size_t receive_bytes = 256 << 10;

[[noreturn]] void fail(std::string_view what) {
  std::fprintf(stderr, "bench_objects: %.*s\n", static_cast<int>(what.size()), what.data());
  std::exit(1);
}

double thread_cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int connect_to(const Target& target) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(target.port);
  if (::inet_pton(AF_INET, target.host.c_str(), &address.sin_addr) != 1) fail("bad address");
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("cannot connect to " + target.host + ":" + std::to_string(target.port));
  const int one = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

/// One exchange at a time, over and over.
class Line {
 public:
  Line(const Target& target, bool discard) : fd_(connect_to(target)), discard_(discard) {}
  ~Line() { ::close(fd_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  int descriptor() const { return fd_; }
  Clock::time_point begun() const { return begun_; }
  std::uint64_t body_bytes() const { return order_.body.size() + received_; }

  void begin(const Order& order) {
    order_ = order;
    sent_ = 0;
    head_.clear();
    in_body_ = false;
    received_ = 0;
    chunks_.reset();
    undecoded_.clear();
    begun_ = Clock::now();
    send_some();
  }
  bool wants_to_send() const { return sent_ < order_.head.size() + order_.body.size(); }
  void send_some();
  /// True when the reply is complete.
  bool receive_some(char* buffer);

 private:
  bool read_head(std::string_view bytes);
  bool take(std::string_view bytes);
  bool count(std::uint64_t bytes);
  [[noreturn]] void refuse(std::string_view what) const {
    fail(std::string(what) + "\nrequest: " + std::string(order_.head) + "reply: " + head_);
  }

  int fd_;
  bool discard_;
  Order order_;
  std::size_t sent_ = 0;
  std::string head_;
  bool in_body_ = false;
  std::uint64_t length_ = 0;
  std::uint64_t received_ = 0;
  std::optional<net::ChunkDecoder> chunks_;
  std::string undecoded_;
  Clock::time_point begun_;
};

void Line::send_some() {
  while (wants_to_send()) {
    const std::size_t head = std::min(sent_, order_.head.size());
    const std::size_t body = sent_ - head;
    iovec parts[2] = {{const_cast<char*>(order_.head.data() + head), order_.head.size() - head},
                      {const_cast<char*>(order_.body.data() + body), order_.body.size() - body}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t count = ::sendmsg(fd_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count < 0) refuse("the server closed the connection");
    sent_ += static_cast<std::size_t>(count);
  }
}

bool Line::receive_some(char* buffer) {
  // MSG_TRUNC takes bytes of TCP without copying them.
  const bool drop = discard_ && in_body_ && !chunks_;
  const ssize_t count = ::recv(fd_, buffer, drop ? std::size_t{4} << 20 : receive_bytes,
                               MSG_DONTWAIT | (drop ? MSG_TRUNC : 0));
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (count <= 0) refuse("the server closed the connection");
  const auto bytes = static_cast<std::size_t>(count);
  if (drop) return this->count(bytes);
  return in_body_ ? take({buffer, bytes}) : read_head({buffer, bytes});
}

bool Line::read_head(std::string_view bytes) {
  head_ += bytes;
  const auto end = net::find_head_end(head_, 0);
  if (!end) return false;
  const std::string rest = head_.substr(*end);
  head_.resize(*end);
  int status = 0;
  net::Headers headers;
  net::Framing framing;
  if (net::parse_reply_head(head_, {}, false, status, headers, framing)) refuse("a broken head");
  if (status < 200 || status > 299) refuse("status " + std::to_string(status) + ": " + rest);
  if (!framing.keep_alive) refuse("the server does not keep the connection");
  if (framing.chunked)
    chunks_.emplace();
  else
    length_ = framing.length.value_or(0);
  in_body_ = true;
  return take(rest);
}

bool Line::take(std::string_view bytes) {
  if (chunks_) {
    thread_local std::vector<char> plain(receive_bytes);
    undecoded_ += bytes;
    for (;;) {
      const auto step = chunks_->decode(undecoded_, plain);
      received_ += step.produced;
      undecoded_.erase(0, step.consumed);
      if (step.outcome == net::ChunkDecoder::Outcome::broken) refuse("broken chunks");
      if (step.outcome == net::ChunkDecoder::Outcome::done) return true;
      if (step.consumed == 0 && step.produced == 0) return false;
    }
  }
  if (!order_.expected.empty() && (received_ + bytes.size() > order_.expected.size() ||
                                   order_.expected.substr(received_, bytes.size()) != bytes))
    refuse("other bytes than were stored");
  return count(bytes.size());
}

bool Line::count(std::uint64_t bytes) {
  received_ += bytes;
  if (received_ < length_) return false;
  const std::uint64_t wanted =
      order_.expected.empty() ? order_.expected_bytes : order_.expected.size();
  if (received_ != length_ || (wanted != UINT64_MAX && received_ != wanted))
    refuse("a body of another length");
  return true;
}

void watch(int epoll, int operation, int fd, std::uint32_t number, bool writes) {
  epoll_event event{};
  event.events = EPOLLIN | (writes ? EPOLLOUT : 0u);
  event.data.u32 = number;
  ::epoll_ctl(epoll, operation, fd, &event);
}

}  // namespace

Target target_of(std::string_view url) {
  constexpr std::string_view scheme = "http://";
  const std::size_t colon = url.rfind(':');
  if (!url.starts_with(scheme) || colon <= scheme.size()) fail("not an http URL with a port");
  const auto port = parse_number<std::uint16_t>(url.substr(colon + 1));
  if (!port) fail("not an http URL with a port");
  return {.host = std::string(url.substr(scheme.size(), colon - scheme.size())), .port = *port};
}

std::string head_of(const Target& target, std::string_view method, std::string_view path,
                    std::string_view query, std::uint64_t body_bytes) {
  net::Headers headers;
  headers.add("Host", target.authority.empty() ? target.host + ":" + std::to_string(target.port)
                                              : target.authority);
  headers.add("User-Agent", "bench_objects");
  if (method == "PUT") headers.add("Content-Length", std::to_string(body_bytes));
  const bool in_session = !target.session_token.empty();
  if (in_session) headers.add("x-amz-s3session-token", target.session_token);
  static s3::SigningKeys keys;
  if (!target.credentials.access_key_id.empty())
    s3::sign_headers(method, path, query, headers, "UNSIGNED-PAYLOAD",
                     {.credentials = target.credentials,
                      .region = target.region,
                      .service = in_session ? "s3express" : "s3",
                      .time_ms = os::system_clock().unix_ms()},
                     keys);
  std::string head = std::string(method) + " " + std::string(path);
  if (!query.empty()) head.append("?").append(query);
  head += " HTTP/1.1\r\n";
  for (const auto& [name, value] : headers.fields())
    head.append(name).append(": ").append(value).append("\r\n");
  return head + "\r\n";
}

Contents::Contents(std::size_t most) : bytes_(most + (16 << 20), '\0'), most_(most) {
  std::mt19937_64 random(20260101);
  for (std::size_t at = 0; at + 8 <= bytes_.size(); at += 8) {
    const std::uint64_t value = random();
    std::memcpy(bytes_.data() + at, &value, 8);
  }
}

std::string_view Contents::of(std::uint64_t number, std::size_t bytes) const {
  if (bytes > most_) fail("a body longer than planned");
  const std::size_t places = bytes_.size() - most_;
  return std::string_view(bytes_).substr(number * 40'961 % places, bytes);
}

LoadResult run_load(const Target& target, const LoadParams& params, const OrderSource& orders) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  std::vector<std::unique_ptr<Line>> lines;
  for (int i = 0; i < params.connections; ++i) {
    lines.push_back(std::make_unique<Line>(target, params.discard));
    watch(epoll, EPOLL_CTL_ADD, lines.back()->descriptor(), static_cast<std::uint32_t>(i), false);
  }
  std::vector<char> buffer(receive_bytes);
  std::vector<double> times;
  std::vector<bool> blocked(lines.size());
  std::uint64_t given = 0, open = 0;
  double bytes = 0;
  const double cpu_begin = thread_cpu_seconds();
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(params.seconds));
  const auto next = [&](std::uint32_t i) {
    if (given >= params.requests_max || Clock::now() >= end) {
      --open;
      return;
    }
    lines[i]->begin(orders(given++, static_cast<int>(i)));
  };
  const auto look = [&](std::uint32_t i) {
    const bool blocks = lines[i]->wants_to_send();
    if (blocks == blocked[i]) return;
    blocked[i] = blocks;
    watch(epoll, EPOLL_CTL_MOD, lines[i]->descriptor(), i, blocks);
  };
  open = lines.size();
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    next(i);
    look(i);
  }
  Clock::time_point last = begin;
  const auto silent_until = end + std::chrono::minutes(1);
  while (open > 0) {
    epoll_event events[64];
    // A client on another machine costs the server no wake-up of a sleeping thread either.
    const int count = ::epoll_wait(epoll, events, 64, params.polls ? 0 : 60'000);
    if (count == 0 && (!params.polls || Clock::now() > silent_until))
      fail("the server is silent for a minute");
    for (int e = 0; e < count; ++e) {
      const std::uint32_t i = events[e].data.u32;
      Line& line = *lines[i];
      if ((events[e].events & EPOLLOUT) != 0) line.send_some();
      if ((events[e].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 &&
          line.receive_some(buffer.data())) {
        last = Clock::now();
        times.push_back(std::chrono::duration<double>(last - line.begun()).count() * 1e3);
        bytes += static_cast<double>(line.body_bytes());
        next(i);
      }
      look(i);
    }
  }
  ::close(epoll);
  const double seconds = std::chrono::duration<double>(last - begin).count();
  const std::uint64_t requests = times.size();
  return {.figures = figures_of(std::move(times), seconds),
          .requests = requests,
          .bytes_per_second = bytes / seconds,
          .seconds = seconds,
          .cpu_share = (thread_cpu_seconds() - cpu_begin) / seconds};
}

std::vector<int> idle_connections(const Target& target, int count, const Order& order) {
  std::vector<char> buffer(receive_bytes);
  std::vector<int> kept;
  for (int i = 0; i < count; ++i) {
    Line line(target, false);
    line.begin(order);
    while (!line.receive_some(buffer.data())) {
    }
    kept.push_back(::dup(line.descriptor()));
  }
  return kept;
}

}  // namespace cairn::bench
