// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "base/encode.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/limits_wait.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "format/time.h"

namespace cairn::cli {
namespace {

constexpr std::string_view limits_usage =
    "usage: cairn limits status [--json]\n"
    "       cairn limits show IDENTITY [--json]\n"
    "       cairn limits reset IDENTITY... [--json]\n"
    "       cairn limits policy\n"
    "       cairn limits top [--resource NAME] [--size N] [--json]\n"
    "       cairn limits limited [--size N] [--json]\n"
    "       cairn limits rules [--json]\n"
    "       cairn limits explain IDENTITY METHOD PATH [--objects] [--header NAME:VALUE]... "
    "[--body-bytes N] [--address ADDRESS] [--json]\n"
    "       cairn limits wait [--attempt N] [--retries N] [--longest SECONDS] [--resource NAME] "
    "[--print] <ANSWER\n"
    "IDENTITY: user:NAME, ip:ADDRESS, inst:ID, app:ID, wf:REPOSITORY, service:ID, key:ID\n"
    "every command: [--server URL] [--key-file FILE] [--ca-file FILE] [--certificate-file FILE]\n";

std::string limits_path(const std::string& identity) {
  return "/_cairn/limits/" + percent_encode(identity, ":");
}

/// Objects with limit, used, remaining and reset, one row each.
void print_windows(const Json& resources) {
  std::vector<Row> rows;
  for (const auto& [name, window] : resources.as_object())
    rows.push_back({name, std::to_string(window.int_or("limit")),
                    std::to_string(window.int_or("used")),
                    std::to_string(window.int_or("remaining")),
                    format_iso8601(window.int_or("reset") * 1000)});
  print_table({"RESOURCE", "LIMIT", "USED", "REMAINING", "RESETS"}, rows, Heads::always);
}

int status(const Arguments& arguments, Connection& connection) {
  const auto answer = connection.ask("GET", "/rate_limit");
  if (!answer.ok()) return explain(answer.error());
  if (answer->status == 404) {
    std::fprintf(stderr, "cairn: limits are switched off on this server\n");
    return failed;
  }
  if (answer->status != 200) return explain(*answer);
  const Json* resources = answer->body.find("resources");
  if (arguments.flag("--json") || resources == nullptr || !resources->is_object())
    print_json(answer->body);
  else
    print_windows(*resources);
  return success;
}

int show_limits(const Arguments& arguments, Connection& connection) {
  const auto answer = connection.ask("GET", limits_path(arguments.words()[0]));
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  const Json* windows = answer->body.find("windows");
  if (arguments.flag("--json") || windows == nullptr || !windows->is_object()) {
    print_json(answer->body);
    return success;
  }
  print_windows(*windows);
  for (const auto& [name, value] : answer->body.as_object())
    if (name != "windows")
      std::printf("%s\t%s\n", name.c_str(),
                  value.is_string() ? value.as_string().c_str() : value.dump().c_str());
  return success;
}

int reset(const Arguments& arguments, Connection& connection) {
  std::size_t done = 0;
  int worst = success;
  for (const auto& identity : arguments.words()) {
    const auto answer = connection.ask("DELETE", limits_path(identity));
    if (!answer.ok()) return explain(answer.error());
    if (answer->status != 200) {
      worst = explain(*answer);
      continue;
    }
    ++done;
    if (arguments.flag("--json"))
      print_json(answer->body);
    else
      std::fprintf(stderr, "%s: %s\n", identity.c_str(),
                   answer->body.bool_or("found") ? "reset" : "nothing was counted");
  }
  return worst == success || done == 0 ? worst : partly_failed;
}

/// The list below `name` of an answer as a table: each row by `row`.
template <class MakeRow>
int show_list(const Arguments& arguments, Connection& connection, const std::string& path,
              std::string_view name, const Row& heads, const MakeRow& make_row) {
  const auto answer = connection.ask("GET", path);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  const Json* const list = answer->body.find(name);
  if (arguments.flag("--json") || list == nullptr || !list->is_array()) {
    print_json(answer->body);
    return success;
  }
  std::vector<Row> rows;
  for (const Json& one : list->as_array()) rows.push_back(make_row(one));
  print_table(heads, rows, Heads::always);
  return success;
}

std::string number(const Json& from, std::string_view name) {
  return std::to_string(from.int_or(name));
}

std::string moment_of(const Json& from, std::string_view name) {
  return from.find(name) == nullptr ? "-" : format_iso8601(from.int_or(name) * 1000);
}

/// "?a=b&c=d" of the options that were given, by their names in the query.
std::string query_of(const Arguments& arguments,
                     std::initializer_list<std::pair<std::string_view, std::string_view>> names) {
  std::string out;
  for (const auto& [option, name] : names)
    if (const auto value = arguments.option(option))
      out += (out.empty() ? "?" : "&") + std::string(name) + "=" + percent_encode(*value);
  return out;
}

int top(const Arguments& arguments, Connection& connection) {
  return show_list(
      arguments, connection,
      "/_cairn/limits/_top" + query_of(arguments, {{"--resource", "resource"}, {"--size", "size"}}),
      "identities", {"IDENTITY", "KIND", "LIMIT", "USED", "REMAINING", "RESETS"},
      [](const Json& one) -> Row {
        return {one.string_or("identity"), one.string_or("kind"),    number(one, "limit"),
                number(one, "used"),       number(one, "remaining"), moment_of(one, "reset")};
      });
}

int limited(const Arguments& arguments, Connection& connection) {
  return show_list(
      arguments, connection, "/_cairn/limits/_limited" + query_of(arguments, {{"--size", "size"}}),
      "identities", {"IDENTITY", "LIMIT", "OPERATION", "REFUSED", "TIMES", "UNTIL"},
      [](const Json& one) -> Row {
        const std::string rule = one.string_or("rule");
        return {
            one.string_or("identity"),  one.string_or("limit") + (rule.empty() ? "" : " " + rule),
            one.string_or("operation"), one.bool_or("refused") ? "yes" : "shadow",
            number(one, "times"),       moment_of(one, "until")};
      });
}

int rules(const Arguments& arguments, Connection& connection) {
  return show_list(
      arguments, connection, "/_cairn/limits/_rules", "rules",
      {"RULE", "PER", "WEIGHT", "LIMIT", "WINDOW", "MODE", "ADMITTED", "REFUSED",
       "WOULD_BE_REFUSED"},
      [](const Json& one) -> Row {
        const auto text = [&](std::string_view name) {
          const Json* const value = one.find(name);
          return value == nullptr     ? std::string()
                 : value->is_string() ? value->as_string()
                                      : value->dump();
        };
        return {text("name"),     text("per"),     text("weight"),
                text("limit"),    text("window"),  one.bool_or("shadow") ? "shadow" : "refuses",
                text("admitted"), text("refused"), text("would_be_refused")};
      });
}

void print_explanation(const Json& answer) {
  const Json* const request = answer.find("request");
  std::printf("%s: %s %s\n", answer.string_or("identity").c_str(),
              request == nullptr ? "" : request->string_or("method").c_str(),
              request == nullptr ? "" : request->string_or("path").c_str());
  if (!answer.bool_or("limited")) {
    const std::string why = answer.string_or("why");
    std::printf("admitted: nothing limits it%s%s\n", why.empty() ? "" : ": ", why.c_str());
    return;
  }
  const std::string rule = answer.string_or("rule");
  const std::string by = rule.empty() ? "" : " [" + rule + "]";
  if (!answer.bool_or("admitted"))
    std::printf("refused: %s%s; fits in %lld s\n", answer.string_or("refusal").c_str(), by.c_str(),
                static_cast<long long>(answer.int_or("retry_after")));
  else if (answer.find("would_be_refused") != nullptr)
    std::printf("admitted, and would be refused: %s%s\n",
                answer.string_or("would_be_refused").c_str(), by.c_str());
  else
    std::printf("admitted\n");
  std::vector<Row> rows;
  const Json* const limits = answer.find("limits");
  if (limits == nullptr || !limits->is_array()) return;
  for (const Json& one : limits->as_array()) {
    const std::string of = !one.string_or("rule").empty()       ? one.string_or("rule")
                           : !one.string_or("resource").empty() ? one.string_or("resource")
                                                                : one.string_or("endpoint");
    const Json* const cap = one.find("cap");
    const bool bounded = cap != nullptr && cap->is_integer();
    rows.push_back({one.string_or("limit"), of.empty() ? "-" : of,
                    bounded ? std::to_string(cap->as_int()) : "-", number(one, "used"),
                    number(one, "cost"), bounded ? number(one, "remaining") : "-",
                    moment_of(one, "reset"), one.bool_or("admits") ? "yes" : "no"});
  }
  print_table({"LIMIT", "OF", "CAP", "USED", "COST", "REMAINING", "RESETS", "ADMITS"}, rows,
              Heads::always);
}

/// The status says what the answer is: 0 where it would be admitted, 1 where it would be refused.
int explain_request(const Arguments& arguments, Connection& connection) {
  const auto& words = arguments.words();
  std::string path = "/_cairn/limits/_explain?identity=" + percent_encode(words[0]) +
                     "&method=" + percent_encode(words[1]) + "&path=" + percent_encode(words[2]);
  if (arguments.flag("--objects")) path += "&listener=objects";
  std::string fields;
  for (const std::string& field : arguments.options("--header"))
    fields += (fields.empty() ? "" : ",") + field;
  if (!fields.empty()) path += "&header=" + percent_encode(fields);
  if (const auto bytes = arguments.option("--body-bytes"))
    path += "&body_bytes=" + percent_encode(*bytes);
  if (const auto address = arguments.option("--address"))
    path += "&address=" + percent_encode(*address);
  const auto answer = connection.ask("GET", path);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  if (arguments.flag("--json"))
    print_json(answer->body);
  else
    print_explanation(answer->body);
  return answer->body.bool_or("admitted") ? success : failed;
}

int policy(const Arguments&, Connection& connection) {
  const auto answer = connection.ask("GET", "/_cairn/limits");
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  print_json(answer->body);
  return success;
}

const std::vector<Verb>& limits_verbs() {
  static const std::vector<Verb> all = {
      {"status", {.options = {}, .flags = {"--json"}}, status},
      {"show", {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1}, show_limits},
      {"reset", {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1000}, reset},
      {"policy", {.options = {}, .flags = {"--json"}}, policy},
      {"top", {.options = {"--resource", "--size"}, .flags = {"--json"}}, top},
      {"limited", {.options = {"--size"}, .flags = {"--json"}}, limited},
      {"rules", {.options = {}, .flags = {"--json"}}, rules},
      {"explain",
       {.options = {"--header", "--body-bytes", "--address"},
        .flags = {"--json", "--objects"},
        .words_min = 3,
        .words_max = 3},
       explain_request},
  };
  return all;
}

}  // namespace

int limits_command(const std::vector<std::string>& words, const Environment& environment) {
  if (!words.empty() && words[0] == "wait" && !asks_for_help(words))
    return limits_wait({words.begin() + 1, words.end()}, limits_usage);
  return run_noun({.name = "limits", .usage = limits_usage, .verbs = limits_verbs()}, words,
                  environment);
}

CommandPage limits_page() { return {"limits", std::string(limits_usage)}; }

}  // namespace cairn::cli
