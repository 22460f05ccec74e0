// SPDX-License-Identifier: Apache-2.0
#include "remotesearch/remote_scroll.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/encode.h"
#include "base/strings.h"
#include "format/time.h"

namespace cairn::remotesearch {
namespace {

constexpr std::size_t most_refusal_bytes = 64 << 10;
constexpr std::size_t most_said_bytes = 1'000;  // of what a server says
constexpr std::int64_t second_ms = 1'000;
constexpr std::int64_t longest_wait_ms = 300'000;  // whatever a server asks for
constexpr std::int64_t longest_answer_ms = 900'000;
constexpr std::uint32_t most_repeats = 8;    // of a refusal with 429
constexpr std::uint32_t most_new_tries = 3;  // of 503, and of a connection that is not made

ratelimit::RetryOptions retry_options_of_scrolls() {
  ratelimit::RetryOptions out;
  out.retries = most_repeats;
  out.unknown_ms = second_ms;
  out.longest_ms = longest_wait_ms;
  out.pacing.between_writes_ms = 0;
  out.pacing.reserve = 0;
  return out;
}

/// `Retry-After`, in seconds or as a date.
std::optional<std::int64_t> retry_after_ms(const net::Headers& headers, std::int64_t now_unix_ms) {
  const auto text = headers.find("Retry-After");
  if (!text) return std::nullopt;
  if (const auto seconds = parse_number<std::int64_t>(trim(*text)); seconds && *seconds >= 0)
    return std::min(*seconds, longest_wait_ms / second_ms) * second_ms;
  const auto until = parse_http_date(trim(*text));
  if (!until) return std::nullopt;
  return std::clamp<std::int64_t>(*until - now_unix_ms, 0, longest_wait_ms);
}

ratelimit::HeaderLookup only_retry_after(std::optional<std::int64_t> wait_ms) {
  return [wait_ms](std::string_view name) -> std::optional<std::string> {
    if (name != "retry-after" || !wait_ms) return std::nullopt;
    return std::to_string((*wait_ms + second_ms - 1) / second_ms);
  };
}

Error with_status_of(Error error, int status) {
  error.code = "status_exception";
  return std::move(error).with_detail("_status", std::to_string(status));
}

/// The values of the headers, and what they are made of: a scheme and a credential.
std::vector<std::string> secrets_of(const RemoteSource& source) {
  std::vector<std::string> out;
  for (const auto& [name, value] : source.headers) {
    out.push_back(value);
    const std::size_t space = value.find(' ');
    if (space == std::string::npos) continue;
    const std::string credential = value.substr(space + 1);
    out.push_back(credential);
    const auto plain = from_base64(credential);
    if (!plain) continue;
    out.push_back(*plain);
    out.push_back(plain->substr(plain->find(':') + 1));
  }
  std::erase(out, std::string());
  return out;
}

/// As much of a refusal's body as is of use; what cannot be read is as if it were not there.
std::string beginning_of_refusal(net::BodyReader& body) {
  std::string out;
  std::string part(4 << 10, '\0');
  while (out.size() < most_refusal_bytes) {
    const auto count = body.read(part);
    if (!count.ok() || *count == 0) break;
    out.append(part, 0, *count);
  }
  return out;
}

/// What a server says is wrong: "index_not_found_exception: no such index [books]".
std::string said_in(std::string_view text) {
  const auto read = parse_json(text);
  if (!read.ok()) return {};
  const Json* error = read->find("error");
  if (error == nullptr) return {};
  if (error->is_string()) return error->as_string();
  const std::string type = error->string_or("type"), reason = error->string_or("reason");
  return type.empty() ? reason : reason.empty() ? type : type + ": " + reason;
}

std::string path_of_indices(const std::string& indices) {
  std::string out;
  for (const auto name : split(indices, ','))
    out += (out.empty() ? "" : ",") + percent_encode(name, "*");
  return out;
}

}  // namespace

Status RemoteAccess::check(const RemoteSource& source) const {
  if (params_.rules.may_allow(source.host, source.port)) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .code = "illegal_argument_exception",
               .message = "[" + source.authority() + "] not whitelisted in " + params_.setting +
                          "; who runs the server can list it there"};
}

net::ClientOptions RemoteAccess::client_options(const RemoteSource& source) const {
  net::ClientOptions out;
  out.connect_timeout_ms = source.connect_timeout_ms;
  out.read_timeout_ms = source.socket_timeout_ms;
  out.write_stall_ms = source.socket_timeout_ms;
  out.connections_per_endpoint = 1;
  out.tls_ca_file = params_.ca_file;
  out.check_address = [rules = params_.rules](std::string_view host, const net::Address& address) {
    return rules.check(host, address);
  };
  return out;
}

RemoteScroll::RemoteScroll(const RemoteSource& source, RemoteSearch search,
                           const RemoteAccess& access, const os::Clock& clock,
                           std::function<void()> repeated, ratelimit::Waits* waits)
    : source_(source),
      search_(std::move(search)),
      answer_bytes_max_(access.answer_bytes_max()),
      size_name_(access.size_name()),
      secrets_(secrets_of(source)),
      repeated_(std::move(repeated)),
      clock_(clock),
      client_(access.client_options(source)),
      waits_(waits != nullptr ? *waits : own_waits_),
      rules_(retry_options_of_scrolls(), clock, os::system_random(), waits) {}

net::ClientRequest RemoteScroll::request(std::string method, const std::string& target,
                                         std::string_view body) const {
  net::ClientRequest out{.method = std::move(method),
                         .url = {.scheme = source_.scheme,
                                 .host = source_.host,
                                 .port = source_.port,
                                 .target = source_.path_prefix + target},
                         .body = body};
  for (const auto& [name, value] : source_.headers) out.headers.add(name, value);
  out.headers.set("Content-Type", "application/json");
  out.headers.set("Accept", "application/json");
  out.headers.set("Accept-Encoding", "identity");
  if (!out.headers.has("User-Agent")) out.headers.set("User-Agent", "cairn");
  return out;
}

/// One request, and what came of it.
struct RemoteScroll::Attempt {
  std::optional<std::string> text = {};
  std::optional<Error> refused = {};
  bool again = false;
  bool not_connected = false;
  std::optional<std::int64_t> wait_ms = {};
};

Status RemoteScroll::attempt(const net::ClientRequest& given, const os::Deadline& deadline,
                             ratelimit::SeenResponse& seen, Attempt& out) {
  out = {};
  net::ClientRequest request = given;
  bool began = false;
  request.began = &began;
  auto opened = client_.open(request, deadline);
  if (!opened.ok()) {
    if (opened.error().kind != ErrorKind::unavailable) return opened.error();
    out.refused = worded(std::move(opened).error());
    out.again = out.not_connected = !began;
    return ok_status();
  }
  net::ClientStream& stream = **opened;
  const int status = stream.status();
  if (status >= 200 && status < 300) {
    auto text = net::read_all(stream.body(), answer_bytes_max_);
    if (!text.ok()) return text.error();
    out.text = *std::move(text);
    return ok_status();
  }
  out.wait_ms = retry_after_ms(stream.headers(), clock_.unix_ms());
  std::string body = beginning_of_refusal(stream.body());
  out.refused = refusal(status, body);
  out.again = status == 503;
  if (!out.again)
    seen = {.status = status, .header = only_retry_after(out.wait_ms), .body = std::move(body)};
  return ok_status();
}

Result<std::string> RemoteScroll::send(net::ClientRequest request, bool opens,
                                       const os::Deadline& deadline) {
  Attempt got;
  bool first = true;
  for (std::uint32_t tries = 0;; ++tries) {
    const Status sent = rules_.send(
        {.identity = source_.host, .resource = "scroll"},
        [&](ratelimit::SeenResponse& seen) {
          if (!std::exchange(first, false) && repeated_) repeated_();
          return attempt(request, deadline.sooner_ms(longest_answer_ms), seen, got);
        },
        deadline);
    if (got.text) return *std::move(got.text);
    if (deadline.stopped()) return deadline.check("reading from another server").error();
    if (!got.refused) return worded(sent.ok() ? Error{} : sent.error());
    if (!got.again || tries == most_new_tries || (got.not_connected && opens))
      return *std::move(got.refused);
    const std::int64_t wait_ms =
        std::min(std::max(got.wait_ms.value_or(0), second_ms) << tries, longest_wait_ms);
    if (wait_ms > waits_.left_ms(deadline) || !waits_.sleep_ms(wait_ms, deadline)) {
      if (deadline.stopped()) return deadline.check("waiting for another server").error();
      return *std::move(got.refused);
    }
  }
}

Json RemoteScroll::query() const {
  return source_.query.is_null() ? Json::object({{"match_all", Json::object()}}) : source_.query;
}

Result<std::string> RemoteScroll::open(std::int64_t keep_alive_ms, const os::Deadline& deadline) {
  Json body = Json::object(
      {{"query", query()},
       {"_source", search_.source_filter.is_null() ? Json(true) : search_.source_filter},
       {"size", search_.size},
       {"track_total_hits", true}});
  body.set("sort", source_.sort.is_null() ? Json::array({"_doc"}) : source_.sort);
  const std::string text = body.dump();
  return send(request("POST",
                      "/" + path_of_indices(search_.indices) +
                          "/_search?allow_partial_search_results=false&scroll=" +
                          std::to_string(keep_alive_ms) + "ms",
                      text),
              true, deadline);
}

Result<std::string> RemoteScroll::next(std::string_view scroll_id, std::int64_t keep_alive_ms,
                                       const os::Deadline& deadline) {
  const std::string text =
      Json::object({{"scroll_id", scroll_id}, {"scroll", std::to_string(keep_alive_ms) + "ms"}})
          .dump();
  return send(request("POST", "/_search/scroll", text), false, deadline);
}

Result<std::string> RemoteScroll::self(const os::Deadline& deadline) {
  return send(request("GET", "/", {}), true, deadline);
}

Result<std::string> RemoteScroll::count(const os::Deadline& deadline) {
  const std::string text = Json::object({{"query", query()}}).dump();
  return send(request("POST", "/" + path_of_indices(search_.indices) + "/_count", text), true,
              deadline);
}

void RemoteScroll::close(std::string_view scroll_id, const os::Deadline& deadline) {
  const std::string body = Json::object({{"scroll_id", Json::array({scroll_id})}}).dump();
  static_cast<void>(
      client_.send(request("DELETE", "/_search/scroll", body), deadline, most_refusal_bytes).ok());
}

std::string RemoteScroll::without_secrets(std::string text) const {
  for (const std::string& secret : secrets_)
    for (std::size_t at = text.find(secret); at != std::string::npos;
         at = text.find(secret, at + 1))
      text.replace(at, secret.size(), "…");
  return text;
}

Error RemoteScroll::refusal(int status, std::string_view text) const {
  // The secrets go before the rest is cut, or a part of one would stay at the border.
  const std::string whole = without_secrets(said_in(text));
  std::string_view said = std::string_view(whole).substr(0, most_said_bytes);
  said = said.substr(0, valid_utf8_prefix(said));
  std::string message = "answered with status " + std::to_string(status);
  if (!said.empty()) message += ": " + std::string(said);
  if (status >= 300 && status < 400) message += "; redirects are not followed";
  Error out{.kind = status == 429   ? ErrorKind::rate_limited
                    : status >= 500 ? ErrorKind::unavailable
                                    : ErrorKind::invalid_argument,
            .message = std::move(message)};
  return worded(with_status_of(std::move(out), status >= 400 && status < 600 ? status : 502));
}

Error RemoteScroll::worded(Error error) const {
  error.message = "remote [" + source_.authority() + "]: " + without_secrets(error.message);
  if (error.code == "status_exception" || error.code == "illegal_argument_exception") return error;
  switch (error.kind) {
    case ErrorKind::cancelled:
    case ErrorKind::rate_limited:
      return error;
    case ErrorKind::permission_denied:  // the address, not the caller
      error.kind = ErrorKind::invalid_argument;
      error.code = "illegal_argument_exception";
      return error;
    case ErrorKind::too_large:
      error.message += "; an answer may have [" + std::to_string(answer_bytes_max_) +
                       "] bytes: ask for fewer documents at a time with [" + size_name_ + "]";
      break;
    default:
      break;
  }
  const int status = error.kind == ErrorKind::timeout ? 504 : 502;
  if (error.kind != ErrorKind::timeout) error.kind = ErrorKind::unavailable;
  return with_status_of(std::move(error), status);
}

}  // namespace cairn::remotesearch
