// SPDX-License-Identifier: Apache-2.0
#include "s3/signing/version_two.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/encode.h"
#include "base/hmac_sha1.h"
#include "base/strings.h"
#include "format/time.h"
#include "s3/errors.h"
#include "s3/signing/canonical.h"

namespace cairn::s3 {
namespace {

using Query = net::QueryParameters;

constexpr std::string_view vendor = "x-amz-";
constexpr std::int64_t seconds_max = 100'000'000'000;  // of a date that can be shown

// Parameters that the signature covers, ascending.
constexpr std::string_view covered[] = {"accelerate",
                                        "acl",
                                        "analytics",
                                        "cors",
                                        "defaultObjectAcl",
                                        "delete",
                                        "inventory",
                                        "lifecycle",
                                        "location",
                                        "logging",
                                        "metrics",
                                        "notification",
                                        "object-lock",
                                        "partNumber",
                                        "policy",
                                        "replication",
                                        "requestPayment",
                                        "response-cache-control",
                                        "response-content-disposition",
                                        "response-content-encoding",
                                        "response-content-language",
                                        "response-content-type",
                                        "response-expires",
                                        "restore",
                                        "select",
                                        "select-type",
                                        "storageClass",
                                        "tagging",
                                        "torrent",
                                        "uploadId",
                                        "uploads",
                                        "versionId",
                                        "versioning",
                                        "versions",
                                        "website"};
// Of the signature itself, or without a say in what is done and shown.
constexpr std::string_view without_effect[] = {"AWSAccessKeyId", "Signature", "Expires",
                                               "x-id",           "list-type", "encoding-type"};

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_vendor(std::string_view lower_name) { return lower_name.starts_with(vendor); }

// These stand in the query where the signer meant them as header fields.
bool is_content_field(std::string_view lower_name) {
  return lower_name == "content-type" || lower_name == "content-md5";
}

const std::string* parameter_of(const Query& query, std::string_view name) {
  for (const auto& [field, value] : query)
    if (field == name) return &value;
  return nullptr;
}

Error ambiguous(std::string_view name, std::string_view value, std::string why) {
  return error("InvalidArgument", std::move(why))
      .with_detail("ArgumentName", std::string(name))
      .with_detail("ArgumentValue", std::string(value));
}

bool is_field_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

// "a&versionId=1" as a value reads in the signed text as two parameters.
bool hides_parameter(std::string_view value) {
  for (std::size_t at = value.find('&'); at != std::string_view::npos;
       at = value.find('&', at + 1)) {
    const std::string_view rest = value.substr(at + 1);
    if (is_one_of(covered, rest.substr(0, rest.find_first_of("=&")))) return true;
  }
  return false;
}

// The signed text sets names and values side by side without escapes. Whatever could be read as
// another request with the same text is refused.
Status check_unambiguous(const net::RequestHead& head, const Query& query) {
  std::vector<std::string> seen;
  for (const auto& [given, value] : query) {
    std::string name = is_one_of(covered, given) ? given : lower_ascii(given);
    const bool field = is_vendor(name) || is_content_field(name);
    if (std::any_of(value.begin(), value.end(),
                    [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
      return ambiguous(given, value, "A presigned parameter cannot have these characters.");
    if (field && !is_field_name(name))
      return ambiguous(given, value, "A header field cannot have this name.");
    if (is_one_of(covered, given) && hides_parameter(value))
      return ambiguous(given, value, "This value reads like another parameter that is signed.");
    if (is_vendor(name) && head.headers.has(name))
      return ambiguous(given, value, "The field stands in the query and in the head.");
    if (is_one_of(seen, name))
      return ambiguous(given, value, "A presigned parameter stands more than once.");
    seen.push_back(std::move(name));
  }
  return ok_status();
}

// "name:value\n" of every field of the vendor, in the head and in the query, ascending.
std::string vendor_lines(const net::RequestHead& head, const Query& query) {
  std::map<std::string, std::string> lines;
  const auto add = [&](std::string name, std::string_view value) {
    if (!is_vendor(name)) return;
    std::string& line = lines[std::move(name)];
    if (!line.empty()) line += ',';
    line += trim(value);
  };
  for (const auto& [name, value] : head.headers.fields()) add(lower_ascii(name), value);
  for (const auto& [name, value] : query) add(lower_ascii(name), value);
  std::string out;
  for (const auto& [name, value] : lines) out.append(name).append(":").append(value).append("\n");
  return out;
}

std::string content_field(const net::RequestHead& head, const Query& query, std::string_view name) {
  if (const auto field = head.headers.find(name)) return std::string(*field);
  for (const auto& [given, value] : query)
    if (lower_ascii(given) == name) return value;
  return {};
}

// "?acl&versionId=1": the covered parameters, ascending; a name without "=" has none here either.
std::string covered_query(std::string_view raw) {
  std::vector<std::string> kept;
  for (const std::string_view piece : split(raw, '&')) {
    const std::size_t equals = piece.find('=');
    const auto name = percent_decode(piece.substr(0, equals), true);
    if (!name || !is_one_of(covered, *name)) continue;
    const bool bare = equals == std::string_view::npos;
    kept.push_back(
        *name +
        (bare ? std::string() : "=" + percent_decode(piece.substr(equals + 1), true).value_or("")));
  }
  std::sort(kept.begin(), kept.end(), [](const std::string& a, const std::string& b) {
    return a.substr(0, a.find('=')) < b.substr(0, b.find('='));
  });
  return kept.empty() ? std::string() : "?" + join(kept, "&");
}

Status check_nothing_unsigned(const Query& query) {
  std::vector<std::string> open;
  for (const auto& [name, value] : query) {
    const std::string lower = lower_ascii(name);
    if (is_one_of(covered, name) || is_one_of(without_effect, name) || is_vendor(lower) ||
        is_content_field(lower))
      continue;
    open.push_back(name);
  }
  if (open.empty()) return ok_status();
  return error("AccessDenied",
               "There were query parameters present in the request which this version of the "
               "signature does not cover; sign with AWS4-HMAC-SHA256")
      .with_detail("ParametersNotSigned", join(open, ", "));
}

// The ways in which clients spell the resource: as sent, encoded anew, a bucket with a slash.
std::vector<std::string> resources_of(const net::RequestHead& head,
                                      std::string_view bucket_of_host) {
  std::vector<std::string> resources;
  for (const Spelling spelling : {Spelling::as_sent, Spelling::encoded}) {
    std::string resource = canonical_path(head.path(), spelling, false);
    if (!bucket_of_host.empty()) resource = "/" + std::string(bucket_of_host) + resource;
    const bool bucket_alone = resource.find('/', 1) == std::string::npos && resource.size() > 1;
    resources.push_back(resource);
    if (bucket_alone) resources.push_back(resource + "/");
  }
  return resources;
}

}  // namespace

bool is_version_two(const Query& query) {
  return parameter_of(query, "AWSAccessKeyId") != nullptr &&
         parameter_of(query, "Signature") != nullptr;
}

Error version_two_refused() {
  return error("InvalidRequest",
               "The authorization mechanism you have provided is not supported. Please use "
               "AWS4-HMAC-SHA256.");
}

Result<Claim> read_version_two(const net::RequestHead& head, const Query& query) {
  Claim claim;
  claim.in_query = claim.version_two = true;
  const std::string* expires = parameter_of(query, "Expires");
  if (expires == nullptr)
    return error("AccessDenied",
                 "Query-string authentication requires the Signature, Expires and AWSAccessKeyId "
                 "parameters");
  for (const auto& [name, value] : query)
    if (lower_ascii(name) == "x-amz-algorithm" || lower_ascii(name) == "x-amz-signature")
      return ambiguous(name, value, "Only one auth mechanism allowed");
  CAIRN_CHECK(check_unambiguous(head, query));
  const auto seconds = parse_number<std::int64_t>(*expires);
  if (!seconds || *seconds < 0 || *seconds > seconds_max)
    return error("AccessDenied", "Invalid date (should be seconds since epoch): " + *expires);
  claim.expires_at_ms = *seconds * 1000;
  claim.access_key_id = *parameter_of(query, "AWSAccessKeyId");
  claim.signature = *parameter_of(query, "Signature");
  // A "+" of base64 that was left unescaped arrives as a space.
  std::replace(claim.signature.begin(), claim.signature.end(), ' ', '+');
  for (const auto& [name, value] : query)
    if (lower_ascii(name) == "x-amz-security-token") claim.session_token = value;
  if (const auto token = head.headers.find("x-amz-security-token")) claim.session_token = *token;
  return claim;
}

Result<std::string> version_two_text(const net::RequestHead& head, std::string_view resource) {
  CAIRN_TRY(const Query query, net::parse_query(head.query()));
  const std::string* expires = parameter_of(query, "Expires");
  std::string text = head.method + "\n";
  text += content_field(head, query, "content-md5") + "\n";
  text += content_field(head, query, "content-type") + "\n";
  text += (expires == nullptr ? std::string() : *expires) + "\n";
  text += vendor_lines(head, query);
  return text.append(resource) + covered_query(head.query());
}

Status verify_version_two(const Claim& claim, const net::RequestHead& head, std::string_view secret,
                          std::string_view bucket_of_host, std::int64_t now_ms) {
  if (now_ms > claim.expires_at_ms)
    return error("AccessDenied", "Request has expired")
        .with_detail("Expires", format_iso8601(claim.expires_at_ms))
        .with_detail("ServerTime", format_iso8601(now_ms / 1000 * 1000));
  std::string first;
  for (const std::string& resource : resources_of(head, bucket_of_host)) {
    CAIRN_TRY(std::string text, version_two_text(head, resource));
    if (equals_constant_time(to_base64(hmac_sha1(secret, text)), claim.signature)) {
      CAIRN_TRY(const Query query, net::parse_query(head.query()));
      return check_nothing_unsigned(query);
    }
    if (first.empty()) first = std::move(text);
  }
  return error("SignatureDoesNotMatch")
      .with_detail("AWSAccessKeyId", claim.access_key_id)
      .with_detail("StringToSign", first)
      .with_detail("SignatureProvided", claim.signature);
}

}  // namespace cairn::s3
