// SPDX-License-Identifier: Apache-2.0
// The way of a request through the checks, and the three shapes of an error body.
#include "api/dispatcher.h"

#include <algorithm>
#include <exception>

#include "api/call_state.h"
#include "api/counted_body.h"
#include "api/forms/error_json.h"
#include "api/forms/locate.h"
#include "api/forms/render.h"
#include "api/graphql_operation.h"
#include "api/index_names.h"
#include "api/memory_exchange.h"
#include "api/routes/console_routes.h"
#include "base/hash.h"
#include "base/strings.h"
#include "gate/identify.h"
#include "gate/identify_session.h"
#include "net/http/accept.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/threads/pool.h"
#include "os/trace.h"

namespace cairn::api {
namespace {

// A body takes its bytes, and about as many once it is read.
constexpr std::uint64_t body_and_tree = 2;

constexpr std::size_t opaque_id_bytes_max = 1024;
constexpr std::size_t graphql_bytes_max = 1 << 20;  // read before anybody is asked

/// Replies that are errors, but whose body is a plain sentence.
Reply sentence(int status, std::string text, bool with_status) {
  Json body = Json::object({{"error", std::move(text)}});
  if (with_status) body.set("status", status);
  return Reply::json(std::move(body), status);
}

Reply no_handler(const net::RequestHead& head) {
  return sentence(400,
                  "no handler found for uri [" + head.target + "] and method [" + head.method + "]",
                  false);
}

Reply wrong_method(const net::RequestHead& head, const std::vector<std::string>& allowed) {
  const std::string list = join(allowed, ", ");
  const bool asked = head.method == "OPTIONS";
  Reply reply = asked ? Reply::plain("")
                      : sentence(405,
                                 "Incorrect HTTP method for uri [" + head.target +
                                     "] and method [" + head.method + "], allowed: [" + list + "]",
                                 true);
  reply.headers.set("Allow", join(allowed, ","));
  return reply;
}

/// Whether the first part of a path is a name of the platform's, which no index can have: a
/// resource that is not offered is no index that is missing.
bool begins_with_own_name(std::string_view path) {
  return path.starts_with("/_") && path != "/_all" && !path.starts_with("/_all/");
}

/// Puts "[line:column] " before the message of an error that names a field of the body.
void add_position(Error& error, const std::optional<std::string>& body) {
  for (const auto& [name, path] : error.details) {
    const bool of_value = name == "_value";
    if ((!of_value && name != "_field") || !body) continue;
    const auto at = locate(*body, path, of_value);
    if (!at) return;
    error.message =
        "[" + std::to_string(at->line) + ":" + std::to_string(at->column) + "] " + error.message;
    error.details.emplace_back("line", std::to_string(at->line));
    error.details.emplace_back("col", std::to_string(at->column));
    return;
  }
}

/// Whether a 401 may have the browser ask for a name and a password. Pages of the console ask in
/// their own way, and a browser's box would stand before it.
bool asks_for_password(const net::Headers& headers, const gate::Route* route) {
  if (route != nullptr && route->path.starts_with("/_cairn/sessions")) return false;
  const auto mode = headers.find("sec-fetch-mode");
  return !headers.has(gate::csrf_header) && (!mode || *mode == "navigate");
}

/// The path below the prefix of all paths; nothing where it lies elsewhere. Probes come from the
/// machine itself and know no prefix, and the links to the documentation have none.
std::optional<std::string_view> inside_base(std::string_view path, std::string_view base) {
  if (base.empty() || path.starts_with("/_health/") || path == "/_metrics" ||
      path.starts_with("/docs/"))
    return path;
  if (!path.starts_with(base)) return std::nullopt;
  path.remove_prefix(base.size());
  if (path.empty()) return "/";
  return path.front() == '/' ? std::optional(path) : std::nullopt;
}

/// What requests have in common that take about as long: the row, and what the path names.
std::uint64_t kind_of(const gate::Match& match) {
  std::uint64_t kind = match.route;
  for (const auto& [name, value] : match.parameters)
    kind = kind * 0x9e3779b97f4a7c15 ^ fast_hash(value);
  return kind;
}

}  // namespace

Status Options::validate() const {
  const bool prefix = base_path.empty() ||
                      (base_path.front() == '/' && base_path.size() > 1 && base_path.back() != '/');
  if (!prefix)
    return Error{ErrorKind::invalid_argument,
                 {},
                 "api.base_path must begin with / and not end with it, as in /search"};
  CAIRN_CHECK(cors.validate());
  if (json_body_bytes_max == 0 || bulk_body_bytes_max == 0)
    return Error{ErrorKind::invalid_argument, {}, "limits of bodies must not be 0"};
  if (cluster_name.empty() || node_name.empty())
    return Error{ErrorKind::invalid_argument, {}, "cluster.name and node.name must not be empty"};
  return ok_status();
}

/// Everything known about one request on its way.
struct Dispatcher::RequestState {
  explicit RequestState(net::Exchange& e) : exchange(e) {}
  net::Exchange& exchange;
  net::Headers headers = {};  // besides those that every reply has
  gate::Match match = {};
  const gate::Route* route = nullptr;
  gate::RequestScope scope = {};  // until the reply is written
  net::QueryParameters query = {};
  Media media = {};
  Form form = {};
  std::optional<std::string> body = {};  // what was read, for errors and the slow log
  std::optional<Error> unreadable = {};  // why a body that was wanted early could not be
  Status path = ok_status();             // why nothing could be found for it
  std::shared_ptr<const void> understood = {};
};

Dispatcher::Dispatcher(Router router, const gate::Gate& gate, os::Metrics& metrics, Options options,
                       os::ComputePool* compute, os::MemoryBreaker* memory)
    : table_(router.routes()),
      handlers_(router.handlers()),
      weighers_(router.weighers()),
      gate_(gate),
      listener_gate_(gate, table_.routes()),
      options_(std::move(options)),
      cors_(options_.cors),
      metrics_(std::make_unique<gate::RequestMetrics>(metrics, "api", table_.routes())),
      slow_log_(options_.slow_log, metrics),
      compute_(compute),
      memory_(memory),
      places_(compute == nullptr ? 0 : compute->slots()) {}
Dispatcher::~Dispatcher() = default;

void Dispatcher::answer(net::Exchange& exchange) const {
  put_common_headers(exchange.head, exchange.reply.standing);
  RequestState request(exchange);
  send(request, run(request));
}

/// The fields that every reply has.
void Dispatcher::put_common_headers(const net::RequestHead& head, net::HeadLines& lines) const {
  lines.add("X-elastic-product", "Elasticsearch");
  const auto id = head.headers.find("x-opaque-id");
  if (id && id->size() <= opaque_id_bytes_max) lines.add("X-Opaque-Id", *id);
  cors_.put(head, lines);
}

/// A browser asks before a request from a page of another origin, without anybody's credentials.
Result<Reply> Dispatcher::answer_preflight(RequestState& request) const {
  request.scope = listener_gate_.enter_preflight(request.exchange.head);
  request.scope.put_headers(request.exchange.reply.standing);
  CAIRN_CHECK(request.scope.status());
  CAIRN_CHECK(cors_.check_preflight(request.exchange.head));
  Reply reply = Reply::plain("");
  cors_.put_preflight(reply.headers);
  return reply;
}

/// The row, and what its path names.
void Dispatcher::find_row(RequestState& request, std::optional<std::string_view> path) const {
  const net::RequestHead& head = request.exchange.head;
  // A browser is shown the console; clients of the API, who ask for JSON, see no difference.
  const bool reads = head.method == "GET" || head.method == "HEAD";
  if (path == "/" && reads && net::prefers_html(head.headers)) path = console_path;
  auto match = path ? table_.match(head.method, *path) : Result<gate::Match>(gate::Match{});
  if (match.ok() && !(path && begins_with_own_name(*path) && is_of_index(*match, *path)))
    request.match = std::move(*match);
  if (request.match.found()) {
    request.route = &table_.routes()[request.match.route];
    if (os::TraceContext* const trace = os::current_trace()) {
      trace->operation = request.route->operation;
      trace->route = request.route->path;
    }
  }
  request.path = make_names_plain(request.match);
  if (!match.ok()) request.path = match.error();
}

Result<Reply> Dispatcher::run(RequestState& request) const {
  const net::RequestHead& head = request.exchange.head;
  if (cors_.is_preflight(head)) return answer_preflight(request);
  find_row(request, inside_base(head.path(), options_.base_path));
  const gate::Weigh weigh_it = [&] { return weigh(request); };
  const bool weighs = request.route != nullptr && request.route->graphql;
  request.scope = listener_gate_.enter(head, request.match.route, weighs ? &weigh_it : nullptr,
                                       &request.match.parameters);
  request.scope.put_headers(request.exchange.reply.standing);
  // Who has no key learns nothing about which paths exist, nor what they take.
  CAIRN_CHECK(request.scope.status());
  const gate::Caller& caller = request.scope.caller();
  if (request.route != nullptr && caller.anonymous())
    CAIRN_CHECK(gate_.pass(*request.route, caller, request.match.parameters, head.path()));
  return after_limits(request);
}

Result<Reply> Dispatcher::after_limits(RequestState& request) const {
  const net::RequestHead& head = request.exchange.head;
  CAIRN_CHECK(request.path);
  if (request.unreadable) return *request.unreadable;
  CAIRN_CHECK(understand(request));
  if (request.route == nullptr)
    return request.match.allowed.empty() ? no_handler(head)
                                         : wrong_method(head, request.match.allowed);
  CAIRN_CHECK(check_parameters(request));
  CAIRN_CHECK(
      gate_.pass(*request.route, request.scope.caller(), request.match.parameters, head.path()));
  return call(request);
}

/// The caller is known and was counted; all the rest is as for a request of its own.
Result<Reply> Dispatcher::inner(const RequestState& outer, const InnerRequest& asked) const {
  const MemoryRequest memory{.method = asked.method,
                             .target = asked.target,
                             .body = asked.body,
                             .deadline = outer.exchange.deadline};
  MemoryReply kept;
  MemoryExchange exchange(memory, kept, outer.exchange.head.peer_address,
                          std::string(outer.exchange.request_id));
  RequestState request(exchange.exchange());
  request.scope = gate::RequestScope::inside(outer.scope.caller());
  find_row(request, request.exchange.head.path());
  if (request.route != nullptr && request.route->graphql)
    return Error{ErrorKind::unsupported, {}, "a GraphQL request is not made within another"};
  Result<Reply> result = after_limits(request);
  if (!result.ok()) {
    add_position(result.error(), request.body ? request.body : std::optional(asked.body));
    record(request, status_of(result.error()), &result.error());
    return result;
  }
  record(request, result->status, nullptr);
  if (result->sent || request.exchange.reply.begun())
    return Reply{.status = kept.status, .text = std::move(kept.body)};
  return result;
}

/// Date math in the indices that a path names: before anybody asks whether the caller may use them.
Status Dispatcher::make_names_plain(gate::Match& match) {
  for (auto& [name, value] : match.parameters)
    if (name == "index" || name == "new_index") {
      CAIRN_TRY(value, plain_names(value));
    }
  return ok_status();
}

/// Whether a path was taken for one of an index, other than for making one.
bool Dispatcher::is_of_index(const gate::Match& match, std::string_view path) const {
  std::size_t any = match.route;
  if (!match.found() && !match.allowed.empty())
    if (const auto other = table_.match(match.allowed.front(), path); other.ok())
      any = other->route;
  if (any == gate::Match::npos) return false;
  const gate::Route& route = table_.routes()[any];
  const bool makes = match.found() && route.method == "PUT" && route.path == "/{index}";
  return route.path.starts_with("/{index}") && !makes;
}

/// What the body of a GraphQL request asks for: what it costs depends on that. A body that cannot
/// be read costs as a query, and the handler says why.
gate::Weight Dispatcher::weigh(RequestState& request) const {
  if (!announces_body(request.exchange)) return {};
  auto body = net::read_all(request.exchange.body, std::min(graphql_bytes_max, limit_of(request)));
  if (!body.ok()) {
    request.unreadable = body.error();
    return {};
  }
  request.body = std::move(*body);
  if (const Weigher& weigher = weighers_[request.match.route]) {
    Weighed weighed = weigher(*request.body);
    request.understood = std::move(weighed.understood);
    return weighed.weight;
  }
  const auto asked = parse_json(*request.body);
  return {.mutation = asked.ok() && asked->is_object() &&
                      is_mutation(asked->string_or("query"), asked->string_or("operationName"))};
}

/// Of the body, in bytes.
std::size_t Dispatcher::limit_of(const RequestState& request) const {
  if (request.route->body_bytes_max != 0) return request.route->body_bytes_max;
  return request.route->ndjson ? options_.bulk_body_bytes_max : options_.json_body_bytes_max;
}

/// The query, and the forms of body and reply.
Status Dispatcher::understand(RequestState& request) const {
  const net::RequestHead& head = request.exchange.head;
  auto query = net::parse_query(head.query());
  if (!query.ok()) return illegal_argument(query.error().message);
  request.query = std::move(*query);
  if (request.route != nullptr && !request.route->media_type.empty()) {
    request.media.reply_type = request.route->media_type;
    return read_form(request.query, request.media, request.form);
  }
  const bool has_body = announces_body(request.exchange);
  const bool ndjson = request.route != nullptr && request.route->ndjson;
  auto media = negotiate(head.headers, has_body && request.route != nullptr, ndjson);
  if (media.ok()) request.media = std::move(*media);
  CAIRN_CHECK(read_form(request.query, request.media, request.form));
  if (!media.ok()) return media.error();
  return ok_status();
}

Status Dispatcher::check_parameters(const RequestState& request) const {
  if (request.query.empty()) return ok_status();
  std::vector<std::string> known;
  for (const auto& parameter : request.route->query) known.push_back(parameter.name);
  if (std::find(known.begin(), known.end(), "*") != known.end()) return ok_status();  // any
  known.insert(known.end(), std::begin(common_parameters), std::end(common_parameters));
  std::vector<std::string> unknown;
  for (const auto& [name, value] : request.query) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest(name, known);
    unknown.push_back("[" + name + "]" + (near ? " -> did you mean [" + *near + "]?" : ""));
  }
  if (unknown.empty()) return ok_status();
  return illegal_argument("request [" + std::string(request.exchange.head.path()) +
                          "] contains unrecognized parameter" + (unknown.size() > 1 ? "s" : "") +
                          ": " + join(unknown, ", "));
}

Result<Reply> Dispatcher::call(RequestState& request) const {
  net::Exchange& from = request.exchange;
  if (!request.scope.awaits_body()) return call_with(request, from);
  CountedBody body(from.body);
  net::Exchange counted{from.head, body, from.reply, from.deadline, from.request_id};
  Result<Reply> result = call_with(request, counted);
  request.scope.took_body(body.bytes());
  return result;
}

Result<Reply> Dispatcher::call_with(RequestState& request, net::Exchange& exchange) const {
  Call::State state{.exchange = exchange,
                    .route = *request.route,
                    .caller = request.scope.caller(),
                    .parameters = request.match.parameters,
                    .query = request.query,
                    .has_body = announces_body(request.exchange),
                    .body_bytes_max = limit_of(request),
                    .body = std::move(request.body),
                    .headers = request.headers,
                    .scope = &request.scope,
                    .understood = request.understood,
                    .table = &table_,
                    .listener_gate = &listener_gate_};
  if (request.route->graphql)
    state.inner = [&](const InnerRequest& asked) { return inner(request, asked); };
  Call one(state);
  const bool large = request.exchange.body.length().value_or(0) >= WorkPlaces::large_body_bytes;
  // A search that its request only waits for takes as much.
  const bool searches = request.route->waits && request.route->resource == "search";
  if (large || request.route->computes || searches) CAIRN_CHECK(check_memory(request));
  const bool computes =
      request.route->computes || (large && !request.route->body_is_stream && !request.route->waits);
  Result<Reply> result =
      compute_ == nullptr || !computes ? handle(request, one) : handle_long(request, one, large);
  request.body = std::move(state.body);
  return result;
}

/// Reading, and small changes that may free memory, go on where there is no room for more.
Status Dispatcher::check_memory(RequestState& request) const {
  if (memory_ == nullptr) return ok_status();
  const std::uint64_t length = request.exchange.body.length().value_or(0);
  const Status admitted =
      memory_->admit(request.route->body_is_stream ? 0 : body_and_tree * length);
  if (!admitted.ok()) request.headers.set("Retry-After", "1");
  return admitted;
}

/// What may compute for long: here where those like it did not, else in the pool.
Result<Reply> Dispatcher::handle_long(RequestState& request, Call& one, bool large) const {
  const std::uint64_t kind = kind_of(request.match);
  const auto here = large ? WorkPlaces::Here() : places_.stay(kind);
  if (!here) return handle_in_pool(request, one, kind);
  const std::int64_t before = os::system_clock().steady_ns();
  Result<Reply> result = handle(request, one);
  places_.took(kind, os::system_clock().steady_ns() - before);
  return result;
}

/// The pool's slots are for computing, so what is sent slowly is read before.
Result<Reply> Dispatcher::handle_in_pool(RequestState& request, Call& one,
                                         std::uint64_t kind) const {
  // Who reads it hears why it cannot be read.
  if (!request.route->body_is_stream) static_cast<void>(one.raw_body().ok());
  Result<Reply> result = Error{};
  const Status ran = compute_->run(
      [&] {
        const os::LogRequest logged(request.exchange.request_id);
        const std::int64_t before = os::charged_cpu_ns();
        result = handle(request, one);
        places_.took(kind, os::charged_cpu_ns() - before);
      },
      request.exchange.deadline);
  if (ran.ok()) return result;
  if (ran.error().kind != ErrorKind::unavailable) return ran.error();
  request.headers.set("Retry-After", "1");
  return Error{ErrorKind::rate_limited, "es_rejected_execution_exception",
               "rejected execution of [" + request.route->operation + "]: " + ran.error().message +
                   "; try again in a moment"};
}

Result<Reply> Dispatcher::handle(RequestState& request, Call& one) const {
  try {
    return handlers_[request.match.route](one);
  } catch (const std::exception& fault) {
    os::log(os::LogLevel::error, "api", "a handler threw",
            {{"operation", request.route->operation}, {"what", fault.what()}});
    return Error{ErrorKind::internal,
                 {},
                 "an internal fault; the log has it under the request id " +
                     std::string(request.exchange.request_id)};
  }
}

void Dispatcher::send(RequestState& request, Result<Reply> result) const {
  net::Exchange& exchange = request.exchange;
  if (!result.ok()) return send_error(request, result.error());
  const int status = result->status;
  if (!result->tried) record(request, status, nullptr);
  if (!result->sent && !exchange.reply.begun()) {
    if (status == 304) give_back(request);
    for (const auto& [name, value] : result->headers.fields()) request.headers.add(name, value);
    const Rendered rendered = render(*result, request.form, request.media);
    if (!rendered.content_type.empty()) request.headers.set("Content-Type", rendered.content_type);
    (void)exchange.reply.reply(status, request.headers, rendered.text).ok();
  }
  finish(request, status, nullptr);
}

/// Before the reply is sent: whoever has the answer finds its line in the audit log. A reply that
/// the handler sent itself is over by then.
void Dispatcher::record(const RequestState& request, int status, const Error* error) const {
  gate_.record(request.exchange, request.route, request.scope.caller(), status, error);
}

/// A reply without news costs its caller nothing, and its head says so.
void Dispatcher::give_back(RequestState& request) const {
  request.scope.not_modified(request.exchange.reply.standing);
  put_headers_again(request);
}

void Dispatcher::put_headers_again(RequestState& request) const {
  net::HeadLines& lines = request.exchange.reply.standing;
  lines.clear();
  put_common_headers(request.exchange.head, lines);
  request.scope.put_headers(lines);
}

void Dispatcher::send_error(RequestState& request, Error& error) const {
  net::Exchange& exchange = request.exchange;
  if (request.scope.refused_late()) put_headers_again(request);
  add_position(error, request.body);
  const int status = status_of(error);
  record(request, status, &error);
  if (exchange.reply.begun()) return finish(request, status, &error);
  if (error.kind == ErrorKind::unauthenticated) {
    if (!request.scope.clears_session() && asks_for_password(exchange.head.headers, request.route))
      request.headers.add("WWW-Authenticate", gate::challenge_basic);
    request.headers.add("WWW-Authenticate", gate::challenge_api_key);
  }
  if (request.scope.clears_session())
    request.headers.add("Set-Cookie", gate_.cookie_of(exchange.head).clear());
  Reply reply;
  Rendered rendered;
  if (request.route != nullptr && request.route->error_wording) {
    rendered.text =
        request.route->error_wording(error, status, exchange.request_id, request.headers);
  } else {
    const bool trace = request.form.error_trace && error.kind != ErrorKind::unauthenticated;
    Json body = request.scope.refused() ? refusal_body(error) : error_body(error, trace);
    reply = Reply::json(std::move(body), status);
    rendered = render(reply, request.form, request.media);
    request.headers.set("Content-Type", rendered.content_type);
  }
  // A peer that has gone needs no answer.
  (void)exchange.reply.reply(status, request.headers, rendered.text).ok();
  finish(request, status, &error);
}

void Dispatcher::note_slow(const RequestState& request, int status, std::int64_t took_ns) const {
  if (request.route == nullptr) return;
  const gate::SlowKind kind = gate::slow_kind_of(*request.route);
  if (!slow_log_.is_slow(kind, took_ns)) return;
  std::string_view index;
  for (const auto& [name, value] : request.match.parameters)
    if (name == "index") index = value;
  const gate::Caller& caller = request.scope.caller();
  slow_log_.write({.kind = kind,
                   .operation = request.route->operation,
                   .index = index,
                   .parameters = request.exchange.head.query(),
                   .query = request.body ? std::string_view(*request.body) : std::string_view(),
                   .api_key = caller.has_key() ? std::string_view(caller.key().id) : "",
                   .took_ns = took_ns,
                   .status = status});
}

void Dispatcher::finish(RequestState& request, int status, const Error* error) const {
  const net::RequestHead& head = request.exchange.head;
  const std::int64_t now_ns = os::system_clock().steady_ns();
  const std::int64_t took_ns = now_ns - head.received_steady_ns;
  request.scope.finish(now_ns);
  metrics_->finished(request.match.route, status, took_ns);
  note_slow(request, status, took_ns);
  if (status >= 500 && error != nullptr && !request.scope.refused())
    os::log(os::LogLevel::error, "api", "a request failed",
            {{"method", head.method},
             {"path", head.path()},
             {"status", status},
             {"type", wire_type(*error)},
             {"reason", error->message}});
  const gate::Caller& caller = request.scope.caller();
  if (options_.access_log)
    os::log(os::LogLevel::info, "http", "request",
            {{"method", head.method},
             {"path", head.path()},
             {"status", status},
             {"took_us", took_ns / 1000},
             {"key", caller.has_key() ? caller.key().id : std::string("-")}});
}

}  // namespace cairn::api
