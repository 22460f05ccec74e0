// SPDX-License-Identifier: Apache-2.0
// The server's side of a parked stream: who may touch its connection, and what waits for the peer.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "net/http/parked_stream.h"

namespace cairn::net {

class Connection;
class Serving;

/// A parked connection is armed, as an idle one is, and whoever claims it may touch it: a worker
/// that got an event, the watch, or the caller of offer(). So there is no lock around the socket;
/// the mutex is about who still knows the server, and is taken behind the table's.
class ParkedReply final : public ParkedStream {
 public:
  /// `chunked`: bytes leave as chunks; else as they are, until the connection ends.
  explicit ParkedReply(bool chunked) : chunked_(chunked) {}

  bool offer(std::string_view bytes) override;
  bool end() override;
  bool is_open() const override { return state_.load() != State::closed; }

  // For the session and the table of connections, which have the connection claimed:

  /// From now on offers are taken while the connection is armed.
  void attach(Serving& serving, Connection& connection);
  /// The connection goes.
  void detach();
  /// Sends what waits, as far as the socket takes it. False: the peer cannot be reached.
  bool send_waiting(Serving& serving, Connection& connection);
  bool waits() const { return !waiting_.empty(); }
  /// Until when the peer must have taken something, on the steady clock.
  std::int64_t deadline_ns() const { return deadline_ns_; }
  /// What ends the body, where the socket takes it at once.
  void say_end(Connection& connection);

 private:
  enum class State : std::uint8_t { waiting, parked, closed };
  Connection* claim();
  void let_go(Connection& connection);

  const bool chunked_;
  std::atomic<State> state_{State::waiting};
  std::mutex mutex_;
  Serving* serving_ = nullptr;        // under mutex_; null unless parked
  Connection* connection_ = nullptr;  // under mutex_
  std::uint32_t generation_ = 0;      // under mutex_
  // Of who has the connection claimed:
  std::string waiting_;
  std::size_t sent_ = 0;  // of them
  std::int64_t deadline_ns_ = INT64_MAX;
};

}  // namespace cairn::net
