// SPDX-License-Identifier: Apache-2.0
#include "app/commands/audit_command.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "format/json.h"
#include "gate/audit.h"
#include "gate/audit_verify.h"

namespace cairn::app {
namespace {

constexpr std::string_view audit_usage =
    "usage: cairn audit verify DATA_FOLDER [--head NUMBER:MAC] [--json]\n"
    "reads the audit log of a data folder, and tells each line that was edited, or that does not\n"
    "follow the line before it: file, line and reason on standard output. A server may be running.\n"
    "The newest line is shown as NUMBER:MAC. Noted elsewhere, and given by --head another time, it\n"
    "shows that nothing up to it was cut off since.\n"
    "Exit status: 0 all is well, 65 something was changed, 66 no audit log, 77 no right to read it.\n";

/// "812:ab12…". Errors: invalid_argument.
Result<gate::ChainLink> noted_head(const std::optional<std::string>& text) {
  if (!text) return gate::ChainLink{};
  const std::size_t colon = text->find(':');
  const auto number = parse_number<std::uint64_t>(std::string_view(*text).substr(0, colon));
  if (colon == std::string::npos || !number || *number == 0)
    return Error{ErrorKind::invalid_argument, {}, "--head is NUMBER:MAC, as a verification showed it"};
  return gate::ChainLink{.number = *number, .mac = text->substr(colon + 1)};
}

/// What can be said about lines that are not there any more.
void tell_end(const gate::AuditCount& count) {
  if (count.newest.number != 0)
    std::fprintf(stderr, "newest line: %llu:%s\n",
                 static_cast<unsigned long long>(count.newest.number), count.newest.mac.c_str());
  if (count.ended)
    std::fputs("the log ends where a clean stop left it\n", stderr);
  else
    std::fprintf(stderr,
                 "the log has no clean end, since a server runs or was cut off: behind number %llu "
                 "lines could be missing unseen\n",
                 static_cast<unsigned long long>(count.sure_up_to));
}

int verify_log(const std::string& folder, const std::optional<std::string>& head, bool json) {
  const auto failed = [](const Error& error) {
    std::fprintf(stderr, "cairn: %s\n", error.message.c_str());
    return cli::exit_code_of(error, cli::io_error);
  };
  const auto noted = noted_head(head);
  if (!noted.ok()) return cli::misused(noted.error().message, audit_usage);
  const auto key = gate::audit_key(folder + "/keys/audit.key", nullptr);
  if (!key.ok()) return failed(key.error());
  Json faults = Json::array();
  const auto on_fault = [&](const gate::AuditFault& fault) {
    if (json)
      faults.push(Json::object({{"file", fault.file},
                                {"line", static_cast<std::int64_t>(fault.line)},
                                {"reason", fault.reason}}));
    else
      std::printf("%s:%llu: %s\n", fault.file.c_str(), static_cast<unsigned long long>(fault.line),
                  fault.reason.c_str());
  };
  const auto count = gate::verify_audit(os::system_files(), folder + "/audit", *key,
                                        folder + "/keys/audit.head", on_fault,
                                        os::Deadline::never(), *noted);
  if (!count.ok()) return failed(count.error());
  if (json)
    cli::print_json(Json::object({{"lines", static_cast<std::int64_t>(count->lines)},
                                  {"unchained", static_cast<std::int64_t>(count->unchained)},
                                  {"torn", count->torn},
                                  {"newest", Json::object({{"number", static_cast<std::int64_t>(
                                                                          count->newest.number)},
                                                           {"mac", count->newest.mac}})},
                                  {"sure_up_to", static_cast<std::int64_t>(count->sure_up_to)},
                                  {"ended", count->ended},
                                  {"faults", std::move(faults)}}));
  else
    std::fprintf(stderr, "%llu lines read, %llu from before there was a chain, %llu faults%s\n",
                 static_cast<unsigned long long>(count->lines),
                 static_cast<unsigned long long>(count->unchained),
                 static_cast<unsigned long long>(count->faults),
                 count->torn ? "; the newest line has no end: it is being written, or a crash cut it"
                             : "");
  if (!json) tell_end(*count);
  return count->faults == 0 ? cli::success : cli::data_error;
}

}  // namespace

std::string_view audit_help() { return audit_usage; }

int audit_command(const std::vector<std::string>& words) {
  if (words.empty() || cli::asks_for_help(words)) {
    std::fputs(std::string(audit_usage).c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? cli::usage_error : cli::success;
  }
  if (words[0] != "verify")
    return cli::misused("unknown command: cairn audit " + words[0], audit_usage);
  const auto arguments =
      cli::Arguments::parse({words.begin() + 1, words.end()},
                            {.options = {"--head"}, .flags = {"--json"}, .words_min = 1, .words_max = 1});
  if (!arguments.ok()) return cli::misused(arguments.error().message, audit_usage);
  return verify_log(arguments->words()[0], arguments->option("--head"), arguments->flag("--json"));
}

}  // namespace cairn::app
