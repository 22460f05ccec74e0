// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "base/encode.h"
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/table.h"
#include "format/time.h"

namespace cairn::cli {
namespace {

constexpr std::string_view usage_text =
    "usage: cairn key create --name NAME [--kind KIND] [--fact NAME=VALUE]... [--expiration 30d]\n"
    "                        [--cluster PRIVILEGE,...]... [--index NAMES:PRIVILEGES]... [--json]\n"
    "       cairn key list [--name PREFIX*] [--json]\n"
    "       cairn key show ID [--json]\n"
    "       cairn key delete ID...\n"
    "every command: [--server URL] [--key-file FILE]\n";

int misused(const std::string& why) {
  std::fprintf(stderr, "cairn: %s\n%s", why.c_str(), std::string(usage_text).c_str());
  return usage_error;
}

void print(const Json& value) { std::printf("%s\n", value.dump(true).c_str()); }

Json strings(std::string_view comma_list) {
  Json out = Json::array();
  for (const auto piece : split(comma_list, ',')) out.push(std::string(trim(piece)));
  return out;
}

/// A fact's value as what it is: a number, a boolean, or text.
Json fact_value(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto number = parse_number<std::int64_t>(text)) return *number;
  return text;
}

Result<Json> create_body(const Arguments& arguments) {
  const auto bad = [](std::string message) -> Error {
    return {.kind = ErrorKind::invalid_argument, .message = std::move(message)};
  };
  const auto name = arguments.option("--name");
  if (!name) return bad("cairn key create needs --name");
  Json body = Json::object({{"name", *name}});
  if (const auto expiration = arguments.option("--expiration")) body.set("expiration", *expiration);
  Json role = Json::object();
  for (const auto& list : arguments.options("--cluster"))
    for (const Json& privilege : strings(list).as_array()) {
      if (role.find("cluster") == nullptr) role.set("cluster", Json::array());
      role.find("cluster")->push(privilege);
    }
  for (const auto& rule : arguments.options("--index")) {
    const auto colon = rule.rfind(':');
    if (colon == std::string::npos) return bad("--index takes NAMES:PRIVILEGES, for example logs*:read");
    if (role.find("indices") == nullptr) role.set("indices", Json::array());
    role.find("indices")->push(Json::object({{"names", strings(rule.substr(0, colon))},
                                             {"privileges", strings(rule.substr(colon + 1))}}));
  }
  if (!role.is_null() && !role.as_object().empty())
    body.set("role_descriptors", Json::object({{"role", std::move(role)}}));
  const auto kind = arguments.option("--kind");
  const auto facts = arguments.options("--fact");
  if (!kind && facts.empty()) return body;
  Json identity = Json::object({{"kind", kind.value_or("user")}});
  for (const auto& fact : facts) {
    const auto equals = fact.find('=');
    if (equals == std::string::npos) return bad("--fact takes NAME=VALUE");
    identity.set(fact.substr(0, equals), fact_value(fact.substr(equals + 1)));
  }
  body.set("metadata",
           Json::object({{"_cairn", Json::object({{"identity", std::move(identity)}})}}));
  return body;
}

int create(const Arguments& arguments, Connection& connection) {
  const auto body = create_body(arguments);
  if (!body.ok()) return misused(body.error().message);
  const auto answer = connection.ask("POST", "/_security/api_key", &*body);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  if (arguments.flag("--json")) print(answer->body);
  else std::printf("%s\n", answer->body.string_or("encoded").c_str());
  return success;
}

std::string time_of(const Json& key, std::string_view name) {
  const Json* value = key.find(name);
  return value != nullptr && value->is_integer() ? format_iso8601(value->as_int()) : "-";
}

int list(const Arguments& arguments, Connection& connection) {
  std::string path = "/_security/api_key";
  if (const auto name = arguments.option("--name")) path += "?name=" + percent_encode(*name, "*");
  const auto answer = connection.ask("GET", path);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  const Json* keys = answer->body.find("api_keys");
  if (arguments.flag("--json") || keys == nullptr || !keys->is_array()) {
    print(answer->body);
    return success;
  }
  std::vector<Row> rows;
  for (const Json& key : keys->as_array()) {
    const Json* kind = key.find_path("metadata._cairn.identity.kind");
    rows.push_back({key.string_or("id"), key.string_or("name"),
                    kind != nullptr && kind->is_string() ? kind->as_string() : "user",
                    time_of(key, "creation"), time_of(key, "expiration"),
                    key.bool_or("invalidated") ? "invalidated" : "valid"});
  }
  print_table({"ID", "NAME", "KIND", "CREATED", "EXPIRES", "STATE"}, rows);
  return success;
}

int show(const Arguments& arguments, Connection& connection) {
  const auto answer =
      connection.ask("GET", "/_security/api_key?id=" + percent_encode(arguments.words()[0]));
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  const Json* keys = answer->body.find("api_keys");
  if (keys == nullptr || !keys->is_array() || keys->as_array().empty()) {
    std::fprintf(stderr, "cairn: there is no key [%s]\n", arguments.words()[0].c_str());
    return failed;
  }
  print(keys->as_array()[0]);
  return success;
}

int remove(const Arguments& arguments, Connection& connection) {
  const Json body = Json::object({{"ids", Json::array_of(arguments.words())}});
  const auto answer = connection.ask("DELETE", "/_security/api_key", &body);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  const auto count = [&](std::string_view name) {
    const Json* ids = answer->body.find(name);
    return ids != nullptr && ids->is_array() ? ids->as_array().size() : 0;
  };
  const std::size_t gone = count("invalidated_api_keys") + count("previously_invalidated_api_keys");
  if (arguments.flag("--json")) print(answer->body);
  else std::fprintf(stderr, "%zu of %zu keys invalidated\n", gone, arguments.words().size());
  return gone == arguments.words().size() ? success : gone == 0 ? failed : partly_failed;
}

struct Verb {
  std::string_view name;
  Syntax syntax;
  int (*run)(const Arguments&, Connection&);
};

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
      {"create",
       {.options = {"--name", "--kind", "--fact", "--expiration", "--cluster", "--index"},
        .flags = {"--json"}},
       create},
      {"list", {.options = {"--name"}, .flags = {"--json"}}, list},
      {"show", {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1}, show},
      {"delete", {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1000}, remove},
  };
  return all;
}

}  // namespace

int key_command(const std::vector<std::string>& words, const Environment& environment) {
  if (words.empty() || words[0] == "--help" || words[0] == "help") {
    std::fputs(std::string(usage_text).c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? usage_error : success;
  }
  for (const Verb& verb : verbs()) {
    if (verb.name != words[0]) continue;
    Syntax syntax = verb.syntax;
    syntax.options.emplace_back(Connection::server_option);
    syntax.options.emplace_back(Connection::key_file_option);
    const auto arguments = Arguments::parse({words.begin() + 1, words.end()}, syntax);
    if (!arguments.ok()) return misused(arguments.error().message);
    auto connection = Connection::open(*arguments, environment);
    if (!connection.ok()) return explain(connection.error());
    return verb.run(*arguments, *connection);
  }
  return misused("unknown command: cairn key " + words[0]);
}

}  // namespace cairn::cli
