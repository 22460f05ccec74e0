// SPDX-License-Identifier: Apache-2.0
#include "inference/remote/remote_peer.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "inference/errors.h"
#include "inference/remote/answers.h"

namespace cairn::inference {
namespace {

constexpr std::size_t most_refusal_answer_bytes = 64 << 10;
constexpr std::int64_t minute_ms = 60'000;

ratelimit::RetryOptions retry_options(const RemoteSettings& settings) {
  ratelimit::RetryOptions out;
  out.retries = 3;
  out.unknown_ms = 1'000;
  out.pacing.at_once = 256;  // the callers are limited themselves
  out.pacing.reserve = 0;
  out.pacing.between_writes_ms =
      settings.requests_per_minute
          ? (minute_ms + *settings.requests_per_minute - 1) / *settings.requests_per_minute
          : 0;
  return out;
}

/// A wait in milliseconds, as some servers give it, in the seconds of the standard's header.
std::optional<std::string> seconds_of(std::optional<std::string_view> milliseconds) {
  const auto ms = milliseconds ? parse_number<std::int64_t>(trim(*milliseconds))
                               : std::optional<std::int64_t>();
  if (!ms || *ms < 0) return std::nullopt;
  return std::to_string(*ms / 1'000 + (*ms % 1'000 != 0 ? 1 : 0));
}

ratelimit::HeaderLookup header_lookup(const net::Headers& headers) {
  return [&headers](std::string_view name) -> std::optional<std::string> {
    if (const auto value = headers.find(name)) return std::string(*value);
    return name == "retry-after" ? seconds_of(headers.find("retry-after-ms")) : std::nullopt;
  };
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

Result<std::unique_ptr<net::ClientStream>> RemotePeer::open(std::string_view body, bool streams,
                                                            const os::Deadline& deadline) {
  CAIRN_TRY(const net::ClientRequest request, this->request(body, streams));
  std::unique_ptr<net::ClientStream> stream;
  std::optional<Error> refused;
  const Status sent = rules_.send(
      {.identity = inference_id_,
       .resource = "inference",
       .writes = settings_.requests_per_minute.has_value()},
      [&](ratelimit::SeenResponse& seen) -> Status {
        refused.reset();
        auto opened = client_.open(request, deadline);
        if (!opened.ok()) {
          if (opened.error().kind != ErrorKind::unavailable) return opened.error();
          refused = worded(std::move(opened).error(), deadline);
          seen.status = 429;  // as if it had asked for patience
          return ok_status();
        }
        stream = *std::move(opened);
        seen.status = stream->status();
        if (is_success(seen.status)) return ok_status();
        seen.body = beginning_of(stream->body());
        seen.header = header_lookup(stream->headers());
        refused = refusal(seen.status, seen.body);
        if (seen.status == 503) seen.status = 429;
        return ok_status();
      },
      deadline);
  if (refused) return *std::move(refused);
  if (!sent.ok()) return worded(sent.error(), deadline);
  return stream;
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
  const std::string said = refusal_text(text);
  const std::string answered =
      "answered with status " + std::to_string(status) + (said.empty() ? "" : ": " + said);
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
  out.message = who + without_key(std::move(out.message));
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
