// SPDX-License-Identifier: Apache-2.0
// The audit log of a running server: search, export, shipping.
#include <algorithm>
#include <cstdio>

#include "base/encode.h"
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "format/time.h"
#include "os/clock.h"
#include "os/files/files.h"

namespace cairn::cli {
namespace {

constexpr std::string_view audit_usage =
    "       cairn audit search [--since WHEN] [--until WHEN] [--identity WHO] [--operation NAME]\n"
    "                          [--outcome WORD] [--resource PATH] [--limit LINES] [--json]\n"
    "       cairn audit export [--after NUMBER] [--out FILE]\n"
    "       cairn audit key\n"
    "       cairn audit shipping [--json]\n"
    "       cairn audit ship [--json]\n"
    "search: lines of a running server, newest first, 100 where --limit says no other number. "
    "WHEN\n"
    "is a date (2026-01-31T08:00:00Z) or an age (36h). WHO is a user, a key or an address, and "
    "may\n"
    "have * in it, as NAME may (index.create, indices.*). WORD: success, failure, access_denied,\n"
    "access_granted, authentication_failed. PATH: books, /_security/*.\n"
    "export: all lines as they stand, with seals that verify by the public key of `cairn audit "
    "key`.\n"
    "A FILE that holds some is gone on with.\n"
    "ship: what the bucket of audit.ship.to lacks, now; shipping: how far that is.\n"
    "every command but verify: [--server URL] [--key-file FILE] [--ca-file FILE]\n"
    "                          [--certificate-file FILE]\n";

constexpr std::int64_t audit_wait_ms = 120'000;
constexpr std::int64_t shown_usual = 100;
constexpr std::int64_t page_max = 1000;

/// A date, or how long ago, as milliseconds since 1970.
Result<std::int64_t> when_of(std::string_view option, const std::string& text) {
  if (const auto date = parse_iso8601(text)) return *date;
  const auto age = parse_time_value(text, option);
  if (age.ok() && *age >= 0) return os::system_clock().unix_ms() - *age;
  return Error{.kind = ErrorKind::invalid_argument,
               .message = std::string(option) +
                          " is a date (2026-01-31T08:00:00Z) or an age (36h), "
                          "not " +
                          text};
}

Result<std::string> search_query(const Arguments& arguments) {
  std::string out;
  for (const char* name : {"identity", "operation", "outcome", "resource"})
    if (const auto value = arguments.option("--" + std::string(name)))
      out += "&" + std::string(name) + "=" + percent_encode(*value);
  for (const char* name : {"since", "until"})
    if (const auto value = arguments.option("--" + std::string(name))) {
      CAIRN_TRY(const std::int64_t ms, when_of("--" + std::string(name), *value));
      out += "&" + std::string(name) + "=" + std::to_string(ms);
    }
  return out;
}

std::string who(const Json& line) {
  for (const char* member : {"apikey.name", "apikey.id", "user.name", "user.principal"})
    if (const std::string text = line.string_or(member); !text.empty()) return text;
  return "-";
}

Row audit_row(const Json& line) {
  const auto text = [&line](const char* member) {
    const std::string value = line.string_or(member);
    return value.empty() ? std::string("-") : value;
  };
  return {std::to_string(line.int_or("chain.number")),
          text("@timestamp"),
          text("event.action"),
          std::to_string(line.int_or("http.status")),
          who(line),
          text("origin.address"),
          text("action"),
          text("request.method"),
          text("url.path")};
}

int search_audit_log(const Arguments& arguments, Connection& connection) {
  const auto query = search_query(arguments);
  if (!query.ok()) return explain(query.error());
  const auto limit =
      parse_number<std::int64_t>(arguments.option("--limit").value_or(std::to_string(shown_usual)));
  if (!limit || *limit < 1)
    return explain(Error{.kind = ErrorKind::invalid_argument,
                         .message = "--limit is a number of lines, from 1 on"});
  std::vector<Row> rows;
  std::string next;
  std::int64_t left = *limit;
  while (left > 0) {
    const auto answer = connection.ask(
        "GET", "/_cairn/audit?size=" + std::to_string(std::min(left, page_max)) + *query + next);
    if (!answer.ok()) return explain(answer.error());
    if (answer->status != 200) return explain(*answer);
    const Json* events = answer->body.find("events");
    if (events == nullptr || !events->is_array()) break;
    for (const Json& line : events->as_array()) {
      if (arguments.flag("--json"))
        std::printf("%s\n", line.dump().c_str());
      else
        rows.push_back(audit_row(line));
      --left;
    }
    const std::int64_t before = answer->body.int_or("next");
    if (before <= 0) break;
    next = "&before=" + std::to_string(before);
  }
  if (!arguments.flag("--json"))
    print_table(
        {"NUMBER", "TIME", "ACTION", "STATUS", "WHO", "ADDRESS", "OPERATION", "METHOD", "PATH"},
        rows);
  return left == *limit ? nothing_found : success;
}

/// The number that the last whole segment of a file ends with, and where that segment ends.
struct ExportEnd {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
};

std::optional<std::uint64_t> sealed_up_to(std::string_view line) {
  if (!line.starts_with("{\"type\":\"audit.seal\",")) return std::nullopt;
  const auto seal = parse_json(line);
  if (!seal.ok() || seal->int_or("to") <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(seal->int_or("to"));
}

Result<ExportEnd> end_of_export(os::File& file) {
  ExportEnd out;
  std::string piece(1 << 20, '\0'), line;
  for (std::uint64_t at = 0;;) {
    CAIRN_TRY(const std::size_t got, file.read_at(at, piece.data(), piece.size()));
    if (got == 0) break;
    std::string_view text(piece.data(), got);
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      line.append(text.substr(0, end));
      at += end + 1;
      if (const auto number = sealed_up_to(line)) out = {*number, at};
      line.clear();
      text.remove_prefix(end + 1);
    }
    line.append(text);
    at += text.size();
  }
  return out;
}

/// Where an export goes: a file, or standard output.
class ExportTarget {
 public:
  static Result<ExportTarget> open(const Arguments& arguments) {
    ExportTarget out;
    const auto after = arguments.option("--after");
    if (after) {
      const auto number = parse_number<std::uint64_t>(*after);
      if (!number)
        return Error{.kind = ErrorKind::invalid_argument,
                     .message = "--after is the number of a line, not " + *after};
      out.after_ = *number;
    }
    const auto path = arguments.option("--out");
    if (!path) return out;
    CAIRN_TRY(out.file_, os::system_files().open(*path, os::OpenMode::create));
    CAIRN_TRY(const ExportEnd end, end_of_export(*out.file_));
    CAIRN_TRY(const std::uint64_t size, out.file_->size());
    if (size > 0 && end.bytes == 0)
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = *path + " holds something else than an export of the audit log"};
    if (end.bytes > 0 && after)
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = *path + " holds lines up to number " + std::to_string(end.number) +
                              ", and goes on behind it: leave --after out"};
    if (end.bytes > 0) out.after_ = end.number;
    // What was cut off in the middle of a segment is written anew.
    if (size > end.bytes) CAIRN_CHECK(out.file_->truncate(end.bytes));
    CAIRN_TRY(out.file_, os::system_files().open(*path, os::OpenMode::append));
    return out;
  }
  Status write(std::string_view text) {
    if (file_) return file_->append(text);
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
      return ok_status();
    return Error{.kind = ErrorKind::internal, .message = "standard output cannot be written to"};
  }
  Status end() { return file_ ? file_->sync_all() : ok_status(); }
  std::uint64_t after() const { return after_; }

 private:
  std::unique_ptr<os::File> file_;
  std::uint64_t after_ = 0;
};

int export_audit_log(const Arguments& arguments, Connection& connection) {
  auto target = ExportTarget::open(arguments);
  if (!target.ok()) return explain(target.error());
  std::uint64_t after = target->after(), until = 0, lines = 0;
  do {
    const auto reply = connection.fetch(
        "GET", "/_cairn/audit/_export?after=" + std::to_string(after), {}, {}, audit_wait_ms);
    if (!reply.ok()) return explain(reply.error());
    if (reply->status != 200) {
      const auto answer = connection.read(*reply);
      return answer.ok() ? explain(*answer) : explain(answer.error());
    }
    if (reply->body.empty()) break;
    std::string_view text = reply->body;
    text.remove_suffix(1);
    const std::string_view last = text.substr(text.rfind('\n') + 1);
    const auto number = sealed_up_to(last);
    if (!number || *number <= after)
      return explain(Error{.kind = ErrorKind::corrupt,
                           .message = "the server's answer does not end with a seal"});
    if (const Status written = target->write(reply->body); !written.ok())
      return explain(written.error());
    const auto seal = parse_json(last);
    // What comes while this goes on is for another time.
    if (until == 0) until = static_cast<std::uint64_t>(seal->int_or("newest"));
    lines += static_cast<std::uint64_t>(seal->int_or("lines"));
    after = *number;
  } while (after < until);
  if (const Status ended = target->end(); !ended.ok()) return explain(ended.error());
  std::fprintf(stderr, "%llu lines, up to number %llu\n", static_cast<unsigned long long>(lines),
               static_cast<unsigned long long>(after));
  return success;
}

int show_audit_key(const Arguments&, Connection& connection) {
  const auto answer = connection.ask("GET", "/_cairn/audit/_key");
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  std::fputs(answer->body.string_or("public_key").c_str(), stdout);
  return success;
}

int print_shipping(const Arguments& arguments, const Result<Answer>& answer) {
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  if (arguments.flag("--json")) {
    print_json(answer->body);
    return success;
  }
  const Json* to = answer->body.find("to");
  if (to == nullptr || !to->is_string()) {
    std::printf("shipped nowhere: audit.ship.to names no bucket\n");
    return success;
  }
  std::vector<Row> rows;
  for (const auto& [name, value] : answer->body.as_object()) {
    if (value.is_null()) continue;
    rows.push_back({name, value.is_string() ? value.as_string()
                          : value.is_object()
                              ? value.string_or("time") + " " + value.string_or("reason")
                              : value.dump()});
  }
  print_table({"WHAT", "VALUE"}, rows);
  return success;
}

int show_shipping(const Arguments& arguments, Connection& connection) {
  return print_shipping(arguments, connection.ask("GET", "/_cairn/audit/_shipping"));
}

int ship_audit(const Arguments& arguments, Connection& connection) {
  return print_shipping(arguments,
                        connection.send("POST", "/_cairn/audit/_ship", {}, {}, 10 * audit_wait_ms));
}

const std::vector<Verb>& audit_verbs() {
  static const std::vector<Verb> all = {
      {"search",
       {.options = {"--since", "--until", "--identity", "--operation", "--outcome", "--resource",
                    "--limit"},
        .flags = {"--json"}},
       search_audit_log},
      {"export", {.options = {"--after", "--out"}, .flags = {}}, export_audit_log},
      {"key", {.options = {}, .flags = {}}, show_audit_key},
      {"shipping", {.options = {}, .flags = {"--json"}}, show_shipping},
      {"ship", {.options = {}, .flags = {"--json"}}, ship_audit},
  };
  return all;
}

}  // namespace

std::string_view audit_server_help() { return audit_usage; }

int audit_server_command(const std::vector<std::string>& words, const Environment& environment,
                         std::string_view usage) {
  return run_noun({.name = "audit", .usage = usage, .verbs = audit_verbs()}, words, environment);
}

}  // namespace cairn::cli
