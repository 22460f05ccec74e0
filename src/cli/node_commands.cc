// SPDX-License-Identifier: Apache-2.0
// `cairn node`: the nodes that share a store.
#include <cstdio>
#include <string>

#include "base/encode.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "format/time.h"
#include "os/deadline.h"

namespace cairn::cli {
namespace {

constexpr std::string_view node_usage =
    "usage: cairn node list [--json]\n"
    "         which nodes share the store, and which of them serves.\n"
    "       cairn node drain NODE [--wait 5m]\n"
    "         NODE, a name or an id, gives away what it owns, and goes on passing requests to who\n"
    "         serves then: before it is stopped. Returns once it has, or after --wait (1m).\n"
    "       cairn node resume NODE\n"
    "         it may own things again; so may it when it is started anew.\n"
    "every command: [--server URL] [--key-file FILE] [--ca-file FILE] [--certificate-file FILE]\n"
    "Exit status: 0 done, 1 the server said no, or it still owns something.\n";

constexpr std::int64_t look_ms = 200;

std::vector<Json> nodes_of(const Json& answer) {
  const Json* const list = answer.find("nodes");
  return list != nullptr && list->is_array() ? list->as_array() : Json::Array();
}

std::string node_state(const Json& node) {
  if (!node.bool_or("draining")) return node.string_or("role");
  return node.string_or("role") == "serving" ? "draining" : "drained";
}

int list_nodes(const Arguments& arguments, Connection& connection) {
  const auto asked = ask_or_explain(connection, "GET", "/_cairn/nodes");
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json")) {
    print_json(asked.body);
    return success;
  }
  std::vector<Row> rows;
  for (const Json& node : nodes_of(asked.body))
    rows.push_back({node.string_or("name"), node_state(node), node.string_or("http"),
                    node.string_or("version"), node.string_or("started_at"), node.string_or("id")});
  print_table({"NAME", "STATE", "HTTP", "VERSION", "STARTED", "ID"}, rows);
  return success;
}

/// Whether the node serves nothing any more, or is gone.
bool has_drained(const Json& answer, const std::string& name) {
  for (const Json& node : nodes_of(answer))
    if (node.string_or("id") == name || node.string_or("name") == name)
      return node_state(node) == "drained";
  return true;
}

int drain_node(const Arguments& arguments, Connection& connection) {
  const std::string name = arguments.words()[0];
  std::int64_t wait_ms = 60'000;
  if (const auto given = arguments.option("--wait")) {
    const auto ms = parse_time_value(*given, "--wait");
    if (!ms.ok()) return explain(ms.error());
    wait_ms = *ms;
  }
  const auto answer = connection.ask("POST", "/_cairn/nodes/" + percent_encode(name) + "/_drain");
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 202) return explain(*answer);
  const auto deadline = os::Deadline::in_ms(wait_ms);
  do {
    const auto asked = connection.ask("GET", "/_cairn/nodes");
    // While another node takes over nobody answers for a moment.
    if (asked.ok() && asked->status == 200 && has_drained(asked->body, name)) {
      std::fprintf(stderr, "%s owns nothing any more, and may be stopped\n", name.c_str());
      return success;
    }
  } while (os::sleep_ms(look_ms, deadline));
  std::fprintf(stderr, "%s still serves: is there another node? cairn node list\n", name.c_str());
  return failed;
}

int resume_node(const Arguments& arguments, Connection& connection) {
  const auto asked = ask_or_explain(
      connection, "POST", "/_cairn/nodes/" + percent_encode(arguments.words()[0]) + "/_resume");
  return asked.exit_code;
}

const std::vector<Verb>& node_verbs() {
  static const std::vector<Verb> all = {
      {"list", {.options = {}, .flags = {"--json"}}, list_nodes},
      {"drain", {.options = {"--wait"}, .words_min = 1, .words_max = 1}, drain_node},
      {"resume", {.options = {}, .words_min = 1, .words_max = 1}, resume_node},
  };
  return all;
}

}  // namespace

int node_command(const std::vector<std::string>& words, const Environment& environment) {
  return run_noun({.name = "node", .usage = node_usage, .verbs = node_verbs()}, words, environment);
}

CommandPage node_page() { return {"node", std::string(node_usage)}; }

}  // namespace cairn::cli
