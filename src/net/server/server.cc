// SPDX-License-Identifier: Apache-2.0
// Listening, accepting, timing out, draining.
#include "net/server/server.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <vector>

#include "net/address.h"
#include "net/server/hang_up.h"
#include "net/server/serving.h"
#include "net/server/session.h"
#include "net/server/worker_pool.h"
#include "net/tls.h"
#include "os/clock.h"
#include "os/cpu.h"
#include "os/files/descriptor.h"
#include "os/log.h"
#include "os/threads/thread.h"

namespace cairn::net {
namespace {

constexpr std::uint64_t listener_ticket = UINT64_MAX;
constexpr std::uint64_t wake_ticket = UINT64_MAX - 1;
constexpr std::uint64_t nudge_ticket = UINT64_MAX - 2;
// A worker that has computed for longer than this, without os::Blocking, no longer counts as one
// that answers: another takes its slot.
constexpr std::int64_t slots_looked_at_every_ms = 10;

// Made and deleted with the worker: what a thread's end would delete has to be noted somewhere, and
// the C library ends a process that has no memory for that.
constinit thread_local Scratch* worker_scratch = nullptr;

class EpollServer final : public Server {
 public:
  EpollServer(ServerOptions options, Handler handler, ErrorRenderer render,
              std::optional<TlsContext> tls, int epoll, int nudge, int listener, int wake,
              Address address);
  ~EpollServer() override;
  Status start(int nudge);

  std::string host() const override { return address_.host(); }
  std::uint16_t port() const override { return address_.port(); }
  void drain(std::int64_t grace_ms) override;
  Status reload_tls() override;
  std::optional<std::int64_t> certificate_ends_ms() const override;

 private:
  void turn(Worker& worker);
  Connection* poll(Worker& worker);
  void serve(Connection& connection);
  void accept_some();
  bool accept_one();
  void listen_again();
  bool drop_longest_idle();
  void watch();
  void note_hang_up(Connection& connection, std::uint32_t generation, std::uint32_t events);
  void sweep(std::int64_t now);
  void stop_for_gone(std::int64_t now);
  void stop_slow_bodies();
  void close_waiting(bool all);
  void stop_all();

  Serving serving_;
  std::optional<TlsContext> tls_;  // under listener_mutex_
  const int epoll_;
  const os::Descriptor wake_;
  const Address address_;
  mutable std::mutex listener_mutex_;
  int listener_;  // under listener_mutex_; -1 once draining
  std::atomic<bool> accept_paused_{false};
  std::atomic<std::int64_t> warn_again_ns_{0};
  WorkerPool pool_;
  std::mutex watch_mutex_;
  std::condition_variable watch_changed_;
  bool watch_ends_ = false;  // under watch_mutex_
  os::Thread watcher_;
};

PeerSigns signs_of(const Connection& connection, std::int64_t in_handler_ns) {
  return {.sends_no_more = connection.hung_up.load(std::memory_order_relaxed),
          .is_reset = connection.reset.load(std::memory_order_relaxed),
          .answering = connection.answering.load(std::memory_order_relaxed),
          .in_handler_ns = in_handler_ns};
}

WorkerPoolOptions pool_options(const ServerOptions& options) {
  return {.slots = options.slots > 0 ? options.slots : os::cpu_count(),
          .workers_max = options.max_workers,
          .stack_bytes = options.worker_stack_bytes};
}

EpollServer::EpollServer(ServerOptions options, Handler handler, ErrorRenderer render,
                         std::optional<TlsContext> tls, int epoll, int nudge, int listener,
                         int wake, Address address)
    : serving_(std::move(options), std::move(handler), std::move(render), epoll, nudge),
      tls_(std::move(tls)),
      epoll_(epoll),
      wake_{wake},
      address_(address),
      listener_(listener),
      pool_(
          pool_options(serving_.options),
          [this](Worker& worker) {
            worker_scratch = std::make_unique<Scratch>(serving_.options.head_bytes_max).release();
            // Replies to earlier requests of a pipelining client must not wait for this one.
            worker.before_leaving = [mine = worker_scratch] {
              if (mine->reply != nullptr) mine->reply->push();
            };
          },
          [this](Worker& worker) { turn(worker); },
          [](Worker&) { delete std::exchange(worker_scratch, nullptr); },
          [this] { return serving_.has_ready(); }) {}

Status EpollServer::start(int nudge) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = wake_ticket;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_.get(), &event);
  event.events = EPOLLIN | EPOLLET;
  event.data.u64 = nudge_ticket;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, nudge, &event);
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.u64 = listener_ticket;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_, &event);
  CAIRN_CHECK(pool_.start());
  CAIRN_TRY(watcher_, os::Thread::start({.name = "cairn-watch", .stack_bytes = 256 << 10},
                                        [this] { watch(); }));
  return ok_status();
}

EpollServer::~EpollServer() {
  drain(0);
  pool_.stop();
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_.get(), &one, sizeof one));
  {
    const std::lock_guard lock(watch_mutex_);
    watch_ends_ = true;
  }
  watch_changed_.notify_all();
  watcher_.join();
  // pool_ joins its workers before serving_ goes; the wake event stays readable until then.
}

// One connection, or one wait for events. What is ready comes first, but not for ever: a peer that
// never stops sending would keep it so.
void EpollServer::turn(Worker& worker) {
  constexpr std::uint64_t turns_between_polls = 16;
  if (worker.next_round() % turns_between_polls != 0) {
    if (Connection* const next = serving_.next_ready()) return serve(*next);
  }
  if (Connection* const mine = poll(worker)) serve(*mine);
}

// Waits for events, and takes the connections that they are of: the first is given back, the rest
// are for whoever is free. While others wait for events too, one takes no more than it can do.
Connection* EpollServer::poll(Worker& worker) {
  constexpr int events_max = 16;
  epoll_event events[events_max];
  worker.polls(true);
  const int wanted = serving_.begin_poll() ? events_max : 1;
  const int count = ::epoll_wait(epoll_, events, wanted, serving_.has_ready() ? 0 : -1);
  serving_.end_poll();
  worker.polls(false);
  Connection* mine = nullptr;
  bool accepts = false;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t ticket = events[i].data.u64;
    if (ticket == wake_ticket || ticket == nudge_ticket) continue;
    if (ticket == listener_ticket) {
      accepts = true;
      continue;
    }
    Connection* const each = serving_.table.at(static_cast<std::uint32_t>(ticket >> 32));
    if (each == nullptr) continue;
    const auto generation = static_cast<std::uint32_t>(ticket);
    const std::uint32_t ends = events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
    if (ends != 0) note_hang_up(*each, generation, ends);
    if (!each->claim_event(generation)) continue;
    if (mine == nullptr) {
      mine = each;
    } else {
      serving_.later(*each);
    }
  }
  if (accepts) accept_some();
  return mine;
}

// The peer's end is remembered, and a handler that works for nobody is told at once.
void EpollServer::note_hang_up(Connection& connection, std::uint32_t generation,
                               std::uint32_t events) {
  if (connection.generation() != generation) return;
  connection.hung_up = true;
  if ((events & (EPOLLHUP | EPOLLERR)) != 0) connection.reset = true;
  const std::int64_t since = connection.handler_since_ns.load(std::memory_order_relaxed);
  if (since == 0 || !is_gone(signs_of(connection, now_ns() - since))) return;
  serving_.table.stop_of(connection, generation).request_stop();
}

void EpollServer::serve(Connection& connection) {
  Session(serving_, *worker_scratch, connection).run();
  while (Connection* const next = serving_.next_queued()) {
    Session(serving_, *worker_scratch, *next).run();
  }
}

void EpollServer::accept_some() {
  bool again = true;
  for (int i = 0; i < 64 && again; ++i) again = accept_one();
  if (!accept_paused_.load()) listen_again();
}

void EpollServer::listen_again() {
  const std::lock_guard lock(listener_mutex_);
  if (listener_ < 0) return;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.u64 = listener_ticket;
  ::epoll_ctl(epoll_, EPOLL_CTL_MOD, listener_, &event);
}

// False when there is none to accept, or none can be accepted for now.
bool EpollServer::accept_one() {
  Address peer;
  peer.size = sizeof peer.storage;
  int fd = -1;
  std::optional<TlsContext> tls;
  {
    const std::lock_guard lock(listener_mutex_);
    if (listener_ < 0) return false;
    tls = tls_;
    fd = ::accept4(listener_, reinterpret_cast<sockaddr*>(&peer.storage), &peer.size,
                   SOCK_NONBLOCK | SOCK_CLOEXEC);
  }
  if (fd < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
    if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) return true;
    // Without a descriptor the listener would be ready for ever: it rests until the next sweep,
    // and somebody who only keeps a connection loses it.
    const std::int64_t now = now_ns();
    if (now >= warn_again_ns_.exchange(now + 10'000'000'000)) {
      os::log(os::LogLevel::warn, "net", "accept_paused",
              {{"errno", errno}, {"connections", std::uint64_t{serving_.table.count()}}});
    }
    drop_longest_idle();
    accept_paused_ = true;
    return false;
  }
  serving_.traffic.accepted.add();
  Transport transport(fd, tls ? tls->accept_on(fd) : nullptr);
  if (tls && !transport.is_tls()) return true;
  if (serving_.table.count() >= serving_.table.max()) drop_longest_idle();
  Connection* const connection = serving_.table.open(std::move(transport), peer.host());
  if (connection == nullptr) {
    accept_paused_ = true;  // and this one is closed
    return false;
  }
  serving_.traffic.open.add(1);
  const std::int64_t now = now_ns();
  if (tls) {
    connection->mode = Connection::Mode::handshake;
    connection->head_since_ns = now;
  }
  if (!serving_.arm(*connection, now + serving_.options.head_timeout_ms * 1'000'000)) {
    serving_.later(*connection);
  }
  return true;
}

// Makes room by ending the connection that has waited longest without having begun a request.
bool EpollServer::drop_longest_idle() {
  Connection* longest = nullptr;
  std::uint32_t generation = 0;
  serving_.table.for_each([&](Connection& each) {
    if (each.phase() != Phase::armed) return;
    if (longest == nullptr || each.deadline_ns < longest->deadline_ns) {
      longest = &each;
      generation = each.generation();
    }
  });
  if (longest == nullptr || !longest->claim(generation, Phase::armed)) return false;
  serving_.close(*longest);
  return true;
}

// The one thread beside the workers: everything that happens because time passes.
void EpollServer::watch() {
  const ServerOptions& options = serving_.options;
  const std::int64_t shortest = std::min(
      {options.head_timeout_ms, options.idle_timeout_ms, options.linger_ms, options.queue_ms});
  const std::int64_t sweep_every_ns = std::clamp<std::int64_t>(shortest / 4, 5, 50) * 1'000'000;
  std::int64_t next_sweep = 0, next_look = 0;
  std::unique_lock lock(watch_mutex_);
  while (!watch_ends_) {
    // While nobody is in a handler there is little to see.
    const std::int64_t ms = serving_.in_handlers() > 0
                                ? slots_looked_at_every_ms
                                : std::min<std::int64_t>(sweep_every_ns / 1'000'000,
                                                         peers_looked_at_every_ns / 1'000'000);
    watch_changed_.wait_for(lock, std::chrono::milliseconds(ms), [this] { return watch_ends_; });
    if (watch_ends_) break;
    lock.unlock();
    const std::int64_t now = now_ns();
    pool_.look_after();
    if (now >= next_look) {
      next_look = now + peers_looked_at_every_ns - slots_looked_at_every_ms * 1'000'000 / 2;
      stop_for_gone(now);
      stop_slow_bodies();
    }
    if (now >= next_sweep) {
      next_sweep = now + sweep_every_ns;
      sweep(now);
      if (accept_paused_.exchange(false)) listen_again();
    }
    lock.lock();
  }
}

// Tells handlers whose peers have gone. Events tell the same sooner, where a worker is free to take
// them. Descriptors stay open meanwhile: closing one needs the mutex that is held here.
void EpollServer::stop_for_gone(std::int64_t now) {
  if (serving_.in_handlers() == 0) return;
  std::vector<std::stop_source> gone;
  std::vector<Connection*> asked;
  std::vector<pollfd> polled;
  const auto look = [&](Connection& each, std::int64_t in_handler_ns) {
    if (is_gone(signs_of(each, in_handler_ns))) gone.push_back(each.stop);
  };
  serving_.table.for_each(
      [&](Connection& each) {
        const std::int64_t since = each.handler_since_ns.load(std::memory_order_relaxed);
        if (since == 0 || now - since < half_closed_grace_ns || each.stop.stop_requested()) return;
        if (each.reset || each.hung_up) return look(each, now - since);
        asked.push_back(&each);
        polled.push_back({each.transport.descriptor(), POLLRDHUP, 0});
      },
      [&] {
        if (polled.empty() || ::poll(polled.data(), polled.size(), 0) <= 0) return;
        for (std::size_t i = 0; i < polled.size(); ++i) {
          Connection& each = *asked[i];
          if ((polled[i].revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0) continue;
          each.hung_up = true;
          if ((polled[i].revents & (POLLHUP | POLLERR)) != 0) each.reset = true;
          const std::int64_t since = each.handler_since_ns.load(std::memory_order_relaxed);
          if (since != 0) look(each, now - since);
        }
      });
  for (std::stop_source& each : gone) each.request_stop();
}

// Each slow body costs a thread, so there are so many and no more. The slowest go: whoever sends a
// trickle keeps nobody else out, and ends no upload that is only long. One that has just begun
// counts as if it went well.
void EpollServer::stop_slow_bodies() {
  constexpr double first_bytes = 64 << 10, first_ns = 1e9;
  struct Slow {
    double rate;
    std::stop_source stop;
  };
  const std::int64_t now = now_ns();
  std::vector<Slow> slow;
  if (serving_.in_handlers() <= serving_.options.slow_bodies_max) return;
  serving_.table.for_each([&](Connection& each) {
    const std::int64_t since = each.body_since_ns.load(std::memory_order_relaxed);
    if (since == 0 || each.stop.stop_requested()) return;
    const auto bytes = static_cast<double>(each.body_bytes.load(std::memory_order_relaxed));
    slow.push_back(
        {(bytes + first_bytes) / (static_cast<double>(now - since) + first_ns), each.stop});
  });
  if (slow.size() <= serving_.options.slow_bodies_max) return;
  const auto too_many =
      slow.begin() + static_cast<std::ptrdiff_t>(slow.size() - serving_.options.slow_bodies_max);
  std::nth_element(slow.begin(), too_many, slow.end(),
                   [](const Slow& a, const Slow& b) { return a.rate < b.rate; });
  serving_.traffic.timeouts.add(static_cast<std::uint64_t>(too_many - slow.begin()));
  for (auto each = slow.begin(); each != too_many; ++each) each->stop.request_stop();
}

void EpollServer::sweep(std::int64_t now) {
  struct Late {
    Connection* connection;
    Phase was;
  };
  std::vector<Late> late;
  serving_.table.for_each([&](Connection& each) {
    const std::uint32_t generation = each.generation();
    const Phase phase = each.phase();
    if ((phase == Phase::armed || phase == Phase::queued) && each.deadline_ns <= now) {
      if (each.claim(generation, phase)) late.push_back({&each, phase});
    }
  });
  for (const auto& [connection, was] : late) {
    if (was == Phase::queued) {
      serving_.traffic.overloads.add();
      serving_.say_and_close(*connection, 503, "all workers are busy; try again in a moment");
    } else if (connection->mode == Connection::Mode::http && !connection->saved.empty()) {
      serving_.traffic.timeouts.add();
      serving_.say_and_close(*connection, 408,
                             connection->wanted == 0
                                 ? "the head of the request did not come in time"
                                 : "the body of the request came too slowly, or not at all");
    } else {
      serving_.close(*connection);
    }
  }
}

// Closes what no worker has: connections between requests, and parked ones, whose replies end; with
// `all` those in a head as well.
void EpollServer::close_waiting(bool all) {
  std::vector<Connection*> mine;
  serving_.table.for_each([&](Connection& each) {
    const Phase phase = each.phase();
    if (phase != Phase::armed && !(all && phase == Phase::queued)) return;
    // saved belongs to whoever claims, so it is looked at afterwards.
    if (each.claim(each.generation(), phase)) mine.push_back(&each);
  });
  for (Connection* const each : mine) {
    const bool idle = each->saved.empty() && each->mode == Connection::Mode::http;
    const bool parked = each->mode == Connection::Mode::parked;
    if (parked) each->parked->say_end(*each);
    if (all || idle || parked) {
      serving_.close(*each);
    } else if (!serving_.arm(*each, each->deadline_ns)) {
      serving_.later(*each);
    }
  }
}

void EpollServer::stop_all() {
  std::vector<std::stop_source> stops;
  serving_.table.for_each([&](Connection& each) {
    stops.push_back(each.stop);
    // Wakes a worker that waits for this peer.
    if (each.phase() == Phase::busy || each.phase() == Phase::again)
      ::shutdown(each.transport.descriptor(), SHUT_RDWR);
  });
  for (std::stop_source& each : stops) each.request_stop();
}

void EpollServer::drain(std::int64_t grace_ms) {
  serving_.draining = true;
  {
    const std::lock_guard lock(listener_mutex_);
    if (listener_ >= 0) ::close(std::exchange(listener_, -1));
  }
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(std::max<std::int64_t>(grace_ms, 0));
  const auto pause = std::chrono::milliseconds(2);
  std::unique_lock lock(watch_mutex_);
  for (;;) {
    lock.unlock();
    close_waiting(false);
    lock.lock();
    if (serving_.table.count() == 0) return;
    const auto now = std::chrono::steady_clock::now();
    if (now >= until) break;
    watch_changed_.wait_for(lock,
                            std::min<std::chrono::steady_clock::duration>(pause, until - now));
  }
  // Time is up: handlers learn it from their deadlines, which they are bound to heed.
  while (serving_.table.count() > 0) {
    lock.unlock();
    stop_all();
    close_waiting(true);
    lock.lock();
    watch_changed_.wait_for(lock, pause);
  }
}

}  // namespace

Status ServerOptions::validate() const {
  const auto bad = [this](std::string_view what) {
    return Error{.kind = ErrorKind::invalid_argument, .message = name + ": " + std::string(what)};
  };
  if (max_workers < reserved_workers + 1) {
    return bad("max_workers must be larger than reserved_workers");
  }
  if (max_connections == 0) return bad("max_connections must be at least 1");
  if (head_bytes_max < 1024 || head_bytes_max > (16u << 20)) {
    return bad("head_bytes_max must be from 1 KiB to 16 MiB");
  }
  if (head_timeout_ms <= 0 || idle_timeout_ms <= 0 || write_stall_ms <= 0 || linger_ms <= 0 ||
      queue_ms <= 0) {
    return bad("timeouts must be longer than nothing");
  }
  if (pipelined_max == 0) return bad("pipelined_max must be at least 1");
  if (worker_stack_bytes < (64u << 10)) return bad("worker_stack_bytes must be at least 64 KiB");
  const Status tls_valid = tls.validate();
  return tls_valid.ok() ? ok_status() : bad(tls_valid.error().message);
}

Status EpollServer::reload_tls() {
  if (serving_.options.tls.certificate_file.empty()) return ok_status();
  CAIRN_TRY(auto fresh, TlsContext::for_server(serving_.options.tls));
  const std::lock_guard lock(listener_mutex_);
  tls_ = std::move(fresh);
  return ok_status();
}

std::optional<std::int64_t> EpollServer::certificate_ends_ms() const {
  const std::lock_guard lock(listener_mutex_);
  return tls_ ? tls_->certificate_ends_ms() : std::nullopt;
}

Result<std::unique_ptr<Server>> Server::open(ServerOptions options, Handler handler,
                                             ErrorRenderer render) {
  CAIRN_CHECK(options.validate());
  CAIRN_TRY(const HostPort where, parse_host_port(options.listen));
  std::optional<TlsContext> tls;
  if (options.tls.enabled()) {
    CAIRN_TRY(tls, TlsContext::for_server(options.tls));
  }
  ignore_broken_pipes();
  CAIRN_TRY(const int listener, listen_on(where));
  Transport owner(listener);  // closes it should one of these fail
  CAIRN_TRY(const Address address, local_address(listener));
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  const int wake = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  const int nudge = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (epoll < 0 || wake < 0 || nudge < 0) {
    const Error error{.kind = ErrorKind::unavailable,
                      .message = std::string("cannot serve: ") + std::strerror(errno)};
    for (const int each : {epoll, wake, nudge}) {
      if (each >= 0) ::close(each);
    }
    return error;
  }
  auto server =
      std::make_unique<EpollServer>(std::move(options), std::move(handler), std::move(render),
                                    std::move(tls), epoll, nudge, owner.release(), wake, address);
  if (auto started = server->start(nudge); !started.ok())
    return with_context(std::move(started).error(), "cannot serve");
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace cairn::net
