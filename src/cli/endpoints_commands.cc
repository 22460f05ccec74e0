// SPDX-License-Identifier: Apache-2.0
// `cairn endpoints`: models that answer, by name.
#include <cstdio>

#include "base/encode.h"
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace cairn::cli {
namespace {

constexpr std::string_view endpoints_usage =
    "usage: cairn endpoints list [TASK] [--json]\n"
    "       cairn endpoints show ID\n"
    "       cairn endpoints create ID --task TASK [--model MODEL] [--threads NUMBER]\n"
    "                              [--allocations NUMBER] [--body FILE|-] [--json]\n"
    "       cairn endpoints ask ID TEXT... [--query WORDS] [--json]\n"
    "       cairn endpoints delete ID... [--force] [--json]\n"
    "TASK: text_embedding, sparse_embedding, rerank, completion, chat_completion.\n"
    "create: a model of the store, cairn-mini where --model names no other; --body is the whole "
    "body\n"
    "of the request instead, as for models of other servers.\n"
    "ask: what it makes of texts, as JSON; rerank wants a --query.\n"
    "delete: --force also where indices and connectors use it.\n"
    "every command: [--server URL] [--key-file FILE] [--ca-file FILE] [--certificate-file FILE]\n";

std::string endpoint_path(const std::string& id) { return "/_inference/" + percent_encode(id); }

int list_endpoints(const Arguments& arguments, Connection& connection) {
  const std::string task =
      arguments.words().empty() ? "" : percent_encode(arguments.words()[0]) + "/";
  const auto asked = ask_or_explain(connection, "GET", "/_inference/" + task + "_all");
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json")) {
    print_json(asked.body);
    return success;
  }
  std::vector<Row> rows;
  const Json* endpoints = asked.body.find("endpoints");
  for (const Json& one : endpoints != nullptr ? endpoints->as_array() : Json::Array()) {
    const Json* settings = one.find("service_settings");
    const Json of = settings != nullptr ? *settings : Json::object();
    const Json* allocations = of.find("num_allocations");
    rows.push_back({one.string_or("inference_id"), one.string_or("task_type"),
                    one.string_or("service"), of.string_or("model_id"),
                    allocations != nullptr && allocations->is_integer()
                        ? std::to_string(allocations->as_int())
                        : "-"});
  }
  print_table({"ENDPOINT", "TASK", "SERVICE", "MODEL", "ALLOCATIONS"}, rows);
  return success;
}

int show_endpoint(const Arguments& arguments, Connection& connection) {
  const auto asked = ask_or_explain(connection, "GET", endpoint_path(arguments.words()[0]));
  if (asked.exit_code == success) print_json(asked.body);
  return asked.exit_code;
}

/// A whole number of an option, from 1 on.
Result<std::int64_t> count_of(const Arguments& arguments, std::string_view name,
                              std::int64_t usual) {
  const auto text = arguments.option(name);
  if (!text) return usual;
  const auto number = parse_number<std::int64_t>(*text);
  if (number && *number >= 1) return *number;
  return Error{.kind = ErrorKind::invalid_argument,
               .message = std::string(name) + " is a number from 1 on, not " + *text};
}

Result<Json> endpoint_body(const Arguments& arguments) {
  if (const auto file = arguments.option("--body")) {
    for (const char* other : {"--model", "--threads", "--allocations"})
      if (arguments.option(other))
        return Error{.kind = ErrorKind::invalid_argument,
                     .message = "--body says all of it: leave " + std::string(other) + " out"};
    return read_json_object(*file);
  }
  CAIRN_TRY(const std::int64_t threads, count_of(arguments, "--threads", 1));
  CAIRN_TRY(const std::int64_t allocations, count_of(arguments, "--allocations", 1));
  return Json::object(
      {{"service", "cairn"},
       {"service_settings",
        Json::object({{"model_id", arguments.option("--model").value_or("cairn-mini")},
                      {"num_threads", threads},
                      {"num_allocations", allocations}})}});
}

int create_endpoint(const Arguments& arguments, Connection& connection) {
  const auto task = arguments.option("--task");
  if (!task) return misused("which --task is it for?", endpoints_usage);
  const auto body = endpoint_body(arguments);
  if (!body.ok()) return explain(body.error());
  const std::string& id = arguments.words()[0];
  const auto asked = wait_for(
      connection, "PUT", "/_inference/" + percent_encode(*task) + "/" + percent_encode(id), &*body);
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json"))
    print_json(asked.body);
  else
    std::fprintf(stderr, "endpoint %s created\n", id.c_str());
  return success;
}

int ask_endpoint(const Arguments& arguments, Connection& connection) {
  const std::string& id = arguments.words()[0];
  Json texts = Json::array();
  for (std::size_t i = 1; i < arguments.words().size(); ++i) texts.push(arguments.words()[i]);
  Json body = Json::object({{"input", std::move(texts)}});
  if (const auto query = arguments.option("--query")) body.set("query", *query);
  const auto asked = wait_for(connection, "POST", endpoint_path(id), &body);
  if (asked.exit_code == success) print_json(asked.body);
  return asked.exit_code;
}

int delete_endpoints(const Arguments& arguments, Connection& connection) {
  return for_each_word(arguments, [&](const std::string& id) {
    const auto asked = ask_or_explain(
        connection, "DELETE", endpoint_path(id) + (arguments.flag("--force") ? "?force=true" : ""));
    if (asked.exit_code != success) return asked.exit_code;
    if (arguments.flag("--json"))
      print_json(asked.body);
    else
      std::fprintf(stderr, "endpoint %s deleted\n", id.c_str());
    return success;
  });
}

const std::vector<Verb>& endpoints_verbs() {
  static const std::vector<Verb> all = {
      {"list", {.options = {}, .flags = {"--json"}, .words_max = 1}, list_endpoints},
      {"show", {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1}, show_endpoint},
      {"create",
       {.options = {"--task", "--model", "--threads", "--allocations", "--body"},
        .flags = {"--json"},
        .words_min = 1,
        .words_max = 1},
       create_endpoint},
      {"ask",
       {.options = {"--query"}, .flags = {"--json"}, .words_min = 2, .words_max = 1001},
       ask_endpoint},
      {"delete",
       {.options = {}, .flags = {"--json", "--force"}, .words_min = 1, .words_max = 1000},
       delete_endpoints},
  };
  return all;
}

}  // namespace

int endpoints_command(const std::vector<std::string>& words, const Environment& environment) {
  return run_noun({.name = "endpoints", .usage = endpoints_usage, .verbs = endpoints_verbs()},
                  words, environment);
}

CommandPage endpoints_page() { return {"endpoints", std::string(endpoints_usage)}; }

}  // namespace cairn::cli
