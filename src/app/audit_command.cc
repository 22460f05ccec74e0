// SPDX-License-Identifier: Apache-2.0
#include "app/audit_command.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "cli/arguments.h"
#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "format/json.h"
#include "gate/audit.h"
#include "gate/audit_verify.h"

namespace cairn::app {
namespace {

constexpr std::string_view audit_usage =
    "usage: cairn audit verify DATA_FOLDER [--json]\n"
    "reads the audit log of a data folder, and tells each line that was edited, or that does not\n"
    "follow the line before it: file, line and reason on standard output. A server may be running.\n"
    "Exit status: 0 all is well, 65 something was changed, 66 no audit log, 77 no right to read it.\n";

int verify_log(const std::string& folder, bool json) {
  const auto failed = [](const Error& error) {
    std::fprintf(stderr, "cairn: %s\n", error.message.c_str());
    return cli::exit_code_of(error, cli::io_error);
  };
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
                                        os::Deadline::never());
  if (!count.ok()) return failed(count.error());
  if (json)
    cli::print_json(Json::object({{"lines", static_cast<std::int64_t>(count->lines)},
                                  {"unchained", static_cast<std::int64_t>(count->unchained)},
                                  {"torn", count->torn},
                                  {"faults", std::move(faults)}}));
  else
    std::fprintf(stderr, "%llu lines read, %llu from before there was a chain, %llu faults%s\n",
                 static_cast<unsigned long long>(count->lines),
                 static_cast<unsigned long long>(count->unchained),
                 static_cast<unsigned long long>(count->faults),
                 count->torn ? "; the newest line has no end: it is being written, or a crash cut it"
                             : "");
  return count->faults == 0 ? cli::success : cli::data_error;
}

}  // namespace

int audit_command(const std::vector<std::string>& words) {
  if (words.empty() || cli::asks_for_help(words)) {
    std::fputs(std::string(audit_usage).c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? cli::usage_error : cli::success;
  }
  if (words[0] != "verify")
    return cli::misused("unknown command: cairn audit " + words[0], audit_usage);
  const auto arguments =
      cli::Arguments::parse({words.begin() + 1, words.end()},
                            {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1});
  if (!arguments.ok()) return cli::misused(arguments.error().message, audit_usage);
  return verify_log(arguments->words()[0], arguments->flag("--json"));
}

}  // namespace cairn::app
