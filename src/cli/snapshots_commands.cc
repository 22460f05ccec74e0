// SPDX-License-Identifier: Apache-2.0
// `cairn snapshots`: copies of indices in repositories.
#include <cstdio>

#include "base/encode.h"
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace cairn::cli {
namespace {

constexpr std::string_view snapshots_usage =
    "usage: cairn snapshots create REPOSITORY/SNAPSHOT [--indices NAMES] [--no-wait] [--json]\n"
    "       cairn snapshots list [REPOSITORY] [--json]\n"
    "       cairn snapshots show REPOSITORY/SNAPSHOT\n"
    "       cairn snapshots restore REPOSITORY/SNAPSHOT [--indices NAMES] [--rename PATTERN=NAME]\n"
    "                               [--templates] [--no-wait] [--json]\n"
    "       cairn snapshots delete REPOSITORY/SNAPSHOT... [--json]\n"
    "NAMES: names and patterns, as books,logs-*; all where --indices is absent.\n"
    "create and restore wait until it is done; interrupted, a snapshot goes on.\n"
    "restore: --rename 'books=books-old', or with a regular expression '(.+)=restored-$1';\n"
    "--templates brings those of indices and searches back, too.\n"
    "every command: [--server URL] [--key-file FILE] [--ca-file FILE] [--certificate-file FILE]\n";

/// "safe/monday" as its path. Errors: invalid_argument.
Result<std::string> snapshot_path(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size())
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "a snapshot is named REPOSITORY/SNAPSHOT, not " + text};
  return "/_snapshot/" + percent_encode(text.substr(0, slash)) + "/" +
         percent_encode(text.substr(slash + 1));
}

int snapshot_ended(const Json& snapshot) {
  const std::string state = snapshot.string_or("state");
  const Json* indices = snapshot.find("indices");
  const std::size_t count =
      indices != nullptr && indices->is_array() ? indices->as_array().size() : 0;
  std::fprintf(stderr, "snapshot %s: %s, %zu %s\n", snapshot.string_or("snapshot").c_str(),
               state.c_str(), count, count == 1 ? "index" : "indices");
  if (state == "SUCCESS") return success;
  return state == "PARTIAL" ? partly_failed : failed;
}

int create_snapshot(const Arguments& arguments, Connection& connection) {
  const auto path = snapshot_path(arguments.words()[0]);
  if (!path.ok()) return explain(path.error());
  Json body = Json::object();
  if (const auto indices = arguments.option("--indices")) body.set("indices", *indices);
  const bool waits = !arguments.flag("--no-wait");
  const auto asked =
      wait_for(connection, "PUT", *path + (waits ? "?wait_for_completion=true" : ""), &body);
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json")) print_json(asked.body);
  const Json* snapshot = asked.body.find("snapshot");
  if (waits && snapshot != nullptr && snapshot->is_object()) {
    if (!arguments.flag("--json")) return snapshot_ended(*snapshot);
    const std::string state = snapshot->string_or("state");
    return state == "SUCCESS" ? success : state == "PARTIAL" ? partly_failed : failed;
  }
  if (!arguments.flag("--json"))
    std::fprintf(stderr, "snapshot %s begun\n", arguments.words()[0].c_str());
  return success;
}

int list_snapshots(const Arguments& arguments, Connection& connection) {
  const std::string of = arguments.words().empty() ? "_all" : percent_encode(arguments.words()[0]);
  const auto asked = ask_or_explain(connection, "GET", "/_snapshot/" + of + "/_all");
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json")) {
    print_json(asked.body);
    return success;
  }
  std::vector<Row> rows;
  const Json* all = asked.body.find("snapshots");
  for (const Json& one : all != nullptr && all->is_array() ? all->as_array() : Json::Array()) {
    const Json* indices = one.find("indices");
    const Json* took = one.find("duration_in_millis");
    rows.push_back({one.string_or("repository"), one.string_or("snapshot"), one.string_or("state"),
                    one.string_or("start_time"),
                    took != nullptr ? std::to_string(took->as_int()) + "ms" : "-",
                    indices != nullptr ? std::to_string(indices->as_array().size()) : "-"});
  }
  print_table({"REPOSITORY", "SNAPSHOT", "STATE", "BEGUN", "TOOK", "INDICES"}, rows);
  return success;
}

int show_snapshot(const Arguments& arguments, Connection& connection) {
  const auto path = snapshot_path(arguments.words()[0]);
  if (!path.ok()) return explain(path.error());
  const auto asked = ask_or_explain(connection, "GET", *path);
  if (asked.exit_code == success) print_json(asked.body);
  return asked.exit_code;
}

Result<Json> restore_body(const Arguments& arguments) {
  Json body = Json::object();
  if (const auto indices = arguments.option("--indices")) body.set("indices", *indices);
  if (arguments.flag("--templates")) body.set("include_global_state", true);
  if (const auto rename = arguments.option("--rename")) {
    const auto equals = rename->find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == rename->size())
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "--rename is PATTERN=NAME, not " + *rename};
    body.set("rename_pattern", rename->substr(0, equals));
    body.set("rename_replacement", rename->substr(equals + 1));
  }
  return body;
}

int restore_snapshot(const Arguments& arguments, Connection& connection) {
  const auto path = snapshot_path(arguments.words()[0]);
  if (!path.ok()) return explain(path.error());
  const auto body = restore_body(arguments);
  if (!body.ok()) return explain(body.error());
  const bool waits = !arguments.flag("--no-wait");
  const auto asked = wait_for(
      connection, "POST", *path + "/_restore" + (waits ? "?wait_for_completion=true" : ""), &*body);
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json")) {
    print_json(asked.body);
    return success;
  }
  const Json* restored = asked.body.find_path("snapshot.indices");
  if (waits && restored != nullptr && restored->is_array())
    for (const Json& name : restored->as_array())
      std::printf("%s\n", name.is_string() ? name.as_string().c_str() : name.dump().c_str());
  else
    std::fprintf(stderr, "restoring of %s begun\n", arguments.words()[0].c_str());
  return success;
}

int delete_snapshots(const Arguments& arguments, Connection& connection) {
  return for_each_word(arguments, [&](const std::string& name) {
    const auto path = snapshot_path(name);
    if (!path.ok()) return explain(path.error());
    const auto asked = wait_for(connection, "DELETE", *path);
    if (asked.exit_code != success) return asked.exit_code;
    if (arguments.flag("--json"))
      print_json(asked.body);
    else
      std::fprintf(stderr, "snapshot %s deleted\n", name.c_str());
    return success;
  });
}

const std::vector<Verb>& snapshots_verbs() {
  static const std::vector<Verb> all = {
      {"create",
       {.options = {"--indices"}, .flags = {"--json", "--no-wait"}, .words_min = 1, .words_max = 1},
       create_snapshot},
      {"list", {.options = {}, .flags = {"--json"}, .words_max = 1}, list_snapshots},
      {"show", {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1}, show_snapshot},
      {"restore",
       {.options = {"--indices", "--rename"},
        .flags = {"--json", "--no-wait", "--templates"},
        .words_min = 1,
        .words_max = 1},
       restore_snapshot},
      {"delete",
       {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1000},
       delete_snapshots},
  };
  return all;
}

}  // namespace

int snapshots_command(const std::vector<std::string>& words, const Environment& environment) {
  return run_noun({.name = "snapshots", .usage = snapshots_usage, .verbs = snapshots_verbs()},
                  words, environment);
}

CommandPage snapshots_page() { return {"snapshots", std::string(snapshots_usage)}; }

}  // namespace cairn::cli
