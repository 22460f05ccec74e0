// SPDX-License-Identifier: Apache-2.0
#include "s3api/service.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "gate/listener_gate.h"
#include "gate/request_metrics.h"
#include "os/log.h"
#include "s3/error_body.h"
#include "s3/errors.h"
#include "s3/vendor_fields.h"
#include "s3api/admission.h"
#include "s3api/wire/body.h"
#include "s3api/wire/browsers.h"
#include "s3api/handlers.h"
#include "s3api/wire/offered.h"
#include "s3api/objects/pump.h"
#include "s3api/wire/send.h"

namespace cairn::s3api {
namespace {

namespace ops = s3::operations;

// A part of a bucket or object without operations here is told apart from a wrong method.
Error no_operation(const Call& call) {
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

using Claim = gate::ListenerGate::Claim;

constexpr std::string_view resource = "objects";  // of the rate-limit policy

std::string template_of(const s3::Operation& operation) {
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

// Buckets are the house; objects come and go too often to be written down.
bool is_change(const s3::Operation* operation) {
  return operation == &ops::create_bucket || operation == &ops::delete_bucket;
}

}  // namespace

FindKey find_in(const auth::ObjectKeys& keys) {
  return [&keys](std::string_view access_key_id) { return keys.find(access_key_id); };
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
        keep_alive_timer(options.keep_alive_ms),
        large_buffers(large_buffer_bytes,
                      {.lent = options.large_buffers_max, .kept_slabs = options.large_slabs_kept}),
        around{given.engine,    options, given.clock, signing_keys,
               given.key_names, keep_alive_timer,   accounts,    large_buffers},
        metrics(given.metrics, "objects", routes_of_rows()) {
    if (given.gate != nullptr)
      listener_gate.emplace(*given.gate, routes_of_rows(), gate::Surface::objects, resource);
  }

  void record(const Call& call, const Error* error) const {
    if (audit == nullptr) return;
    gate::AuditEvent event{
        .action = {}, .method = call.exchange.head.method, .path = call.exchange.head.path()};
    if (error == nullptr) {
      if (!is_change(call.operation)) return;
      event.action = "access_granted";
    } else if (error->kind == ErrorKind::unauthenticated) {
      event.action = "authentication_failed";
    } else if (error->kind == ErrorKind::permission_denied) {
      event.action = "access_denied";
    } else {
      return;
    }
    if (call.operation != nullptr) event.operation = call.operation->name;
    event.origin = call.exchange.head.peer_address;
    event.request_id = call.exchange.request_id;
    event.username = call.user;
    event.key_id = call.claim.access_key_id;
    if (error != nullptr) event.reason = error->message;
    event.status = call.exchange.reply.status();
    audit->write(event);
  }

  Status authenticate(Call& call, Claim& outcome) {
    outcome = Claim::refused;
    CAIRN_TRY(auto claim, s3::read_claim(call.exchange.head));
    if (!claim) {
      outcome = Claim::none;  // nobody: what the bucket and the object say decides
      return ok_status();
    }
    call.claim = std::move(*claim);
    const auto key = find_key(call.claim.access_key_id);
    if (key == nullptr || !key->active)
      return s3::error("InvalidAccessKeyId")
          .with_detail("AWSAccessKeyId", call.claim.access_key_id);
    if (!call.claim.session_token.empty())
      return s3::error("InvalidToken").with_detail("Token-0", call.claim.session_token);
    s3::VerifyParams params{.secret = key->secret,
                            .now_ms = around.clock.unix_ms(),
                            .host_aliases = options.host_aliases};
    if (!options.accept_any_region) params.regions = {options.region};
    const Status verified = s3::verify_claim(call.claim, call.exchange.head, params, signing_keys);
    if (!verified.ok()) {
      for (const auto& [name, value] : verified.error().details)
        if (name == "Region")
          call.extra.add(s3::header_name("x-amz-bucket-region", call.dialect), value);
      return verified;
    }
    call.secret = key->secret;
    call.caller = {.id = key->canonical_id, .account_id = key->account_id};
    call.who = find_caller(*key);
    if (call.who == nullptr)
      return s3::error("InvalidAccessKeyId")
          .with_detail("AWSAccessKeyId", call.claim.access_key_id);
    call.user = key->user;
    outcome = Claim::verified;
    return call.claim.in_query ? take_fields_of_query(call) : ok_status();
  }

  // Who presigns a URL cannot send header fields with it: its query says them. There they may have
  // characters that no field can have, and that would come back in one.
  static Status take_fields_of_query(Call& call) {
    const auto fields = s3::fields_of_query(call.query, call.dialect);
    if (fields.empty()) return ok_status();
    net::RequestHead head = call.exchange.head;
    for (const auto& [name, value] : fields) {
      const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
      const auto ends_name = [](unsigned char c) { return c <= 0x20 || c >= 0x7f || c == ':'; };
      if (std::any_of(name.begin(), name.end(), ends_name) ||
          std::any_of(value.begin(), value.end(), is_control))
        return bad_argument(name, value, "A header field cannot have these characters.");
      if (!head.headers.has(name)) head.headers.add(name, value);
    }
    call.presigned = std::move(head);
    return ok_status();
  }

  // Address, query and operation: what can be known before anybody's right to ask.
  Status understand(Call& call, std::size_t& row_number) const {
    const auto shown = s3::dialect_of(call.exchange.head);
    call.dialect = shown.value_or(s3::Dialect::svc);
    call.dialect_shown = shown.has_value();
    CAIRN_TRY(call.address, read_address(call.exchange.head, options.domains));
    auto query = net::parse_query(call.exchange.head.query());
    if (!query.ok()) return s3::error("InvalidURI");
    call.query = std::move(*query);
    call.operation = s3::match_operation(call.exchange.head.method, call.address.target, call.query,
                                         call.headers());
    for (std::size_t i = 0; i < handlers().size(); ++i)
      if (handlers()[i].operation == call.operation) row_number = i;
    return ok_status();
  }

  // The one question to the limiter. Browsers ask for leave without credentials: that is free.
  // Errors: SlowDown.
  Status enter(Call& call, Claim claim, std::size_t row_number) const {
    if (!listener_gate || call.exchange.head.method == "OPTIONS") return ok_status();
    call.scope = listener_gate->enter_as(claim, call.user, call.exchange.head, row_number);
    call.scope.put_headers(call.exchange.reply.standing);
    if (!call.scope.refused()) return ok_status();
    call.refused_status = call.scope.refused_status();
    return s3::error("SlowDown");
  }

  Status serve(Call& call, std::size_t& row_number) {
    const Status understood = understand(call, row_number);
    Claim claim = Claim::none;
    const Status known = understood.ok() ? authenticate(call, claim) : understood;
    CAIRN_CHECK(enter(call, claim, row_number));
    if (understood.ok() && call.exchange.head.method == "OPTIONS") return answer_preflight(call);
    add_cors(call);
    CAIRN_CHECK(known);
    if (row_number == handlers().size()) return no_operation(call);
    CAIRN_CHECK(admit(call));
    CAIRN_CHECK(check_one_dialect(call));
    CAIRN_CHECK(check_query_offered(call));
    if (has_document(*call.operation)) {
      CAIRN_TRY(call.document, read_document(call));
    }
    return handlers()[row_number].run(call);
  }

  const Options options;
  const FindKey find_key;
  const FindCaller find_caller;
  gate::AuditLog* const audit;
  s3::SigningKeys signing_keys;
  const AccountBook accounts;
  KeepAliveTimer keep_alive_timer;
  os::DirectBuffers large_buffers;
  const Environment around;
  gate::RequestMetrics metrics;
  std::optional<gate::ListenerGate> listener_gate;
};

Service::Service(ServiceParams params) : impl_(std::make_unique<Impl>(std::move(params))) {}
Service::~Service() = default;

void Service::handle(net::Exchange& exchange) {
  const os::LogRequest log_request(exchange.request_id);
  const std::int64_t start_ns = impl_->around.clock.steady_ns();
  Call call{.exchange = exchange, .around = impl_->around};
  std::size_t row = handlers().size();
  const Status status = impl_->serve(call, row);
  if (!status.ok()) send_error(call, status.error());
  call.scope.finish();
  impl_->record(call, status.ok() ? nullptr : &status.error());
  impl_->metrics.finished(row, exchange.reply.status(), impl_->around.clock.steady_ns() - start_ns);
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
