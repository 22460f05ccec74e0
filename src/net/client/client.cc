// SPDX-License-Identifier: Apache-2.0
// One request out, one reply in.
#include "net/client/client.h"

#include <algorithm>
#include <cerrno>

#include "base/strings.h"
#include "net/address.h"
#include "net/client/call_trace.h"
#include "net/client/client_pool.h"
#include "net/http/body.h"
#include "net/http/field_bytes.h"
#include "net/http/head_parser.h"
#include "os/threads/blocking.h"

namespace cairn::net {
namespace {

constexpr std::size_t copy_bytes = 64 << 10;
constexpr std::size_t section_bytes = 1 << 20;  // at once, so that deadlines are looked at

// Where a reply that is being read lives. The pool outlives the client as long as one of these.
class PooledStream final : public ClientStream {
 public:
  PooledStream(std::shared_ptr<ClientPool> pool, std::unique_ptr<ClientConnection> connection,
               std::string_view trace_lines, const os::Deadline& deadline)
      : pool_(std::move(pool)),
        trace_lines_(trace_lines),
        connection_(std::move(connection)),
        reused_(connection_->reused),
        receiving_({.stall_ms = pool_->options().read_timeout_ms}, deadline),
        sending_({.stall_ms = pool_->options().write_stall_ms}, deadline),
        inlet_(connection_->transport,
               {connection_->buffer.get(), ClientConnection::buffer_bytes}) {}

  int status() const override { return status_; }
  const Headers& headers() const override { return headers_; }
  BodyReader& body() override { return reader_; }
  bool reused_connection() const override { return reused_; }

  Status exchange(const ClientRequest& request);
  /// The connection broke, no byte of a reply has come, and the request is harmless to repeat:
  /// its method is, or not all of it was sent.
  bool may_repeat(const ClientRequest& request) const {
    const bool harmless = request.method != "POST" && request.method != "PATCH";
    return broke_ && inlet_.received() == 0 && request.body_stream == nullptr &&
           (harmless || !sent_);
  }

 private:
  // Passes reads on, and gives the connection back at the end.
  class Reader final : public BodyReader {
   public:
    explicit Reader(PooledStream& stream) : stream_(stream) {}
    Result<std::size_t> read(std::span<char> into) override { return stream_.read(into); }
    std::optional<std::uint64_t> length() const override { return stream_.body_->length(); }
    const Headers& trailers() const override { return stream_.body_->trailers(); }

   private:
    PooledStream& stream_;
  };

  Result<std::size_t> read(std::span<char> into);
  Status send_request(const ClientRequest& request);
  Status send_body(const ClientRequest& request, bool chunked);
  Status send_part(std::string_view bytes, bool chunked);
  Result<bool> send_section(FileSection section);
  Status send(std::string_view first, std::string_view second = {});
  Status wait_to_send(IoState state);
  /// The connection is no good any more.
  Error lost(std::string_view when);
  Error lost_while_sending();
  Result<bool> go_ahead();
  Status read_head(bool request_was_head);
  Result<bool> read_one_head(bool request_was_head);
  void release();

  std::shared_ptr<ClientPool> pool_;
  std::string_view trace_lines_;  // until the request is sent
  std::unique_ptr<ClientConnection> connection_;
  bool reused_;
  Patience receiving_;
  Patience sending_;
  Inlet inlet_;
  int status_ = 0;
  Headers headers_;
  Framing framing_;
  std::optional<FramedBody> body_;
  Reader reader_{*this};
  bool keeps_ = true;      // the connection can carry another request
  bool answered_ = false;  // a head came before the body was sent
  bool broke_ = false;
  bool sent_ = false;
};

Error unavailable(std::string message) {
  return Error{.kind = ErrorKind::unavailable, .message = std::move(message)};
}

Status check_request(const ClientRequest& request) {
  const auto bad = [](std::string_view text, std::string_view breaks) {
    return text.empty() || text.find_first_of(breaks) != std::string_view::npos;
  };
  bool wrong = bad(request.method, std::string_view("\r\n\0 ", 4)) ||
               bad(request.url.target, std::string_view("\r\n\0 ", 4)) ||
               bad(request.url.host, std::string_view("\r\n\0/ ", 5));
  for (const auto& [name, value] : request.headers.fields()) {
    wrong = wrong || breaks_a_head(name, value);
  }
  if (!wrong) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .message =
                   "the method, the target or a header field has characters that it "
                   "may not have"};
}

// The length of the body, or nothing where only its end will tell.
std::optional<std::uint64_t> length_of(const ClientRequest& request) {
  if (request.body_stream != nullptr) return request.body_stream->length();
  return request.body.size();
}

// Of sendfile(2): what says that the file is of a kind that it does not take.
bool cannot_send_from(int error) { return error == EINVAL || error == ESPIPE || error == ENOSYS; }

std::string head_of(const ClientRequest& request, bool expects, std::string_view trace_lines) {
  std::string head = request.method + " " + request.url.target + " HTTP/1.1\r\n";
  const auto host = request.headers.find("Host");
  head += "Host: " + (host ? std::string(*host) : request.url.authority()) + "\r\n";
  for (const auto& [name, value] : request.headers.fields()) {
    if (equals_ignore_case(name, "Host") || equals_ignore_case(name, "Content-Length") ||
        equals_ignore_case(name, "Transfer-Encoding") || equals_ignore_case(name, "Connection") ||
        equals_ignore_case(name, "Expect")) {
      continue;
    }
    head += name + ": " + value + "\r\n";
  }
  const auto length = length_of(request);
  const bool usual_body =
      request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
  if (!length) {
    head += "Transfer-Encoding: chunked\r\n";
  } else if (*length > 0 || usual_body || request.body_stream != nullptr) {
    head += "Content-Length: " + std::to_string(*length) + "\r\n";
  }
  if (expects) head += "Expect: 100-continue\r\n";
  head += trace_lines;
  return head + "\r\n";
}

void PooledStream::release() {
  if (connection_ == nullptr) return;
  if (keeps_ && framing_.keep_alive && body_->at_end() && !body_->is_broken() && inlet_.empty()) {
    connection_->reused = false;
    connection_->transport.gather(1);
    pool_->give_back(std::move(connection_));
  } else {
    connection_->transport.close();
  }
}

Result<std::size_t> PooledStream::read(std::span<char> into) {
  auto result = body_->read(into);
  if (result.ok() && body_->at_end()) release();
  if (!result.ok() && connection_ != nullptr) {
    connection_->transport.close();
    // What a caller of a server would call its peer's fault is unavailability to a client.
    if (result.error().kind == ErrorKind::cancelled && !receiving_.deadline().stopped()) {
      result.error().kind = ErrorKind::unavailable;
    }
    if (result.error().kind == ErrorKind::invalid_argument) {
      result.error().kind = ErrorKind::unavailable;
    }
  }
  return result;
}

Status PooledStream::wait_to_send(IoState state) {
  Transport& transport = connection_->transport;
  bool readable = false;
  CAIRN_CHECK(sending_.wait(transport.descriptor(), state, "sending the request",
                            transport.is_tls() ? nullptr : &readable));
  // A server that answers before it has the body has made up its mind.
  if (readable) answered_ = true;
  return ok_status();
}

Error PooledStream::lost(std::string_view when) {
  broke_ = true;
  const std::string_view alert = connection_->transport.alert();
  return unavailable("the server closed the connection " + std::string(when) +
                     (alert.empty() ? "" : ": " + std::string(alert)));
}

Error PooledStream::lost_while_sending() {
  Transport& transport = connection_->transport;
  // It may have said why before it closed.
  char byte;
  if (transport.is_tls() && transport.alert().empty()) static_cast<void>(transport.read({&byte, 1}));
  return lost("while the request was sent");
}

Status PooledStream::send(std::string_view first, std::string_view second) {
  Transport& transport = connection_->transport;
  while (!first.empty() || !second.empty()) {
    const Io io = transport.write_both(first, second);
    if (io.state == IoState::done) {
      const std::size_t of_first = std::min(io.count, first.size());
      first.remove_prefix(of_first);
      second.remove_prefix(io.count - of_first);
    } else if (io.state == IoState::want_read || io.state == IoState::want_write) {
      CAIRN_CHECK(wait_to_send(io.state));
      if (answered_) return ok_status();
    } else {
      return lost_while_sending();
    }
  }
  return ok_status();
}

Status PooledStream::send_part(std::string_view bytes, bool chunked) {
  if (!chunked) return send(bytes);
  char size[20];
  const auto end = std::to_chars(size, size + 16, bytes.size(), 16).ptr;
  std::string framed(size, static_cast<std::size_t>(end - size));
  framed += "\r\n";
  CAIRN_CHECK(send(framed, bytes));
  return answered_ ? ok_status() : send("\r\n");
}

// False where nothing can be sent from a file of this kind, and nothing was.
Result<bool> PooledStream::send_section(FileSection section) {
  Transport& transport = connection_->transport;
  const std::uint64_t begin = section.offset;
  while (section.count > 0 && !answered_) {
    const os::Blocking blocking;  // the bytes may have to come from the disk
    const auto want =
        static_cast<std::size_t>(std::min<std::uint64_t>(section.count, section_bytes));
    const Io io = transport.send_file(section.descriptor, section.offset, want);
    if (io.state == IoState::done) {
      section.offset += io.count;
      section.count -= io.count;
    } else if (io.state == IoState::want_read || io.state == IoState::want_write) {
      CAIRN_CHECK(wait_to_send(io.state));
    } else if (io.state == IoState::end) {
      keeps_ = false;
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "the file of the body is shorter than it was"};
    } else if (cannot_send_from(errno) && section.offset == begin) {
      return false;
    } else {
      return lost_while_sending();
    }
  }
  return true;
}

Status PooledStream::send_body(const ClientRequest& request, bool chunked) {
  if (request.body_stream == nullptr) return send(request.body);
  const auto length = request.body_stream->length();
  if (length && !connection_->transport.is_tls())
    if (const auto section = request.body_stream->file_section();
        section && section->count == *length) {
      CAIRN_TRY(const bool is_sent, send_section(*section));
      if (is_sent) return ok_status();
    }
  const auto buffer = std::make_unique_for_overwrite<char[]>(copy_bytes);
  std::uint64_t sent = 0;
  while (!answered_) {
    auto got = request.body_stream->read({buffer.get(), copy_bytes});
    if (!got.ok()) {
      keeps_ = false;
      return std::move(got).error();
    }
    const std::size_t count = *got;
    if (count == 0) break;
    sent += count;
    if (length && sent > *length) break;
    CAIRN_CHECK(send_part({buffer.get(), count}, chunked));
  }
  if (answered_) return ok_status();
  if (!chunked) {
    if (!length || sent == *length) return ok_status();
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "the body has not the length that it said"};
  }
  std::string last = "0\r\n";
  for (const auto& [name, value] : request.body_stream->trailers().fields()) {
    last += name + ": " + value + "\r\n";
  }
  return send(last + "\r\n");
}

// After a request with Expect: true when the body is wanted, or nothing was heard in time.
Result<bool> PooledStream::go_ahead() {
  Transport& transport = connection_->transport;
  Patience patience({}, receiving_.deadline().sooner_ms(pool_->options().continue_timeout_ms));
  for (;;) {
    if (find_head_end(inlet_.view(), 0)) {
      CAIRN_TRY(const bool is_final, read_one_head(false));
      if (status_ == 100) return true;
      if (is_final) return false;
    }
    const Io io = inlet_.fill();
    if (io.state == IoState::want_read || io.state == IoState::want_write) {
      const auto waited = patience.wait(transport.descriptor(), io.state, "waiting for 100");
      if (waited.ok()) continue;
      CAIRN_CHECK(receiving_.deadline().check("waiting for the server's leave to send"));
      return true;
    }
    if (io.state != IoState::done) {
      return lost("instead of answering");
    }
  }
}

Status PooledStream::send_request(const ClientRequest& request) {
  const auto length = length_of(request);
  const bool chunked = !length;
  const bool has_body = chunked || *length > 0;
  const bool expects =
      request.expect_continue && has_body && pool_->options().continue_timeout_ms > 0;
  const std::string head = head_of(request, expects, trace_lines_);
  if (!expects) {
    if (request.body_stream == nullptr) return send(head, request.body);
    CAIRN_CHECK(send(head));
    return send_body(request, chunked);
  }
  CAIRN_CHECK(send(head));
  CAIRN_TRY(const bool wanted, go_ahead());
  if (!wanted) {
    // The server may or may not wait for a body now: the connection has no future.
    keeps_ = false;
    return ok_status();
  }
  status_ = 0;
  return send_body(request, chunked);
}

// Reads one head that is in the buffer or on its way. False for an interim reply.
Result<bool> PooledStream::read_one_head(bool request_was_head) {
  std::size_t scanned = 0;
  std::optional<std::size_t> size;
  // A server that sends a byte now and then keeps to the time between bytes: once a head has begun,
  // that is the time for all of it.
  std::optional<os::Deadline> whole_head;
  while (!(size = find_head_end(inlet_.view(), scanned))) {
    scanned = inlet_.view().size();
    if (scanned > 0 && !whole_head && pool_->options().read_timeout_ms > 0)
      whole_head = os::Deadline::in_ms(pool_->options().read_timeout_ms);
    if (whole_head && whole_head->passed()) {
      keeps_ = false;
      return Error{.kind = ErrorKind::timeout,
                   .message = "the head of the reply has begun and does not come to its end"};
    }
    if (scanned >= pool_->options().head_bytes_max) {
      return Error{.kind = ErrorKind::corrupt, .message = "the head of the reply is too large"};
    }
    auto count = inlet_.fill(receiving_);
    if (!count.ok() && count.error().kind != ErrorKind::cancelled) return count.error();
    if (!count.ok() && receiving_.deadline().stopped()) return count.error();
    if (!count.ok() || *count == 0) {
      return lost("before it answered");
    }
  }
  const HeadLimits limits{.bytes = pool_->options().head_bytes_max,
                          .fields = 1000,
                          .field_bytes = pool_->options().head_bytes_max};
  const auto fault = parse_reply_head(inlet_.view().substr(0, *size), limits, request_was_head,
                                      status_, headers_, framing_);
  if (fault) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the reply is not HTTP/1.1: " + std::string(fault->reason)};
  }
  if (status_ == 101) {
    return Error{.kind = ErrorKind::corrupt, .message = "the server switches protocols unasked"};
  }
  inlet_.consume(*size);
  return status_ >= 200;
}

Status PooledStream::read_head(bool request_was_head) {
  for (int interim = 0; status_ < 200; ++interim) {
    if (interim > 32) {
      return Error{.kind = ErrorKind::corrupt, .message = "the server only sends interim replies"};
    }
    CAIRN_TRY(const bool is_final, read_one_head(request_was_head));
    if (is_final) break;
  }
  body_.emplace(inlet_, framing_, receiving_, 0);
  body_->gather();
  return ok_status();
}

Status PooledStream::exchange(const ClientRequest& request) {
  auto sent = send_request(request);
  if (answered_) keeps_ = false;
  sent_ = sent.ok();
  if (!sent.ok()) {
    keeps_ = false;
    // A server that refuses a large body may close before all of it was sent; its reason, if it
    // gave one, is worth more than ours.
    if (!broke_ || !read_head(request.method == "HEAD").ok()) return sent;
    broke_ = false;
  } else {
    CAIRN_CHECK(read_head(request.method == "HEAD"));
  }
  if (body_->at_end()) release();
  return ok_status();
}

}  // namespace

struct Client::Impl {
  Result<std::unique_ptr<ClientStream>> open(const ClientRequest& request,
                                             std::string_view trace_lines,
                                             const os::Deadline& deadline);
  std::shared_ptr<ClientPool> pool;
};

Client::Client(ClientOptions options) : impl_(std::make_unique<Impl>()) {
  ignore_broken_pipes();
  impl_->pool = std::make_shared<ClientPool>(std::move(options));
}
Client::~Client() = default;

Result<std::unique_ptr<ClientStream>> Client::open(const ClientRequest& request,
                                                   const os::Deadline& deadline) {
  CAIRN_CHECK(check_request(request));
  CAIRN_CHECK(deadline.check("connecting to " + request.url.host));
  CallTrace trace(request);
  auto stream = impl_->open(request, trace.lines(), deadline);
  if (stream.ok())
    trace.answered((*stream)->status());
  else
    trace.failed(stream.error());
  return stream;
}

Result<std::unique_ptr<ClientStream>> Client::Impl::open(const ClientRequest& request,
                                                         std::string_view trace_lines,
                                                         const os::Deadline& deadline) {
  for (bool fresh = false;; fresh = true) {
    CAIRN_TRY(auto connection, pool->take(request.url, fresh, deadline));
    const bool reused = connection->reused;
    auto stream =
        std::make_unique<PooledStream>(pool, std::move(connection), trace_lines, deadline);
    if (request.began != nullptr) *request.began = true;
    auto status = stream->exchange(request);
    if (status.ok()) return std::unique_ptr<ClientStream>(std::move(stream));
    // A server may close a connection that it keeps at any time, so also just now.
    if (fresh || !reused || !stream->may_repeat(request)) {
      return with_context(std::move(status).error(),
                          request.method + " " + request.url.authority());
    }
  }
}

Result<ClientReply> Client::send(const ClientRequest& request, const os::Deadline& deadline,
                                 std::size_t body_limit) {
  CAIRN_TRY(const auto stream, open(request, deadline));
  ClientReply reply;
  reply.status = stream->status();
  reply.headers = stream->headers();
  if (request.method != "HEAD") {
    CAIRN_TRY(reply.body, read_all(stream->body(), body_limit));
  }
  return reply;
}

}  // namespace cairn::net
