// SPDX-License-Identifier: Apache-2.0
#include "s3api/service.h"

#include <utility>
#include <vector>

#include "gate/request_metrics.h"
#include "os/log.h"
#include "s3/error_body.h"
#include "s3/errors.h"
#include "s3api/body.h"
#include "s3api/handlers.h"
#include "s3api/send.h"

namespace cairn::s3api {
namespace {

// Reads the parameters, does the work, sends the result.
template <const auto& operation, auto handler>
Status run(Call& call) {
  CAIRN_TRY(const auto input, s3::read_request(operation, call.view(), call.dialect));
  CAIRN_TRY(const auto output, handler(call, input));
  if (call.answered) return ok_status();
  return send_reply(call, s3::write_reply(operation, output, call.dialect));
}

struct Row {
  const s3::Operation* operation;
  Status (*run)(Call& call);
};

namespace ops = s3::operations;

constexpr Row rows[] = {
    {&ops::list_buckets, run<ops::list_buckets, list_buckets>},
    {&ops::create_bucket, run<ops::create_bucket, create_bucket>},
    {&ops::head_bucket, run<ops::head_bucket, head_bucket>},
    {&ops::get_bucket_location, run<ops::get_bucket_location, get_bucket_location>},
    {&ops::get_bucket_versioning, run<ops::get_bucket_versioning, get_bucket_versioning>},
    {&ops::delete_bucket, run<ops::delete_bucket, delete_bucket>},
    {&ops::list_objects, run<ops::list_objects, list_objects>},
    {&ops::list_objects_v2, run<ops::list_objects_v2, list_objects_v2>},
    {&ops::put_object, run<ops::put_object, put_object>},
    {&ops::get_object, run<ops::get_object, get_object>},
    {&ops::head_object, run<ops::head_object, head_object>},
    {&ops::delete_object, run<ops::delete_object, delete_object>},
    {&ops::delete_objects, run<ops::delete_objects, delete_objects>},
    {&ops::copy_object, run<ops::copy_object, copy_object>},
    {&ops::get_object_tagging, run<ops::get_object_tagging, get_object_tagging>},
    {&ops::create_multipart_upload, run<ops::create_multipart_upload, create_multipart_upload>},
    {&ops::upload_part, run<ops::upload_part, upload_part>},
    {&ops::upload_part_copy, run<ops::upload_part_copy, upload_part_copy>},
    {&ops::complete_multipart_upload,
     run<ops::complete_multipart_upload, complete_multipart_upload>},
    {&ops::abort_multipart_upload, run<ops::abort_multipart_upload, abort_multipart_upload>},
    {&ops::list_parts, run<ops::list_parts, list_parts>},
    {&ops::list_multipart_uploads, run<ops::list_multipart_uploads, list_multipart_uploads>},
};

bool has_document(const s3::Operation& operation) {
  for (const s3::Member& member : operation.input().members)
    if (member.wire.place == s3::Place::payload) return true;
  return false;
}

// A part of a bucket or object without operations here is told apart from a wrong method.
Error no_operation(const Call& call) {
  const auto part = s3::subresource_of(call.query);
  if (part)
    return s3::error("NotImplemented")
        .with_detail("Resource", std::string(*part))
        .with_detail("Method", call.exchange.head.method);
  return s3::error("MethodNotAllowed")
      .with_detail("Method", call.exchange.head.method)
      .with_detail("ResourceType", call.address.target == s3::Target::service  ? "SERVICE"
                                   : call.address.target == s3::Target::bucket ? "BUCKET"
                                                                               : "OBJECT");
}

// The operations as rows of the gate's tables: only their names matter to metrics.
std::vector<gate::Route> routes_of_rows() {
  std::vector<gate::Route> routes;
  for (const Row& row : rows)
    routes.push_back({.method = std::string(row.operation->method),
                      .path = "",
                      .operation = std::string(row.operation->name)});
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

struct Service::Impl {
  explicit Impl(ServiceParams given)
      : options(std::move(given.options)),
        find_key(std::move(given.find_key)),
        audit(given.audit),
        around{given.engine, options, given.clock, signing_keys},
        metrics(given.metrics, "objects", routes_of_rows()) {}

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

  Status authenticate(Call& call) {
    CAIRN_TRY(auto claim, s3::read_claim(call.exchange.head));
    if (!claim) {
      if (call.exchange.head.method == "OPTIONS")
        return s3::error("AccessForbidden", "CORSResponse: CORS is not enabled for this bucket.")
            .with_detail("Method", "OPTIONS")
            .with_detail("ResourceType",
                         call.address.target == s3::Target::object ? "OBJECT" : "BUCKET");
      return s3::error("AccessDenied");
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
    call.user = key->user;
    return ok_status();
  }

  Status serve(Call& call, std::size_t& row_number) {
    call.dialect = s3::dialect_of(call.exchange.head);
    CAIRN_TRY(call.address, read_address(call.exchange.head, options.domains));
    auto query = net::parse_query(call.exchange.head.query());
    if (!query.ok()) return s3::error("InvalidURI");
    call.query = std::move(*query);
    CAIRN_CHECK(authenticate(call));
    call.operation = s3::match_operation(call.exchange.head.method, call.address.target, call.query,
                                         call.headers());
    for (std::size_t i = 0; i < std::size(rows); ++i)
      if (rows[i].operation == call.operation) row_number = i;
    if (row_number == std::size(rows)) return no_operation(call);
    if (has_document(*call.operation)) {
      CAIRN_TRY(call.document, read_document(call));
    }
    return rows[row_number].run(call);
  }

  const Options options;
  const FindKey find_key;
  gate::AuditLog* const audit;
  s3::SigningKeys signing_keys;
  const Surroundings around;
  gate::RequestMetrics metrics;
};

Service::Service(ServiceParams params) : impl_(std::make_unique<Impl>(std::move(params))) {}
Service::~Service() = default;

void Service::handle(net::Exchange& exchange) {
  const os::LogRequest log_request(exchange.request_id);
  const std::int64_t start_ns = impl_->around.clock.steady_ns();
  Call call{.exchange = exchange, .around = impl_->around};
  std::size_t row = std::size(rows);
  const Status status = impl_->serve(call, row);
  if (!status.ok()) send_error(call, status.error());
  impl_->record(call, status.ok() ? nullptr : &status.error());
  impl_->metrics.finished(row, exchange.reply.status(), impl_->around.clock.steady_ns() - start_ns);
}

std::string render_server_error(int status, std::string_view reason, std::string_view request_id,
                                net::Headers& headers) {
  Error error{.kind = s3::kind_of("", status), .message = std::string(reason)};
  if (status == 400) error.code = "BadRequest";
  if (status == 408) error.code = "RequestTimeout";
  if (status == 413) error.code = "EntityTooLarge";
  headers.add("x-amz-request-id", request_id);
  headers.add("x-amz-id-2", host_id());
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
