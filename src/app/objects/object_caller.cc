// SPDX-License-Identifier: Apache-2.0
#include "app/objects/object_caller.h"

#include <utility>

namespace cairn::app {
namespace {

constexpr std::string_view inner_host = "localhost";
constexpr std::string_view administers = "manage_security";  // as POST /_security/object_key asks

}  // namespace

Result<s3::SigningParams> ObjectCaller::params_of(const gate::Caller& caller) const {
  const std::string id = caller.has_key() ? caller.key().access_key_id : std::string();
  auto key = id.empty() ? nullptr : principals_.find(id);
  if (id.empty() && caller.may_cluster(administers)) key = root_;
  if (key == nullptr || !key->active)
    return Error{ErrorKind::permission_denied, "security_exception",
                 "this key has no access key of the object storage: use one that was made with "
                 "[objects], or an access key on its own port"};
  return s3::SigningParams{
      .credentials = {.access_key_id = key->access_key_id, .secret_access_key = key->secret},
      .region = region_,
      .time_ms = clock_.unix_ms()};
}

Status ObjectCaller::sign(const gate::Caller& caller, net::RequestHead& head,
                          std::string_view payload_hash) const {
  CAIRN_TRY(const auto params, params_of(caller));
  head.headers.set("Host", inner_host);
  s3::sign_headers(head.method, head.path(), head.query(), head.headers, payload_hash, params,
                   keys_);
  return ok_status();
}

Result<std::string> ObjectCaller::presigned_query(const gate::Caller& caller,
                                                  std::string_view method, std::string_view path,
                                                  std::string query, std::string_view host,
                                                  std::int64_t expires_in_s) const {
  CAIRN_TRY(const auto params, params_of(caller));
  net::Headers headers;
  headers.add("Host", host);
  s3::sign_query(method, path, query, headers, s3::name_of(s3::Payload::unsigned_), expires_in_s,
                 params, keys_);
  return query;
}

}  // namespace cairn::app
