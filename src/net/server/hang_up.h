// SPDX-License-Identifier: Apache-2.0
// When the work on a request is given up because whoever asked has gone.
#pragma once

#include <cstdint>

namespace cairn::net {

/// What is known about the peer of a request that is in its handler.
struct PeerSigns {
  bool sends_no_more = false;  // its end of the connection is shut (EPOLLRDHUP)
  bool is_reset = false;       // both ends are, or there was an error (EPOLLHUP, EPOLLERR)
  bool answering = false;      // its reply is being sent
  std::int64_t in_handler_ns = 0;
};

/// A client that closed its socket, or was ended, looks just like one that only ended its sending:
/// the kernel sends the same segment for close() and for shutdown(SHUT_WR), and nothing more comes
/// until something is sent to the peer. Nearly all such peers are gone. So
/// each of them counts as gone, except
/// - within the first 50 ms, so that a request by pipe (`printf … | nc -N`) is answered;
/// - once its reply has begun, since sending finds out by itself whether somebody takes it. A reply
///   without a length that was flushed waits for its handler, maybe for long (white space during
///   long work, events): until more of it is sent, its peer counts as one that is not answered.
inline constexpr std::int64_t half_closed_grace_ns = 50'000'000;
/// How often peers are looked at. Together with the grace this stays below the 100 ms in which work
/// for nobody shall end.
inline constexpr std::int64_t peers_looked_at_every_ns = 25'000'000;
static_assert(half_closed_grace_ns + peers_looked_at_every_ns < 100'000'000);

constexpr bool is_gone(const PeerSigns& peer) {
  if (peer.is_reset) return true;
  return peer.sends_no_more && !peer.answering && peer.in_handler_ns >= half_closed_grace_ns;
}

}  // namespace cairn::net
