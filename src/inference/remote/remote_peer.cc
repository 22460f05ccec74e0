// SPDX-License-Identifier: Apache-2.0
#include "inference/remote/remote_peer.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "format/time.h"
#include "inference/errors.h"
#include "inference/remote/answers.h"

namespace cairn::inference {
namespace {

constexpr std::size_t most_refusal_answer_bytes = 64 << 10;
constexpr std::size_t most_said_bytes = 1'000;     // of what a server says
constexpr std::size_t most_message_bytes = 2'000;  // of an error
constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t second_ms = 1'000;
constexpr std::int64_t longest_wait_ms = 5 * minute_ms;  // whatever a server asks for
constexpr std::uint32_t most_retries = 3;

ratelimit::RetryOptions retry_options(const RemoteSettings& settings) {
  ratelimit::RetryOptions out;
  out.retries = most_retries;
  out.unknown_ms = second_ms;
  out.longest_ms = longest_wait_ms;
  out.pacing.at_once = 256;  // the callers are limited themselves
  out.pacing.reserve = 0;
  out.pacing.between_writes_ms =
      settings.requests_per_minute
          ? (minute_ms + *settings.requests_per_minute - 1) / *settings.requests_per_minute
          : 0;
  return out;
}

std::optional<std::int64_t> number_at(const net::Headers& headers, std::string_view name) {
  const auto text = headers.find(name);
  const auto number = text ? parse_number<std::int64_t>(trim(*text)) : std::nullopt;
  return number && *number >= 0 ? number : std::nullopt;
}

/// How long the server asks to wait: `Retry-After` in seconds or as a date, or `retry-after-ms`.
/// Other servers give the instants of their windows in units of their own, so those do not count.
std::optional<std::int64_t> asked_wait_ms(const net::Headers& headers, std::int64_t now_unix_ms) {
  if (const auto seconds = number_at(headers, "Retry-After"))
    return std::min(*seconds, longest_wait_ms / second_ms) * second_ms;
  if (const auto ms = number_at(headers, "retry-after-ms")) return std::min(*ms, longest_wait_ms);
  const auto text = headers.find("Retry-After");
  const auto until = text ? parse_http_date(trim(*text)) : std::nullopt;
  if (!until) return std::nullopt;
  const auto date = headers.find("Date");
  const auto now = (date ? parse_http_date(trim(*date)) : std::nullopt).value_or(now_unix_ms);
  return std::clamp<std::int64_t>(*until - now, 0, longest_wait_ms);
}

/// All that the rules of limits see of an answer's head: a wait in whole seconds.
ratelimit::HeaderLookup only_wait(std::optional<std::int64_t> wait_ms) {
  return [wait_ms](std::string_view name) -> std::optional<std::string> {
    if (name != "retry-after" || !wait_ms) return std::nullopt;
    return std::to_string((*wait_ms + second_ms - 1) / second_ms);
  };
}

/// As the rules of limits have it: what was asked for, and longer each time it was too short.
std::int64_t wait_of(std::optional<std::int64_t> asked_ms, std::uint32_t tries) {
  return std::min(std::max(asked_ms.value_or(0), second_ms) << tries, longest_wait_ms);
}

std::string_view cut_to(std::string_view text, std::size_t most_bytes) {
  text = text.substr(0, most_bytes);
  return text.substr(0, valid_utf8_prefix(text));
}

Error with_status(Error error, std::string_view status) {
  return std::move(error).with_detail("_status", std::string(status));
}

bool is_success(int status) { return status >= 200 && status < 300; }

/// As much of a refusal's body as is of use; what cannot be read is as if it were not there.
std::string beginning_of(net::BodyReader& body) {
  std::string out;
  std::string part(4 << 10, '\0');
  while (out.size() < most_refusal_answer_bytes) {
    const auto count = body.read(part);
    if (!count.ok() || *count == 0) break;
    out.append(part, 0, *count);
  }
  return out;
}

}  // namespace

RemotePeer::RemotePeer(const Endpoint& endpoint, KeySeal keys, net::Client& client,
                       const os::Clock& clock, os::Random& random, ratelimit::Waits* waits)
    : inference_id_(endpoint.inference_id),
      settings_(*endpoint.remote),
      keys_(std::move(keys)),
      client_(client),
      clock_(clock),
      waits_(waits != nullptr ? *waits : own_waits_),
      rules_(retry_options(settings_), clock, random, waits) {}

bool RemotePeer::serves(const Endpoint& endpoint) const {
  return endpoint.remote && settings_.kind == endpoint.remote->kind &&
         settings_.url == endpoint.remote->url &&
         settings_.organization_id == endpoint.remote->organization_id &&
         settings_.sealed_key == endpoint.remote->sealed_key &&
         settings_.requests_per_minute == endpoint.remote->requests_per_minute;
}

Result<net::ClientRequest> RemotePeer::request(std::string_view body, bool streams) const {
  if (!keys_.open) return status_error(ErrorKind::unavailable, "there is no key to open API keys");
  auto key = keys_.open(settings_.sealed_key, key_context(inference_id_, settings_));
  if (!key.ok()) {
    return status_error(ErrorKind::corrupt,
                        "the API key of inference endpoint [" + inference_id_ +
                            "] was sealed with another master key; set it again with _update");
  }
  net::ClientRequest out{.method = "POST", .body = body};
  CAIRN_TRY(out.url, net::parse_url(settings_.url));
  out.headers.set("Authorization", "Bearer " + *key);
  out.headers.set("Content-Type", "application/json");
  out.headers.set("Accept", streams ? "text/event-stream, application/json" : "application/json");
  out.headers.set("Accept-Encoding", "identity");
  out.headers.set("User-Agent", "cairn");
  if (!settings_.organization_id.empty())
    out.headers.set("OpenAI-Organization", settings_.organization_id);
  return out;
}

/// One request there, and what came of it.
struct RemotePeer::Attempt {
  std::unique_ptr<net::ClientStream> stream = {};
  std::optional<Error> refused = {};
  bool again = false;  // the server may have it another time, and this call alone waits for that
  std::optional<std::int64_t> wait_ms = {};
};

Status RemotePeer::attempt(net::ClientRequest request, const os::Deadline& deadline,
                           ratelimit::SeenResponse& seen, Attempt& out) {
  out = {};
  bool began = false;
  request.began = &began;
  auto opened = client_.open(request, deadline);
  if (!opened.ok()) {
    if (opened.error().kind != ErrorKind::unavailable) return opened.error();
    out.refused = worded(std::move(opened).error(), deadline);
    out.again = !began;  // what may have been read may have been done, and cost something
    return ok_status();
  }
  out.stream = *std::move(opened);
  const int status = out.stream->status();
  if (is_success(status)) return ok_status();
  out.wait_ms = asked_wait_ms(out.stream->headers(), clock_.unix_ms());
  std::string body = beginning_of(out.stream->body());
  out.refused = refusal(status, body);
  out.again = status == 503;
  if (out.again) return ok_status();  // no limit, so that nobody else is held
  seen = {.status = status, .header = only_wait(out.wait_ms), .body = std::move(body)};
  return ok_status();
}

Result<std::unique_ptr<net::ClientStream>> RemotePeer::open(std::string_view body, bool streams,
                                                            const os::Deadline& deadline) {
  CAIRN_TRY(const net::ClientRequest request, this->request(body, streams));
  const ratelimit::Outgoing outgoing{.identity = inference_id_,
                                     .resource = "inference",
                                     .writes = settings_.requests_per_minute.has_value()};
  Attempt got;
  for (std::uint32_t tries = 0;; ++tries) {
    const Status sent = rules_.send(
        outgoing,
        [&](ratelimit::SeenResponse& seen) { return attempt(request, deadline, seen, got); },
        deadline);
    if (!got.refused && !sent.ok()) return worded(sent.error(), deadline);
    if (!got.refused) return std::move(got.stream);
    if (!got.again || tries == most_retries) return *std::move(got.refused);
    got.stream.reset();  // its connection is not held meanwhile
    const std::int64_t wait_ms = wait_of(got.wait_ms, tries);
    if (wait_ms > waits_.left_ms(deadline) || !waits_.sleep_ms(wait_ms, deadline)) {
      if (deadline.stopped())
        return worded(deadline.check("waiting to send a request").error(), deadline);
      return *std::move(got.refused);
    }
  }
}

Result<std::string> RemotePeer::post(std::string_view body, std::size_t most_bytes,
                                     const os::Deadline& deadline) {
  CAIRN_TRY(const auto stream, open(body, false, deadline));
  auto answer = net::read_all(stream->body(), most_bytes);
  if (answer.ok()) return answer;
  return worded(std::move(answer).error(), deadline);
}

/// The key may stand in what a server says about it.
std::string RemotePeer::without_key(std::string text) const {
  const auto key = keys_.open
                       ? keys_.open(settings_.sealed_key, key_context(inference_id_, settings_))
                       : Result<std::string>(std::string());
  if (!key.ok() || key->empty()) return text;
  for (std::size_t at = text.find(*key); at != std::string::npos; at = text.find(*key, at + 1))
    text.replace(at, key->size(), "…");
  return text;
}

Error RemotePeer::refusal(int status, std::string_view text) const {
  // The key goes before the rest is cut, or a part of it would stay at the border.
  const std::string whole = without_key(refusal_text(text));
  const std::string_view said = cut_to(whole, most_said_bytes);
  const std::string answered =
      "answered with status " + std::to_string(status) + (said.empty() ? std::string() : ": " + std::string(said));
  const auto error = [&](ErrorKind kind, std::string message, std::string_view shown = {}) {
    Error out = status_error(kind, std::move(message));
    if (!shown.empty()) out = with_status(std::move(out), shown);
    return worded(std::move(out), os::Deadline::never());
  };
  constexpr auto failed = ErrorKind::unavailable;
  if (status == 401 || status == 403) {
    return error(
        failed,
        "refused the API key of the endpoint, and " + answered + "; set another key with _update",
        "502");
  }
  if (status == 429) return error(ErrorKind::rate_limited, answered);
  if (status == 408 || status == 504) return error(failed, answered, "504");
  if (status >= 400 && status < 500) return error(ErrorKind::invalid_argument, answered);
  if (status >= 300 && status < 400) {
    return error(failed,
                 answered +
                     "; redirects are not followed: name the address itself in "
                     "service_settings.url",
                 "502");
  }
  return error(failed, answered, "502");
}

Error RemotePeer::worded(Error error, const os::Deadline& deadline) const {
  const auto url = net::parse_url(settings_.url);
  const std::string who = "Service [" + std::string(name_of(settings_.kind)) + "] at [" +
                          (url.ok() ? url->authority() : settings_.url) +
                          "] of inference endpoint [" + inference_id_ + "]: ";
  Error out = std::move(error);
  out.message = without_key(std::move(out.message));
  out.message = who + std::string(cut_to(out.message, most_message_bytes));
  const bool passed = deadline.passed();
  out.code = "status_exception";
  switch (out.kind) {
    case ErrorKind::cancelled:
    case ErrorKind::rate_limited:
    case ErrorKind::invalid_argument:
      return out;
    case ErrorKind::timeout:
      return passed ? out : with_status(std::move(out), "504");
    case ErrorKind::permission_denied:  // the address, not the caller
      out.kind = ErrorKind::invalid_argument;
      return out;
    default:
      break;
  }
  if (out.kind != ErrorKind::unavailable) out.kind = ErrorKind::unavailable;
  const bool has_status = std::any_of(out.details.begin(), out.details.end(),
                                      [](const auto& detail) { return detail.first == "_status"; });
  return has_status ? out : with_status(std::move(out), "502");
}

}  // namespace cairn::inference
