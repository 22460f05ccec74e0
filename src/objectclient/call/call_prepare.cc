// SPDX-License-Identifier: Apache-2.0
// What is done once for a call: its parameters checked, its defaults added, its address found.
#include <algorithm>
#include <utility>

#include "base/compress.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "objectclient/call/call.h"
#include "objectclient/call/params.h"
#include "objectclient/endpoint/arn.h"
#include "objectclient/endpoint/host_label.h"
#include "objectclient/faults.h"

namespace cairn::objectclient {
namespace {

constexpr std::size_t customer_key_bytes = 32;

/// Required parameters that are part of the address: empty ones would mean something else.
void find_blank_labels(const s3::Shape& shape, const void* input,
                       std::vector<std::string>& faults) {
  for (const s3::Member& member : shape.members) {
    if (member.wire.place != s3::Place::bucket && member.wire.place != s3::Place::key) continue;
    void* const field = member.field(const_cast<void*>(input));  // NOLINT: only read
    if (static_cast<const std::string*>(member.access->value(field))->empty())
      faults.push_back("required uri param params[:" + std::string(member.name) +
                       "] must not be blank");
  }
}

/// Header fields are ASCII; a source that is not encoded yet is, where it must be.
std::string copy_source_field(std::string_view source) {
  std::string out;
  for (const char c : source) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f)
      out += c;
    else
      out += percent_encode(std::string_view(&c, 1));
  }
  return out;
}

/// Has a bucket made in the region, unless its caller says where. Tags alone do not.
bool name_place(s3::CreateBucketInput& input, const std::string& region) {
  auto& configuration = input.create_bucket_configuration;
  if (configuration && (configuration->location_constraint || configuration->location))
    return false;
  if (!configuration) configuration.emplace();
  configuration->location_constraint = region;
  return true;
}

}  // namespace

Status OperationCall::check_parts() {
  std::vector<std::string> faults;
  if (*state_.options.validate_params)
    find_param_faults(parts_.operation.input(), parts_.input, faults);
  if (faults.empty()) find_blank_labels(parts_.operation.input(), parts_.input, faults);
  if (info_.bucket.find('/') != std::string::npos && !parse_arn(info_.bucket))
    faults.emplace_back("bucket name must not contain a forward-slash (/)");
  if (faults.empty()) return ok_status();
  return parameter_error(faults);
}

void OperationCall::add_defaults() {
  const s3::Operation& operation = parts_.operation;
  const auto name = [this](std::string_view aws) { return s3::header_name(aws, state_.dialect); };
  asked_for_checksum_ = request_.headers.has(name("x-amz-checksum-mode"));
  if (operation.call == "get_object" && !asked_for_checksum_ &&
      *state_.options.response_checksum_validation == "when_supported")
    request_.headers.set(name("x-amz-checksum-mode"), "ENABLED");
  // Keys may hold what XML cannot.
  const bool listed = std::any_of(request_.query.begin(), request_.query.end(),
                                  [](const auto& p) { return p.first == "encoding-type"; });
  if (operation.input().find("encoding_type") != nullptr && !listed)
    request_.query.emplace_back("encoding-type", "url");
  if (const auto expires = request_.headers.find("Expires"))
    if (const auto date = http_date_of(*expires)) request_.headers.set("Expires", *date);
  if (const auto source = request_.headers.find(name("x-amz-copy-source")))
    request_.headers.set(name("x-amz-copy-source"), copy_source_field(*source));
}

/// A key of 32 bytes is sent in base64, with its MD5. Texts in base64 stay.
Status OperationCall::add_customer_key(std::string_view prefix) {
  const std::string field = s3::header_name(std::string(prefix) + "customer-key", state_.dialect);
  const auto given = request_.headers.find(field);
  if (!given) return ok_status();
  std::string key(*given);
  if (key.size() != customer_key_bytes) {
    auto decoded = from_base64(key);
    if (!decoded || decoded->size() != customer_key_bytes)
      return argument_error(
          "an encryption key of the customer must have 32 bytes, as they are or in base64");
    key = std::move(*decoded);
  }
  request_.headers.set(field, to_base64(key));
  if (!request_.headers.has(field + "-MD5"))
    request_.headers.set(field + "-MD5", to_base64(md5(key)));
  return ok_status();
}

void OperationCall::compress() {
  const ClientOptions& options = state_.options;
  if (!takes_gzip(parts_.operation, state_.dialect) || *options.disable_request_compression) return;
  const auto least = static_cast<std::size_t>(*options.request_min_compression_size_bytes);
  if (request_.body.empty() || request_.body.size() < least) return;
  request_.body = gzip(request_.body);
  request_.headers.set("Content-Encoding", "gzip");
}

Result<Endpoint> OperationCall::endpoint() const {
  const ClientOptions& options = state_.options;
  const s3::Operation& operation = parts_.operation;
  if (operation.target == s3::Target::control)
    return resolve_control_endpoint(
        {.region = region_ ? *region_ : *options.region,
         .endpoint = *options.endpoint,
         .account_id = std::string(
             request_.headers.find(s3::header_name("x-amz-account-id", state_.dialect))
                 .value_or("")),
         .use_fips = *options.use_fips_endpoint,
         .use_dualstack = parts_.use_dualstack_endpoint.value_or(*options.use_dualstack_endpoint),
         .of_directories = is_about_directory_points(operation, request_.path),
         .of_outposts =
             request_.headers.has(s3::header_name("x-amz-outpost-id", state_.dialect)),
         .hosts = *options.host_names});
  EndpointParams params{
      .region = region_ ? *region_ : *options.region,
      .use_fips = *options.use_fips_endpoint,
      .use_dualstack = parts_.use_dualstack_endpoint.value_or(*options.use_dualstack_endpoint),
      .accelerate = parts_.use_accelerate_endpoint.value_or(*options.use_accelerate_endpoint) &&
                    may_accelerate(operation),
      .force_path_style = *options.force_path_style,
      .use_global_endpoint = *options.s3_us_east_1_regional_endpoint == "legacy",
      .use_arn_region = *options.s3_use_arn_region,
      .disable_access_points = refuses_access_points(operation),
      .disable_multiregion_access_points = *options.s3_disable_multiregion_access_points,
      .use_s3_express_control_endpoint = goes_to_control_endpoint(operation),
      .disable_s3_express_session_auth =
          *options.disable_s3_express_session_auth || needs_no_session(operation),
      .hosts = *options.host_names};
  if (!info_.bucket.empty()) params.bucket = info_.bucket;
  if (!options.endpoint->empty()) params.endpoint = *options.endpoint;
  // The control endpoint is for directory buckets, and for their list.
  const bool lists = operation.call == "list_directory_buckets";
  if (!lists && !info_.bucket.ends_with("--x-s3")) params.use_s3_express_control_endpoint = false;
  return resolve_endpoint(params);
}

/// The prefix with the parameters that it names.
Result<std::string> OperationCall::host_prefix() const {
  if (*state_.options.disable_host_prefix_injection) return std::string();
  std::string out;
  std::string_view form = parts_.extras.host_prefix;
  for (;;) {
    const std::size_t open = form.find('{');
    out += form.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = form.find('}', open);
    const std::string_view label = form.substr(open + 1, close - open - 1);
    const s3::Member* const member = parts_.operation.input().find(label);
    void* const field =
        member == nullptr ? nullptr : member->field(const_cast<void*>(parts_.input));  // NOLINT
    if (field == nullptr || member->type != s3::Type::text || !member->access->has(field) ||
        static_cast<const std::string*>(member->access->value(field))->empty())
      return Error{ErrorKind::invalid_argument, "MissingEndpointHostLabelValue",
                   "the host of this operation begins with the parameter " + std::string(label) +
                       ", which is not given"};
    const auto& value = *static_cast<const std::string*>(member->access->value(field));
    if (!is_host_label(value, false))
      return argument_error("the parameter " + std::string(label) +
                            " is part of a host and may not be `" + value + "`");
    out += value;
    form.remove_prefix(close + 1);
  }
}

Status OperationCall::find_address() {
  auto resolved = endpoint();
  if (!resolved.ok()) {
    Error fault = std::move(resolved).error();
    if (fault.code.empty()) fault.code = "ArgumentError";
    return fault;
  }
  endpoint_ = std::move(*resolved);
  if (parts_.extras.discovers_endpoint && *state_.options.endpoint_discovery &&
      state_.options.endpoint->empty() && parts_.endpoints != nullptr) {
    CAIRN_TRY(endpoint_.url, parts_.endpoints->get(std::string(parts_.operation.call)));
  }
  CAIRN_TRY(const std::string prefix, host_prefix());
  CAIRN_TRY(address_, address_of(request_, endpoint_, prefix));
  const bool customer_key = std::any_of(
      request_.headers.fields().begin(), request_.headers.fields().end(),
      [](const auto& field) { return lower_ascii(field.first).ends_with("-customer-key"); });
  if (customer_key && *state_.options.require_https_for_sse_cpk && address_.url.scheme != "https")
    return argument_error(
        "an encryption key of the customer is not sent over http; use https, or set the option "
        ":require_https_for_sse_cpk to false");
  return ok_status();
}

Status OperationCall::prepare() {
  CAIRN_CHECK(check_parts());
  request_ = s3::write_request(parts_.operation, parts_.input, state_.dialect);
  const s3::Operation& operation = parts_.operation;
  const bool abroad =
      *state_.options.region != "us-east-1" && *state_.options.region != "aws-global";
  if (operation.call == "create_bucket" && abroad && !info_.bucket.ends_with("--x-s3")) {
    auto input = *static_cast<const s3::CreateBucketInput*>(parts_.input);
    if (name_place(input, *state_.options.region))
      request_ = s3::write_request(operation, &input, state_.dialect);
  }
  add_defaults();
  for (const std::string_view prefix :
       {"x-amz-server-side-encryption-", "x-amz-copy-source-server-side-encryption-"})
    CAIRN_CHECK(add_customer_key(prefix));
  compress();
  body_ = operation.stream_in ? parts_.body : Body(std::string_view(request_.body));
  if (const std::string known = state_.regions.of(info_.bucket); !known.empty()) region_ = known;
  return find_address();
}

Status OperationCall::plan(const Signing& signing, net::Headers& headers) {
  if (!plan_) {
    plan_headers_ = request_.headers;
    CAIRN_TRY(plan_, plan_payload({.operation = parts_.operation,
                                   .options = state_.options,
                                   .dialect = state_.dialect,
                                   .https = address_.url.scheme == "https",
                                   .own_endpoint = !state_.options.endpoint->empty(),
                                   .is_signed = signing.is_signature(),
                                   .symmetric = signing.scheme != Scheme::sigv4a},
                                  body_, plan_headers_));
  }
  for (const auto& [name, value] : plan_headers_.fields()) headers.add(name, value);
  return ok_status();
}

net::Headers OperationCall::attempt_headers() const {
  const ClientOptions& options = state_.options;
  net::Headers headers;
  headers.add("Host", address_.url.authority());
  headers.add("User-Agent", state_.user_agent);
  const std::string vendor = state_.dialect == s3::Dialect::svc ? "svc" : "amz";
  headers.add(vendor + "-sdk-invocation-id", invocation_id_);
  if (*options.retry_mode != "legacy")
    headers.add(vendor + "-sdk-request", "attempt=" + std::to_string(info_.retries + 1) +
                                             "; max=" + std::to_string(*options.max_attempts));
  const Environment& environment = state_.environment;
  if (environment.first_variable({"AWS_LAMBDA_FUNCTION_NAME"}))
    if (const auto trace_id = environment.first_variable({"_X_AMZN_TRACE_ID"}))
      headers.add("X-Amzn-Trace-Id", *trace_id);
  return headers;
}

}  // namespace cairn::objectclient
