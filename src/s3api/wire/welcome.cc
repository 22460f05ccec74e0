// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/welcome.h"

#include <vector>

#include "format/html.h"
#include "net/http/accept.h"
#include "s3/operations/operation.h"

namespace cairn::s3api {

bool is_visitor(const ParsedCall& call) {
  return call.operation == &s3::operations::list_buckets &&
         net::prefers_html(call.exchange.head.headers);
}

Status send_welcome(ParsedCall& call, const std::string& console_url) {
  std::vector<HtmlLink> links;
  if (!console_url.empty()) links.push_back({console_url, "Open the console"});
  net::Headers headers;
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy", html_page_policy);
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  headers.set("Cache-Control", "no-store");
  headers.set("Vary", "Accept, Authorization");
  call.answered = true;
  return call.exchange.reply.reply(
      200, headers,
      html_page("Cairn: object storage",
                {"This port speaks S3: programs reach buckets and objects here, with an access key "
                 "and its secret.",
                 "People look at buckets and objects in the console."},
                links));
}

}  // namespace cairn::s3api
