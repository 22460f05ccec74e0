// SPDX-License-Identifier: Apache-2.0
#include "net/server/parked_reply.h"

#include <charconv>

#include "net/server/connection.h"
#include "net/server/serving.h"

namespace cairn::net {
namespace {

constexpr std::int64_t never_ns = INT64_MAX;

std::string as_chunk(std::string_view bytes) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, bytes.size(), 16).ptr;
  std::string out(digits, end);
  out.reserve(out.size() + bytes.size() + 4);
  out += "\r\n";
  out += bytes;
  out += "\r\n";
  return out;
}

}  // namespace

void ParkedReply::attach(Serving& serving, Connection& connection) {
  const std::lock_guard lock(mutex_);
  serving_ = &serving;
  connection_ = &connection;
  generation_ = connection.generation();
  state_ = State::parked;
}

void ParkedReply::detach() {
  const std::lock_guard lock(mutex_);
  serving_ = nullptr;
  connection_ = nullptr;
  state_ = State::closed;
}

// Under mutex_. Null where somebody else has the connection.
Connection* ParkedReply::claim() {
  if (serving_ == nullptr || !connection_->claim(generation_, Phase::armed)) return nullptr;
  return connection_;
}

// Under mutex_, which keeps the server from ending: closing the connection takes it.
void ParkedReply::let_go(Connection& connection) {
  if (!serving_->arm(connection, deadline_ns_, waits())) serving_->later(connection);
}

bool ParkedReply::offer(std::string_view bytes) {
  Serving* serving = nullptr;
  Connection* mine = nullptr;
  {
    const std::lock_guard lock(mutex_);
    mine = claim();
    if (mine == nullptr) return false;
    if (waits()) {
      let_go(*mine);
      return false;
    }
    if (!bytes.empty()) waiting_ = chunked_ ? as_chunk(bytes) : std::string(bytes);
    if (send_waiting(*serving_, *mine)) {
      let_go(*mine);
      return true;
    }
    serving = serving_;
  }
  // The connection is this thread's still, so the server is there; closing takes the mutex.
  serving->close(*mine);
  return false;
}

bool ParkedReply::end() {
  Serving* serving = nullptr;
  Connection* mine = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::closed) return true;
    mine = claim();
    if (mine == nullptr) return false;
    serving = serving_;
  }
  say_end(*mine);
  serving->close(*mine);
  return true;
}

bool ParkedReply::send_waiting(Serving& serving, Connection& connection) {
  const std::int64_t patience_ns = serving.options.write_stall_ms * 1'000'000;
  while (sent_ < waiting_.size()) {
    const Io io = connection.transport.write(std::string_view(waiting_).substr(sent_));
    switch (io.state) {
      case IoState::done:
        sent_ += io.count;
        serving.traffic.sent_bytes.add(io.count);
        deadline_ns_ = now_ns() + patience_ns;
        break;
      case IoState::want_read:
      case IoState::want_write:
        if (deadline_ns_ == never_ns) deadline_ns_ = now_ns() + patience_ns;
        return true;
      default:
        return false;
    }
  }
  waiting_ = std::string();
  sent_ = 0;
  deadline_ns_ = never_ns;
  return true;
}

void ParkedReply::say_end(Connection& connection) {
  if (chunked_ && !waits()) static_cast<void>(connection.transport.write("0\r\n\r\n"));
  connection.transport.finish_sending();
}

}  // namespace cairn::net
