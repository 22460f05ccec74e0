// SPDX-License-Identifier: Apache-2.0
#include "s3/wire/error_body.h"

#include "format/xml.h"
#include "s3/errors.h"

namespace cairn::s3 {
namespace {

// Faults of the service itself, and of its disk, are told in the table's words; the log has more.
bool is_private(const Error& error) {
  return find_error(error.code) == nullptr &&
         (error.kind == ErrorKind::internal || error.kind == ErrorKind::corrupt);
}

}  // namespace

std::string render_error(const Error& error, const ErrorContext& context) {
  const ErrorRow* row = find_error(code_of(error));
  std::string body;
  XmlWriter out(body);
  out.declaration();
  if (context.control) out.open("ErrorResponse");
  out.open("Error").text_element("Code", row->code);
  const bool own_message = !error.message.empty() && !is_private(error);
  out.text_element("Message", own_message ? std::string_view(error.message) : row->message);
  if (!is_private(error))
    for (const auto& [name, value] : error.details) out.text_element(name, value);
  if (!context.resource.empty()) out.text_element("Resource", context.resource);
  out.text_element("RequestId", context.request_id).text_element("HostId", context.host_id);
  out.close("Error");
  if (context.control) {
    out.text_element("RequestId", context.request_id);
    out.close("ErrorResponse");
  }
  return body;
}

Error parse_error(int status, std::string_view body) {
  Error out{.kind = kind_of("", status), .code = "Http" + std::to_string(status) + "Error"};
  const auto root = parse_xml(body);
  const XmlElement* error = root.ok() ? &*root : nullptr;
  if (error != nullptr && error->name == "ErrorResponse") error = error->child("Error");
  if (error == nullptr || error->name != "Error") {
    out.message = "the service answered status " + std::to_string(status) +
                  (body.empty() ? " without a body"
                                : " with a body that no object storage sends; does the "
                                  "endpoint name one, and not another service beside it?");
    return out;
  }
  const int meant = status == 200 ? 500 : status;  // an error after a reply had begun
  for (const XmlElement& child : error->children) {
    if (child.name == "Code") {
      out.code = child.text;
    } else if (child.name == "Message") {
      out.message = child.text;
    } else {
      out.details.emplace_back(child.name, child.text);
    }
  }
  out.kind = kind_of(out.code, meant);
  return out;
}

}  // namespace cairn::s3
