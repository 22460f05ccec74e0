// SPDX-License-Identifier: Apache-2.0
// What the sessions of one server share: its limits, its connections, its epoll set.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include "net/http/head_parser.h"
#include "net/http/message.h"
#include "net/options.h"
#include "net/server/connection.h"
#include "net/server/traffic.h"
#include "os/clock.h"

namespace cairn::net {

/// What deadlines of connections are compared with.
inline std::int64_t now_ns() { return os::system_clock().steady_ns(); }

/// Bytes, buffers and objects that a worker uses for one connection after another.
struct Scratch {
  explicit Scratch(std::size_t head_bytes_max);
  std::unique_ptr<char[]> storage;
  std::size_t storage_bytes;
  std::string out;
  RequestHead head;
  std::uint64_t id_state;
  class Reply* reply = nullptr;  // of the request in its handler
};

class Serving {
 public:
  Serving(ServerOptions server_options, Handler server_handler, ErrorRenderer server_render,
          int epoll, int nudge);
  ~Serving();

  const ServerOptions options;
  const Handler handler;
  const ErrorRenderer render;
  const HeadLimits head_limits;
  Traffic traffic;
  ConnectionTable table;
  std::atomic<bool> draining{false};

  /// Gives a busy connection to the epoll set until it is readable (or writable), or `deadline_ns`
  /// on the steady clock has passed. All that was there must have been read. True: it may be
  /// somebody else's already. False: something came meanwhile, it is still the caller's.
  bool arm(Connection& connection, std::int64_t deadline_ns, bool writable = false);
  /// No events for what a busy connection receives until it is armed: its thread waits for it by
  /// itself. Only its end is told.
  void mute(Connection& connection);
  /// Sets a busy connection aside, for any worker to go on with.
  void later(Connection& connection);
  /// The next of those, or null.
  Connection* next_ready();
  bool has_ready() const { return ready_count_.load() > 0; }

  /// Around a wait for events, before the look at has_ready(): who sets a connection aside while
  /// somebody waits wakes one of them.
  bool begin_poll() { return pollers_.fetch_add(1) == 0; }  // true for the only one
  void end_poll() { pollers_.fetch_sub(1); }
  void close(Connection& connection);

  /// Counts bytes that a connection keeps while its body is awaited. False, and nothing counted,
  /// where all of them together would be too many.
  bool count_awaited(Connection& connection, std::size_t bytes);
  void forget_awaited(Connection& connection);

  /// Counts one more request in a handler; false when all workers but the reserved ones are in one.
  bool admit(bool reserved);
  void leave_handler() { in_handlers_.fetch_sub(1); }
  /// While it lives a worker may wait for what a handler left of a body, so that the connection can
  /// be kept. False where so many do already.
  class LeftoverTurn {
   public:
    explicit LeftoverTurn(Serving& serving)
        : serving_(serving), taken_(serving.leftovers_.fetch_add(1) < leftovers_max) {}
    ~LeftoverTurn() { serving_.leftovers_.fetch_sub(1); }
    LeftoverTurn(const LeftoverTurn&) = delete;
    LeftoverTurn& operator=(const LeftoverTurn&) = delete;
    explicit operator bool() const { return taken_; }

   private:
    Serving& serving_;
    const bool taken_;
  };
  std::size_t in_handlers() const { return in_handlers_.load(std::memory_order_relaxed); }
  /// Sets a connection whose head is complete aside until a worker is free.
  void queue(Connection& connection, std::int64_t since_ns);
  /// The connection that waits longest, busy; null where none waits or no worker may take it.
  Connection* next_queued();

  /// The body of an answer of the server's own.
  std::string error_body(int status, std::string_view reason, std::string_view request_id,
                         Headers& headers) const;
  /// The shortest answer that says why, sent without waiting, before a connection is dropped.
  void say_and_close(Connection& connection, int status, std::string_view reason);

 private:
  static constexpr std::size_t leftovers_max = 32;
  struct Ticket {
    std::uint32_t index;
    std::uint32_t generation;
  };
  void watch(Connection& connection, std::uint32_t events);
  const int epoll_;
  const int nudge_;  // an eventfd, edge-triggered in the epoll set
  std::atomic<int> pollers_{0};
  std::mutex ready_mutex_;
  std::deque<Connection*> ready_;
  std::atomic<std::size_t> ready_count_{0};
  const std::size_t handlers_max_;
  std::atomic<std::size_t> in_handlers_{0};
  std::atomic<std::size_t> leftovers_{0};
  std::mutex queue_mutex_;
  std::deque<Ticket> queue_;
  std::atomic<std::size_t> queued_{0};
  std::atomic<std::size_t> awaited_bytes_{0};
};

/// 16 upper-case hexadecimal digits that no other request of this process has.
struct RequestId {
  std::array<char, 16> digits;
  operator std::string_view() const { return {digits.data(), digits.size()}; }  // NOLINT: it is one
};
RequestId new_request_id(std::uint64_t& state);

}  // namespace cairn::net
