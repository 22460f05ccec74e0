// SPDX-License-Identifier: Apache-2.0
#include "api/routes/console_routes.h"

#include <utility>

#include "api/forms/browser_files.h"
#include "console/page.h"
#include "net/client/client.h"

namespace cairn::api {
namespace {

/// Empty for what is none.
std::string origin_of(const std::string& url) {
  const auto parsed = net::parse_url(url);
  return parsed.ok() ? parsed->scheme + "://" + parsed->authority() : std::string();
}

}  // namespace

void add_console_routes(Router& router, ServiceRef<const console::Files> files,
                        ConsoleOptions options) {
  const std::string policy = console::content_policy();
  router.add(
      file_row(std::string(console_path), "console.page", "The console, for browsers."),
      [files, objects_url = options.objects_url,
       home = options.base_path + std::string(console_path) + "/"](Call& call) -> Result<Reply> {
        if (call.request_path() != home) return redirect(home);
        const net::RequestHead& head = call.exchange().head;
        const std::string framed = objects_url ? origin_of(objects_url(head)) : "";
        return reply_of(console::answer(*files, "index.html", head.headers, console::Keeping::never,
                                        console::content_policy({}, framed)));
      });
  router.add(file_row(std::string(console_path) + "/assets/{file}", "console.file",
                      "A file of the console; its name changes with what it holds."),
             [files, policy](Call& call) -> Result<Reply> {
               return reply_of(console::answer(*files, "assets/" + call.path("file"),
                                               call.exchange().head.headers,
                                               console::Keeping::forever, policy));
             });
}

}  // namespace cairn::api
