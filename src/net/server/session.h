// SPDX-License-Identifier: Apache-2.0
// One worker's turn with one connection: from the bytes that came to the replies that leave.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "net/http/body.h"
#include "net/http/reply.h"
#include "net/server/serving.h"

namespace cairn::net {

/// Deals with a connection that this thread has claimed, until it is armed again, queued or closed.
class Session : private Parking {
 public:
  Session(Serving& serving, Scratch& scratch, Connection& connection);
  void run();

 private:
  enum class Next { request, over };

  bool handshake();
  void linger_on();
  std::shared_ptr<ParkedStream> park(bool chunked) override;
  void leave_parked(Reply& reply);
  void stay_parked();
  Next await_head(std::size_t& head_size);
  bool let_go_for_more(IoState state);
  bool one_request(std::size_t head_size);
  std::size_t first_bytes(const Framing& framing, std::size_t head_size) const;
  bool await_body(const Framing& framing, std::size_t head_size, std::size_t bytes);
  bool collect();
  std::int64_t body_deadline() const;
  bool run_handler(const Framing& framing);
  bool finish_request(Reply& reply, FramedBody& body, Patience& receiving);
  void call_handler(Exchange& exchange, Reply& reply);
  bool settle(const Framing& framing);
  void refuse(int status, std::string_view reason, int version_minor = 1);
  bool flush();
  bool flush_slowly(std::size_t gone);
  void linger();
  void close();
  void save();
  bool may_rest() const;

  Serving& serving_;
  Scratch& scratch_;
  Connection& connection_;
  Inlet inlet_;
  bool admitted_ = false;
  bool awaited_ = false;                 // all of the body that a worker need not wait for is there
  std::shared_ptr<ParkedReply> parked_;  // of the request in its handler
  std::int64_t last_ns_ = 0;             // when the last reply was done
  std::size_t answered_ = 0;
};

}  // namespace cairn::net
