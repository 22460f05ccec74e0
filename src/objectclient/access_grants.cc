// SPDX-License-Identifier: Apache-2.0
// Source: the access grants plugin of the vendor's SDK for Ruby, and the control service's API.
#include "objectclient/access_grants.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "format/time.h"
#include "format/xml.h"
#include "objectclient/credentials/token_service.h"
#include "objectclient/endpoint/arn.h"
#include "objectclient/endpoint/service_url.h"
#include "objectclient/faults.h"
#include "s3/signing/signing.h"
#include "s3/wire/error_body.h"

namespace cairn::objectclient {
namespace {

constexpr std::size_t grants_max = 100;
constexpr std::size_t accounts_max = 100;
constexpr std::int64_t account_good_ns = 600'000'000'000;
constexpr std::int64_t renew_grant_early_ms = 60'000;
constexpr std::string_view grants_path = "/v20180820/accessgrantsinstance/";

struct Covered {
  std::string_view call;
  std::string_view permission;
};
constexpr Covered granted_operations[] = {{"head_object", "READ"},
                                          {"get_object", "READ"},
                                          {"get_object_acl", "READ"},
                                          {"list_multipart_uploads", "READ"},
                                          {"list_objects_v2", "READ"},
                                          {"list_object_versions", "READ"},
                                          {"list_parts", "READ"},
                                          {"head_bucket", "READ"},
                                          {"get_object_attributes", "READ"},
                                          {"put_object", "WRITE"},
                                          {"put_object_acl", "WRITE"},
                                          {"delete_object", "WRITE"},
                                          {"delete_objects", "WRITE"},
                                          {"abort_multipart_upload", "WRITE"},
                                          {"create_multipart_upload", "WRITE"},
                                          {"complete_multipart_upload", "WRITE"},
                                          {"upload_part", "WRITE"},
                                          {"copy_object", "READWRITE"}};

std::string input_text(const s3::Operation& operation, const void* input, std::string_view name) {
  const s3::Member* const member = operation.input().find(name);
  if (member == nullptr || member->type != s3::Type::text) return {};
  void* const field = member->field(const_cast<void*>(input));  // NOLINT: only read
  if (!member->access->has(field)) return {};
  return *static_cast<const std::string*>(member->access->value(field));
}

/// What all of the keys begin with.
std::string common_start(const std::vector<std::string>& keys) {
  if (keys.empty()) return {};
  std::string start = keys.front();
  for (const std::string& key : keys) {
    const auto differ = std::mismatch(start.begin(), start.end(), key.begin(), key.end());
    start.erase(differ.first, start.end());
  }
  return start;
}

/// "bucket/key" of a copy source, without its version.
Result<std::string> source_key(std::string source, const std::string& bucket) {
  if (source.starts_with('/')) source.erase(0, 1);
  source = percent_decode(source.substr(0, source.find("?versionId="))).value_or(source);
  const auto slash = source.find('/');
  if (source.substr(0, slash) != bucket || slash == std::string::npos)
    return argument_error("source and destination bucket must be the same");
  return source.substr(slash + 1);
}

bool grants(std::string_view granted, std::string_view target) {
  if (!granted.ends_with('*')) return granted == target;
  granted.remove_suffix(1);
  return target.starts_with(granted);
}

}  // namespace

Result<std::optional<GrantTarget>> grant_target_of(const s3::Operation& operation,
                                                   const void* input) {
  const auto row = std::find_if(std::begin(granted_operations), std::end(granted_operations),
                                [&](const Covered& c) { return c.call == operation.call; });
  if (row == std::end(granted_operations)) return std::optional<GrantTarget>();
  GrantTarget out{.bucket = input_text(operation, input, "bucket"),
                  .target = {},
                  .permission = std::string(row->permission)};
  if (out.bucket.ends_with("--x-s3")) return std::optional<GrantTarget>();
  std::string place = input_text(operation, input, "key");
  if (operation.call == "copy_object") {
    CAIRN_TRY(const std::string source,
              source_key(input_text(operation, input, "copy_source"), out.bucket));
    if (source != place) place = common_start({source, place}) + "*";
  } else if (operation.call == "delete_objects") {
    std::vector<std::string> keys;
    for (const auto& object : static_cast<const s3::DeleteObjectsInput*>(input)->delete_.objects)
      keys.push_back(object.key);
    place = keys.size() == 1 ? keys.front() : common_start(keys) + "*";
  } else if (place.empty()) {
    place = input_text(operation, input, "prefix");
    if (place.empty()) place = "*";
  }
  out.target = "s3://" + out.bucket + "/" + place;
  return std::optional(std::move(out));
}

AccessGrants::AccessGrants(AccessGrantsOptions options, std::string region, Environment environment)
    : options_(std::move(options)),
      region_(std::move(region)),
      environment_(std::move(environment)) {}

std::shared_ptr<const Credentials> AccessGrants::cached(const GrantTarget& target,
                                                        const Credentials& own) {
  MutexLock lock(mutex_);
  const std::int64_t now_ms = environment_.clock->unix_ms();
  std::erase_if(grants_, [&](const Grant& grant) {
    return grant.credentials->expiration_ms &&
           *grant.credentials->expiration_ms - now_ms < renew_grant_early_ms;
  });
  for (auto at = grants_.begin(); at != grants_.end(); ++at) {
    const bool enough = at->permission == target.permission || at->permission == "READWRITE";
    if (!enough || at->access_key_id != own.access_key_id || !grants(at->target, target.target))
      continue;
    grants_.splice(grants_.begin(), grants_, at);
    return grants_.front().credentials;
  }
  return nullptr;
}

Result<std::shared_ptr<const Credentials>> AccessGrants::get(
    const GrantTarget& target, const std::shared_ptr<const Credentials>& own,
    const os::Deadline& deadline) {
  if (options_.caching)
    if (auto found = cached(target, *own)) return found;
  auto asked = ask(target, *own, deadline);
  if (!asked.ok()) {
    if (asked.error().code == "AccessDenied" && options_.fallback) return own;
    return with_context(std::move(asked).error(), "asking for access to " + target.target);
  }
  auto credentials = asked->credentials;
  if (!options_.caching) return credentials;
  MutexLock lock(mutex_);
  if (grants_.size() >= grants_max) grants_.pop_back();
  grants_.push_front(std::move(*asked));
  return credentials;
}

Result<std::string> AccessGrants::control(const std::string& account,
                                          const std::string& path_and_query, const Credentials& own,
                                          const os::Deadline& deadline) {
  std::string service = environment_.variable_or("AWS_ENDPOINT_URL_S3_CONTROL", "");
  if (service.empty()) {
    CAIRN_TRY(service, service_url(account + ".s3-control", region_));
  }
  net::ClientRequest request;
  CAIRN_TRY(request.url, net::parse_url(service + path_and_query));
  const auto mark = request.url.target.find('?');
  request.headers.add("Host", request.url.authority());
  request.headers.add("x-amz-account-id", account);
  s3::SigningKeys keys;
  s3::sign_headers("GET", request.url.target.substr(0, mark), request.url.target.substr(mark + 1),
                   request.headers, s3::empty_sha256,
                   {.credentials = {own.access_key_id, own.secret_access_key, own.session_token},
                    .region = region_,
                    .time_ms = environment_.clock->unix_ms()},
                   keys);
  CAIRN_TRY(auto reply, environment_.send(request, deadline));
  if (reply.status == 200) return std::move(reply.body);
  // The control service wraps its errors.
  const auto root = parse_xml(reply.body);
  const XmlElement* const inner = root.ok() ? root->child("Error") : nullptr;
  if (inner == nullptr) return s3::parse_error(reply.status, reply.body);
  return Error{reply.status == 403 ? ErrorKind::permission_denied : ErrorKind::unavailable,
               std::string(inner->text_of("Code")), std::string(inner->text_of("Message"))};
}

Result<std::string> AccessGrants::own_account(const Credentials& own,
                                              const os::Deadline& deadline) {
  if (!own.account_id.empty()) return own.account_id;
  return caller_account(own, region_, environment_, deadline);
}

/// The account whose instance of access grants knows the bucket.
Result<std::string> AccessGrants::instance_account(const GrantTarget& target,
                                                   const Credentials& own,
                                                   const os::Deadline& deadline) {
  const std::int64_t now_ns = environment_.clock->steady_ns();
  {
    MutexLock lock(mutex_);
    const auto found = accounts_.find(target.bucket);
    if (found != accounts_.end() && found->second.until_ns > now_ns) return found->second.id;
  }
  CAIRN_TRY(const std::string account, own_account(own, deadline));
  CAIRN_TRY(const std::string body, control(account,
                                            std::string(grants_path) + "prefix?s3prefix=" +
                                                percent_encode("s3://" + target.bucket + "/*"),
                                            own, deadline));
  const auto root = parse_xml(body);
  const auto arn =
      root.ok() ? parse_arn(root->text_of("AccessGrantsInstanceArn")) : std::optional<Arn>();
  if (!arn) return unavailable("the control service names no access grants instance");
  MutexLock lock(mutex_);
  if (accounts_.size() >= accounts_max) accounts_.clear();
  accounts_[target.bucket] = {arn->account_id, now_ns + account_good_ns};
  return arn->account_id;
}

Result<AccessGrants::Grant> AccessGrants::ask(const GrantTarget& target, const Credentials& own,
                                              const os::Deadline& deadline) {
  CAIRN_TRY(const std::string account, instance_account(target, own, deadline));
  std::string query = "dataaccess?target=" + percent_encode(target.target) +
                      "&permission=" + target.permission + "&privilege=" + options_.privilege;
  if (options_.duration_seconds > 0)
    query += "&durationSeconds=" + std::to_string(options_.duration_seconds);
  if (!target.target.ends_with('*')) query += "&targetType=Object";
  CAIRN_TRY(const std::string body,
            control(account, std::string(grants_path) + query, own, deadline));
  const auto root = parse_xml(body);
  const XmlElement* const given = root.ok() ? root->child("Credentials") : nullptr;
  if (given == nullptr) return unavailable("the control service gave no credentials");
  Credentials credentials{.access_key_id = std::string(given->text_of("AccessKeyId")),
                          .secret_access_key = std::string(given->text_of("SecretAccessKey")),
                          .session_token = std::string(given->text_of("SessionToken")),
                          .account_id = {},
                          .expiration_ms = parse_iso8601(given->text_of("Expiration"))};
  if (!credentials.complete()) return unavailable("the control service gave no credentials");
  const std::string_view matched = root->text_of("MatchedGrantTarget");
  return Grant{.access_key_id = own.access_key_id,
               .permission = target.permission,
               .target = matched.empty() ? target.target : std::string(matched),
               .credentials = std::make_shared<const Credentials>(std::move(credentials))};
}

}  // namespace cairn::objectclient
