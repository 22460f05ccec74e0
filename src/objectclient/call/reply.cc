// SPDX-License-Identifier: Apache-2.0
#include "objectclient/call/reply.h"

#include <algorithm>

#include "base/strings.h"
#include "format/xml.h"
#include "objectclient/call/operation_traits.h"
#include "s3/errors.h"
#include "s3/wire/error_body.h"

namespace cairn::objectclient {
namespace {

struct StatusName {
  int status;
  std::string_view code;
};
// Source: the error handler of the vendor's SDK for Ruby.
constexpr StatusName status_names[] = {{302, "MovedTemporarily"},
                                       {304, "NotModified"},
                                       {400, "BadRequest"},
                                       {403, "Forbidden"},
                                       {404, "NotFound"},
                                       {412, "PreconditionFailed"},
                                       {413, "RequestEntityTooLarge"}};

std::string name_of_status(int status) {
  for (const StatusName& row : status_names)
    if (row.status == status) return std::string(row.code);
  return "Http" + std::to_string(status) + "Error";
}

/// The body from its first element on: no white space, no declaration.
std::string_view from_root(std::string_view body) {
  body = trim(body);
  if (body.starts_with("<?xml")) {
    const std::size_t end = body.find("?>");
    if (end == std::string_view::npos) return {};
    body = trim(body.substr(end + 2));
  }
  return body;
}

bool opens_with(std::string_view body, std::string_view name) {
  if (!body.starts_with('<')) return false;
  body.remove_prefix(1);
  if (!equals_ignore_case(body.substr(0, name.size()), name)) return false;
  body.remove_prefix(std::min(name.size(), body.size()));
  return body.starts_with('>') || body.starts_with(' ') || body.starts_with('/');
}

ReadReply broken(std::string message) {
  return {.status = Error{ErrorKind::unavailable, "InternalError", std::move(message)},
          .meant = 500,
          .broken = true};
}

/// Texts that speak the dialect, as it spells them: descriptions are written in the other one.
void respell(const s3::Shape& shape, void* structure) {
  for (const s3::Member& member : shape.members) {
    void* const field = member.field(structure);
    if (!member.access->has(field)) continue;
    if (member.type == s3::Type::structure) {
      respell(member.shape(), member.access->value(field));
    } else if (member.type == s3::Type::structure_list) {
      for (std::size_t i = 0; i < member.access->size(field); ++i)
        respell(member.shape(), member.access->at(field, i));
    } else if (member.type == s3::Type::text &&
               (member.wire.values != nullptr ||
                member.wire.name == "x-amz-server-side-encryption")) {
      auto& text = *static_cast<std::string*>(member.access->value(field));
      text = s3::value_name(text, s3::Dialect::svc);
    }
  }
}

}  // namespace

Error error_of_reply(int status, std::string_view body) {
  const std::string_view root = from_root(body);
  Error error = s3::parse_error(status, body);
  if (!opens_with(root, "Error") && !opens_with(root, "ErrorResponse")) {  // of the control API
    error.code = name_of_status(status);
    if (opens_with(root, "html") || root.starts_with("<!DOCTYPE"))
      error.message += "; it is HTML, as a proxy would send it";
  }
  return error;
}

ReadReply read_whole_reply(const s3::Operation& operation, s3::Dialect dialect,
                           const s3::ReplyParts& parts, void* output) {
  if (parts.status < 200 || parts.status >= 300)
    return {.status = error_of_reply(parts.status, parts.body), .meant = parts.status};
  const bool with_body = !operation.stream_out && operation.method != "HEAD";
  const std::string_view root = with_body ? from_root(parts.body) : std::string_view();
  if (opens_with(root, "Error")) {
    Error error = s3::parse_error(200, parts.body);
    if (error.code.starts_with("Http")) return broken("the error inside the reply is cut off");
    return {.status = std::move(error), .meant = 500};
  }
  if (has_result_in_body(operation) && parts.status != 204) {
    if (!root.starts_with('<')) return broken("Empty or incomplete response body");
    if (opens_with(root, "html") || root.starts_with("<!"))
      return broken("the reply is HTML, as a proxy would send it");
  }
  auto read = s3::read_reply(operation, parts, output, dialect);
  if (!read.ok()) return broken(read.error().message);
  if (dialect == s3::Dialect::svc) respell(operation.output(), output);
  return {.meant = parts.status};
}

}  // namespace cairn::objectclient
