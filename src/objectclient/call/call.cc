// SPDX-License-Identifier: Apache-2.0
// The attempts of a call: waits, redirects, clocks, and the words of its failure.
#include "objectclient/call/call.h"

#include <utility>

#include "base/encode.h"
#include "base/strings.h"
#include "objectclient/call/params.h"
#include "objectclient/call/stub_answer.h"
#include "objectclient/call/value_json.h"

namespace cairn::objectclient {
namespace {

constexpr int redirects_max = 5;

/// A random UUID (version 4).
std::string new_uuid(os::Random& random) {
  std::string bytes = random.bytes(16);
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);
  std::string text = to_hex(bytes);
  for (const std::size_t at : {8u, 13u, 18u, 23u}) text.insert(at, 1, '-');
  return text;
}

std::string text_at(const s3::Shape& shape, const void* input, s3::Place place) {
  for (const s3::Member& member : shape.members)
    if (member.wire.place == place)
      return *static_cast<const std::string*>(
          member.access->value(member.field(const_cast<void*>(input))));  // NOLINT: only read
  return {};
}

std::string_view detail_of(const Error& error, std::string_view name) {
  for (const auto& [key, value] : error.details)
    if (key == name) return value;
  return {};
}

/// The error with everything that helps to find out what happened.
Error with_call(Error error, const CallInfo& info) {
  std::string where = info.operation;
  if (!info.bucket.empty()) where += " " + info.bucket;
  if (!info.key.empty()) where += "/" + info.key;
  std::string rest =
      info.status == 0 ? std::string("no reply") : "status " + std::to_string(info.status);
  if (!error.code.empty()) rest += ", " + error.code;
  if (!info.request_id.empty()) rest += ", request id " + info.request_id;
  rest += ", " + std::to_string(info.attempts) + (info.attempts == 1 ? " attempt" : " attempts");
  // Parameters that are wrong never reached a service: the faults are all there is to say.
  error.message = info.attempts == 0 && info.status == 0
                      ? error.message
                      : where + ": " + error.message + " (" + rest + ")";
  return error;
}

}  // namespace

OperationCall::OperationCall(ClientState& state, const CallParts& parts, Sink& sink, CallInfo& info)
    : state_(state),
      parts_(parts),
      sink_(sink),
      info_(info),
      invocation_id_(new_uuid(*state.environment.random)) {}

Status OperationCall::wait_to_send(Retries& retries) {
  for (;;) {
    CAIRN_TRY(const std::int64_t wait_ns, retries.before_send());
    if (wait_ns == 0) return parts_.deadline.check("sending " + info_.operation);
    if (!state_.environment.sleep(wait_ns, parts_.deadline))
      return parts_.deadline.check("waiting until the service may be asked");
  }
}

/// A bucket that is elsewhere: the reply says where. True where the request goes there now.
Result<bool> OperationCall::follow_region(const Outcome& outcome) {
  const bool wrong_place = info_.status == 301 ||
                           outcome.error->code == "AuthorizationHeaderMalformed" ||
                           (info_.status == 400 && parts_.operation.method == "HEAD");
  if (!wrong_place || info_.bucket.empty()) return false;
  std::string region(info_.headers.find(s3::header_name("x-amz-bucket-region", state_.dialect))
                         .value_or(detail_of(*outcome.error, "Region")));
  if (region.empty() || region == region_.value_or(*state_.options.region)) return false;
  state_.regions.learn(info_.bucket, region);
  region_ = std::move(region);
  CAIRN_CHECK(find_address());
  return true;
}

Result<bool> OperationCall::follow(const Outcome& outcome) {
  const bool body_again = parts_.body.rewindable() || !body_was_opened_;
  if (redirects_ >= redirects_max || !body_again) return false;
  CAIRN_TRY(const bool moved, follow_region(outcome));
  if (moved) {
    ++redirects_;
    return true;
  }
  const auto location = info_.headers.find("Location");
  if (info_.status != 307 || !location || !*state_.options.follow_redirects) return false;
  CAIRN_TRY(Address next, redirected(address_, *location));
  // A token is good for whoever has it: it stays with the host that it was meant for.
  const Signing signing =
      choose_signing(endpoint_, state_.options, state_.identity.tokens() != nullptr);
  if (signing.scheme == Scheme::bearer && next.url.host != address_.url.host) return false;
  address_ = std::move(next);
  ++redirects_;
  return true;
}

/// What a failure teaches, and whether another attempt is possible at all.
void OperationCall::learn(Outcome& outcome) {
  Failure& failure = outcome.failure;
  const bool body_again = parts_.body.rewindable() || !body_was_opened_;
  const bool bytes_again = sink_.taken() == 0 || sink_.restartable() || can_resume(outcome);
  failure.repeatable = failure.repeatable && parts_.retries && body_again && bytes_again;
  const bool corrects =
      *state_.options.correct_clock_skew && *state_.options.retry_mode != "legacy";
  // A reply to HEAD has no body that could say so.
  const bool may_be_clock = is_clock_fault(failure.code) ||
                            (failure.status == 403 && parts_.operation.method == "HEAD");
  if (corrects && may_be_clock)
    failure.clock_corrected = state_.skew.learn(address_.url.authority(), info_.headers,
                                                state_.now_ms(), signed_ahead_ms_);
  if (is_expired(failure)) {
    const bool session =
        !endpoint_.auth_schemes.empty() && endpoint_.auth_schemes.front().name == "sigv4-s3express";
    failure.refreshable = session || state_.identity.refreshable();
    if (session)
      if (const auto own = state_.identity.credentials(parts_.deadline); own.ok())
        state_.sessions.forget(info_.bucket, (*own)->access_key_id);
  }
}

/// Seconds until the deadline; nothing where there is none.
std::optional<double> OperationCall::left_s() const {
  if (parts_.deadline.is_never()) return std::nullopt;
  return static_cast<double>(parts_.deadline.remaining_ms()) / 1e3;
}

/// Makes room for the bytes of another attempt.
bool OperationCall::ready_again() {
  if (sink_.taken() == 0) return true;
  if (sink_.restartable()) return sink_.restart();
  resume_at_ = sink_.taken();
  return true;
}

Status OperationCall::run(void* output) {
  CAIRN_CHECK(prepare());
  Retries retries(state_.strategy);
  for (;;) {
    CAIRN_CHECK(wait_to_send(retries));
    Outcome outcome = attempt(output);
    if (!outcome.error) {
      retries.after_success();
      return ok_status();
    }
    if (parts_.deadline.passed()) return *outcome.error;
    CAIRN_TRY(const bool followed, follow(outcome));
    if (followed) continue;
    learn(outcome);
    const auto delay_ns = retries.after_failure(outcome.failure, left_s());
    if (retries.asked_too_much())
      outcome.error->message += "; the service asks to wait " +
                                std::to_string(*outcome.failure.retry_after_s) +
                                " s, which is longer than this call may: give a later deadline, or "
                                "retry_max_delay, and try again";
    if (!delay_ns || !ready_again()) {
      retries_exceeded_ = !delay_ns && is_retryable(outcome.failure);
      return *outcome.error;
    }
    if (is_expired(outcome.failure)) state_.identity.expire();
    if (outcome.failure.status == 421 && parts_.endpoints != nullptr)
      parts_.endpoints->forget(std::string(parts_.operation.call));
    ++info_.retries;
    if (!state_.environment.sleep(*delay_ns, parts_.deadline)) return *outcome.error;
    CAIRN_CHECK(find_address());
  }
}

namespace {

Status answer_by_stub(ClientState& state, const CallParts& parts, void* output, Sink& sink,
                      CallInfo& info) {
  const s3::Operation& operation = parts.operation;
  if (*state.options.validate_params) {
    std::vector<std::string> faults;
    find_param_faults(operation.input(), parts.input, faults);
    if (!faults.empty()) return parameter_error(faults);
  }
  const Value params = value_of(params_json(operation.input(), parts.input));
  const Stub stub = state.stubs.next(
      {.operation = info.operation, .params = params.members() ? *params.members() : Params{}});
  return answer_with(stub, operation, state.now_ms(), output, sink, info);
}

}  // namespace

void name_call(const CallParts& parts, CallInfo& info) {
  const s3::Operation& operation = parts.operation;
  info.operation = operation.call;
  info.bucket = text_at(operation.input(), parts.input, s3::Place::bucket);
  info.key = text_at(operation.input(), parts.input, s3::Place::key);
}

Status make_call(ClientState& state, const CallParts& parts, void* output, std::string& body,
                 CallInfo& info) {
  const s3::Operation& operation = parts.operation;
  name_call(parts, info);
  const std::int64_t began_ns = state.steady_ns();
  const std::int64_t began_ms = state.now_ms();
  Sink sink(parts.target, body);
  Status done = ok_status();
  CallEvent event;
  if (*state.options.stub_responses) {
    done = answer_by_stub(state, parts, output, sink, info);
  } else {
    OperationCall call(state, parts, sink, info);
    done = call.run(output);
    event.last = call.last_event();
    event.retries_exceeded = call.retries_exceeded();
  }
  if (!done.ok()) done = with_call(std::move(done).error(), info);
  const std::int64_t took_ns = state.steady_ns() - began_ns;
  if (state.monitor != nullptr) {
    event.api = operation.name;
    event.timestamp_ms = began_ms;
    event.attempts = info.attempts;
    event.latency_ms = took_ns / 1'000'000;
    event.region = *state.options.region;
    event.user_agent = state.user_agent;
    state.monitor->call(event);
  }
  if (*state.options.logger) {
    const std::string& own = *state.options.log_formatter;
    state.log(state.log_level, log_line(own.empty() ? usual_log_pattern : std::string_view(own),
                                        {.call = info,
                                         .operation = operation,
                                         .input = parts.input,
                                         .time_s = static_cast<double>(took_ns) / 1e9,
                                         .region = *state.options.region,
                                         .error = done.ok() ? nullptr : &done.error()}));
  }
  return done;
}

}  // namespace cairn::objectclient
