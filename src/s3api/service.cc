// SPDX-License-Identifier: Apache-2.0
#include "s3api/service.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "gate/listener_gate.h"
#include "gate/request_metrics.h"
#include "os/log.h"
#include "s3/errors.h"
#include "s3/wire/error_body.h"
#include "s3/wire/vendor_fields.h"
#include "s3api/accesspoints/control.h"
#include "s3api/accesspoints/resolve.h"
#include "s3api/admission.h"
#include "s3api/directory/rename_tokens.h"
#include "s3api/grants/grants.h"
#include "s3api/handlers.h"
#include "s3api/identity.h"
#include "s3api/objects/pump.h"
#include "s3api/wire/body.h"
#include "s3api/wire/browsers.h"
#include "s3api/wire/offered.h"
#include "s3api/wire/send.h"

namespace cairn::s3api {
namespace {

namespace ops = s3::operations;

// A part of a bucket or object without operations here is told apart from a wrong method.
Error no_operation(const ParsedCall& call) {
  if (call.address.target == s3::Target::control)
    return s3::error("NotImplemented", "The control API has no " + call.exchange.head.method +
                                           " " + std::string(call.exchange.head.path()) + " here.")
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

// Buckets, their access points and grants are the house, and so is who was given credentials;
// objects come and go too often to be written down.
bool is_change(const s3::Operation* operation) {
  return operation == &ops::create_bucket || operation == &ops::delete_bucket ||
         operation == &ops::create_outpost_bucket || operation == &ops::delete_outpost_bucket ||
         operation == &ops::create_access_point || operation == &ops::delete_access_point ||
         operation == &ops::put_access_point_policy ||
         operation == &ops::delete_access_point_policy ||
         operation == &ops::put_access_point_scope ||
         operation == &ops::delete_access_point_scope ||
         operation == &ops::get_data_access ||
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
        context{given.engine,    options,          given.clock, signing_keys,
                given.key_names, keep_alive_timer, accounts,    large_buffers,
                sessions.get(),   grant_tokens.get(), grants,
                rename_tokens,    given.random,     table_copy},
        metrics(given.metrics, "objects", routes_of_rows()) {
    if (given.gate != nullptr)
      listener_gate.emplace(*given.gate, routes_of_rows(), gate::Surface::objects, resource);
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
    return s3::match_operation(head.method, call.address.target, call.query, head.headers);
  }

  // The one question to the limiter. Browsers ask for leave without credentials: that is free.
  // Errors: SlowDown.
  Status enter(ParsedCall& call, Authentication authentication,
               const ratelimit::Identity& counted_as, std::size_t row_number) const {
    if (!listener_gate || call.exchange.head.method == "OPTIONS") return ok_status();
    call.scope = listener_gate->enter_as(authentication, counted_as, call.exchange.head, row_number);
    call.scope.put_headers(call.exchange.reply.standing);
    if (!call.scope.refused()) return ok_status();
    call.refused_status = call.scope.refused_status();
    return s3::error("SlowDown");
  }

  // Answers `parsed`, which `call` takes over once its sender is known.
  Status serve(ParsedCall& parsed, std::optional<Call>& call, std::size_t& row_number) {
    CAIRN_CHECK(understood_or_counted(parsed, row_number));
    auto identity = Identity::verify(parsed, find_key, find_caller);
    const Authentication authentication = !identity.ok()          ? Authentication::refused
                                          : identity->is_nobody() ? Authentication::none
                                                                  : Authentication::verified;
    CAIRN_CHECK(enter(parsed, authentication,
                      identity.ok() ? identity->counted_as() : ratelimit::Identity{}, row_number));
    if (parsed.exchange.head.method == "OPTIONS") return answer_preflight(parsed);
    add_cors(parsed);
    if (!identity.ok()) return identity.error();
    call.emplace(std::move(parsed), std::move(*identity));
    if (row_number == handlers().size()) return no_operation(*call);
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
    return handlers()[row_number].run(*call);
  }

  // What cannot be understood counts as a request of its address.
  Status understood_or_counted(ParsedCall& parsed, std::size_t& row_number) const {
    Status understood = understand(parsed, row_number);
    if (understood.ok()) return understood;
    CAIRN_CHECK(enter(parsed, Authentication::none, {}, row_number));
    return understood;
  }

  const Options options;
  const FindKey find_key;
  const FindCaller find_caller;
  gate::AuditLog* const audit;
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
  gate::RequestMetrics metrics;
  std::optional<gate::ListenerGate> listener_gate;
};

Service::Service(ServiceParams params) : impl_(std::make_unique<Impl>(std::move(params))) {}
Service::~Service() = default;

std::vector<gate::Route> Service::routes() { return routes_of_rows(); }

void Service::handle(net::Exchange& exchange) {
  const os::LogRequest log_request(exchange.request_id);
  const std::int64_t start_ns = impl_->context.clock.steady_ns();
  ParsedCall parsed{.exchange = exchange, .context = impl_->context};
  std::optional<Call> call;
  std::size_t row = handlers().size();
  const Status status = impl_->serve(parsed, call, row);
  ParsedCall& last = call ? *call : parsed;
  if (!status.ok()) {
    impl_->record(last, call ? &call->identity : nullptr, status_of(last, status.error()),
                  &status.error());
    send_error(last, status.error());
  }
  last.scope.finish();
  impl_->metrics.finished(row, exchange.reply.status(),
                          impl_->context.clock.steady_ns() - start_ns);
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
