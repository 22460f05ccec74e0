// SPDX-License-Identifier: Apache-2.0
// The life of requests on a connection.
#include "net/server/session.h"

#include <algorithm>
#include <exception>

#include "base/strings.h"
#include "net/server/request_trace.h"
#include "os/clock.h"
#include "os/log.h"

namespace cairn::net {
namespace {

constexpr std::uint64_t lingered_bytes_max = 4 << 20;
constexpr std::uint64_t parked_bytes_max = 64 << 10;  // from a peer that has nothing to say

bool is_reserved(std::string_view path, const std::vector<std::string>& reserved) {
  return std::any_of(reserved.begin(), reserved.end(),
                     [path](const std::string& prefix) { return path.starts_with(prefix); });
}

// What to do about Content-Encoding where bodies are inflated.
enum class Coding { none, inflate, unknown };
Coding coding_of(const Headers& headers) {
  if (!headers.has("Content-Encoding")) return Coding::none;
  const std::string coding = lower_ascii(headers.joined("Content-Encoding"));
  if (coding.empty() || coding == "identity") return Coding::none;
  if (coding == "gzip" || coding == "x-gzip" || coding == "deflate") return Coding::inflate;
  return Coding::unknown;
}

// True where the last chunk is among these bytes, or they are no chunks.
bool chunks_end(std::string_view bytes) {
  ChunkDecoder decoder;
  char waste[4 << 10];
  for (;;) {
    const auto step = decoder.decode(bytes, waste);
    if (step.outcome != ChunkDecoder::Outcome::more) return true;
    if (step.consumed == 0 && step.produced == 0) return false;
    bytes.remove_prefix(step.consumed);
  }
}

}  // namespace

Session::Session(Serving& serving, Scratch& scratch, Connection& connection)
    : serving_(serving),
      scratch_(scratch),
      connection_(connection),
      inlet_(connection.transport, {scratch.storage.get(), scratch.storage_bytes}) {}

void Session::close() { serving_.close(connection_); }

// Puts what was received and not used into the connection, for whoever goes on with it.
void Session::save() {
  if (inlet_.empty()) {
    if (connection_.saved.capacity() > 0) connection_.saved = std::string();
    connection_.scanned = 0;
    connection_.head_since_ns = 0;
  } else {
    connection_.saved = std::string(inlet_.view());
    if (connection_.head_since_ns == 0) connection_.head_since_ns = now_ns();
  }
}

// All that came has been read, so the epoll set will tell when more does.
bool Session::may_rest() const {
  const Transport& transport = connection_.transport;
  return transport.drained() && !transport.has_pending() &&
         !connection_.hung_up.load(std::memory_order_relaxed);
}

void Session::run() {
  connection_.transport.forget_drained();
  if (connection_.mode == Connection::Mode::lingering) return linger_on();
  if (connection_.mode == Connection::Mode::parked) return stay_parked();
  if (connection_.mode == Connection::Mode::handshake && !handshake()) return;
  scratch_.out.clear();
  if (connection_.wanted == 0) {
    inlet_.put_back(connection_.saved);
  } else if (!collect()) {
    return;
  }
  for (std::size_t i = 0; i < serving_.options.pipelined_max; ++i) {
    std::size_t head_size = 0;
    if (await_head(head_size) == Next::over) return;
    if (!one_request(head_size)) return;
  }
  // Others have their turn before this one goes on with what it holds.
  if (!flush()) return;
  save();
  serving_.later(connection_);
}

bool Session::handshake() {
  for (;;) {
    const Io io = connection_.transport.handshake();
    switch (io.state) {
      case IoState::done:
        connection_.mode = Connection::Mode::http;
        connection_.head_since_ns = 0;
        return true;
      case IoState::want_read:
      case IoState::want_write:
        if (serving_.arm(connection_,
                         connection_.head_since_ns + serving_.options.head_timeout_ms * 1'000'000,
                         io.state == IoState::want_write)) {
          return false;
        }
        break;
      default:
        close();
        return false;
    }
  }
}

// Reads until a head is complete. Otherwise the connection was armed or closed.
Session::Next Session::await_head(std::size_t& head_size) {
  for (;;) {
    while (inlet_.view().starts_with("\r\n") && connection_.scanned == 0) inlet_.consume(2);
    const std::string_view bytes = inlet_.view();
    if (const auto end = find_head_end(bytes, connection_.scanned)) {
      head_size = *end;
      return Next::request;
    }
    if (bytes.size() >= serving_.options.head_bytes_max) {
      refuse(431, "the head is too large");
      return Next::over;
    }
    // A lone CR may be the first half of an empty line.
    connection_.scanned = bytes == "\r" ? 0 : bytes.size();
    if (may_rest()) {
      if (let_go_for_more(IoState::want_read)) return Next::over;
      inlet_.put_back(std::exchange(connection_.saved, {}));
    }
    const Io io = inlet_.fill();
    switch (io.state) {
      case IoState::done:
        serving_.traffic.received_bytes.add(io.count);
        break;
      case IoState::want_read:
      case IoState::want_write:
        if (let_go_for_more(io.state)) return Next::over;
        inlet_.put_back(std::exchange(connection_.saved, {}));
        break;
      default:
        if (flush()) close();
        return Next::over;
    }
  }
}

// True when the connection is armed or gone; false when something came at the last moment.
bool Session::let_go_for_more(IoState state) {
  if (!flush()) return true;
  const ServerOptions& options = serving_.options;
  const bool idle = inlet_.empty();
  if (idle && serving_.draining.load(std::memory_order_relaxed)) {
    close();
    return true;
  }
  save();
  inlet_.consume(inlet_.view().size());
  const std::int64_t deadline =
      idle ? (last_ns_ != 0 ? last_ns_ : now_ns()) + options.idle_timeout_ms * 1'000'000
           : connection_.head_since_ns + options.head_timeout_ms * 1'000'000;
  return serving_.arm(connection_, deadline, state == IoState::want_write);
}

bool Session::flush() {
  if (scratch_.out.empty()) return true;
  // Nearly always the socket takes all of it.
  const Io io = connection_.transport.write(scratch_.out);
  const std::size_t gone = io.state == IoState::done ? io.count : 0;
  serving_.traffic.sent_bytes.add(gone);
  if (gone < scratch_.out.size()) return flush_slowly(gone);
  scratch_.out.clear();
  return true;
}

// What is left from `gone` on.
bool Session::flush_slowly(std::size_t gone) {
  Patience patience({.stall_ms = serving_.options.write_stall_ms},
                    os::Deadline::never(connection_.stop.get_token()));
  const bool sent =
      send_all(connection_.transport, patience, std::string_view(scratch_.out).substr(gone)).ok();
  serving_.traffic.sent_bytes.add(patience.bytes());
  scratch_.out.clear();
  if (!sent) close();
  return sent;
}

// How long the head and what must be there of its body are before a worker takes the request.
std::size_t Session::first_bytes(const Framing& framing, std::size_t head_size) const {
  const ServerOptions& options = serving_.options;
  const std::uint64_t length = framing.length.value_or(0);
  const bool is_refused = options.body_bytes_max > 0 && length > options.body_bytes_max;
  // Who expects leave to send may be refused before the body, which the handler decides.
  const bool asks = framing.expect_continue && inlet_.view().size() == head_size;
  if (awaited_ || is_refused || asks) return head_size;
  const std::uint64_t bytes = framing.chunked ? options.body_start_bytes
                              : length <= options.small_body_bytes
                                  ? length
                                  : std::min<std::uint64_t>(length, options.body_start_bytes);
  if (options.small_body_bytes == 0 || head_size + bytes > scratch_.storage_bytes) return head_size;
  return head_size + static_cast<std::size_t>(bytes);
}

// Whoever sends slowly shall hold a slot of the table, not a worker. True when the head and `bytes`
// in all are in the inlet, or nothing is gained by waiting without a worker.
bool Session::await_body(const Framing& framing, std::size_t head_size, std::size_t bytes) {
  if (framing.chunked && chunks_end(inlet_.view().substr(head_size))) return true;
  if (!serving_.count_awaited(connection_, inlet_.view().size())) return true;
  if (!flush()) return false;
  connection_.saved = std::string(inlet_.view());
  inlet_.consume(connection_.saved.size());
  connection_.scanned = 0;
  connection_.wanted = bytes;
  connection_.wants_chunks = framing.chunked;
  connection_.body_at = head_size;
  connection_.wanted_since_ns = now_ns();
  return collect();
}

// Takes what came of an awaited body. True when a worker shall have the request: its bytes are in
// the inlet. False when the connection is armed or gone.
bool Session::collect() {
  std::string& saved = connection_.saved;
  const auto rests = [this](bool writable) {
    return serving_.arm(connection_, body_deadline(), writable);
  };
  bool more = true;
  while (more && saved.size() < connection_.wanted) {
    if (may_rest() && rests(false)) return false;
    const std::span<char> room(scratch_.storage.get(), connection_.wanted - saved.size());
    const Io io = connection_.transport.read(room);
    switch (io.state) {
      case IoState::done:
        saved.append(room.data(), io.count);
        serving_.traffic.received_bytes.add(io.count);
        more = serving_.count_awaited(connection_, io.count) &&
               !(connection_.wants_chunks &&
                 chunks_end(std::string_view(saved).substr(connection_.body_at)));
        break;
      case IoState::want_read:
      case IoState::want_write:
        if (rests(io.state == IoState::want_write)) return false;
        break;
      case IoState::end:
        more = false;  // the handler's reader says what is missing
        break;
      default:
        close();
        return false;
    }
  }
  awaited_ = true;
  serving_.forget_awaited(connection_);
  connection_.wanted = 0;
  inlet_.put_back(std::exchange(saved, {}));
  return true;
}

// The same limits as those of a worker's Patience.
std::int64_t Session::body_deadline() const {
  constexpr std::int64_t ms = 1'000'000;
  const ServerOptions& options = serving_.options;
  const std::int64_t since = connection_.wanted_since_ns;
  std::int64_t at = now_ns() + options.write_stall_ms * ms;
  if (options.request_timeout_ms > 0) at = std::min(at, since + options.request_timeout_ms * ms);
  if (options.body_bytes_per_second_min > 0) {
    const std::uint64_t came = connection_.saved.size() - connection_.body_at;
    const auto earned =
        static_cast<std::int64_t>(came * 1'000'000'000 / options.body_bytes_per_second_min);
    at = std::min(at, since + options.body_grace_ms * ms + earned);
  }
  return at;
}

// False when the connection is no longer this session's.
bool Session::one_request(std::size_t head_size) {
  RequestHead& head = scratch_.head;
  Framing framing;
  const std::string_view bytes = inlet_.view().substr(0, head_size);
  if (const auto fault = parse_request_head(bytes, serving_.head_limits, head, framing)) {
    refuse(fault->status, fault->reason);
    return false;
  }
  const std::size_t awaited = first_bytes(framing, head_size);
  if (inlet_.view().size() < awaited && !await_body(framing, head_size, awaited)) return false;
  awaited_ = false;  // of the next request
  admitted_ = serving_.admit(is_reserved(head.path(), serving_.options.reserved_paths));
  if (!admitted_) {
    if (!flush()) return false;
    connection_.saved = std::string(inlet_.view());
    connection_.scanned = 0;
    serving_.queue(connection_, now_ns());
    return false;
  }
  inlet_.consume(head_size);
  connection_.scanned = 0;
  head.received_steady_ns = now_ns();
  connection_.head_since_ns = 0;
  head.peer_address = connection_.peer;
  head.tls = connection_.transport.is_tls();
  head.tls_version = connection_.transport.tls_version();
  const bool goes_on = settle(framing);
  serving_.leave_handler();
  ++answered_;
  return goes_on;
}

// Refuses what no handler could accept, and runs the handler for the rest.
bool Session::settle(const Framing& framing) {
  const ServerOptions& options = serving_.options;
  const int minor = scratch_.head.version_minor;
  if (options.body_bytes_max > 0 && framing.length.value_or(0) > options.body_bytes_max) {
    refuse(413,
           "the body has " + std::to_string(*framing.length) + " bytes, and this server takes " +
               std::to_string(options.body_bytes_max) + " at most",
           minor);
    return false;
  }
  if (options.inflate_request_bodies && coding_of(scratch_.head.headers) == Coding::unknown) {
    refuse(415, "the only Content-Encoding offered is gzip", minor);
    return false;
  }
  return run_handler(framing);
}

bool Session::run_handler(const Framing& framing) {
  const ServerOptions& options = serving_.options;
  RequestHead& head = scratch_.head;
  const os::Deadline deadline =
      options.request_timeout_ms > 0
          ? os::Deadline::in_ms(options.request_timeout_ms, connection_.stop.get_token())
          : os::Deadline::never(connection_.stop.get_token());
  const WaitLimits limits{.stall_ms = options.write_stall_ms,
                          .bytes_per_second_min = options.body_bytes_per_second_min,
                          .grace_ms = options.body_grace_ms};
  Patience sending(limits, deadline);
  Patience receiving(limits, deadline);
  connection_.body_bytes.store(0, std::memory_order_relaxed);
  receiving.show(connection_.body_bytes);
  receiving.before_first_wait([this] {
    connection_.body_since_ns.store(now_ns(), std::memory_order_relaxed);
    serving_.mute(connection_);
  });
  const auto accepted = head.headers.find("Accept-Encoding");
  Reply reply(
      connection_.transport, scratch_.out, sending,
      {.is_head = head.method == "HEAD",
       .version_minor = head.version_minor,
       .keep_alive = framing.keep_alive && !serving_.draining.load(std::memory_order_relaxed),
       // A peer that sends already needs no leave to.
       .expect_continue = framing.expect_continue && inlet_.empty(),
       .accept_encoding = accepted.value_or(std::string_view()),
       .gzip_bytes_min = options.gzip_reply_bytes_min,
       .unread_bytes_max = options.unread_bytes_max,
       .answering = &connection_.answering,
       .parking = this});
  FramedBody body(inlet_, framing, receiving, options.body_bytes_max,
                  [&reply] { return reply.send_continue(); });
  reply.set_body(&body);
  const std::uint64_t received_before = inlet_.received();
  const RequestId request_id = new_request_id(scratch_.id_state);
  os::TraceContext trace = trace_of(head);
  const os::TraceScope tracing(&trace);
  std::optional<InflatingBody> inflated;
  if (options.inflate_request_bodies && coding_of(head.headers) == Coding::inflate) {
    head.headers.remove("Content-Encoding");
    head.headers.remove("Content-Length");
    inflated.emplace(body, options.body_bytes_max);
  }
  Exchange exchange{head, inflated ? static_cast<BodyReader&>(*inflated) : body, reply, deadline,
                    request_id};
  call_handler(exchange, reply);
  const bool goes_on = finish_request(reply, body, receiving);
  serving_.traffic.received_bytes.add(inlet_.received() - received_before);
  serving_.traffic.sent_bytes.add(sending.bytes());
  last_ns_ = now_ns();
  serving_.traffic.request(reply.status(), last_ns_ - head.received_steady_ns);
  if (trace.sampled) record_span(trace, head, reply.status(), last_ns_ - head.received_steady_ns);
  return goes_on;
}

void Session::call_handler(Exchange& exchange, Reply& reply) {
  const os::LogRequest log_request(exchange.request_id);
  scratch_.reply = &reply;
  connection_.answering.store(false, std::memory_order_relaxed);
  connection_.handler_since_ns.store(exchange.head.received_steady_ns, std::memory_order_relaxed);
  std::string fault;
  try {
    serving_.handler(exchange);
    if (!reply.begun() && !reply.failed()) fault = "the handler gave no reply";
  } catch (const std::exception& thrown) {
    fault = thrown.what();
    if (fault.empty()) fault = "exception";
  } catch (...) {
    fault = "unknown exception";
  }
  connection_.handler_since_ns.store(0, std::memory_order_relaxed);
  connection_.body_since_ns.store(0, std::memory_order_relaxed);
  if (!fault.empty()) {
    os::log(os::LogLevel::error, "net", "handler_failed",
            {{"method", exchange.head.method},
             {"path", exchange.head.path()},
             {"fault", fault},
             {"reply_begun", reply.begun()}});
  }
  if (!reply.begun() && !reply.failed()) {
    Headers headers;
    const std::string text = serving_.error_body(
        500, "the server failed to answer; its log has the reason under the id of this request",
        exchange.request_id, headers);
    // A failure shows in complete().
    static_cast<void>(reply.reply(500, headers, text).ok());
  }
  scratch_.reply = nullptr;
}

// Brings the connection to where the next head begins, or ends it. False when it is gone.
bool Session::finish_request(Reply& reply, FramedBody& body, Patience& receiving) {
  if (parked_ != nullptr) {
    leave_parked(reply);
    return false;
  }
  if (!reply.complete()) {
    // The peer shall see that something is missing, so no polite end.
    static_cast<void>(reply.flush().ok());
    scratch_.out.clear();
    close();
    return false;
  }
  bool keeps = reply.keep_alive() && !body.is_broken();
  if (keeps && !body.at_end()) {
    if (!flush()) return false;
    // Anybody can be refused: few workers wait for the rest, and other connections end.
    const Serving::LeftoverTurn turn(serving_);
    const bool is_here = body.length() && body.left() <= inlet_.view().size();
    keeps = is_here || turn;
    char waste[16 << 10];
    receiving.restart(
        {}, os::Deadline::in_ms(serving_.options.linger_ms, connection_.stop.get_token()));
    std::uint64_t thrown_away = 0;
    while (keeps && !body.at_end()) {
      const auto count = body.read(waste);
      keeps = count.ok() && (thrown_away += *count) <= serving_.options.unread_bytes_max;
    }
    connection_.body_since_ns.store(0, std::memory_order_relaxed);
    keeps = keeps && !connection_.stop.stop_requested();
  }
  if (keeps) return true;
  if (flush()) {
    connection_.transport.finish_sending();
    linger();
  }
  return false;
}

std::shared_ptr<ParkedStream> Session::park(bool chunked) {
  parked_ = std::make_shared<ParkedReply>(chunked);
  return parked_;
}

// What was written so far leaves, and the connection waits for offers, and for its peer's end.
void Session::leave_parked(Reply& reply) {
  const bool is_fed = parked_.use_count() > 1;
  connection_.parked = std::move(parked_);
  connection_.mode = Connection::Mode::parked;
  connection_.saved = std::string();
  connection_.lingered_bytes = inlet_.view().size();
  inlet_.consume(inlet_.view().size());
  if (!is_fed || !reply.flush().ok()) {
    scratch_.out.clear();
    return close();
  }
  if (!flush()) return;
  connection_.parked->attach(serving_, connection_);
  stay_parked();
}

// Sends what waits, and reads until there is nothing: a peer that listens has nothing to say.
void Session::stay_parked() {
  ParkedReply& parked = *connection_.parked;
  for (;;) {
    if (serving_.draining.load(std::memory_order_relaxed)) parked.say_end(connection_);
    if (serving_.draining.load(std::memory_order_relaxed) ||
        !parked.send_waiting(serving_, connection_))
      return close();
    const Io io = connection_.transport.read({scratch_.storage.get(), scratch_.storage_bytes});
    if (io.state == IoState::want_read || io.state == IoState::want_write) {
      const bool writable = parked.waits() || io.state == IoState::want_write;
      if (serving_.arm(connection_, parked.deadline_ns(), writable)) return;
      continue;
    }
    connection_.lingered_bytes += io.count;
    if (io.state != IoState::done || connection_.lingered_bytes > parked_bytes_max) return close();
    serving_.traffic.received_bytes.add(io.count);
  }
}

// Answers without a handler, and ends the connection: what follows on it cannot be trusted.
void Session::refuse(int status, std::string_view reason, int version_minor) {
  Patience patience({.stall_ms = serving_.options.write_stall_ms},
                    os::Deadline::never(connection_.stop.get_token()));
  Reply reply(connection_.transport, scratch_.out, patience,
              {.version_minor = version_minor, .keep_alive = false});
  Headers headers;
  const RequestId id = new_request_id(scratch_.id_state);
  const std::string body = serving_.error_body(status, reason, id, headers);
  static_cast<void>(reply.reply(status, headers, body).ok());
  serving_.traffic.refused_heads.add();
  serving_.traffic.request(status, 0);
  os::log(os::LogLevel::debug, "net", "request_refused",
          {{"status", status}, {"reason", reason}, {"peer", connection_.peer}});
  if (!flush()) return;
  connection_.transport.finish_sending();
  linger();
}

// Closing while bytes of the peer are unread makes the kernel send a reset, which can overtake the
// last reply. So what still comes is read for a while, and thrown away.
void Session::linger() {
  inlet_.consume(inlet_.view().size());
  connection_.mode = Connection::Mode::lingering;
  connection_.saved = std::string();
  connection_.lingered_bytes = 0;
  connection_.deadline_ns = now_ns() + serving_.options.linger_ms * 1'000'000;
  linger_on();
}

void Session::linger_on() {
  for (;;) {
    const Io io = connection_.transport.read({scratch_.storage.get(), scratch_.storage_bytes});
    if (io.state == IoState::want_read || io.state == IoState::want_write) {
      if (serving_.arm(connection_, connection_.deadline_ns)) return;
      continue;
    }
    connection_.lingered_bytes += io.count;
    if (io.state != IoState::done || connection_.lingered_bytes > lingered_bytes_max) {
      return close();
    }
  }
}

}  // namespace cairn::net
