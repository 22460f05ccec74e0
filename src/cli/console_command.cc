// SPDX-License-Identifier: Apache-2.0
// `cairn console`: a link that signs a browser in.
#include <unistd.h>

#include <cstdio>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "format/time.h"

namespace cairn::cli {
namespace {

constexpr std::string_view console_usage =
    "usage: cairn console [--print] [--json]\n"
    "Prints a link that signs a browser in to the console, once and within ten minutes, with the\n"
    "rights and limits of the key that this command line uses. It opens nothing. --print: the "
    "link\n"
    "alone, for scripts.\n"
    "every command: [--server URL] [--key-file FILE] [--ca-file FILE] [--certificate-file FILE]\n";

}  // namespace

CommandPage console_page() { return {"console", std::string(console_usage)}; }

int console_command(const std::vector<std::string>& words, const Environment& environment) {
  if (asks_for_help(words)) {
    std::fputs(std::string(console_usage).c_str(), stdout);
    return success;
  }
  Syntax syntax{.options = {}, .flags = {"--print", "--json"}};
  Connection::add_options(syntax);
  const auto arguments = Arguments::parse(words, syntax);
  if (!arguments.ok()) return misused(arguments.error().message, console_usage);
  auto connection = Connection::open(*arguments, environment);
  if (!connection.ok()) return explain(connection.error());
  const auto asked = ask_or_explain(*connection, "POST", "/_cairn/sessions/_link");
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments->flag("--json")) {
    print_json(asked.body);
    return success;
  }
  std::printf("%s\n", asked.body.string_or("url").c_str());
  std::fflush(stdout);
  if (!arguments->flag("--print"))
    std::fprintf(stderr, "opens the console once, until %s; nobody else should see it\n",
                 format_iso8601(asked.body.int_or("expires_at_ms")).c_str());
  return success;
}

}  // namespace cairn::cli
