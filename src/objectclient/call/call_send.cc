// SPDX-License-Identifier: Apache-2.0
// One attempt: signed, sent, and its reply taken in.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/encode.h"
#include "base/strings.h"
#include "format/time.h"
#include "objectclient/call/byte_range.h"
#include "objectclient/call/call.h"
#include "objectclient/call/reply.h"
#include "objectclient/faults.h"
#include "objectclient/pages.h"
#include "s3/errors.h"
#include "s3/signing/chunked.h"

namespace cairn::objectclient {
namespace {

constexpr std::size_t result_bytes_max = 64 << 20;
constexpr std::size_t error_bytes_max = 1 << 20;
// Ranges that go into one file take turns there: larger pieces, fewer turns.
constexpr std::size_t reply_piece_bytes = 512 << 10;

/// Tells how much was read.
class Counted final : public net::BodyReader {
 public:
  Counted(net::BodyReader& inner, const Progress& progress) : inner_(inner), progress_(progress) {}
  Result<std::size_t> read(std::span<char> into) override {
    auto count = inner_.read(into);
    if (count.ok() && *count > 0) progress_(bytes_ += *count, inner_.length());
    return count;
  }
  std::optional<std::uint64_t> length() const override { return inner_.length(); }
  const net::Headers& trailers() const override { return inner_.trailers(); }

 private:
  net::BodyReader& inner_;
  const Progress& progress_;
  std::uint64_t bytes_ = 0;
};

/// Seconds; a number that is too large for one is the largest. Source: RFC 9110, section 10.2.3.
std::optional<std::int64_t> retry_after(const net::Headers& headers, std::int64_t now_ms) {
  const auto field = headers.find("Retry-After");
  if (!field || field->empty()) return std::nullopt;
  if (field->find_first_not_of("0123456789") == std::string_view::npos)
    return parse_number<std::int64_t>(*field).value_or(INT64_MAX);
  const auto date_ms = parse_http_date(*field);
  if (!date_ms) return std::nullopt;
  return std::max<std::int64_t>((*date_ms - now_ms + 999) / 1'000, 0);
}

bool is_networking_kind(ErrorKind kind) {
  return kind == ErrorKind::unavailable || kind == ErrorKind::timeout || kind == ErrorKind::corrupt;
}

/// "bytes=a-b" moved on by what came already; nothing for ranges that cannot be.
std::optional<std::string> range_from(std::optional<std::string_view> asked, std::uint64_t taken) {
  if (!asked) return "bytes=" + std::to_string(taken) + "-";
  const auto range = parse_asked_range(*asked);
  if (!range || !range->first) return std::nullopt;
  return "bytes=" + std::to_string(*range->first + taken) +
         std::string(asked->substr(asked->find('-')));
}

}  // namespace

void OperationCall::trace(std::string_view text) const {
  if (*state_.options.http_wire_trace) state_.log(LogLevel::debug, text);
}

Result<std::shared_ptr<const Credentials>> OperationCall::credentials_for(const Signing& signing) {
  CAIRN_TRY(auto own, state_.identity.credentials(parts_.deadline));
  if (signing.scheme != Scheme::session) {
    if (!*state_.options.access_grants) return own;
    CAIRN_TRY(const auto target, grant_target_of(parts_.operation, parts_.input));
    return target ? state_.grants.get(*target, own, parts_.deadline)
                  : Result<std::shared_ptr<const Credentials>>(own);
  }
  return state_.sessions.get(info_.bucket, own->access_key_id, [&]() -> Result<Credentials> {
    const s3::CreateSessionInput input{.bucket = info_.bucket};
    s3::CreateSessionOutput output;
    std::string none;
    CallInfo info;
    CAIRN_CHECK(make_call(
        state_,
        {.operation = s3::operations::create_session, .input = &input, .deadline = parts_.deadline},
        &output, none, info));
    if (!output.credentials)
      return Error{ErrorKind::unavailable, {}, "create_session gave no credentials"};
    return Credentials{.access_key_id = output.credentials->access_key_id,
                       .secret_access_key = output.credentials->secret_access_key,
                       .session_token = output.credentials->session_token,
                       .expiration_ms = output.credentials->expiration.unix_ms};
  });
}

Result<OperationCall::Signed> OperationCall::sign(net::Headers& headers) {
  Signed out;
  out.signing = choose_signing(endpoint_, state_.options, state_.identity.tokens() != nullptr);
  CAIRN_CHECK(plan(out.signing, headers));
  if (resume_at_ > 0) {
    headers.set("Range", range_from(request_.headers.find("Range"), resume_at_).value_or(""));
    if (!etag_.empty()) headers.set("If-Match", etag_);
  }
  if (out.signing.scheme == Scheme::none) return out;
  if (out.signing.scheme == Scheme::bearer) {
    if (address_.url.scheme != "https")
      return argument_error("Unable to use bearer authorization on non https endpoint.");
    CAIRN_TRY(const Token token, state_.identity.tokens()->get(parts_.deadline));
    headers.set("Authorization", "Bearer " + token.text);
    return out;
  }
  CAIRN_TRY(out.credentials, credentials_for(out.signing));
  if (*state_.options.correct_clock_skew)
    signed_ahead_ms_ = state_.skew.ahead_ms(address_.url.authority());
  out.time_ms = state_.now_ms() + signed_ahead_ms_;
  CAIRN_TRY(out.signature, sign_with(out.signing, *out.credentials,
                                     {.method = parts_.operation.method,
                                      .path = address_.path,
                                      .query = address_.query,
                                      .payload_hash = plan_->hash},
                                     state_.dialect, out.time_ms, headers, state_.keys));
  return out;
}

Result<std::unique_ptr<net::ClientStream>> OperationCall::send(const net::Headers& headers,
                                                               const Signed& with) {
  net::ClientRequest request{
      .method = std::string(parts_.operation.method), .url = address_.url, .headers = headers};
  const bool accelerated =
      parts_.use_accelerate_endpoint.value_or(*state_.options.use_accelerate_endpoint);
  request.expect_continue = plan_->length > 0 && !accelerated;
  trace(traced_head("-> " + request.method + " " + request.url.target + " HTTP/1.1", headers));
  const auto bytes = body_.in_memory();
  if (bytes && !plan_->chunked && !parts_.progress) {
    if (!bytes->empty()) trace("-> " + traced_body(*bytes));
    request.body = *bytes;
    return state_.http.open(request, parts_.deadline);
  }
  body_was_opened_ = true;
  CAIRN_TRY(const auto reader, body_.open());
  net::BodyReader* outermost = reader.get();
  std::optional<Counted> counted;
  if (parts_.progress && parts_.operation.stream_in)
    outermost = &counted.emplace(*outermost, parts_.progress);
  std::optional<s3::ChunkedWriter> chunked;
  if (plan_->chunked) {
    s3::ChunkWriterParams chunks{
        .payload = plan_->payload, .trailer = plan_->trailer, .dialect = state_.dialect};
    if (plan_->payload != s3::Payload::chunked_unsigned_trailer)
      chunks.signing =
          s3::ChunkSigning{.key = state_.keys.key(with.credentials->secret_access_key,
                                                  with.signature.scope, state_.dialect),
                           .seed_signature = with.signature.signature,
                           .time_ms = with.time_ms,
                           .scope = with.signature.scope,
                           .dialect = state_.dialect};
    outermost = &chunked.emplace(*outermost, std::move(chunks));
  }
  trace("-> (" + std::to_string(plan_->length) + " bytes)");
  request.body_stream = outermost;
  return state_.http.open(request, parts_.deadline);
}

OperationCall::Outcome OperationCall::broken(Error error, bool while_receiving) const {
  Failure failure{.networking = is_networking_kind(error.kind) && !parts_.deadline.passed()};
  if (failure.networking && while_receiving) failure.status = info_.status;
  if (failure.networking && error.code.empty()) error.code = "NetworkingError";
  return {.error = std::move(error), .failure = failure};
}

OperationCall::Outcome OperationCall::attempt(void* output) {
  const std::int64_t began_ms = state_.now_ms();
  const std::int64_t began_ns = state_.steady_ns();
  info_.status = 0;
  info_.headers.clear();
  info_.request_id.clear();
  info_.host_id.clear();
  info_.url = address_.url.scheme + "://" + address_.url.authority() + address_.url.target;
  net::Headers headers = attempt_headers();
  auto with = sign(headers);
  if (!with.ok()) return {.error = std::move(with).error(), .failure = {.repeatable = false}};
  ++info_.attempts;
  auto stream = send(headers, *with);
  Outcome outcome =
      stream.ok() ? receive(**stream, output) : broken(std::move(stream).error(), false);
  tell_monitor(outcome, *with, began_ms, began_ns);
  return outcome;
}

OperationCall::Outcome OperationCall::receive(net::ClientStream& stream, void* output) {
  const s3::Operation& operation = parts_.operation;
  info_.status = stream.status();
  info_.headers = stream.headers();
  info_.reused_connection = stream.reused_connection();
  const auto named = [&](std::string_view name) {
    return std::string(
        info_.headers.find(s3::header_name(name, state_.dialect)).value_or(std::string_view()));
  };
  info_.request_id = named("x-amz-request-id");
  info_.host_id = named("x-amz-id-2");
  trace(traced_head("<- HTTP/1.1 " + std::to_string(info_.status), info_.headers));
  const bool good = info_.status >= 200 && info_.status < 300;
  if (operation.stream_out && good) return receive_object(stream, output);
  s3::ReplyParts reply{.status = info_.status, .headers = info_.headers};
  if (operation.method != "HEAD") {
    auto body = net::read_all(stream.body(), good ? result_bytes_max : error_bytes_max);
    if (!body.ok() && good) return broken(std::move(body).error(), true);
    if (body.ok()) reply.body = std::move(*body);
    if (!reply.body.empty()) trace("<- " + traced_body(reply.body));
  }
  ReadReply read = read_whole_reply(operation, state_.dialect, reply, output);
  if (read.status.ok()) {
    auto page = check_next_page(operation.input(), parts_.input, operation.output(), output);
    if (page.ok()) return {};
    return {.error = std::move(page).error(), .failure = {.repeatable = false}};
  }
  info_.status = read.meant;
  Outcome outcome{.error = std::move(read.status).error(),
                  .failure = {.status = read.meant,
                              .networking = read.broken,
                              .retry_after_s = retry_after(info_.headers, state_.now_ms())}};
  outcome.failure.code = outcome.error->code;
  return outcome;
}

bool OperationCall::asks_for_part() const {
  return std::any_of(request_.query.begin(), request_.query.end(),
                     [](const auto& p) { return p.first == "partNumber"; });
}

/// What the first reply says it has, compared with what was asked for.
Status OperationCall::expect_bytes(std::optional<std::uint64_t> length) {
  range_.reset();
  if (info_.status != 206) {
    // All of it, whatever was asked for: a service need not know ranges.
    if (length && *length > 0) range_ = ContentRange{.last = *length - 1, .total = length};
    return ok_status();
  }
  const auto asked = request_.headers.find("Range");
  const auto said = info_.headers.find("Content-Range");
  if (!asked && !asks_for_part())
    return unexpected_reply("the reply is a part of the object, which nobody asked for (206, " +
                            std::string(said.value_or("no Content-Range")) + ")");
  const auto wanted = asked ? parse_asked_range(*asked) : std::nullopt;
  if (!wanted && !said) return ok_status();  // a part, or several ranges in one reply
  const auto given = said ? parse_content_range(*said) : std::nullopt;
  if (wanted && (!given || !answers(*given, *wanted)))
    return unexpected_reply("the reply has other bytes than those that were asked for: " +
                            std::string(said.value_or("no Content-Range")) + " instead of " +
                            std::string(*asked));
  if (given && length && *length != given->length())
    return unexpected_reply("the reply says " + std::string(*said) + " and has " +
                            std::to_string(*length) + " bytes");
  range_ = given;
  return ok_status();
}

/// What a reply that goes on with an object says it has: the rest of this very object.
Status OperationCall::check_rest(std::optional<std::uint64_t> length) const {
  if (info_.status != 206)
    return Error{ErrorKind::unavailable, "NonRetryableStreamingError",
                 "the rest of the object was asked for with a range, and all of it came"};
  const std::string said(info_.headers.find("Content-Range").value_or("no Content-Range"));
  const auto given = parse_content_range(said);
  const AskedRange rest{.first = (range_ ? range_->first : 0) + resume_at_,
                        .last = range_ ? std::optional(range_->last) : std::nullopt};
  const bool same_size =
      !range_ || !given || !range_->total || !given->total || *range_->total == *given->total;
  if (!given || !answers(*given, rest) || (range_ && given->last != range_->last) || !same_size ||
      (length && *length != given->length()))
    return unexpected_reply("the reply has other bytes than the rest of the object from byte " +
                            std::to_string(*rest.first) + " on: " + said);
  if (info_.headers.find("ETag").value_or("") != etag_)
    return unexpected_reply("the object has changed while it was read: its ETag was " + etag_ +
                            " and is " +
                            std::string(info_.headers.find("ETag").value_or("not there")));
  return ok_status();
}

void OperationCall::expect_checksum(const net::Headers& headers, int status) {
  summer_.reset();
  const std::string mode = s3::header_name("x-amz-checksum-mode", state_.dialect);
  // The checksum of an object says nothing of a range of it.
  const bool of_all = status != 206 || asks_for_part() || (range_ && range_->is_whole());
  if (!request_.headers.has(mode) || !of_all) return;
  using s3::ChecksumAlgorithm;
  for (const ChecksumAlgorithm algorithm :
       {ChecksumAlgorithm::crc64nvme, ChecksumAlgorithm::crc32c, ChecksumAlgorithm::crc32,
        ChecksumAlgorithm::sha1, ChecksumAlgorithm::sha256}) {
    const auto value = headers.find(s3::header_name(s3::header_of(algorithm), state_.dialect));
    if (!value || !s3::is_checksum_value(algorithm, *value)) continue;  // "…-3" is of the parts
    summer_.emplace(algorithm);
    expected_checksum_ = *value;
    return;
  }
}

Status OperationCall::check_object() {
  if (!summer_) return ok_status();
  const s3::ChecksumAlgorithm algorithm = summer_->algorithm();
  const std::string computed = to_base64(summer_->finish());
  summer_.reset();
  if (computed != expected_checksum_)
    return Error{ErrorKind::corrupt, "ChecksumError",
                 "Checksum validation failed on " +
                     s3::header_name(s3::header_of(algorithm), state_.dialect) +
                     " computed: " + computed + ", expected: " + expected_checksum_};
  info_.checksum_validated = s3::name_of(algorithm);
  return ok_status();
}

OperationCall::Outcome OperationCall::receive_object(net::ClientStream& stream, void* output) {
  const auto final_fault = [](Error error) {
    return Outcome{.error = std::move(error), .failure = {.repeatable = false}};
  };
  const std::optional<std::uint64_t> promised = stream.body().length();
  if (resume_at_ == 0) {
    if (auto fault = expect_bytes(promised); !fault.ok()) return final_fault(fault.error());
    expect_checksum(info_.headers, info_.status);
    total_ = promised;
    etag_ = std::string(info_.headers.find("ETag").value_or(std::string_view()));
    const ReadReply read =
        read_whole_reply(parts_.operation, state_.dialect,
                         {.status = info_.status, .headers = info_.headers}, output);
    if (!read.status.ok()) return final_fault(read.status.error());
  } else if (auto fault = check_rest(promised); !fault.ok()) {
    return final_fault(fault.error());
  }
  const std::uint64_t length = promised.value_or(reply_piece_bytes);
  const auto piece_bytes =
      static_cast<std::size_t>(std::clamp<std::uint64_t>(length, 1, reply_piece_bytes));
  const auto piece = std::make_unique_for_overwrite<char[]>(piece_bytes);
  for (;;) {
    const auto count = stream.body().read({piece.get(), piece_bytes});
    if (!count.ok()) return broken(count.error(), true);
    if (*count == 0) break;
    const std::string_view bytes(piece.get(), *count);
    if (summer_) summer_->update(bytes);
    // Before more of it is kept: a reply in chunks may go on for ever.
    if (range_ && sink_.taken() + bytes.size() > range_->length())
      return final_fault(unexpected_reply(
          "more bytes came than the " + std::to_string(range_->length()) + " that were promised"));
    if (auto taken = sink_.write(bytes); !taken.ok()) return final_fault(std::move(taken).error());
    if (parts_.progress) parts_.progress(sink_.taken(), total_);
  }
  trace("<- (" + std::to_string(sink_.taken()) + " bytes)");
  // A body without a length of its own ends where the service likes.
  if (range_ && sink_.taken() != range_->length())
    return final_fault(unexpected_reply(std::to_string(sink_.taken()) + " bytes came of the " +
                                        std::to_string(range_->length()) + " that were promised"));
  if (auto checked = check_object(); !checked.ok())
    return {.error = std::move(checked).error(), .failure = {.checksum = true}};
  if (auto finished = sink_.finish(); !finished.ok())
    return final_fault(std::move(finished).error());
  return {};
}

void OperationCall::tell_monitor(const Outcome& outcome, const Signed& with, std::int64_t began_ms,
                                 std::int64_t began_ns) {
  if (state_.monitor == nullptr) return;
  last_event_ = {.api = std::string(parts_.operation.name),
                 .timestamp_ms = began_ms,
                 .fqdn = address_.url.host,
                 .region = *state_.options.region,
                 .user_agent = state_.user_agent,
                 .status = info_.status,
                 .request_id = info_.request_id,
                 .host_id = info_.host_id,
                 .latency_ms = (state_.steady_ns() - began_ns) / 1'000'000};
  if (with.credentials != nullptr) {
    last_event_.access_key = with.credentials->access_key_id;
    last_event_.session_token = with.credentials->session_token;
  }
  if (outcome.error && info_.status != 0) {
    last_event_.service_exception = outcome.error->code;
    last_event_.service_message = outcome.error->message;
  } else if (outcome.error) {
    last_event_.sdk_exception = outcome.error->code;
    last_event_.sdk_message = outcome.error->message;
  }
  state_.monitor->attempt(last_event_);
}

bool OperationCall::can_resume(const Outcome& outcome) const {
  return outcome.failure.networking && !etag_.empty() && !asks_for_part() &&
         range_from(request_.headers.find("Range"), 0).has_value();
}

}  // namespace cairn::objectclient
