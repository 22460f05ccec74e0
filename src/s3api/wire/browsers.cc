// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/browsers.h"

#include "base/strings.h"
#include "s3/cors.h"
#include "s3/errors.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/wire/send.h"

namespace cairn::s3api {
namespace {

Error forbidden(const ParsedCall& call, std::string_view method, std::string_view why) {
  return s3::error("AccessForbidden", "CORSResponse: " + std::string(why))
      .with_detail("Method", std::string(method))
      .with_detail("ResourceType", call.address.target == s3::Target::object ? "OBJECT" : "BUCKET");
}

std::vector<std::string> names_of(const std::optional<std::string_view>& field) {
  std::vector<std::string> names;
  if (field)
    for (std::string_view name : split(*field, ','))
      if (!trim(name).empty()) names.push_back(lower_ascii(trim(name)));
  return names;
}

// Null where the bucket has no rules.
std::shared_ptr<const s3::CorsConfigurationElement> rules_of_address(const ParsedCall& call) {
  if (call.address.bucket.empty() || s3::is_reserved_bucket(call.address.bucket))
    return nullptr;
  const auto bucket = call.engine().bucket(call.address.bucket);
  return bucket.ok() ? cors_of(**bucket) : nullptr;
}

}  // namespace

Status answer_preflight(ParsedCall& call) {
  const auto origin = call.exchange.head.headers.find("Origin");
  if (!origin)
    return s3::error("BadRequest", "Insufficient information. Origin request header needed.");
  const auto method = call.exchange.head.headers.find("Access-Control-Request-Method");
  const std::string_view meant = method.value_or("OPTIONS");
  const bool there = !s3::is_reserved_bucket(call.address.bucket) &&
                     call.engine().bucket(call.address.bucket).ok();
  if (!there) return forbidden(call, meant, "Bucket not found");
  const auto rules = rules_of_address(call);
  if (rules == nullptr) return forbidden(call, meant, "CORS is not enabled for this bucket.");
  const s3::CorsQuestion question{
      .origin = *origin,
      .method = meant,
      .headers = names_of(call.exchange.head.headers.find("Access-Control-Request-Headers"))};
  const s3::CorsRuleElement* rule =
      method ? s3::find_cors_rule(rules->cors_rules, question) : nullptr;
  if (rule == nullptr)
    return forbidden(call, meant,
                     "This CORS request is not allowed. This is usually because the evalution of "
                     "Origin, request method / Access-Control-Request-Method or "
                     "Access-Control-Request-Headers are not whitelisted by the resource's CORS "
                     "spec.");
  s3::ReplyParts parts;
  s3::add_cors_headers(*rule, question, parts.headers);
  return send_reply(call, std::move(parts));
}

void add_cors(ParsedCall& call) {
  const auto origin = call.exchange.head.headers.find("Origin");
  if (!origin) return;
  const auto rules = rules_of_address(call);
  if (rules == nullptr) return;
  // Some programs ask with the request itself what the one that they mean would hear.
  const s3::CorsQuestion question{
      .origin = *origin,
      .method = call.exchange.head.headers.find("Access-Control-Request-Method").value_or(
          call.exchange.head.method)};
  if (const s3::CorsRuleElement* rule = s3::find_cors_rule(rules->cors_rules, question))
    s3::add_cors_headers(*rule, question, call.extra);
}

}  // namespace cairn::s3api
