// SPDX-License-Identifier: Apache-2.0
// `cairn messages`: what people are told.
#include <cstdio>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace cairn::cli {
namespace {

constexpr std::string_view messages_usage =
    "usage: cairn messages show [--json]\n"
    "       cairn messages test [--json]\n"
    "show: what is wrong now, and how far messages about it are. test: sends one by each way that\n"
    "the settings messages.webhook and messages.mail name, and tells whether it was taken.\n"
    "every command: [--server URL] [--key-file FILE] [--ca-file FILE] [--certificate-file FILE]\n";

int show_messages(const Arguments& arguments, Connection& connection) {
  const auto asked = ask_or_explain(connection, "GET", "/_cairn/messages");
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json")) {
    print_json(asked.body);
    return success;
  }
  std::vector<Row> rows;
  const Json* conditions = asked.body.find("conditions");
  for (const Json& one : conditions != nullptr ? conditions->as_array() : Json::Array())
    rows.push_back({one.string_or("kind"), one.string_or("subject"), one.string_or("since"),
                    one.string_or("text")});
  print_table({"WHAT", "OF", "SINCE", "TEXT"}, rows);
  std::fflush(stdout);
  std::string ways;
  const Json* list = asked.body.find("ways");
  for (const Json& way : list != nullptr ? list->as_array() : Json::Array())
    ways += (ways.empty() ? "" : ", ") + way.as_string();
  std::fprintf(stderr, "%zu wrong; messages go by %s; %lld wait, %lld were sent, %lld given up\n",
               rows.size(), ways.empty() ? "no way" : ways.c_str(),
               static_cast<long long>(asked.body.int_or("waiting")),
               static_cast<long long>(asked.body.int_or("sent")),
               static_cast<long long>(asked.body.int_or("given_up")));
  if (const Json* error = asked.body.find("last_error"); error != nullptr && error->is_object())
    std::fprintf(stderr, "%s: %s\n", error->string_or("time").c_str(),
                 error->string_or("reason").c_str());
  return success;
}

int test_messages(const Arguments& arguments, Connection& connection) {
  const auto asked = wait_for(connection, "POST", "/_cairn/messages/_test");
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json")) print_json(asked.body);
  bool all = true;
  const Json* ways = asked.body.find("ways");
  for (const auto& [way, outcome] : ways != nullptr ? ways->as_object() : Json::Object()) {
    const bool sent = outcome.bool_or("sent");
    all = all && sent;
    if (!arguments.flag("--json"))
      std::printf("%s\t%s\n", way.c_str(), sent ? "sent" : outcome.string_or("reason").c_str());
  }
  return all ? success : failed;
}

const std::vector<Verb>& messages_verbs() {
  static const std::vector<Verb> all = {
      {"show", {.options = {}, .flags = {"--json"}}, show_messages},
      {"test", {.options = {}, .flags = {"--json"}}, test_messages},
  };
  return all;
}

}  // namespace

int messages_command(const std::vector<std::string>& words, const Environment& environment) {
  return run_noun({.name = "messages", .usage = messages_usage, .verbs = messages_verbs()}, words,
                  environment);
}

CommandPage messages_page() { return {"messages", std::string(messages_usage)}; }

}  // namespace cairn::cli
