// SPDX-License-Identifier: Apache-2.0
// `cairn indices`: what is indexed here.
#include <cstdio>

#include "base/encode.h"
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/objects/amounts.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace cairn::cli {
namespace {

constexpr std::string_view indices_usage =
    "usage: cairn indices list [NAMES] [--hidden] [--json]\n"
    "       cairn indices show NAME\n"
    "       cairn indices create NAME [--body FILE|-] [--mapping FILE] [--setting KEY=VALUE]...\n"
    "                            [--json]\n"
    "       cairn indices delete NAME... [--yes] [--json]\n"
    "       cairn indices stats [NAMES] [--json]\n"
    "NAMES: names and patterns, as books,logs-*. list: --hidden also those whose names begin with\n"
    "a dot. show: settings, mapping and aliases, as JSON.\n"
    "create: --body is the whole body of the request (settings, mappings, aliases); --mapping the\n"
    "mapping alone, as {\"properties\": {…}}.\n"
    "delete: names with * need --yes. What is deleted is gone.\n"
    "every command: [--server URL] [--key-file FILE] [--ca-file FILE] [--certificate-file FILE]\n";

/// Of a list of names, which may have patterns in it.
std::string names_path(const std::string& names) { return percent_encode(names, "*,"); }

std::string bytes_for_people(const std::string& digits) {
  const auto bytes = parse_number<std::uint64_t>(digits);
  return bytes ? human_bytes(*bytes) : digits;
}

int list_indices(const Arguments& arguments, Connection& connection) {
  std::string path = "/_cat/indices";
  if (!arguments.words().empty()) path += "/" + names_path(arguments.words()[0]);
  path += "?format=json&bytes=b&s=index&h=index,status,health,docs.count,docs.deleted,store.size";
  path += arguments.flag("--hidden") ? "&expand_wildcards=all" : "";
  const auto asked = ask_or_explain(connection, "GET", path);
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json")) {
    print_json(asked.body);
    return success;
  }
  std::vector<Row> rows;
  for (const Json& one : asked.body.is_array() ? asked.body.as_array() : Json::Array())
    rows.push_back({one.string_or("index"), one.string_or("status"), one.string_or("health"),
                    one.string_or("docs.count"), bytes_for_people(one.string_or("store.size"))});
  print_table({"INDEX", "STATUS", "HEALTH", "DOCUMENTS", "SIZE"}, rows);
  return success;
}

int show_index(const Arguments& arguments, Connection& connection) {
  const auto asked = ask_or_explain(connection, "GET", "/" + names_path(arguments.words()[0]));
  if (asked.exit_code == success) print_json(asked.body);
  return asked.exit_code;
}

/// The body of the request, of what the options say.
Result<Json> index_body(const Arguments& arguments) {
  Json out = Json::object();
  if (const auto file = arguments.option("--body")) {
    CAIRN_TRY(out, read_json_object(*file));
  }
  if (const auto file = arguments.option("--mapping")) {
    CAIRN_TRY(Json mapping, read_json_object(*file));
    out.set("mappings", std::move(mapping));
  }
  for (const auto& given : arguments.options("--setting")) {
    const auto equals = given.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "--setting is KEY=VALUE, not " + given};
    if (out.find("settings") == nullptr) out.set("settings", Json::object());
    out.find("settings")->set(given.substr(0, equals), given.substr(equals + 1));
  }
  return out;
}

int create_index(const Arguments& arguments, Connection& connection) {
  const auto body = index_body(arguments);
  if (!body.ok()) return explain(body.error());
  const std::string& name = arguments.words()[0];
  const auto asked = ask_or_explain(connection, "PUT", "/" + percent_encode(name),
                                    body->as_object().empty() ? nullptr : &*body);
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json"))
    print_json(asked.body);
  else
    std::fprintf(stderr, "index %s created\n", name.c_str());
  return success;
}

int delete_index(const std::string& name, bool json, Connection& connection) {
  const auto asked = ask_or_explain(connection, "DELETE", "/" + percent_encode(name));
  if (asked.exit_code != success) return asked.exit_code;
  if (json)
    print_json(asked.body);
  else
    std::fprintf(stderr, "index %s deleted\n", name.c_str());
  return success;
}

/// The server deletes by name alone; the names that a pattern means are asked for.
int delete_pattern(const std::string& names, bool json, Connection& connection) {
  const auto asked = ask_or_explain(
      connection, "GET", "/_cat/indices/" + names_path(names) + "?format=json&h=index&s=index");
  if (asked.exit_code != success) return asked.exit_code;
  if (!asked.body.is_array() || asked.body.as_array().empty()) {
    std::fprintf(stderr, "cairn: no index is called %s\n", names.c_str());
    return failed;
  }
  std::size_t done = 0;
  int worst = success;
  for (const Json& one : asked.body.as_array()) {
    const int status = delete_index(one.string_or("index"), json, connection);
    if (status == success)
      ++done;
    else
      worst = status;
  }
  return worst == success || done == 0 ? worst : partly_failed;
}

int delete_indices(const Arguments& arguments, Connection& connection) {
  const auto is_pattern = [](const std::string& name) {
    return name.find_first_of("*,") != std::string::npos || name == "_all";
  };
  for (const auto& name : arguments.words())
    if (is_pattern(name) && !arguments.flag("--yes")) {
      std::fprintf(stderr,
                   "cairn: %s may be many indices: `cairn indices list '%s'` shows which; "
                   "--yes deletes them\n",
                   name.c_str(), name.c_str());
      return usage_error;
    }
  return for_each_word(arguments, [&](const std::string& name) {
    const bool json = arguments.flag("--json");
    return is_pattern(name) ? delete_pattern(name, json, connection)
                            : delete_index(name, json, connection);
  });
}

std::string index_figure(const Json& of, std::string_view path) {
  const Json* found = of.find_path(path);
  return found != nullptr && found->is_integer() ? std::to_string(found->as_int()) : "-";
}

int index_statistics(const Arguments& arguments, Connection& connection) {
  const std::string names = arguments.words().empty() ? "" : "/" + names_path(arguments.words()[0]);
  const auto asked = ask_or_explain(connection, "GET", names + "/_stats");
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json")) {
    print_json(asked.body);
    return success;
  }
  std::vector<Row> rows;
  const Json* all = asked.body.find("indices");
  for (const auto& [name, stats] :
       all != nullptr && all->is_object() ? all->as_object() : Json::Object()) {
    const Json* total = stats.find("total");
    const Json of = total != nullptr ? *total : Json::object();
    rows.push_back({name, index_figure(of, "docs.count"), index_figure(of, "docs.deleted"),
                    bytes_for_people(index_figure(of, "store.size_in_bytes")),
                    index_figure(of, "segments.count"),
                    bytes_for_people(index_figure(of, "segments.memory_in_bytes"))});
  }
  print_table({"INDEX", "DOCUMENTS", "DELETED", "SIZE", "SEGMENTS", "MEMORY"}, rows);
  return success;
}

const std::vector<Verb>& indices_verbs() {
  static const std::vector<Verb> all = {
      {"list", {.options = {}, .flags = {"--json", "--hidden"}, .words_max = 1}, list_indices},
      {"show", {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1}, show_index},
      {"create",
       {.options = {"--body", "--mapping", "--setting"},
        .flags = {"--json"},
        .words_min = 1,
        .words_max = 1},
       create_index},
      {"delete",
       {.options = {}, .flags = {"--json", "--yes"}, .words_min = 1, .words_max = 1000},
       delete_indices},
      {"stats", {.options = {}, .flags = {"--json"}, .words_max = 1}, index_statistics},
  };
  return all;
}

}  // namespace

int indices_command(const std::vector<std::string>& words, const Environment& environment) {
  return run_noun({.name = "indices", .usage = indices_usage, .verbs = indices_verbs()}, words,
                  environment);
}

CommandPage indices_page() { return {"indices", std::string(indices_usage)}; }

}  // namespace cairn::cli
