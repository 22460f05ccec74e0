// SPDX-License-Identifier: Apache-2.0
#include "nodes/forwarder.h"

#include <array>
#include <atomic>
#include <functional>
#include <stop_token>
#include <utility>

#include "base/strings.h"
#include "nodes/linked_deadline.h"

namespace cairn::nodes {
namespace {

constexpr std::size_t at_once_bytes = 64 << 10;
constexpr std::size_t connections_kept = 256;
constexpr std::size_t told_bytes_max = 64 << 20;
constexpr std::size_t words_shown = 200;  // of an answer that is an error

net::ClientOptions client_options(const ForwarderOptions& options) {
  net::ClientOptions out;
  out.tls_shared_secret = options.shared_secret;
  out.connect_timeout_ms = options.connect_timeout_ms;
  // How long an answer takes is for the request's deadline and for the other node's lease.
  out.read_timeout_ms = 0;
  out.connections_per_endpoint = connections_kept;
  return out;
}

bool can_be_done_twice(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

/// As `deadline`, ended by `silent` too, but not once an answer is heard.
class UntilHeard {
 public:
  UntilHeard(const os::Deadline& deadline, const std::stop_token& silent)
      : first_(deadline.stop(), [this] { source_.request_stop(); }),
        second_(silent,
                [this] {
                  if (!heard_) source_.request_stop();
                }),
        deadline_(deadline.with_stop(source_.get_token())) {}
  UntilHeard(const UntilHeard&) = delete;
  UntilHeard& operator=(const UntilHeard&) = delete;

  const os::Deadline& deadline() const { return deadline_; }
  void heard() const { heard_ = true; }

 private:
  mutable std::atomic<bool> heard_ = false;
  std::stop_source source_;
  std::stop_callback<std::function<void()>> first_, second_;
  os::Deadline deadline_;
};

/// What a reply without a body says of its length.
std::optional<std::uint64_t> told_length(const net::Headers& headers) {
  const auto field = headers.find("Content-Length");
  return field ? parse_number<std::uint64_t>(*field) : std::nullopt;
}

/// Sends the answer on. What fails here the client sees as an answer that ends early.
Status relay(net::ClientStream& from, net::Exchange& exchange) {
  const net::Headers headers = answered_headers(from.headers());
  net::ReplyWriter& reply = exchange.reply;
  const auto length =
      exchange.head.method == "HEAD" ? told_length(from.headers()) : from.body().length();
  if (exchange.head.method != "HEAD" && length && *length <= at_once_bytes) {
    CAIRN_TRY(const std::string body, net::read_all(from.body(), at_once_bytes));
    return reply.reply(from.status(), headers, body);
  }
  CAIRN_CHECK(reply.begin(from.status(), headers, length));
  std::array<char, at_once_bytes> piece;
  for (;;) {
    CAIRN_TRY(const std::size_t count, from.body().read(piece));
    if (count == 0) return reply.end(from.body().trailers());
    CAIRN_CHECK(reply.write({piece.data(), count}));
    // Without a length it may be a stream of events, each of which is waited for.
    if (!length) CAIRN_CHECK(reply.flush());
  }
}

}  // namespace

PassedRequest::PassedRequest(net::Exchange& exchange, std::size_t kept_body_bytes)
    : exchange_(exchange), kept_body_bytes_(kept_body_bytes), taken_(exchange.body) {}

Result<std::size_t> PassedRequest::Taken::read(std::span<char> into) {
  began_ = true;
  auto count = from_.read(into);
  if (!count.ok()) fault_ = count.error();
  return count;
}

Status PassedRequest::prepare() {
  if (std::exchange(prepared_, true)) return ok_status();
  const auto length = exchange_.body.length();
  if (!length || *length > kept_body_bytes_) return ok_status();
  CAIRN_TRY(kept_, net::read_all(taken_, kept_body_bytes_));
  return ok_status();
}

net::BodyReader& PassedRequest::body() {
  if (!kept_) return taken_;
  return replayed_.emplace(*kept_);
}

Forwarder::Forwarder(ForwarderOptions options)
    : options_(std::move(options)), client_(client_options(options_)) {}

std::optional<net::Url> Forwarder::url_of(const std::string& address) const {
  const std::string scheme = options_.shared_secret.empty() ? "http://" : "https://";
  auto url = net::parse_url(scheme + address);
  if (!url.ok()) return std::nullopt;
  return std::move(*url);
}

bool Forwarder::is_there(const std::string& address, const os::Deadline& deadline) {
  auto url = url_of(address);
  if (!url) return false;
  url->target = std::string(there_path);
  auto answer = client_.open({.method = "GET", .url = std::move(*url)}, deadline);
  if (!answer.ok()) return false;
  (void)net::read_all((*answer)->body(), at_once_bytes).ok();  // so that the connection is kept
  return true;
}

Result<std::string> Forwarder::call(const std::string& address, std::string_view path,
                                    const std::string& body, const os::Deadline& deadline) {
  const auto fault = [&](std::string_view why) {
    return Error{.kind = ErrorKind::unavailable,
                 .message = "the node at " + address + ": " + std::string(why)};
  };
  auto url = url_of(address);
  if (!url) return fault("its address cannot be used");
  url->target = std::string(path);
  CAIRN_TRY(const auto answer,
            client_.open({.method = "POST", .url = std::move(*url), .body = body}, deadline));
  CAIRN_TRY(std::string text, net::read_all(answer->body(), told_bytes_max));
  if (answer->status() != 200) return fault(text.substr(0, words_shown));
  return text;
}

Result<std::string> Forwarder::ask_told(const std::string& address, const std::string& question,
                                        const os::Deadline& deadline) {
  return call(address, told_path, question, deadline);
}

Forwarder::Outcome Forwarder::pass(PassedRequest& request, const std::string& address,
                                   const PassedUntil& until, std::string& why) {
  net::Exchange& exchange = request.exchange();
  auto url = url_of(address);
  if (!url) {
    why = "its address [" + address + "] cannot be used";
    return Outcome::not_taken;
  }
  url->target = exchange.head.target;
  bool began = false;
  net::ClientRequest sent{.method = exchange.head.method,
                          .url = std::move(*url),
                          .headers = forwarded_headers(
                              exchange.head, {.client_address = exchange.head.peer_address,
                                              .tls_version = std::string(exchange.head.tls_version),
                                              .request_id = std::string(exchange.request_id)}),
                          .began = &began};
  net::BodyReader& body = request.body();
  if (body.length() != 0) sent.body_stream = &body;
  // What cannot be sent twice is sent once somebody wants it.
  sent.expect_continue = sent.body_stream != nullptr && !request.is_kept();
  const LinkedDeadline ends(exchange.deadline, until.gone);
  const UntilHeard waits(ends.deadline(), until.silent);
  auto answer = client_.open(sent, waits.deadline());
  waits.heard();
  if (exchange.deadline.passed()) return Outcome::answered;
  const bool repeatable = request.can_repeat();
  const bool harmless = until.only_reads || can_be_done_twice(exchange.head.method);
  if (!answer.ok()) {
    why = answer.error().message;
    if (request.fault()) return Outcome::unknown;
    return (!began || harmless) && repeatable ? Outcome::not_taken : Outcome::unknown;
  }
  if ((*answer)->status() == 421 && (*answer)->headers().has(not_serving_field)) {
    why = "it does not serve the store now";
    return repeatable ? Outcome::not_taken : Outcome::unknown;
  }
  const Status relayed = relay(**answer, exchange);
  if (relayed.ok() || exchange.reply.begun()) return Outcome::answered;
  why = relayed.error().message;
  return harmless && repeatable ? Outcome::not_taken : Outcome::unknown;
}

}  // namespace cairn::nodes
