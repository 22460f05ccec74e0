// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "base/strings.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "os/deadline.h"

namespace cairn::cli {
namespace {

constexpr std::string_view health_usage =
    "usage: cairn health [--live] [--server URL] [--certificate-file FILE]\n"
    "Asks a server whether it answers requests (--live: whether it runs at all), for probes of\n"
    "containers and scripts. No key is needed; nothing secret is sent, so with https nobody is\n"
    "trusted or not.\n"
    "exit status: 0 it does, 1 it says why not, 64 wrong usage, 69 no answer\n";

constexpr std::int64_t answer_ms = 5'000;

}  // namespace

CommandPage health_page() { return {"health", std::string(health_usage)}; }

int health_command(const std::vector<std::string>& words, const Environment& environment) {
  if (asks_for_help(words)) {
    std::fputs(std::string(health_usage).c_str(), stdout);
    return success;
  }
  const auto arguments =
      Arguments::parse(words, {.options = {"--server", "--certificate-file"}, .flags = {"--live"}});
  if (!arguments.ok()) return misused(arguments.error().message, health_usage);
  const std::string server = Connection::value_of("--server", *arguments, environment)
                                 .value_or(std::string(Connection::default_server));
  auto url = net::parse_url(server);
  if (!url.ok()) return explain(url.error());
  url->target = (url->target == "/" ? "" : url->target) +
                (arguments->flag("--live") ? "/_health/live" : "/_health/ready");
  net::Client client(
      {.tls_verify = false,
       .tls_certificate_file =
           Connection::value_of("--certificate-file", *arguments, environment).value_or("")});
  const auto reply = client.send({.method = "GET", .url = *url}, os::Deadline::in_ms(answer_ms));
  if (!reply.ok()) return explain(reply.error());
  const bool well = reply->status == 200;
  std::fprintf(well ? stdout : stderr, "%s\n", std::string(trim(reply->body)).c_str());
  return well ? success : failed;
}

}  // namespace cairn::cli
