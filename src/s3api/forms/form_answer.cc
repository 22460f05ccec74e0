// SPDX-License-Identifier: Apache-2.0
#include "s3api/forms/form_answer.h"

#include <algorithm>

#include "base/encode.h"
#include "base/strings.h"
#include "format/xml.h"

namespace cairn::s3api {
namespace {

std::string value_of(const Call& call, std::string_view name) {
  const std::string* value = call.form->field(name);
  return value == nullptr ? std::string() : *value;
}

std::string post_response(const Call& call, std::string_view location, std::string_view etag) {
  std::string body;
  XmlWriter out(body);
  out.declaration();
  out.open("PostResponse");
  out.text_element("Location", location);
  out.text_element("Bucket", call.address.bucket);
  out.text_element("Key", call.address.key);
  out.text_element("ETag", etag);
  out.close("PostResponse");
  return body;
}

}  // namespace

std::string location_of_form(const Call& call) {
  const std::string scheme = call.exchange.head.tls ? "https://" : "http://";
  const std::string host(call.headers().find("Host").value_or(""));
  const std::string bucket = call.address.virtual_host ? "" : "/" + call.address.bucket;
  return scheme + host + bucket + "/" + percent_encode(call.address.key);
}

std::string redirection(std::string_view url, std::string_view bucket, std::string_view key,
                        std::string_view etag) {
  const std::size_t colon = url.find("://");
  if (colon == std::string_view::npos) return {};
  const std::string scheme = lower_ascii(url.substr(0, colon));
  const std::string_view rest = url.substr(colon + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const bool readable = std::all_of(url.begin(), url.end(), [](unsigned char c) {
    return c > 0x20 && c < 0x7f && c != '"' && c != '<' && c != '>' && c != '\\' && c != '^' &&
           c != '`' && c != '{' && c != '|' && c != '}';
  });
  if ((scheme != "http" && scheme != "https") || authority.empty() || !readable) return {};
  const std::size_t hash = std::min(url.find('#'), url.size());
  std::string out(url.substr(0, hash));
  const std::size_t question = out.find('?');
  if (question == std::string::npos) {
    out += '?';
  } else if (question + 1 < out.size() && !out.ends_with('&')) {
    out += '&';
  }
  out += "bucket=" + percent_encode(bucket) + "&key=" + percent_encode(key) +
         "&etag=" + percent_encode(etag);
  return out.append(url.substr(hash));
}

void answer_form(const Call& call, std::string_view etag, s3::ReplyParts& reply) {
  const std::string location = location_of_form(call);
  for (const std::string_view name : {"success_action_redirect", "redirect"}) {
    const std::string next =
        redirection(value_of(call, name), call.address.bucket, call.address.key, etag);
    if (next.empty()) continue;
    reply.status = 303;
    reply.headers.set("Location", next);
    return;
  }
  reply.headers.set("Location", location);
  const std::string status = value_of(call, "success_action_status");
  reply.status = status == "200" ? 200 : status == "201" ? 201 : 204;
  if (reply.status != 201) return;
  reply.headers.set("Content-Type", "application/xml");
  reply.body = post_response(call, location, etag);
}

}  // namespace cairn::s3api
