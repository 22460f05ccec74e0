// SPDX-License-Identifier: Apache-2.0
#include "s3api/service.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "gate/listener_gate.h"
#include "gate/request_metrics.h"
#include "gate/slow_log.h"
#include "os/log.h"
#include "os/trace.h"
#include "s3/errors.h"
#include "s3/wire/error_body.h"
#include "s3/wire/vendor_fields.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/accesspoints/control.h"
#include "s3api/accesspoints/resolve.h"
#include "s3api/admission.h"
#include "s3api/buckets/dry_runs.h"
#include "s3api/directory/rename_tokens.h"
#include "s3api/forms/post_object.h"
#include "s3api/grants/grants.h"
#include "s3api/handlers.h"
#include "s3api/identity.h"
#include "s3api/objects/pump.h"
#include "s3api/wire/body.h"
#include "s3api/wire/browsers.h"
#include "s3api/wire/offered.h"
#include "s3api/wire/send.h"
#include "s3api/wire/welcome.h"

namespace cairn::s3api {
namespace {

namespace ops = s3::operations;

// A part of a bucket or object without operations here is told apart from a wrong method.
Error no_operation(const ParsedCall& call) {
  if (call.address.target == s3::Target::control)
    return s3::error("NotImplemented", "The control API has no " + call.exchange.head.method + " " +
                                           std::string(call.exchange.head.path()) + " here.")
        .with_detail("Method", call.exchange.head.method);
  const auto part = s3::subresource_of(call.query);
  if (part)
    return s3::error("NotImplemented", "?" + std::string(*part) + " is not offered here")
        .with_detail("Subresource", std::string(*part))
        .with_detail("Method", call.exchange.head.method);
  return s3::error("MethodNotAllowed")
      .with_detail("Method", call.exchange.head.method)
      .with_detail("ResourceType", call.address.target == s3::Target::service  ? "SERVICE"
                                   : call.address.target == s3::Target::bucket ? "BUCKET"
                                                                               : "OBJECT");
}

using Authentication = gate::ListenerGate::Authentication;

constexpr std::string_view resource = "objects";  // of the rate-limit policy

std::string template_of(const s3::Operation& operation) {
  if (!operation.path.empty()) return std::string(operation.path);
  std::string path = operation.target == s3::Target::service  ? "/"
                     : operation.target == s3::Target::bucket ? "/{bucket}"
                                                              : "/{bucket}/{key}";
  if (!operation.marker.empty()) path += "?" + std::string(operation.marker);
  return path;
}

// The operations as rows of the gate's tables, for metrics and limits.
std::vector<gate::Route> routes_of_rows() {
  std::vector<gate::Route> routes;
  for (const Handler& row : handlers())
    routes.push_back({.method = std::string(row.operation->method),
                      .path = template_of(*row.operation),
                      .operation = std::string(row.operation->name),
                      .surface = gate::Surface::objects,
                      .resource = std::string(resource)});
  return routes;
}

// An address that was made to look at an object in a browser: whatever the object is by then, it
// may do nothing there.
void bind_preview(ParsedCall& call) {
  const bool is_preview = std::any_of(call.query.begin(), call.query.end(), [](const auto& each) {
    return each.first == preview_parameter;
  });
  if (!is_preview) return;
  call.exchange.reply.standing.add("Content-Security-Policy", "sandbox");
  call.exchange.reply.standing.add("X-Content-Type-Options", "nosniff");
}

// Buckets, their access points and grants are the house, and so is who was given credentials;
// objects come and go too often to be written down.
bool is_change(const s3::Operation* operation) {
  return operation == &ops::create_bucket || operation == &ops::delete_bucket ||
         operation == &ops::create_outpost_bucket || operation == &ops::delete_outpost_bucket ||
         operation == &ops::create_access_point || operation == &ops::delete_access_point ||
         operation == &ops::put_access_point_policy ||
         operation == &ops::delete_access_point_policy ||
         operation == &ops::put_access_point_scope ||
         operation == &ops::delete_access_point_scope || operation == &ops::get_data_access ||
         (operation != nullptr && operation->path.starts_with(grants_path) &&
          operation->method != "GET");
}

}  // namespace

FindKey find_in(const auth::Principals& principals) {
  return [&principals](std::string_view access_key_id) { return principals.find(access_key_id); };
}

std::shared_ptr<const auth::ObjectCaller> root_of(const auth::ObjectKey& key) {
  auth::ObjectCaller caller;
  caller.account_id = key.account_id;
  caller.canonical_id = key.canonical_id;
  caller.arn = auth::principal_arn(key.account_id);
  caller.user_id = key.account_id;
  return std::make_shared<const auth::ObjectCaller>(std::move(caller));
}

struct Service::Impl {
  explicit Impl(ServiceParams given)
      : options(std::move(given.options)),
        find_key(std::move(given.find_key)),
        find_caller(given.find_caller ? std::move(given.find_caller) : root_of),
        audit(given.audit),
        console_url(std::move(given.console_url)),
        accounts(std::move(given.accounts)),
        sessions(given.seal ? std::make_unique<DirectorySessions>(*given.seal, given.random)
                            : nullptr),
        grant_tokens(given.seal ? std::make_unique<GrantTokens>(*given.seal, given.random)
                                : nullptr),
        grants(std::move(given.grants)),
        table_copy(std::move(given.table_copy)),
        keep_alive_timer(options.keep_alive_ms),
        large_buffers(large_buffer_bytes,
                      {.lent = options.large_buffers_max, .kept_slabs = options.large_slabs_kept}),
        context{given.engine,     options,       given.clock,   signing_keys,   given.key_names,
                keep_alive_timer, accounts,      large_buffers, sessions.get(), grant_tokens.get(),
                grants,           rename_tokens, given.random,  table_copy},
        rows(routes_of_rows()),
        metrics(given.metrics, "objects", rows),
        slow_log(options.slow_log, given.metrics) {
    if (given.gate != nullptr)
      listener_gate.emplace(*given.gate, rows, gate::Surface::objects, resource);
  }

  // Before the answer is sent: whoever has it finds its line.
  void record(const ParsedCall& call, const Identity* identity, int status,
              const Error* error) const {
    if (audit == nullptr) return;
    audit->record({.exchange = call.exchange,
                   .operation = call.operation == nullptr ? "" : call.operation->name,
                   .is_change = is_change(call.operation),
                   .username = identity == nullptr ? "" : std::string_view(identity->user()),
                   .principal = identity == nullptr || identity->is_nobody()
                                    ? std::string()
                                    : identity->holder()->arn,
                   .key_id = call.named_key,
                   .status = status,
                   .error = error});
  }

  // Address, query and operation: what can be known before anybody's right to ask.
  Status understand(ParsedCall& call, std::size_t& row_number) const {
    const auto shown = s3::dialect_of(call.exchange.head);
    call.dialect = shown.value_or(s3::Dialect::svc);
    call.dialect_shown = shown.has_value();
    CAIRN_TRY(call.address, read_address(call.exchange.head, options.domains));
    auto query = net::parse_query(call.exchange.head.query());
    if (!query.ok()) return s3::error("InvalidURI");
    call.query = std::move(*query);
    call.operation = find_asked(call);
    CAIRN_CHECK(resolve_access_point(call));
    call.directory =
        s3::is_directory_bucket_name(call.address.bucket) || is_about_directory_points(call);
    if (call.operation == &ops::list_buckets && s3::is_signed_for_directories(call.exchange.head)) {
      call.operation = &ops::list_directory_buckets;
      call.directory = true;
    }
    if (call.address.target == s3::Target::control) note_outpost(call);
    for (std::size_t i = 0; i < handlers().size(); ++i)
      if (handlers()[i].operation == call.operation) row_number = i;
    return ok_status();
  }

  static const s3::Operation* find_asked(ParsedCall& call) {
    const net::RequestHead& head = call.exchange.head;
    if (call.address.target == s3::Target::control)
      return s3::match_control_operation(head.method, head.path(), call.address.key);
    if (is_form_upload(call)) return &ops::put_object;
    return s3::match_operation(head.method, call.address.target, call.query, head.headers);
  }

  // Browsers ask for leave without credentials: that is free.
  bool is_counted(const ParsedCall& call) const {
    return listener_gate && call.exchange.head.method != "OPTIONS";
  }

  // The one question to the limiter. Errors: SlowDown.
  Status enter(ParsedCall& call, Authentication authentication,
               const ratelimit::Identity& counted_as, std::size_t row_number) const {
    if (!is_counted(call)) return ok_status();
    call.scope = listener_gate->enter_as(authentication, counted_as, call.exchange.head, row_number,
                                         call.address.bucket);
    call.scope.put_headers(call.exchange.reply.standing);
    if (!call.scope.refused()) return ok_status();
    call.refused_status = call.scope.refused_status();
    return s3::error("SlowDown");
  }

  // Answers `parsed`, which `call` takes over once its sender is known. `tried`: says there what it
  // would do, and does not do it.
  Status serve(ParsedCall& parsed, std::optional<Call>& call, std::size_t& row_number,
               Json* tried = nullptr) {
    CAIRN_CHECK(understood_or_counted(parsed, row_number));
    bind_preview(parsed);
    if (os::TraceContext* const trace = os::current_trace();
        trace != nullptr && parsed.operation != nullptr)
      trace->operation = parsed.operation->name;
    CAIRN_CHECK(taken_or_counted(parsed, row_number));
    auto identity = Identity::verify(parsed, find_key, find_caller);
    const Authentication authentication = !identity.ok()          ? Authentication::refused
                                          : identity->is_nobody() ? Authentication::none
                                                                  : Authentication::verified;
    if (listener_gate && identity.ok())
      listener_gate->note_use(identity->last_use(), parsed.exchange.head);
    CAIRN_CHECK(enter(parsed, authentication,
                      identity.ok() ? identity->counted_as() : ratelimit::Identity{}, row_number));
    if (parsed.exchange.head.method == "OPTIONS") return answer_preflight(parsed);
    add_cors(parsed);
    if (!identity.ok()) return identity.error();
    if (authentication == Authentication::none && is_visitor(parsed))
      return send_welcome(parsed, console_url ? console_url(parsed.exchange.head) : std::string());
    call.emplace(std::move(parsed), std::move(*identity));
    if (row_number == handlers().size()) return no_operation(*call);
    if (tried != nullptr && !can_be_tried(*call->operation))
      return s3::error("InvalidRequest", std::string(call->operation->name) + " cannot be tried");
    CAIRN_CHECK(check_form(*call));
    CAIRN_CHECK(admit(*call));
    CAIRN_CHECK(check_one_dialect(*call));
    CAIRN_CHECK(check_query_offered(*call));
    if (is_change(call->operation))
      call->before_success = [this, &made = *call](int status) {
        record(made, &made.identity, status, nullptr);
      };
    if (has_document(*call->operation)) {
      CAIRN_TRY(call->document, read_document(*call));
    }
    if (tried != nullptr) {
      CAIRN_TRY(*tried, try_operation(*call));
      return ok_status();
    }
    return call->form != nullptr ? post_object(*call) : handlers()[row_number].run(*call);
  }

  // Sends the answer; or, where it is only tried, tells in `tried` what would be done, or why not.
  Status answer(net::Exchange& exchange, Json* tried) {
    const os::LogRequest log_request(exchange.request_id);
    const std::int64_t start_ns = context.clock.steady_ns();
    ParsedCall parsed{.exchange = exchange, .context = context};
    std::optional<Call> call;
    std::size_t row = handlers().size();
    Status status = serve(parsed, call, row, tried);
    ParsedCall& last = call ? *call : parsed;
    if (!status.ok()) {
      record(last, call ? &call->identity : nullptr, status_of(last, status.error()),
             &status.error());
      if (tried == nullptr) send_error(last, status.error());
    }
    const int answered = tried == nullptr ? exchange.reply.status()
                         : status.ok()    ? 200
                                          : status_of(last, status.error());
    last.scope.finish();
    const std::int64_t took_ns = context.clock.steady_ns() - start_ns;
    metrics.finished(row, answered, took_ns);
    if (options.access_log)
      os::log(os::LogLevel::info, "http", "request",
              {{"method", exchange.head.method},
               {"path", exchange.head.path()},
               {"status", answered},
               {"took_us", took_ns / 1000},
               {"key", last.named_key.empty() ? std::string_view("-")
                                              : std::string_view(last.named_key)}});
    if (slow_log.is_slow(gate::SlowKind::objects, took_ns))
      slow_log.write({.kind = gate::SlowKind::objects,
                      .operation = last.operation == nullptr ? "" : last.operation->name,
                      .index = last.address.bucket,
                      .object = last.address.key,
                      .took_ns = took_ns,
                      .status = answered});
    if (tried != nullptr && !status.ok())
      return Error(status.error()).with_detail("_status", std::to_string(answered));
    return status;
  }

  // What cannot be understood counts as a request of its address.
  Status understood_or_counted(ParsedCall& parsed, std::size_t& row_number) const {
    Status understood = understand(parsed, row_number);
    if (understood.ok()) return understood;
    CAIRN_CHECK(enter(parsed, Authentication::none, {}, row_number));
    return understood;
  }

  // A form says in its body who asks. One that cannot be read counts as a request of its address.
  Status taken_or_counted(ParsedCall& parsed, std::size_t row_number) const {
    Status taken = take_form(parsed);
    if (taken.ok()) return taken;
    CAIRN_CHECK(enter(parsed, Authentication::none, {}, row_number));
    add_cors(parsed);
    return taken;
  }

  Counted counted(net::Exchange& exchange) const {
    ParsedCall call{.exchange = exchange, .context = context};
    std::size_t row = handlers().size();
    Counted out;
    out.understood = understand(call, row);
    if (row < rows.size()) out.route = &rows[row];
    out.bucket = call.address.bucket;
    if (const auto claim = s3::read_claim(exchange.head); claim.ok() && claim->has_value()) {
      const auto key = find_key((*claim)->access_key_id);
      out.handed_out = key != nullptr && key->user.empty();
    }
    if (is_counted(call) && !out.handed_out)
      out.terms = listener_gate->terms_of(row, exchange.head.method);
    return out;
  }

  const Options options;
  const FindKey find_key;
  const FindCaller find_caller;
  gate::AuditLog* const audit;
  const std::function<std::string(const net::RequestHead&)> console_url;
  s3::SigningKeys signing_keys;
  const AccountBook accounts;
  const std::unique_ptr<const DirectorySessions> sessions;
  const std::unique_ptr<const GrantTokens> grant_tokens;
  const GrantBook grants;
  const FindTableCopy table_copy;
  KeepAliveTimer keep_alive_timer;
  os::DirectBuffers large_buffers;
  RenameTokens rename_tokens;
  const Context context;
  const std::vector<gate::Route> rows;  // of the handlers, in their order
  gate::RequestMetrics metrics;
  const gate::SlowLog slow_log;
  std::optional<gate::ListenerGate> listener_gate;
};

Service::Service(ServiceParams params) : impl_(std::make_unique<Impl>(std::move(params))) {}
Service::~Service() = default;

std::vector<gate::Route> Service::routes() { return routes_of_rows(); }

Service::Counted Service::counted(net::Exchange& exchange) const {
  return impl_->counted(exchange);
}

void Service::handle(net::Exchange& exchange) {
  static_cast<void>(impl_->answer(exchange, nullptr));
}

Result<Json> Service::try_out(net::Exchange& exchange) {
  Json tried;
  CAIRN_CHECK(impl_->answer(exchange, &tried));
  return tried;
}

Result<std::vector<SimulatedAnswer>> Service::simulate_all(
    const std::string& bucket, const std::optional<std::string>& policy,
    const std::vector<SimulatedRequest>& requests, std::string_view peer_address,
    const os::Deadline& deadline) const {
  const Context& context = impl_->context;
  if (s3::is_reserved_bucket(bucket))
    return s3::error("NoSuchBucket").with_detail("BucketName", bucket);
  CAIRN_TRY(const auto view, context.engine.bucket(bucket));
  BucketRules rules = rules_of(*view);
  if (policy) {
    CAIRN_TRY(rules.policy, policy_of_text(*policy, rules.bucket));
  }
  const SimulationScene scene{.engine = context.engine,
                              .rules = rules,
                              .region = context.options.region,
                              .peer_address = peer_address,
                              .now_ms = context.clock.unix_ms()};
  std::vector<SimulatedAnswer> answers;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    CAIRN_CHECK(deadline.check("simulate requests"));
    auto answer = simulate(requests[i], scene, deadline);
    if (!answer.ok()) return with_context(answer.error(), "request [" + std::to_string(i) + "]");
    answers.push_back(std::move(*answer));
  }
  return answers;
}

std::string render_server_error(int status, std::string_view reason, std::string_view request_id,
                                net::Headers& headers) {
  Error error{.kind = s3::kind_of("", status), .message = std::string(reason)};
  if (status == 400) error.code = "BadRequest";
  if (status == 408) error.code = "RequestTimeout";
  if (status == 413) error.code = "EntityTooLarge";
  for (const s3::Dialect dialect : {s3::Dialect::svc, s3::Dialect::aws}) {  // it may show none
    headers.add(s3::header_name("x-amz-request-id", dialect), request_id);
    headers.add(s3::header_name("x-amz-id-2", dialect), host_id());
  }
  headers.add("Server", "Cairn");
  headers.add("Content-Type", "application/xml");
  return s3::render_error(error, {.request_id = request_id, .host_id = host_id()});
}

net::ServerOptions listener_options(net::ServerOptions options) {
  options.name = "objects";
  options.body_bytes_max = 0;
  options.gzip_reply_bytes_min = 0;
  options.inflate_request_bodies = false;  // an object is kept as it was sent
  return options;
}

}  // namespace cairn::s3api
