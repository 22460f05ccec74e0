// SPDX-License-Identifier: Apache-2.0
// What a server keeps of a connection, busy or not, and the table of all of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "net/server/parked_reply.h"
#include "net/transport.h"

namespace cairn::net {

/// Who may touch a connection.
enum class Phase : std::uint8_t {
  free,
  armed,   // waits for an event; who claims it first has it
  busy,    // one thread has it
  again,   // as busy, and an event came meanwhile: its thread looks again before it lets go
  queued,  // has a whole head and waits for a worker
};

/// A slot that connections use one after another. Slots are never freed while the server lives, so
/// that an event that comes late finds another generation instead of nothing.
class Connection {
 public:
  enum class Mode : std::uint8_t { handshake, http, lingering, parked };

  Transport transport;
  std::string saved;  // received and not used
  std::string peer;
  std::shared_ptr<ParkedReply> parked;  // of mode parked
  std::stop_source stop{std::nostopstate};
  std::atomic<std::int64_t> deadline_ns{0};       // of a connection that is armed or queued
  std::atomic<std::int64_t> handler_since_ns{0};  // 0: in no handler
  std::atomic<std::int64_t> body_since_ns{0};     // a worker waits for its body; 0: it does not
  std::atomic<std::uint64_t> body_bytes{0};       // of it that came
  std::int64_t head_since_ns = 0;  // when the first byte of the next head came; 0: not yet
  std::size_t scanned = 0;         // of `saved`: holds no end of a head
  // While the first bytes of a body are awaited and no worker has the request:
  std::size_t wanted = 0;     // so long must `saved` be; 0: no body is awaited
  std::size_t body_at = 0;    // in `saved`, behind the head
  std::size_t counted = 0;    // bytes of `saved` in Serving's sum
  bool wants_chunks = false;  // … or until the last chunk
  std::int64_t wanted_since_ns = 0;
  std::uint64_t lingered_bytes = 0;
  std::atomic<bool> hung_up{false};    // an event said that the peer sends no more
  std::atomic<bool> reset{false};      // … and takes no more either
  std::atomic<bool> answering{false};  // a reply is on its way: sending finds out who takes it
  std::uint32_t watched = 0;           // what the epoll set watches for; 0: nothing yet
  Mode mode = Mode::http;
  std::uint32_t index = 0;

  std::uint32_t generation() const { return static_cast<std::uint32_t>(state_.load() >> 8); }
  Phase phase() const { return static_cast<Phase>(state_.load() & 0xff); }
  /// What an epoll event carries.
  std::uint64_t ticket() const { return std::uint64_t{index} << 32 | generation(); }
  /// Takes it from `from` of this generation to busy. False when it is in another state.
  bool claim(std::uint32_t generation, Phase from) { return move(generation, from, Phase::busy); }
  /// What the thread that got an event does: true when the connection is its own now. A thread that
  /// has it already is told to look again.
  bool claim_event(std::uint32_t generation);
  /// From busy to armed. False, and busy still, when an event came meanwhile.
  bool let_go();
  void set(Phase phase) { state_.store(std::uint64_t{generation()} << 8 | unsigned(phase)); }

 private:
  friend class ConnectionTable;
  bool move(std::uint32_t generation, Phase from, Phase to);
  std::atomic<std::uint64_t> state_{0};
};

/// All connections of one server. Opening and closing take its mutex, so that whoever holds it
/// may use the descriptors of connections that others are busy with.
class ConnectionTable {
 public:
  explicit ConnectionTable(std::size_t max);

  /// A busy connection. Null when the table is full.
  Connection* open(Transport transport, std::string peer);
  void close(Connection& connection);
  /// Null for an index that was never used.
  Connection* at(std::uint32_t index);
  /// Of a connection of this generation; one that stops nobody where it is gone.
  std::stop_source stop_of(Connection& connection, std::uint32_t generation);
  std::size_t count() const { return count_.load(std::memory_order_relaxed); }
  std::size_t max() const { return max_; }
  /// Calls it with each connection in use, and `last` after them, under the mutex.
  void for_each(const std::function<void(Connection&)>& call,
                const std::function<void()>& last = {});

 private:
  static constexpr std::size_t slab_size = 64;
  const std::size_t max_;
  std::mutex mutex_;
  std::vector<std::atomic<Connection*>> slabs_;
  std::vector<std::unique_ptr<Connection[]>> owned_;
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;  // slots ever used
  std::atomic<std::size_t> count_{0};
};

}  // namespace cairn::net
