// SPDX-License-Identifier: Apache-2.0
// `cairn objects resolve-endpoint|sign`: cases from standard input, one JSON object a line, answers
// to standard output. Neither needs a server.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <optional>
#include <string>

#include "base/encode.h"
#include "base/hash.h"
#include "cli/exit_codes.h"
#include "cli/objects/command.h"
#include "cli/verbs.h"
#include "format/json.h"
#include "format/time.h"
#include "net/client/client.h"
#include "objectclient/endpoint/endpoint.h"
#include "os/clock.h"
#include "s3/signing/signing.h"

namespace cairn::cli {
namespace {

using objectclient::EndpointParams;

Error wrong(std::string text) { return {ErrorKind::invalid_argument, {}, std::move(text)}; }

struct TextParam {
  std::string_view name;
  std::optional<std::string> EndpointParams::*field;
};
constexpr TextParam text_params[] = {{"Bucket", &EndpointParams::bucket},
                                     {"Region", &EndpointParams::region},
                                     {"Endpoint", &EndpointParams::endpoint}};
struct FlagParam {
  std::string_view name;
  bool EndpointParams::*field;
};
constexpr FlagParam flag_params[] = {
    {"UseFIPS", &EndpointParams::use_fips},
    {"UseDualStack", &EndpointParams::use_dualstack},
    {"Accelerate", &EndpointParams::accelerate},
    {"ForcePathStyle", &EndpointParams::force_path_style},
    {"UseGlobalEndpoint", &EndpointParams::use_global_endpoint},
    {"UseObjectLambdaEndpoint", &EndpointParams::use_object_lambda_endpoint},
    {"UseArnRegion", &EndpointParams::use_arn_region},
    {"DisableAccessPoints", &EndpointParams::disable_access_points},
    {"DisableMultiRegionAccessPoints", &EndpointParams::disable_multiregion_access_points},
    {"UseS3ExpressControlEndpoint", &EndpointParams::use_s3_express_control_endpoint},
    {"DisableS3ExpressSessionAuth", &EndpointParams::disable_s3_express_session_auth}};
/// Of the published cases; they say nothing about where a request goes.
constexpr std::string_view other_params[] = {"Key", "Prefix", "CopySource"};

Result<EndpointParams> endpoint_params(const Json& given) {
  EndpointParams out;
  for (const auto& [name, value] : given.as_object()) {
    bool known =
        std::find(std::begin(other_params), std::end(other_params), name) != std::end(other_params);
    for (const auto& [text_name, field] : text_params) {
      if (name != text_name) continue;
      if (!value.is_string()) return wrong("params." + name + " must be a string");
      out.*field = value.as_string();
      known = true;
    }
    for (const auto& [flag_name, field] : flag_params) {
      if (name != flag_name) continue;
      if (!value.is_bool()) return wrong("params." + name + " must be true or false");
      out.*field = value.as_bool();
      known = true;
    }
    if (!known) return wrong("params." + name + " is no parameter of the resolver");
  }
  return out;
}

Json scheme_json(const objectclient::AuthScheme& scheme) {
  Json out = Json::object({{"name", scheme.name}, {"signingName", scheme.signing_name}});
  if (!scheme.signing_region.empty()) out.set("signingRegion", scheme.signing_region);
  if (!scheme.signing_region_set.empty())
    out.set("signingRegionSet", Json::array_of(scheme.signing_region_set));
  out.set("disableDoubleEncoding", true);
  return out;
}

Result<Json> resolve_one(const Json& given) {
  const Json* const named = given.find("params");
  if (named == nullptr || !named->is_object()) return wrong("a case needs an object [params]");
  CAIRN_TRY(const EndpointParams params, endpoint_params(*named));
  CAIRN_TRY(const auto endpoint, objectclient::resolve_endpoint(params));
  Json schemes = Json::array();
  for (const auto& scheme : endpoint.auth_schemes) schemes.push(scheme_json(scheme));
  return Json::object({{"endpoint", Json::object({{"url", endpoint.url},
                                                  {"authSchemes", std::move(schemes)},
                                                  {"headers", Json::object()}})}});
}

/// {"name": "value"}, or [["name", "value"], ...] where order and repetition matter.
Status read_headers(const Json* given, net::Headers& into) {
  if (given == nullptr || given->is_null()) return ok_status();
  if (given->is_object()) {
    for (const auto& [name, value] : given->as_object()) {
      if (!value.is_string()) return wrong("headers." + name + " must be a string");
      into.add(name, value.as_string());
    }
    return ok_status();
  }
  if (!given->is_array()) return wrong("[headers] must be an object or an array of pairs");
  for (const Json& pair : given->as_array()) {
    if (!pair.is_array() || pair.as_array().size() != 2 || !pair.as_array()[0].is_string() ||
        !pair.as_array()[1].is_string())
      return wrong("[headers] must hold pairs of strings");
    into.add(pair.as_array()[0].as_string(), pair.as_array()[1].as_string());
  }
  return ok_status();
}

Result<Json> sign_one(const Json& given) {
  for (const auto* required : {"method", "url", "region", "access_key_id", "secret_access_key"})
    if (given.string_or(required).empty())
      return wrong("a case needs a string [" + std::string(required) + "]");
  CAIRN_TRY(const net::Url url, net::parse_url(given.string_or("url")));
  net::Headers headers;
  CAIRN_CHECK(read_headers(given.find("headers"), headers));
  if (!headers.has("Host")) headers.add("Host", url.authority());
  std::optional<std::int64_t> time_ms = os::system_clock().unix_ms();
  if (const std::string time = given.string_or("time"); !time.empty()) {
    time_ms = parse_iso8601(time);
    if (!time_ms) time_ms = parse_basic_iso8601(time);
    if (!time_ms) return wrong("[time] is no time; write 2026-01-31T12:00:00Z");
  }
  const std::string service = given.string_or("service", "s3");
  const auto query_at = url.target.find('?');
  const std::string path = url.target.substr(0, query_at);
  const std::string query = query_at == std::string::npos ? "" : url.target.substr(query_at + 1);
  s3::SigningKeys keys;
  const s3::Signature signature = s3::sign_headers(
      given.string_or("method"), path, query, headers, to_hex(sha256(given.string_or("body"))),
      {.credentials = {given.string_or("access_key_id"), given.string_or("secret_access_key"),
                       given.string_or("session_token")},
       .region = given.string_or("region"),
       .service = service,
       .time_ms = *time_ms,
       .normalize_path = given.bool_or("normalize_path", service != "s3"),
       .content_sha256_header = given.bool_or("content_sha256_header", service == "s3")},
      keys);
  Json signed_headers = Json::object();
  for (const auto& [name, value] : headers.fields()) signed_headers.set(name, value);
  return Json::object({{"canonical_request", signature.canonical_request},
                       {"string_to_sign", signature.string_to_sign},
                       {"signature", signature.signature},
                       {"authorization", signature.authorization},
                       {"headers", std::move(signed_headers)}});
}

int for_each_line(const std::function<Result<Json>(const Json&)>& answer) {
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto given = parse_json(line);
    Result<Json> out = given.ok() && !given->is_object()
                           ? Result<Json>(wrong("a line must hold one JSON object"))
                       : given.ok() ? answer(*given)
                                    : Result<Json>(given.error());
    const Json shown = out.ok() ? *out : Json::object({{"error", out.error().message}});
    std::cout << shown.dump() << "\n";
  }
  return success;
}

}  // namespace

std::optional<int> run_cases(const std::vector<std::string>& words) {
  const auto run = words[0] == "resolve-endpoint" ? resolve_one
                   : words[0] == "sign"           ? sign_one
                                                  : nullptr;
  if (run == nullptr) return std::nullopt;
  constexpr std::string_view usage =
      "usage: cairn objects resolve-endpoint\n"
      "         where requests of these parameters go, or why they go nowhere.\n"
      "       cairn objects sign\n"
      "         what is signed for a request, and how.\n"
      "each reads one JSON object a line from standard input, and answers with one.\n";
  if (asks_for_help(words)) {
    std::fputs(usage.data(), stdout);
    return success;
  }
  if (words.size() == 1 || (words.size() == 2 && words[1] == "--json")) return for_each_line(run);
  return misused("unexpected argument " + words[1], usage);
}

}  // namespace cairn::cli
