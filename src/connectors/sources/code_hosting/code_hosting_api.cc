// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/code_hosting/code_hosting_api.h"

#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "connectors/sources/code_hosting/code_hosting_answers.h"
#include "format/json.h"

namespace cairn::connectors {
namespace {

constexpr std::int64_t first_retry_ms = 1000;
constexpr int new_tries_max = 3;  // of what failed on the way, or behind the service's door
constexpr std::size_t said_bytes = 300;

bool may_pass(int status) { return status == 500 || (status >= 502 && status <= 504); }

std::string said_by(const net::ClientReply& reply) {
  const auto body = parse_json(reply.body);
  std::string said = body.ok() ? body->string_or("message") : std::string();
  if (said.size() > said_bytes) said.resize(said_bytes);
  return said.empty() ? std::string() : ": " + said;
}

}  // namespace

CodeHostingApi::CodeHostingApi(ApiParams params)
    : params_(std::move(params)),
      waiting_(*params_.clock, params_.waits, params_.beat),
      rules_({}, *params_.clock, *params_.random, &waiting_) {}

CodeHostingApi::~CodeHostingApi() = default;

/// What passes by itself is asked again, a little later each time.
Result<net::ClientReply> CodeHostingApi::exchange(const net::ClientRequest& request,
                                                  const os::Deadline& deadline) {
  for (int tries = 0;; ++tries) {
    auto reply = params_.send(request, deadline);
    const bool again = reply.ok() ? may_pass(reply->status) && !reply->headers.has("Retry-After")
                                  : reply.error().kind == ErrorKind::unavailable;
    if (!again || tries == new_tries_max) return reply;
    if (!waiting_.sleep_ms(first_retry_ms << tries, deadline)) {
      CAIRN_CHECK(deadline.check("waiting for the API"));
      return reply;
    }
  }
}

Result<ApiAnswer> CodeHostingApi::get(const std::string& target, const std::string& etag,
                                      const os::Deadline& deadline) {
  net::ClientRequest request{.method = "GET", .url = params_.base, .headers = {}};
  request.url.target = target;
  request.headers.set("Accept", "application/json");
  request.headers.set("User-Agent", "cairn");
  if (!params_.token.empty()) request.headers.set("Authorization", "Bearer " + params_.token);
  if (!etag.empty()) request.headers.set("If-None-Match", etag);
  // Who is to end this, ends the waiting: the caller, or what `beat` says.
  std::stop_source stop;
  waiting_.begin(stop);
  const std::stop_callback outer(deadline.stop(), [stop]() mutable { stop.request_stop(); });
  const os::Deadline until = deadline.is_never()
                                 ? os::Deadline::never(stop.get_token())
                                 : os::Deadline::in_ms(deadline.remaining_ms(), stop.get_token());
  std::optional<net::ClientReply> last;
  const Status sent = rules_.send(
      {.identity = params_.base.host},
      [&](ratelimit::SeenResponse& seen) -> Status {
        CAIRN_TRY(last, exchange(request, until));
        seen = {.status = last->status,
                .header = [&last](std::string_view name) -> std::optional<std::string> {
                  const auto value = last->headers.find(name);
                  return value ? std::optional(std::string(*value)) : std::nullopt;
                },
                .body = last->body.substr(0, 4096)};
        return ok_status();
      },
      until);
  if (auto fault = waiting_.take_fault()) return *std::move(fault);
  CAIRN_CHECK(deadline.check("waiting for the API"));
  if (!sent.ok()) return sent.error();
  return answer_of(*std::move(last), target);
}

Result<ApiAnswer> CodeHostingApi::answer_of(net::ClientReply reply,
                                            const std::string& target) const {
  const auto failed = [&](ErrorKind kind, std::string_view why) {
    return Error{.kind = kind,
                 .message = "GET " + target + " " + std::string(why) + said_by(reply)};
  };
  if (reply.status == 304) return ApiAnswer{.is_unchanged = true};
  if (reply.status == 401) return failed(ErrorKind::unauthenticated, "needs another token");
  if (reply.status == 403) return failed(ErrorKind::permission_denied, "is not allowed");
  if (reply.status == 404 || reply.status == 410 || reply.status == 451)
    return failed(ErrorKind::not_found, "finds nothing");
  if (reply.status >= 300 && reply.status < 400)
    return failed(ErrorKind::unavailable, "is answered elsewhere; redirects are not followed");
  if (reply.status != 200)
    return failed(ErrorKind::unavailable, "is answered with " + std::to_string(reply.status));
  ApiAnswer out{.body = std::move(reply.body)};
  out.etag = reply.headers.find("ETag").value_or("");
  const std::string next = next_link(reply.headers.find("Link").value_or(""));
  if (next.empty()) return out;
  const auto url = net::parse_url(next);
  if (!url.ok() || url->scheme != params_.base.scheme || url->host != params_.base.host ||
      url->port != params_.base.port || url->target == target)
    return failed(ErrorKind::corrupt, "names a next page that is none of this API's");
  out.next = url->target;
  return out;
}

}  // namespace cairn::connectors
