// SPDX-License-Identifier: Apache-2.0
#include "app/commands/audit_command.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "auth/secrets/signing_key.h"
#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "format/json.h"
#include "gate/audit.h"
#include "gate/audit_verify.h"
#include "gate/trail/audit_segment.h"
#include "os/files/files.h"

namespace cairn::app {
namespace {

constexpr std::string_view audit_usage =
    "usage: cairn audit verify DATA_FOLDER [--head NUMBER:MAC] [--json]\n"
    "       cairn audit verify --public-key FILE EXPORT... [--json]\n";

constexpr std::string_view audit_verify_text =
    "verify: reads the audit log of a data folder, and tells each line that was edited, or that "
    "does not\n"
    "follow the line before it: file, line and reason on standard output. A server may be "
    "running.\n"
    "The newest line is shown as NUMBER:MAC. Noted elsewhere, and given by --head another time, "
    "it\n"
    "shows that nothing up to it was cut off since.\n"
    "With the public key of `cairn audit key`: reads what `cairn audit export` wrote, or the "
    "objects\n"
    "that were shipped, in their order; without a server, a data folder or a secret. - is "
    "standard\n"
    "input. Exit status: 0 all is well, 65 something was changed, 66 no audit log, 77 no right to "
    "read it.\n";

/// "812:ab12…". Errors: invalid_argument.
Result<gate::ChainLink> noted_head(const std::optional<std::string>& text) {
  if (!text) return gate::ChainLink{};
  const std::size_t colon = text->find(':');
  const auto number = parse_number<std::uint64_t>(std::string_view(*text).substr(0, colon));
  if (colon == std::string::npos || !number || *number == 0)
    return Error{
        ErrorKind::invalid_argument, {}, "--head is NUMBER:MAC, as a verification showed it"};
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
  if (!noted.ok()) return cli::misused(noted.error().message, audit_help());
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
  const auto count =
      gate::verify_audit(os::system_files(), folder + "/audit", *key, folder + "/keys/audit.head",
                         on_fault, os::Deadline::never(), *noted);
  if (!count.ok()) return failed(count.error());
  if (json)
    cli::print_json(Json::object(
        {{"lines", static_cast<std::int64_t>(count->lines)},
         {"unchained", static_cast<std::int64_t>(count->unchained)},
         {"torn", count->torn},
         {"newest", Json::object({{"number", static_cast<std::int64_t>(count->newest.number)},
                                  {"mac", count->newest.mac}})},
         {"sure_up_to", static_cast<std::int64_t>(count->sure_up_to)},
         {"ended", count->ended},
         {"faults", std::move(faults)}}));
  else
    std::fprintf(
        stderr, "%llu lines read, %llu from before there was a chain, %llu faults%s\n",
        static_cast<unsigned long long>(count->lines),
        static_cast<unsigned long long>(count->unchained),
        static_cast<unsigned long long>(count->faults),
        count->torn ? "; the newest line has no end: it is being written, or a crash cut it" : "");
  if (!json) tell_end(*count);
  return count->faults == 0 ? cli::success : cli::data_error;
}

/// Line by line, of a file or of standard input. False where it cannot be read.
bool read_export(const std::string& path, gate::SegmentVerifier& verifier) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "r");
  if (file == nullptr) return false;
  char* line = nullptr;
  std::size_t room = 0;
  for (ssize_t size = ::getline(&line, &room, file); size >= 0;
       size = ::getline(&line, &room, file)) {
    std::string_view text(line, static_cast<std::size_t>(size));
    if (text.ends_with('\n')) text.remove_suffix(1);
    verifier.take(text);
  }
  std::free(line);
  const bool whole = std::ferror(file) == 0;
  if (file != stdin) std::fclose(file);
  verifier.end_input();
  return whole;
}

int verify_exports(const std::vector<std::string>& paths, const std::string& key_file, bool json) {
  const auto text = os::read_file(os::system_files(), key_file, 64 << 10);
  const auto failed = [](const Error& error) {
    std::fprintf(stderr, "cairn: %s\n", error.message.c_str());
    return cli::exit_code_of(error, cli::io_error);
  };
  if (!text.ok()) return failed(text.error());
  auto key = auth::VerifyingKey::parse(*text);
  if (!key.ok()) return cli::misused(key_file + ": " + key.error().message, audit_help());
  Json faults = Json::array();
  std::string path;
  gate::SegmentVerifier verifier(*key, [&](std::uint64_t line, const std::string& reason) {
    if (json)
      faults.push(Json::object({{"file", path}, {"line", line}, {"reason", reason}}));
    else
      std::printf("%s:%llu: %s\n", path.c_str(), static_cast<unsigned long long>(line),
                  reason.c_str());
  });
  for (const std::string& each : paths) {
    path = each;
    if (!read_export(path, verifier)) {
      std::fprintf(stderr, "cairn: %s cannot be read\n", path.c_str());
      return cli::no_input;
    }
  }
  std::fflush(stdout);
  const gate::SealedCount& count = verifier.count();
  if (json)
    cli::print_json(Json::object({{"segments", count.segments},
                                  {"lines", count.lines},
                                  {"from", count.from},
                                  {"to", count.to},
                                  {"mac", count.mac},
                                  {"faults", std::move(faults)}}));
  else
    std::fprintf(stderr, "%llu lines in %llu segments, number %llu to %llu, %llu faults\n",
                 static_cast<unsigned long long>(count.lines),
                 static_cast<unsigned long long>(count.segments),
                 static_cast<unsigned long long>(count.from),
                 static_cast<unsigned long long>(count.to),
                 static_cast<unsigned long long>(count.faults));
  return count.faults == 0 ? cli::success : cli::data_error;
}

}  // namespace

std::string_view audit_help() {
  static const std::string all = std::string(audit_usage) + std::string(cli::audit_server_help()) +
                                 std::string(audit_verify_text);
  return all;
}

int audit_command(const std::vector<std::string>& words, const cli::Environment& environment) {
  if (words.empty() || words[0] != "verify" || cli::asks_for_help(words))
    return cli::audit_server_command(words, environment, audit_help());
  const auto arguments = cli::Arguments::parse({words.begin() + 1, words.end()},
                                               {.options = {"--head", "--public-key"},
                                                .flags = {"--json"},
                                                .words_min = 1,
                                                .words_max = 100'000});
  if (!arguments.ok()) return cli::misused(arguments.error().message, audit_help());
  const auto public_key = arguments->option("--public-key");
  const auto head = arguments->option("--head");
  if (public_key && head)
    return cli::misused("--head is of a data folder, --public-key of an export", audit_help());
  if (public_key) return verify_exports(arguments->words(), *public_key, arguments->flag("--json"));
  if (arguments->words().size() > 1)
    return cli::misused("one data folder, or exports with --public-key FILE", audit_help());
  return verify_log(arguments->words()[0], head, arguments->flag("--json"));
}

}  // namespace cairn::app
