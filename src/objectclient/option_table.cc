// SPDX-License-Identifier: Apache-2.0
// One row an option. Wrong values are worded from the row: what is allowed stands there once.
#include "objectclient/option_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <type_traits>

#include "base/strings.h"
#include "objectclient/endpoint/endpoint_rules.h"
#include "objectclient/faults.h"

namespace cairn::objectclient {
namespace {

Error wrong_option(const OptionRow& row) {
  std::string text = "expected :" + std::string(row.name);
  if (!row.variable.empty()) text += " or ENV['" + std::string(row.variable) + "']";
  text += " to be " + std::string(row.allowed.empty() ? row.type : row.allowed) + ".";
  return argument_error(std::move(text));
}

std::optional<double> decimal(std::string_view text) {
  // Two thirds of a number is no number: all of the text must be one.
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || end != copy.c_str() + copy.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

bool read_text(std::string_view text, bool& out) {
  out = equals_ignore_case(text, "true");
  return out || equals_ignore_case(text, "false");
}
bool read_text(std::string_view text, std::int64_t& out) {
  const auto number = parse_number<std::int64_t>(text);
  if (number) out = *number;
  return number.has_value();
}
bool read_text(std::string_view text, double& out) {
  const auto number = decimal(text);
  if (number) out = *number;
  return number.has_value();
}
bool read_text(std::string_view text, std::string& out) {
  if (text.starts_with(':')) text.remove_prefix(1);  // a symbol of another language
  out = text;
  return true;
}
bool read_text(std::string_view text, std::vector<std::string>& out) {
  for (const std::string_view piece : split(text, ','))
    if (!trim(piece).empty()) out.emplace_back(trim(piece));
  return true;
}

std::string shown(bool value) { return value ? "true" : "false"; }
std::string shown(std::int64_t value) { return std::to_string(value); }
std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}
std::string shown(const std::string& value) { return value; }
std::string shown(const std::vector<std::string>& value) { return join(value, ","); }

using Rule = bool (*)(const void* value, const OptionRow& row);

template <auto field>
constexpr OptionField text_field() {
  if constexpr (std::is_constructible_v<OptionField, decltype(field)>)
    return OptionField(field);
  else
    return OptionField();
}

template <auto field, Rule rule = nullptr>
constexpr OptionRow row(std::string_view name, std::string_view type, std::string_view allowed,
                        std::string_view effect, std::string_view variable = {},
                        std::string_view key = {}) {
  OptionRow out{
      .name = name,
      .type = type,
      .allowed = allowed,
      .effect = effect,
      .variable = variable,
      .key = key,
      .field = text_field<field>(),
      .object_given = nullptr,
      .rule = rule,
      .take = [](ClientOptions& into, const ClientOptions& from) { into.*field = from.*field; }};
  if constexpr (!std::is_constructible_v<OptionField, decltype(field)>)
    out.object_given = [](const ClientOptions& options) { return (options.*field).given(); };
  return out;
}

// Rules.
bool listed(const void* value, const OptionRow& row) {
  const std::string quoted = "`" + *static_cast<const std::string*>(value) + "`";
  return row.allowed.find(quoted) != std::string_view::npos;
}
bool listed_in_any_case(const void* value, const OptionRow& row) {
  const std::string lower = lower_ascii(*static_cast<const std::string*>(value));
  return listed(&lower, row);
}
bool not_negative(const void* value, const OptionRow&) {
  return *static_cast<const double*>(value) >= 0;
}
bool count(const void* value, const OptionRow&) {
  return *static_cast<const std::int64_t*>(value) >= 0;
}
bool at_least_one(const void* value, const OptionRow&) {
  return *static_cast<const std::int64_t*>(value) >= 1;
}
bool compression_size(const void* value, const OptionRow&) {
  const auto size = *static_cast<const std::int64_t*>(value);
  return size >= 0 && size <= 10'485'780;
}
bool port(const void* value, const OptionRow&) {
  const auto number = *static_cast<const std::int64_t*>(value);
  return number >= 1 && number <= 65'535;
}
/// What may stand in the scope of a signature. Where it becomes part of a host it has to be more.
bool region(const void* value, const OptionRow&) {
  const auto& name = *static_cast<const std::string*>(value);
  return name.size() <= 255 && std::all_of(name.begin(), name.end(), [](char c) {
           return c > ' ' && c < 0x7f &&
                  std::string_view("/,=\"#?@\\").find(c) == std::string::npos;
         });
}
bool http_url(const void* value, const OptionRow&) {
  const auto& text = *static_cast<const std::string*>(value);
  return text.empty() || parse_custom_endpoint(text).has_value();
}
bool short_name(const void* value, const OptionRow&) {
  const auto& name = *static_cast<const std::string*>(value);
  const auto characters = std::count_if(name.begin(), name.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;  // the first byte of each
  });
  return characters <= 50;
}

using O = ClientOptions;
constexpr std::string_view yes_no = "boolean";

constexpr OptionRow all_rows[] = {
    row<&O::region, region>(
        "region", "text", "a region",
        "Where requests go and what they are signed for. Required. `fips-r` and "
        "`r-fips` mean `r` with `use_fips_endpoint`.",
        "AWS_REGION", "region"),
    row<&O::endpoint, http_url>("endpoint", "text", "an `http` or `https` URL",
                                "Instead of the vendor's hosts: `http://127.0.0.1:9000`.",
                                "AWS_ENDPOINT_URL_S3", "endpoint_url"),
    row<&O::profile>("profile", "text", "", "The profile of the shared configuration files.",
                     "AWS_PROFILE"),
    row<&O::ignore_configured_endpoint_urls>(
        "ignore_configured_endpoint_urls", yes_no, "",
        "Endpoints of the environment and of profiles do not count.",
        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "ignore_configured_endpoint_urls"),
    row<&O::dialect, listed>(
        "dialect", "text", "`aws` or `svc`",
        "Names of header fields, values and signatures: `x-amz-*` with `AWS4`, or the neutral "
        "`x-svc-*` with `SVC4`."),
    row<&O::host_names>("host_names", "HostNames", "",
                        "The suffixes of hosts, for other vendors than the first; "
                        "`HostNames::neutral(domain)` is a set without a vendor."),
    row<&O::use_accelerate_endpoint>(
        "use_accelerate_endpoint", yes_no, "",
        "The accelerated host; not for create_bucket, list_buckets and delete_bucket. Such "
        "requests never wait for `100 Continue`."),
    row<&O::use_dualstack_endpoint>("use_dualstack_endpoint", yes_no, "",
                                    "Hosts that have IPv6 addresses too.",
                                    "AWS_USE_DUALSTACK_ENDPOINT", "use_dualstack_endpoint"),
    row<&O::use_fips_endpoint>("use_fips_endpoint", yes_no, "",
                               "Hosts with certified cryptography.", "AWS_USE_FIPS_ENDPOINT",
                               "use_fips_endpoint"),
    row<&O::force_path_style>("force_path_style", yes_no, "",
                              "The bucket stands in the path, never in the host."),
    row<&O::s3_use_arn_region>("s3_use_arn_region", yes_no, "",
                               "A request for an ARN goes to the ARN's region; false: another "
                               "region than the client's is an error.",
                               "AWS_S3_USE_ARN_REGION", "s3_use_arn_region"),
    row<&O::s3_disable_multiregion_access_points>(
        "s3_disable_multiregion_access_points", yes_no, "",
        "ARNs of multi-region access points are an error.",
        "AWS_S3_DISABLE_MULTIREGION_ACCESS_POINTS", "s3_disable_multiregion_access_points"),
    row<&O::s3_us_east_1_regional_endpoint, listed>(
        "s3_us_east_1_regional_endpoint", "text", "`legacy` or `regional`",
        "The host for us-east-1: the global one, or one with the region's name.",
        "AWS_S3_US_EAST_1_REGIONAL_ENDPOINT", "s3_us_east_1_regional_endpoint"),
    row<&O::defaults_mode, listed>(
        "defaults_mode", "text",
        "`legacy`, `standard`, `in-region`, `cross-region`, `mobile` or `auto`",
        "Defaults of other options. All but `legacy`: retry_mode `standard`, us-east-1 `regional`, "
        "and an http_open_timeout of 3.1 s (in-region 1.1 s, mobile 30 s). `auto`: in-region or "
        "cross-region by the region that the environment or the instance metadata name, else "
        "standard.",
        "AWS_DEFAULTS_MODE", "defaults_mode"),
    row<&O::follow_redirects>("follow_redirects", yes_no, "",
                              "A 307 is followed to its Location, up to five times; never from "
                              "https to http."),
    row<&O::disable_host_prefix_injection>(
        "disable_host_prefix_injection", yes_no, "",
        "The host prefix of an operation's description is left out."),
    row<&O::endpoint_discovery>(
        "endpoint_discovery", yes_no, "",
        "Operations with discovery in their description ask for their endpoint first. No "
        "operation of the object storage has it.",
        "AWS_ENABLE_ENDPOINT_DISCOVERY", "endpoint_discovery_enabled"),
    row<&O::active_endpoint_cache>("active_endpoint_cache", yes_no, "",
                                   "Discovered endpoints are asked for again in the background."),
    row<&O::endpoint_cache_max_entries, at_least_one>(
        "endpoint_cache_max_entries", "integer", "1 or more",
        "How many discovered endpoints are kept; the one unused for longest leaves."),
    row<&O::endpoint_cache_max_threads, at_least_one>(
        "endpoint_cache_max_threads", "integer", "1 or more",
        "How many threads ask again in the background at once."),
    row<&O::endpoint_cache_poll_interval, not_negative>(
        "endpoint_cache_poll_interval", "seconds", "0 or more",
        "How often they look what has to be asked for again."),

    row<&O::access_key_id>("access_key_id", "text", "",
                           "With secret_access_key: static credentials."),
    row<&O::secret_access_key>("secret_access_key", "text", "", "The secret of access_key_id."),
    row<&O::session_token>("session_token", "text", "", "The token of temporary credentials."),
    row<&O::account_id>("account_id", "text", "", "The account that the credentials belong to."),
    row<&O::credentials>("credentials", "CredentialsProvider", "",
                         "Instead of static ones. Where neither is given, here or globally, the "
                         "chain is asked: environment, web identity, single sign-on, roles, keys "
                         "and process of the profile, container, instance."),
    row<&O::mfa_token_code>("mfa_token_code", "function", "",
                            "Gives the code of a device, for roles of a profile with mfa_serial. "
                            "Without it such a role is an error."),
    row<&O::token_provider>(
        "token_provider", "TokenProvider", "",
        "Bearer tokens. Where it is not given, the sso_session of the profile."),
    row<&O::auth_scheme_preference>(
        "auth_scheme_preference", "list", "of `sigv4`, `sigv4a`, `httpBearerAuth`, `noAuth`",
        "The first of the list that can be used for a request is; other names do not count.",
        "AWS_AUTH_SCHEME_PREFERENCE", "auth_scheme_preference"),
    row<&O::sigv4a_signing_region_set>("sigv4a_signing_region_set", "list", "of regions, or `*`",
                                       "Where a sigv4a signature is good.",
                                       "AWS_SIGV4A_SIGNING_REGION_SET",
                                       "sigv4a_signing_region_set"),
    row<&O::disable_s3_express_session_auth>(
        "disable_s3_express_session_auth", yes_no, "",
        "Requests to directory buckets are signed with the credentials themselves, not with those "
        "of a session.",
        "AWS_S3_DISABLE_EXPRESS_SESSION_AUTH", "s3_disable_express_session_auth"),
    row<&O::access_grants>("access_grants", yes_no, "",
                           "Credentials for a request come from the access grants of its bucket."),
    row<&O::access_grants_credentials_provider>(
        "access_grants_credentials_provider", "AccessGrantsOptions", "",
        "How they are asked for: privilege, fallback to the client's own, caching, "
        "duration_seconds."),
    row<&O::require_https_for_sse_cpk>(
        "require_https_for_sse_cpk", yes_no, "",
        "Encryption keys of the customer are not sent over http: an error before sending."),
    row<&O::instance_profile_credentials_timeout, not_negative>(
        "instance_profile_credentials_timeout", "seconds", "0 or more",
        "For each request to the instance metadata service.", "AWS_METADATA_SERVICE_TIMEOUT"),
    row<&O::instance_profile_credentials_retries, count>(
        "instance_profile_credentials_retries", "integer", "0 or more",
        "More attempts at the instance metadata service.", "AWS_METADATA_SERVICE_NUM_ATTEMPTS"),

    row<&O::convert_params>("convert_params", yes_no, "",
                            "Parameters by name are turned into the type that is wanted: `\"5\"` "
                            "into 5, 1.9 into 1, `\"true\"` into true."),
    row<&O::validate_params>("validate_params", yes_no, "",
                             "Required, unknown and mistyped parameters are errors before "
                             "sending; every fault is named with its path."),
    row<&O::raise_response_errors>("raise_response_errors", yes_no, "",
                                   "A failed call throws; false: its response holds the error."),
    row<&O::request_checksum_calculation, listed_in_any_case>(
        "request_checksum_calculation", "text", "`when_supported` or `when_required`",
        "Bodies get a CRC32 wherever the operation takes a checksum, or only where it must have "
        "one. A checksum or algorithm among the parameters always counts.",
        "AWS_REQUEST_CHECKSUM_CALCULATION", "request_checksum_calculation"),
    row<&O::response_checksum_validation, listed_in_any_case>(
        "response_checksum_validation", "text", "`when_supported` or `when_required`",
        "Objects are asked for with their checksum, and compared with it; or only where "
        "checksum_mode asks.",
        "AWS_RESPONSE_CHECKSUM_VALIDATION", "response_checksum_validation"),
    row<&O::compute_checksums>("compute_checksums", yes_no, "",
                               "Deprecated. false forces request_checksum_calculation "
                               "`when_required`, and warns once."),
    row<&O::payload_signing, listed>(
        "payload_signing", "text", "`automatic`, `always` or `never`",
        "Whether the signature covers the bytes of objects. automatic: over http it does; over "
        "https it does where no checksum does."),
    row<&O::disable_request_compression>(
        "disable_request_compression", yes_no, "",
        "Bodies of operations that take gzip are sent as they are. In dialect `svc` those are the "
        "configurations of buckets, in dialect `aws` none.",
        "AWS_DISABLE_REQUEST_COMPRESSION", "disable_request_compression"),
    row<&O::request_min_compression_size_bytes, compression_size>(
        "request_min_compression_size_bytes", "integer", "between 0 and 10485780 bytes inclusive",
        "Smaller bodies are not compressed.", "AWS_REQUEST_MIN_COMPRESSION_SIZE_BYTES",
        "request_min_compression_size_bytes"),
    row<&O::sdk_ua_app_id, short_name>("sdk_ua_app_id", "text", "at most 50 characters",
                                       "Stands in User-Agent as `app/NAME`.", "AWS_SDK_UA_APP_ID",
                                       "sdk_ua_app_id"),
    row<&O::user_agent_suffix>("user_agent_suffix", "text", "", "The end of User-Agent."),

    row<&O::http_open_timeout, not_negative>("http_open_timeout", "seconds", "0 or more",
                                             "To connect, and to agree on TLS; 0: no limit."),
    row<&O::http_read_timeout, not_negative>(
        "http_read_timeout", "seconds", "0 or more",
        "Between bytes of a reply, for all of its head, and of a "
        "request that the service does not take; 0: no limit."),
    row<&O::http_idle_timeout, not_negative>(
        "http_idle_timeout", "seconds", "0 or more",
        "A kept connection older than this is not used again."),
    row<&O::http_continue_timeout, not_negative>(
        "http_continue_timeout", "seconds", "0 or more",
        "Requests with a body carry `Expect: 100-continue` and wait so long for leave to send it; "
        "0: never."),
    row<&O::ssl_verify_peer>("ssl_verify_peer", yes_no, "",
                             "The certificate of an https endpoint must be good."),
    row<&O::ssl_ca_bundle>("ssl_ca_bundle", "text", "a file",
                           "Certificates to trust instead of the "
                           "system's.",
                           "AWS_CA_BUNDLE", "ca_bundle"),
    row<&O::http_wire_trace>("http_wire_trace", yes_no, "",
                             "The logger gets requests and replies, at level debug, with secrets "
                             "hidden."),

    row<&O::retry_mode, listed>("retry_mode", "text", "`legacy`, `standard` or `adaptive`",
                                "How failures are tried again. adaptive also slows down where the "
                                "service throttles.",
                                "AWS_RETRY_MODE", "retry_mode"),
    row<&O::max_attempts, at_least_one>("max_attempts", "integer", "a positive integer",
                                        "With the first; modes standard and adaptive.",
                                        "AWS_MAX_ATTEMPTS", "max_attempts"),
    row<&O::retry_limit, count>("retry_limit", "integer", "0 or more",
                                "Attempts after the first; mode legacy."),
    row<&O::retry_base_delay, not_negative>("retry_base_delay", "seconds", "0 or more",
                                            "Mode legacy waits 2^retries times this."),
    row<&O::retry_max_delay, not_negative>(
        "retry_max_delay", "seconds", "0 or more",
        "The longest wait of mode legacy, and for a Retry-After. 0: "
        "no limit, but a Retry-After of more than 5 minutes is "
        "an error where no deadline bounds it."),
    row<&O::retry_jitter, listed>("retry_jitter", "text", "`none`, `equal` or `full`",
                                  "Which share of that wait is random: nothing, the second half, "
                                  "all of it."),
    row<&O::retry_jitter_function>("retry_jitter_function", "function", "",
                                   "Instead of retry_jitter: seconds to wait, of those computed."),
    row<&O::retry_backoff>("retry_backoff", "function", "",
                           "Instead of all of these: seconds to wait after so many retries."),
    row<&O::adaptive_retry_wait_to_fill>(
        "adaptive_retry_wait_to_fill", yes_no, "",
        "Mode adaptive waits until it may send; false: RetryCapacityNotAvailableError.",
        "AWS_ADAPTIVE_RETRY_WAIT_TO_FILL", "adaptive_retry_wait_to_fill"),
    row<&O::correct_clock_skew>("correct_clock_skew", yes_no, "",
                                "A clock that the service calls wrong is corrected from its Date, "
                                "and the request is tried again; modes standard and adaptive."),

    row<&O::logger>("logger", "function", "", "Takes a line for each call; none: no log."),
    row<&O::log_level, listed>("log_level", "text", "`debug`, `info`, `warn` or `error`",
                               "The level of that line."),
    row<&O::log_formatter>("log_formatter", "text", "",
                           "The pattern of that line: `:operation`, `:time`, `:error_class` …; "
                           "empty: the usual one."),
    row<&O::client_side_monitoring>("client_side_monitoring", yes_no, "",
                                    "One UDP datagram of JSON for each call and each attempt.",
                                    "AWS_CSM_ENABLED", "csm_enabled"),
    row<&O::client_side_monitoring_host>("client_side_monitoring_host", "text", "",
                                         "Where they go.", "AWS_CSM_HOST", "csm_host"),
    row<&O::client_side_monitoring_port, port>("client_side_monitoring_port", "integer",
                                               "1 to 65535", "Where they go.", "AWS_CSM_PORT",
                                               "csm_port"),
    row<&O::client_side_monitoring_client_id>("client_side_monitoring_client_id", "text", "",
                                              "Stands in each of them.", "AWS_CSM_CLIENT_ID",
                                              "csm_client_id"),
    row<&O::client_side_monitoring_publisher>("client_side_monitoring_publisher", "function", "",
                                              "Takes the events instead of UDP."),
    row<&O::stub_responses>("stub_responses", yes_no, "",
                            "Nothing is sent and nothing retried: calls are answered by stubs, "
                            "`Client::stub` sets them. No region and no credentials are needed."),
};

void append_cell(std::string& out, std::string_view text, bool code) {
  out += " ";
  if (code && !text.empty()) out += "`";
  out += text;
  if (code && !text.empty()) out += "`";
  out += text.empty() ? "|" : " |";
}

}  // namespace

Status OptionRow::set(ClientOptions& options, std::string_view text) const {
  return std::visit(
      [&](auto at) -> Status {
        if constexpr (std::is_same_v<decltype(at), std::monostate>) {
          return wrong_option(*this);
        } else {
          std::remove_cvref_t<decltype(*(options.*at))> value{};
          if (!read_text(trim(text), value)) return wrong_option(*this);
          options.*at = std::move(value);
          return ok_status();
        }
      },
      field);
}

std::string OptionRow::show(const ClientOptions& options) const {
  return std::visit(
      [&](auto at) -> std::string {
        if constexpr (std::is_same_v<decltype(at), std::monostate>)
          return {};
        else
          return shown(*(options.*at));
      },
      field);
}

bool OptionRow::given(const ClientOptions& options) const {
  return std::visit(
      [&](auto at) {
        if constexpr (std::is_same_v<decltype(at), std::monostate>)
          return object_given(options);
        else
          return (options.*at).given();
      },
      field);
}

std::string OptionRow::fault(const ClientOptions& options) const {
  const bool allowed_value = std::visit(
      [&](auto at) {
        if constexpr (std::is_same_v<decltype(at), std::monostate>)
          return true;
        else
          return rule == nullptr || rule(&*(options.*at), *this);
      },
      field);
  return allowed_value ? std::string() : wrong_option(*this).message;
}

std::span<const OptionRow> option_rows() { return all_rows; }

const OptionRow* find_option(std::string_view name) {
  for (const OptionRow& candidate : all_rows)
    if (candidate.name == name) return &candidate;
  return nullptr;
}

Status set_option(ClientOptions& options, std::string_view name, std::string_view text) {
  const OptionRow* const found = find_option(name);
  if (found == nullptr) {
    std::vector<std::string> names;
    for (const OptionRow& candidate : all_rows) names.emplace_back(candidate.name);
    std::string message = "there is no option `" + std::string(name) + "`";
    if (const auto meant = nearest(name, names)) message += "; did you mean `" + *meant + "`?";
    return argument_error(std::move(message));
  }
  if (!found->can_be_text())
    return argument_error("the option `" + std::string(name) +
                          "` is an object; a text cannot be one");
  CAIRN_CHECK(found->set(options, text));
  if (const std::string fault = found->fault(options); !fault.empty()) return argument_error(fault);
  return ok_status();
}

std::string options_markdown() {
  const ClientOptions defaults;
  std::string out =
      "| Option | Type | Default | Allowed | Effect | Variable | Profile key |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const OptionRow& option : all_rows) {
    out += "|";
    append_cell(out, option.name, true);
    append_cell(out, option.type, false);
    append_cell(out, option.show(defaults), true);
    append_cell(out, option.allowed, false);
    append_cell(out, option.effect, false);
    append_cell(out, option.variable, true);
    append_cell(out, option.key, true);
    out += "\n";
  }
  return out;
}

}  // namespace cairn::objectclient
