// SPDX-License-Identifier: Apache-2.0
// Arming, admitting, queueing.
#include "net/server/serving.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "net/http/reply.h"
#include "os/log.h"
#include "os/random.h"

namespace cairn::net {

Scratch::Scratch(std::size_t head_bytes_max)
    : storage_bytes(std::max<std::size_t>(head_bytes_max + (16 << 10), 128 << 10)),
      id_state(os::system_random().number()) {
  storage = std::make_unique_for_overwrite<char[]>(storage_bytes);
}

Serving::Serving(ServerOptions server_options, Handler server_handler, ErrorRenderer server_render,
                 int epoll, int nudge)
    : options(std::move(server_options)),
      handler(std::move(server_handler)),
      render(std::move(server_render)),
      head_limits{.bytes = options.head_bytes_max,
                  .fields = options.headers_max,
                  .field_bytes = options.header_bytes_max,
                  .target_bytes = options.target_bytes_max},
      traffic(options.name),
      table(options.max_connections),
      epoll_(epoll),
      nudge_(nudge),
      handlers_max_(options.max_workers - options.reserved_workers) {}

Serving::~Serving() {
  ::close(epoll_);
  ::close(nudge_);
}

void Serving::watch(Connection& connection, std::uint32_t events) {
  if (connection.watched == events) return;
  epoll_event event{};
  event.events = events;
  event.data.u64 = connection.ticket();
  const int operation = connection.watched == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (::epoll_ctl(epoll_, operation, connection.transport.descriptor(), &event) == 0) {
    connection.watched = events;
  } else {
    // Without events the connection lives until its deadline, which frees what is short here.
    os::log(os::LogLevel::warn, "net", "not_watched", {{"errno", errno}});
  }
}

// Edge-triggered, so that a request costs no call to the epoll set: an event says that something
// came since the last one, whoever has the connection then.
bool Serving::arm(Connection& connection, std::int64_t deadline_ns, bool writable) {
  watch(connection, EPOLLIN | EPOLLRDHUP | EPOLLET | (writable ? EPOLLOUT : 0u));
  connection.deadline_ns.store(deadline_ns, std::memory_order_relaxed);
  if (connection.let_go()) return true;
  connection.transport.forget_drained();  // what came is there to be read
  return false;
}

void Serving::mute(Connection& connection) { watch(connection, EPOLLRDHUP | EPOLLET); }

void Serving::later(Connection& connection) {
  {
    const std::lock_guard lock(ready_mutex_);
    ready_.push_back(&connection);
    ++ready_count_;
  }
  if (pollers_.load() == 0) return;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(nudge_, &one, sizeof one));
}

Connection* Serving::next_ready() {
  if (!has_ready()) return nullptr;
  const std::lock_guard lock(ready_mutex_);
  if (ready_.empty()) return nullptr;
  Connection* const next = ready_.front();
  ready_.pop_front();
  --ready_count_;
  return next;
}

bool Serving::count_awaited(Connection& connection, std::size_t bytes) {
  if (awaited_bytes_.fetch_add(bytes) + bytes > options.awaited_bytes_max) {
    awaited_bytes_.fetch_sub(bytes);
    return false;
  }
  connection.counted += bytes;
  return true;
}

void Serving::forget_awaited(Connection& connection) {
  awaited_bytes_.fetch_sub(std::exchange(connection.counted, 0));
}

void Serving::close(Connection& connection) {
  forget_awaited(connection);
  table.close(connection);
  traffic.open.add(-1);
}

bool Serving::admit(bool reserved) {
  if (in_handlers_.fetch_add(1) < handlers_max_ || reserved) return true;
  in_handlers_.fetch_sub(1);
  return false;
}

void Serving::queue(Connection& connection, std::int64_t since_ns) {
  connection.deadline_ns = since_ns + options.queue_ms * 1'000'000;
  const Ticket ticket{connection.index, connection.generation()};
  connection.set(Phase::queued);
  const std::lock_guard lock(queue_mutex_);
  queue_.push_back(ticket);
  ++queued_;
}

Connection* Serving::next_queued() {
  while (queued_.load() > 0 && in_handlers_.load() < handlers_max_) {
    Ticket ticket{};
    {
      const std::lock_guard lock(queue_mutex_);
      if (queue_.empty()) return nullptr;
      ticket = queue_.front();
      queue_.pop_front();
      --queued_;
    }
    Connection* const connection = table.at(ticket.index);
    if (connection != nullptr && connection->claim(ticket.generation, Phase::queued)) {
      return connection;
    }
  }
  return nullptr;
}

std::string Serving::error_body(int status, std::string_view reason, std::string_view request_id,
                                Headers& headers) const {
  if (render) return render(status, reason, request_id, headers);
  headers.set("Content-Type", "text/plain; charset=utf-8");
  return std::string(reason) + "\n";
}

void Serving::say_and_close(Connection& connection, int status, std::string_view reason) {
  std::string out;
  Patience patience({}, os::Deadline::in_ms(0));
  Reply reply(connection.transport, out, patience, {.keep_alive = false});
  Headers headers;
  if (status == 503) headers.set("Retry-After", "1");
  std::uint64_t id_state = os::system_random().number();
  const std::string body = error_body(status, reason, new_request_id(id_state), headers);
  if (reply.reply(status, headers, body).ok()) reply.push();
  traffic.request(status, 0);
  traffic.sent_bytes.add(patience.bytes());
  connection.transport.finish_sending();
  close(connection);
}

RequestId new_request_id(std::uint64_t& state) {
  // splitmix64: each state gives another number, and the start is random.
  std::uint64_t number = state += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  number ^= number >> 31;
  RequestId id;
  for (char& digit : id.digits) {
    digit = "0123456789ABCDEF"[number >> 60];
    number <<= 4;
  }
  return id;
}

}  // namespace cairn::net
