// SPDX-License-Identifier: Apache-2.0
#include "app/commands/backup_command.h"

#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>

#include "app/backups/backup_places.h"
#include "app/commands/backup_place_commands.h"
#include "cli/add/status_line.h"
#include "cli/arguments.h"
#include "cli/exit_codes.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "format/time.h"
#include "os/deadline.h"
#include "os/files/beneath.h"

namespace cairn::app {
namespace {

constexpr std::string_view backup_usage =
    "usage: cairn backup init PLACE --backup-key FILE\n"
    "         begins a repository; FILE gets a new key, or has one already. Keep a copy of it "
    "away\n"
    "         from this machine: without it no backup can be read.\n"
    "       cairn backup create [PLACE] [--reread] [--no-wait] [--json]\n"
    "         a running server copies what the repository lacks: indices, objects, keys, "
    "accounts,\n"
    "         settings, the audit log, all of one moment. --reread: also what it has.\n"
    "       cairn backup status [--json]\n"
    "       cairn backup cancel\n"
    "       cairn backup list [PLACE] [--json]\n"
    "       cairn backup verify [PLACE] [--id ID | --all] [--json]\n"
    "         reads all that the newest backup, that one or every one needs, and checks it.\n"
    "       cairn backup restore [PLACE] --into FOLDER [--id ID] [--config-into FOLDER]\n"
    "         lays a data folder, for a server that does not run; cut short, it goes on when it "
    "is\n"
    "         called again. --config-into: cairn.yaml and conf.d too, where they are not there.\n"
    "       cairn backup remove [PLACE] --id ID...\n"
    "       cairn backup remove [PLACE] --keep N\n"
    "         backups, and what no other backup needs.\n"
    "PLACE is a folder, or s3://BUCKET/PREFIX; backup.place where it is not given.\n"
    "every command: [--backup-key FILE] [--client NAME] [--config FILE]\n"
    "create, status, cancel: [--server URL] [--key-file FILE] [--ca-file FILE]\n"
    "                        [--certificate-file FILE]\n"
    "Exit status: 0 done, 1 the server said no, 2 some bytes could not be copied, 65 something is\n"
    "damaged, 66 no such repository or backup, 73 no space, 75 somebody is at work there.\n";

constexpr std::int64_t poll_ms = 500;

using Run = int (*)(const BackupCommand&);
using Asks = int (*)(const BackupCommand&, cli::Connection&);

struct BackupVerb {
  std::string_view name;
  cli::Syntax syntax;
  Run run = nullptr;    // without a server
  Asks asks = nullptr;  // of one
};

const Json* run_of(const Json& body, const std::string& id) {
  const Json* const all = body.find("backups");
  if (all == nullptr || !all->is_array()) return nullptr;
  for (const Json& run : all->as_array())
    if (run.string_or("id") == id) return &run;
  return nullptr;
}

std::uint64_t count_of(const Json& json, std::string_view name) {
  const Json* const value = json.find_path(name);
  return value != nullptr && value->is_count() ? value->as_unsigned() : 0;
}

std::string size_of(std::uint64_t bytes) { return format_byte_size(bytes); }

/// The exit status of a backup that ended.
int tell_end(const Json& run, bool json) {
  if (json) cli::print_json(run);
  if (const Json* const error = run.find("error")) {
    if (!json) std::fprintf(stderr, "cairn: %s\n", error->as_string().c_str());
    return cli::failed;
  }
  const std::uint64_t damaged = count_of(run, "damaged");
  if (!json)
    std::printf("%s: %s in %llu files, of which %s were new\n", run.string_or("id").c_str(),
                size_of(count_of(run, "bytes")).c_str(),
                static_cast<unsigned long long>(count_of(run, "files.total")),
                size_of(count_of(run, "bytes_added")).c_str());
  if (damaged == 0) return cli::success;
  std::fprintf(stderr,
               "cairn: %llu extents of objects are damaged in the data folder and not in the "
               "backup; `cairn backup verify` names them, docs/operating/damage.md helps\n",
               static_cast<unsigned long long>(damaged));
  return cli::partly_failed;
}

int follow(cli::Connection& connection, const std::string& id, bool json) {
  std::optional<cli::StatusLine> line;
  if (!json) line.emplace();
  for (;;) {
    const auto answer = connection.ask("GET", "/_cairn/backups");
    if (!answer.ok()) return cli::explain(answer.error());
    if (answer->status != 200) return cli::explain(*answer);
    const Json* const run = run_of(answer->body, id);
    if (run == nullptr) {
      std::fprintf(stderr, "cairn: the server was started again, and the backup [%s] is lost\n",
                   id.c_str());
      return cli::failed;
    }
    if (line)
      line->show(count_of(*run, "files.done"), count_of(*run, "files.total"),
                 count_of(*run, "bytes_read"), 0);
    if (run->string_or("state") != "running") {
      line.reset();
      return tell_end(*run, json);
    }
    os::sleep_ms(poll_ms, os::Deadline::never());
  }
}

int create(const BackupCommand& command, cli::Connection& connection) {
  Json body = Json::object({{"reread", command.arguments.flag("--reread")}});
  if (!command.arguments.words().empty()) {
    body.set("place", command.place.text);
    if (!command.place.client.empty()) body.set("client", command.place.client);
  }
  // A key of the settings is the server's to read; one that is named here is sent.
  if (command.arguments.option("--backup-key")) {
    const auto key = read_backup_key(command.key_file);
    if (!key.ok()) return backup_failed(key.error());
    body.set("key", key->text());
  }
  const auto answer = connection.ask("POST", "/_cairn/backups", &body);
  if (!answer.ok()) return cli::explain(answer.error());
  if (answer->status != 202) return cli::explain(*answer);
  const std::string id = answer->body.string_or("id");
  if (!command.arguments.flag("--no-wait"))
    return follow(connection, id, command.arguments.flag("--json"));
  if (command.arguments.flag("--json"))
    cli::print_json(answer->body);
  else
    std::printf("%s\n", id.c_str());
  return cli::success;
}

int status(const BackupCommand& command, cli::Connection& connection) {
  const auto answer = connection.ask("GET", "/_cairn/backups");
  if (!answer.ok()) return cli::explain(answer.error());
  if (answer->status != 200) return cli::explain(*answer);
  if (command.arguments.flag("--json")) {
    cli::print_json(answer->body);
    return cli::success;
  }
  std::vector<cli::Row> rows;
  if (const Json* const all = answer->body.find("backups"))
    for (const Json& run : all->as_array())
      rows.push_back({run.string_or("id"), run.string_or("state"), run.string_or("place"),
                      std::to_string(count_of(run, "files.done")) + "/" +
                          std::to_string(count_of(run, "files.total")),
                      size_of(count_of(run, "bytes_added")), run.string_or("error")});
  cli::print_table({"ID", "STATE", "PLACE", "FILES", "ADDED", "ERROR"}, rows);
  if (const std::string next = answer->body.string_or("next"); !next.empty())
    std::fprintf(stderr, "the next one of the schedule: %s\n", next.c_str());
  return cli::success;
}

int cancel(const BackupCommand&, cli::Connection& connection) {
  const auto answer = connection.ask("DELETE", "/_cairn/backups");
  if (!answer.ok()) return cli::explain(answer.error());
  if (answer->status != 200) return cli::explain(*answer);
  if (answer->body.bool_or("cancelled")) return cli::success;
  std::fputs("cairn: no backup is being made\n", stderr);
  return cli::no_input;
}

const std::vector<BackupVerb>& verbs() {
  static const std::vector<BackupVerb> all = {
      {.name = "init", .syntax = {.words_max = 1}, .run = backup_init},
      {.name = "create",
       .syntax = {.flags = {"--reread", "--no-wait", "--json"}, .words_max = 1},
       .asks = create},
      {.name = "status", .syntax = {.flags = {"--json"}}, .asks = status},
      {.name = "cancel", .syntax = {}, .asks = cancel},
      {.name = "list", .syntax = {.flags = {"--json"}, .words_max = 1}, .run = backup_list},
      {.name = "verify",
       .syntax = {.options = {"--id"}, .flags = {"--all", "--json"}, .words_max = 1},
       .run = backup_verify},
      {.name = "restore",
       .syntax = {.options = {"--id", "--into", "--config-into"}, .words_max = 1},
       .run = backup_restore},
      {.name = "remove",
       .syntax = {.options = {"--id", "--keep"}, .words_max = 1},
       .run = backup_remove}};
  return all;
}

/// A folder as the server, which stands elsewhere, understands it.
std::string absolute(const std::string& place) {
  if (place.empty() || place.starts_with('/') || place.starts_with("s3://")) return place;
  const auto here = os::real_path(".");
  return here.ok() ? *here + "/" + place : place;
}

}  // namespace

std::string_view backup_help() { return backup_usage; }

int backup_command(const std::vector<std::string>& words,
                   const std::vector<std::string>& environment, const cli::Environment& lookup) {
  if (words.empty() || cli::asks_for_help(words)) {
    std::fputs(std::string(backup_usage).c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? cli::usage_error : cli::success;
  }
  for (const BackupVerb& verb : verbs()) {
    if (verb.name != words[0]) continue;
    cli::Syntax syntax = verb.syntax;
    for (const char* option : {"--backup-key", "--client", "--config"})
      syntax.options.emplace_back(option);
    if (verb.asks != nullptr) cli::Connection::add_options(syntax);
    auto arguments = cli::Arguments::parse({words.begin() + 1, words.end()}, syntax);
    if (!arguments.ok()) return cli::misused(arguments.error().message, backup_usage);
    // What a command line names needs no settings, which another user may own.
    auto loaded = load_settings(arguments->option("--config").value_or(""), environment, {});
    if (!loaded.ok() && loaded.error().kind != ErrorKind::permission_denied) {
      std::fprintf(stderr, "cairn: %s\n", loaded.error().message.c_str());
      return cli::configuration_error;
    }
    Settings settings = loaded.ok() ? std::move(loaded->settings) : Settings();
    BackupCommand command{.arguments = *arguments, .settings = std::move(settings)};
    command.place.text = absolute(arguments->words().empty() ? command.settings.backup.place
                                                             : arguments->words()[0]);
    command.place.client = arguments->option("--client").value_or(command.settings.backup.client);
    command.key_file = arguments->option("--backup-key").value_or(command.settings.backup.key_file);
    if (verb.run != nullptr) {
      if (command.place.text.empty())
        return cli::misused("no PLACE is given, and backup.place not set", backup_usage);
      if (command.key_file.empty())
        return cli::misused("no --backup-key is given, and backup.key_file not set", backup_usage);
      return verb.run(command);
    }
    auto connection = cli::Connection::open(*arguments, lookup);
    if (!connection.ok()) return cli::explain(connection.error());
    return verb.asks(command, *connection);
  }
  return cli::misused("unknown command: cairn backup " + words[0], backup_usage);
}

}  // namespace cairn::app
