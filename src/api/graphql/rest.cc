// SPDX-License-Identifier: Apache-2.0
#include "api/graphql/rest.h"

#include "api/forms/error_json.h"
#include "base/encode.h"

namespace cairn::api {
namespace {

ErrorKind kind_of_status(int status) {
  switch (status) {
    case 401:
      return ErrorKind::unauthenticated;
    case 403:
      return ErrorKind::permission_denied;
    case 404:
      return ErrorKind::not_found;
    case 405:
      return ErrorKind::unsupported;
    case 408:
      return ErrorKind::timeout;
    case 409:
      return ErrorKind::conflict;
    case 412:
      return ErrorKind::precondition_failed;
    case 413:
      return ErrorKind::too_large;
    case 429:
      return ErrorKind::rate_limited;
    case 503:
      return ErrorKind::unavailable;
    default:
      return status < 500 ? ErrorKind::invalid_argument : ErrorKind::internal;
  }
}

/// The sentence of a body that tells why.
std::string reason_in(const Json& body) {
  const Json* const error = body.find("error");
  if (error != nullptr && error->is_string()) return error->as_string();
  if (error != nullptr && error->is_object()) return error->string_or("reason");
  return body.string_or("message");
}

}  // namespace

GraphqlHost& host_of(const graphql::FieldCall& field) {
  return static_cast<GraphqlHost&>(field.host);
}

std::string Target::segment(std::string_view name) { return percent_encode(name); }

Target& Target::set(std::string_view name, std::string_view value) {
  text_ += has_query_ ? '&' : '?';
  has_query_ = true;
  text_ += percent_encode(name) + "=" + percent_encode(value);
  return *this;
}

Target& Target::set(std::string_view name, std::int64_t value) {
  return set(name, std::to_string(value));
}

Json value_of(Reply reply) {
  if (reply.text.empty()) return std::move(reply.body);
  auto parsed = parse_json(reply.text);
  return parsed.ok() ? std::move(*parsed) : Json(std::move(reply.text));
}

Error error_of_reply(int status, const Json& body) {
  std::string reason = reason_in(body);
  if (reason.empty()) reason = "the request was answered with status " + std::to_string(status);
  return Error{kind_of_status(status),
               status == 404 ? "resource_not_found_exception" : "status_exception",
               std::move(reason),
               {{"_status", std::to_string(status)}, {"_body:json", body.dump()}}};
}

Result<Reply> ask_reply(const graphql::FieldCall& field, InnerRequest request) {
  CAIRN_TRY(Reply reply, host_of(field).call().inner(request));
  if (reply.status < 400) return reply;
  const int status = reply.status;
  return error_of_reply(status, value_of(std::move(reply)));
}

Result<Json> ask(const graphql::FieldCall& field, const Target& target) {
  CAIRN_TRY(Reply reply, ask_reply(field, {.target = target.text()}));
  return value_of(std::move(reply));
}

Result<Json> ask(const graphql::FieldCall& field, std::string method, const Target& target,
                 const Json& body) {
  CAIRN_TRY(Reply reply, ask_reply(field, {.method = std::move(method),
                                           .target = target.text(),
                                           .body = body.is_null() ? std::string() : body.dump()}));
  return value_of(std::move(reply));
}

std::string global_id(std::string_view type, std::string_view id) {
  return to_base64url(std::string(type) + ":" + std::string(id));
}

Result<GlobalId> read_global_id(std::string_view text) {
  const auto plain = from_base64url(text);
  const std::size_t colon = plain ? plain->find(':') : std::string::npos;
  if (colon == std::string::npos)
    return Error{ErrorKind::not_found, "resource_not_found_exception",
                 "Could not resolve to a node with the global id of '" +
                     std::string(text.substr(0, 200)) + "'."};
  return GlobalId{plain->substr(0, colon), plain->substr(colon + 1)};
}

Json as_node(Json object, std::string_view type, const std::string& own_id) {
  object.set("id_", own_id);
  object.set("id", global_id(type, own_id));
  object.set("__typename", type);
  return object;
}

}  // namespace cairn::api
