// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/page_fetch.h"

#include <algorithm>
#include <utility>

#include "base/compress.h"
#include "base/strings.h"
#include "connectors/sources/web/page_url.h"
#include "format/time.h"
#include "os/clock.h"

namespace cairn::connectors {
namespace {

constexpr std::int64_t page_wait_ms = 30'000;
constexpr std::int64_t page_slice_ms = 1000;  // between two beats
constexpr std::int64_t first_refusal_wait_ms = 5'000;
constexpr std::int64_t refusal_wait_ms_max = 10 * 60'000;
constexpr int refusals_max = 3;
constexpr int failures_max = 10;
constexpr int robots_redirects_max = 5;
constexpr std::size_t robots_file_bytes_max = 4u << 20;

std::string media_type_of(const net::ClientReply& reply) {
  const std::string_view field = reply.headers.find("Content-Type").value_or("");
  return lower_ascii(trim(field.substr(0, field.find(';'))));
}

/// The parameter `charset`. Source: RFC 9110, 8.3.1.
std::string charset_of(const net::ClientReply& reply) {
  std::string_view field = reply.headers.find("Content-Type").value_or("");
  while (true) {
    const std::size_t semicolon = field.find(';');
    if (semicolon == std::string_view::npos) return {};
    field.remove_prefix(semicolon + 1);
    const std::string_view parameter = trim(field.substr(0, field.find(';')));
    if (!equals_ignore_case(parameter.substr(0, 8), "charset=")) continue;
    std::string_view value = trim(parameter.substr(8));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return std::string(value.substr(0, 64));
  }
}

PageAnswer failed(std::string reason) { return {.reason = std::move(reason)}; }

/// The body as it is meant.
Status unpack(net::ClientReply& reply, std::size_t bytes_max) {
  const auto coding = reply.headers.find("Content-Encoding");
  if (!coding || equals_ignore_case(*coding, "identity")) return ok_status();
  if (!equals_ignore_case(*coding, "gzip") && !equals_ignore_case(*coding, "x-gzip"))
    return Error{.kind = ErrorKind::unsupported,
                 .message = "it comes in a coding that was not asked for"};
  CAIRN_TRY(reply.body, gunzip(reply.body, bytes_max));
  return ok_status();
}

PageAnswer answer_of(net::ClientReply reply, std::size_t bytes_max) {
  using Kind = PageAnswer::Kind;
  const std::string said = "answered with status " + std::to_string(reply.status);
  if (reply.status == 304) return {.kind = Kind::unchanged};
  if (reply.status == 404 || reply.status == 410) return {.kind = Kind::gone, .reason = said};
  const std::string location(reply.headers.find("Location").value_or(""));
  if (reply.status >= 300 && reply.status < 400 && !location.empty())
    return {.kind = Kind::moved, .location = location};
  if (reply.status != 200) return failed(said);
  if (const Status unpacked = unpack(reply, bytes_max); !unpacked.ok()) {
    PageAnswer out = failed(unpacked.error().message);
    if (unpacked.error().kind == ErrorKind::too_large) out.kind = Kind::closed;
    return out;
  }
  PageAnswer out{
      .kind = Kind::page, .media_type = media_type_of(reply), .charset = charset_of(reply)};
  for (const auto& [name, value] : reply.headers.fields())
    if (equals_ignore_case(name, "X-Robots-Tag")) add_wishes(value, crawler_name, out.wishes);
  out.marks = {.etag = std::string(reply.headers.find("ETag").value_or("")),
               .modified = std::string(reply.headers.find("Last-Modified").value_or(""))};
  out.body = std::move(reply.body);
  return out;
}

}  // namespace

PageFetch::PageFetch(PageFetchParams params)
    : params_(std::move(params)), client_(params_.outreach.client_options()) {}

/// As Retry-After says, in seconds or by a date; else the fallback.
std::int64_t PageFetch::wait_of(const net::ClientReply& reply, std::int64_t fallback_ms) const {
  const auto field = reply.headers.find("Retry-After");
  if (!field) return fallback_ms;
  if (const auto seconds = parse_number<std::uint32_t>(*field))
    return *seconds * std::int64_t{1000};
  const auto at = parse_http_date(*field);
  return at ? std::max<std::int64_t>(*at - params_.means.clock->unix_ms(), 0) : fallback_ms;
}

Result<net::ClientReply> PageFetch::send(const net::ClientRequest& request, std::size_t bytes_max,
                                         const os::Deadline& deadline) {
  const os::Deadline until = deadline.sooner_ms(page_wait_ms);
  if (params_.means.send) return params_.means.send(request, until, bytes_max);
  return client_.send(request, until, bytes_max);
}

PageFetch::Host& PageFetch::host_of(std::string_view url) {
  const std::string_view origin = url.substr(0, url.size() - page_target(url).size());
  const auto found = hosts_.find(origin);
  return found != hosts_.end() ? found->second : hosts_[std::string(origin)];
}

Status PageFetch::pause(std::int64_t ms, const os::Deadline& deadline) {
  const std::string doing =
      "resumes " + format_iso8601(params_.means.clock->unix_ms() + ms).substr(11, 5) + " UTC";
  while (ms > 0) {
    if (ms > page_slice_ms && params_.beat) CAIRN_CHECK(params_.beat(doing));
    const std::int64_t slice = std::min(ms, page_slice_ms);
    if (!params_.means.sleep(slice, deadline)) CAIRN_CHECK(deadline.check("waiting for a host"));
    ms -= slice;
  }
  return ok_status();
}

Result<PageAnswer> PageFetch::exchange(Host& host, std::string_view url, const PageMarks& marks,
                                       std::size_t bytes_max, const os::Deadline& deadline) {
  const auto target = params_.outreach.check_url("urls", std::string(url));
  if (!target.ok()) return failed(target.error().message);
  net::ClientRequest request{.method = "GET", .url = *target, .headers = {}};
  request.headers.set("User-Agent", std::string(crawler_name) + "/1 (connector of web pages)");
  request.headers.set("Accept", "text/html, application/xhtml+xml, */*;q=0.5");
  if (!marks.etag.empty()) request.headers.set("If-None-Match", marks.etag);
  if (!marks.modified.empty()) request.headers.set("If-Modified-Since", marks.modified);
  for (int refusals = 0;; ++refusals) {
    CAIRN_CHECK(pause(host.free_at_ms - steady_ms(), deadline));
    auto reply = send(request, bytes_max, deadline);
    host.free_at_ms = steady_ms() + std::max(params_.delay_ms, host.rules.delay_ms());
    if (!reply.ok()) {
      CAIRN_CHECK(deadline.check("asking for a page"));
      PageAnswer out = failed(reply.error().message);
      if (reply.error().kind == ErrorKind::too_large) out.kind = PageAnswer::Kind::closed;
      return out;
    }
    if (reply->status != 429 && reply->status != 503)
      return answer_of(*std::move(reply), bytes_max);
    const std::int64_t wait = wait_of(*reply, first_refusal_wait_ms << refusals);
    if (refusals == refusals_max || wait > refusal_wait_ms_max)
      return answer_of(*std::move(reply), bytes_max);
    host.free_at_ms = std::max(host.free_at_ms, steady_ms() + wait);
  }
}

/// Source: RFC 9309, 2.3.1.
Status PageFetch::learn(Host& host, std::string_view origin, const os::Deadline& deadline) {
  host.is_known = true;
  std::string at = std::string(origin) + "/robots.txt";
  for (int redirects = 0; redirects <= robots_redirects_max; ++redirects) {
    CAIRN_TRY(PageAnswer answer, exchange(host, at, {}, robots_file_bytes_max, deadline));
    using Kind = PageAnswer::Kind;
    if (answer.kind == Kind::page) {
      host.rules = RobotsRules::parse(answer.body, crawler_name);
      host.free_at_ms = std::max(host.free_at_ms, steady_ms() + host.rules.delay_ms());
      return ok_status();
    }
    if (answer.kind == Kind::moved) {
      const auto next = normal_page_url(resolve_reference(at, answer.location));
      if (!next) return ok_status();
      at = *next;
      continue;
    }
    const bool may_ask =
        answer.kind == Kind::gone ||
        (answer.reason.starts_with("answered with status 4") && !answer.reason.ends_with(" 429"));
    if (may_ask) return ok_status();
    host.rules = RobotsRules::nothing_allowed();
    host.closed = at + " cannot be read, so no page is asked for: " + answer.reason;
    return ok_status();
  }
  return ok_status();
}

Result<const RobotsRules*> PageFetch::rules(std::string_view url, const os::Deadline& deadline) {
  Host& host = host_of(url);
  if (!host.is_known)
    CAIRN_CHECK(learn(host, url.substr(0, url.size() - page_target(url).size()), deadline));
  return &host.rules;
}

Result<PageAnswer> PageFetch::get(std::string_view url, const PageMarks& marks,
                                  std::size_t bytes_max, const os::Deadline& deadline) {
  CAIRN_TRY(const RobotsRules* rules, this->rules(url, deadline));
  Host& host = host_of(url);
  if (!host.closed.empty()) return failed(host.closed);
  if (!rules->allows(page_target(url)))
    return PageAnswer{.kind = PageAnswer::Kind::closed, .reason = "closed by robots.txt"};
  CAIRN_TRY(PageAnswer answer, exchange(host, url, marks, bytes_max, deadline));
  host.failures = answer.kind == PageAnswer::Kind::failed ? host.failures + 1 : 0;
  if (host.failures == failures_max)
    host.closed = "its host failed ten times in a row, and is not asked: " + answer.reason;
  return answer;
}

}  // namespace cairn::connectors
