// SPDX-License-Identifier: Apache-2.0
// A reply that goes on after its handler has returned: something is said now and then, for hours,
// and nobody waits meanwhile.
#pragma once

#include <memory>
#include <string_view>

#include "net/http/message.h"

namespace cairn::net {

/// The open end of a parked reply. Its connection holds no worker; it ends when the peer does, when
/// the peer takes nothing for ServerOptions::write_stall_ms, and when the server drains. Safe from
/// any thread; no call blocks. It may outlive its server, and is closed then.
class ParkedStream {
 public:
  virtual ~ParkedStream() = default;
  /// Sends bytes of the body: all of them, some at once and the rest as the peer takes it. False,
  /// and nothing is taken, before the handler has returned, while bytes of an earlier call wait for
  /// the peer, for a moment in which a worker looks at the connection, and once it is closed.
  virtual bool offer(std::string_view bytes) = 0;
  /// Ends the body and closes the connection; what waits for the peer is lost. False where it must
  /// be asked again: before the handler has returned, and while a worker looks at the connection.
  virtual bool end() = 0;
  virtual bool is_open() const = 0;
};

/// A reply of a connection, which can be parked.
class ParkableReply : public ReplyWriter {
 public:
  /// Once, after begin() without a length, and as the handler's last act: what was written leaves
  /// with its return. A stream that nobody else keeps when the handler returns is closed. Null for
  /// HEAD, a reply with a length, and one that is compressed, which go on as usual.
  virtual std::shared_ptr<ParkedStream> park() = 0;
};

/// Parks `reply`; null also where it belongs to no connection.
std::shared_ptr<ParkedStream> park(ReplyWriter& reply);

}  // namespace cairn::net
