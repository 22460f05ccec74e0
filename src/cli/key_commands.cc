// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "base/encode.h"
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/encryption_key_commands.h"
#include "cli/exit_codes.h"
#include "cli/key_body.h"
#include "cli/object_key_commands.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "format/time.h"

namespace cairn::cli {
namespace {

constexpr std::string_view usage_text =
    "usage: cairn key create --name NAME [--expiration 30d] [--cluster PRIVILEGE,...]...\n"
    "                        [--index NAMES:PRIVILEGES]... [--json]\n"
    "                        [--kind KIND [--user NAME|--id ID|--repo ID] [--fact NAME=VALUE]...]\n"
    "         KIND says whose requests these are: user, oauth_user, app_user (--user), "
    "installation,\n"
    "         oauth_app, service (--id), workflow (--repo). It needs manage_api_key.\n"
    "       cairn key create --name NAME --both-ports [--account ID] [--user NAME]\n"
    "                        [--user-kind user|service] [--policy FILE] [--cluster …] [--index …]\n"
    "         an API key and an access key of the object storage for one user, or for the root of\n"
    "         the account; each ends with the other. Prints both as JSON.\n"
    "       cairn key create --name NAME --access-key ACCESS_KEY [--cluster …] [--index …]\n"
    "         an API key for the user of an access key that is there; they end together.\n"
    "       cairn key list [--name PREFIX*] [--json]\n"
    "       cairn key show ID [--json]\n"
    "       cairn key delete ID...\n"
    "       cairn key disable|enable ID...\n"
    "         a disabled key is refused until it is enabled.\n"
    "       cairn key rotate ID [--overlap 24h] [--json]\n"
    "         draws a new secret and prints it once; the old one holds for the overlap.\n"
    "       cairn key rotate --master\n"
    "         draws a new master key (keys/master.key) and seals every kept secret with it.\n"
    "       cairn key create --admin --data DIR [--key-out FILE]\n"
    "         without a server: an administrator's key, where the others are lost.\n"
    "       cairn key create --objects [--account ID] [--user NAME] [--policy FILE] [--json]\n"
    "         an access key of the object storage: of the first account, or of that one, for its\n"
    "         root or for a user; account and user are made where they are not there yet.\n"
    "       cairn key list --objects [--account ID] [--user NAME] [--json]\n"
    "       cairn key delete|disable|enable --objects ACCESS_KEY...\n"
    "       cairn key create --encryption [--account ID] [--alias NAME]... [--description TEXT]\n"
    "                        [--json]\n"
    "         a key that objects can be encrypted with (SSE-KMS); prints its ARN.\n"
    "       cairn key list --encryption [--account ID] [--json]\n"
    "       cairn key disable|enable --encryption KEY...\n"
    "       cairn key alias KEY [--add NAME]... [--remove NAME]... [--json]\n"
    "         encryption keys are never deleted: what they sealed could not be read again.\n"
    "every command: [--server URL] [--key-file FILE] [--ca-file FILE] [--certificate-file FILE]\n";

Error bad(std::string message) {
  return {.kind = ErrorKind::invalid_argument, .message = std::move(message)};
}

Result<Json> create_body(const Arguments& arguments, bool with_identity) {
  const auto name = arguments.option("--name");
  if (!name) return bad("cairn key create needs --name");
  Json body = Json::object({{"name", *name}});
  if (const auto expiration = arguments.option("--expiration")) body.set("expiration", *expiration);
  CAIRN_TRY(Json role, role_of(arguments));
  if (!role.as_object().empty())
    body.set("role_descriptors", Json::object({{"role", std::move(role)}}));
  if (!with_identity) return body;
  CAIRN_TRY(Json identity, identity_of(arguments));
  if (identity.is_null()) return body;
  body.set("metadata",
           Json::object({{"_cairn", Json::object({{"identity", std::move(identity)}})}}));
  return body;
}

using Names = std::vector<std::string_view>;

bool any_of(const Arguments& arguments, const Names& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return arguments.option(name).has_value(); });
}

// Flags that make no sense together are refused, not passed over.
bool mixed(const Arguments& arguments, bool objects) {
  if (!objects)
    return any_of(arguments, {"--account", "--policy", "--alias", "--description", "--user-kind"});
  return arguments.flag("--both-ports") ||
         any_of(arguments, {"--access-key", "--name", "--kind", "--id", "--repo", "--fact",
                            "--expiration", "--cluster", "--index", "--alias", "--description"});
}

// The same where --encryption is given.
bool mixed_encryption(const Arguments& arguments) {
  return arguments.flag("--objects") || arguments.flag("--both-ports") ||
         any_of(arguments,
                {"--access-key", "--user-kind", "--name", "--kind", "--id", "--repo", "--fact",
                 "--expiration", "--cluster", "--index", "--user", "--policy"});
}
constexpr std::string_view encryption_misused =
    "--encryption goes with --account, --alias and --description only";

/// The flags of a key with an access key: whom it belongs to comes from there.
bool mixed_holder(const Arguments& arguments) {
  if (arguments.flag("--objects") ||
      any_of(arguments, {"--kind", "--id", "--repo", "--fact", "--alias", "--description"}))
    return true;
  return arguments.option("--access-key") &&
         (arguments.flag("--both-ports") ||
          any_of(arguments, {"--account", "--user", "--user-kind", "--policy"}));
}

/// The member [objects] of the request. Errors: those of reading the file of the policy.
Result<Json> holder_of(const Arguments& arguments) {
  if (const auto id = arguments.option("--access-key"))
    return Json::object({{"access_key_id", *id}});
  CAIRN_TRY(Json objects, object_key_body(arguments));
  if (const auto kind = arguments.option("--user-kind")) objects.set("kind", *kind);
  return objects;
}

int create_for_both_ports(const Arguments& arguments, Connection& connection) {
  if (mixed_holder(arguments))
    return misused(
        "--both-ports goes with --account, --user, --user-kind and --policy, and --access-key with "
        "none of these",
        usage_text);
  auto body = create_body(arguments, false);
  if (!body.ok()) return misused(body.error().message, usage_text);
  auto objects = holder_of(arguments);
  if (!objects.ok()) return explain(objects.error());
  body->set("objects", *std::move(objects));
  const auto answer = connection.ask("POST", "/_security/api_key", &*body);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  print_json(answer->body);
  return success;
}

int create(const Arguments& arguments, Connection& connection) {
  if (arguments.flag("--encryption"))
    return mixed_encryption(arguments) ? misused(encryption_misused, usage_text)
                                       : create_encryption_key(arguments, connection);
  if (arguments.flag("--both-ports") || arguments.option("--access-key"))
    return create_for_both_ports(arguments, connection);
  const bool objects = arguments.flag("--objects");
  if (mixed(arguments, objects))
    return misused(objects ? "--objects goes with --account, --user and --policy only"
                           : "--account and --policy need --objects or --both-ports",
                   usage_text);
  if (objects) return create_object_key(arguments, connection);
  const auto body = create_body(arguments, true);
  if (!body.ok()) return misused(body.error().message, usage_text);
  const auto answer = connection.ask("POST", "/_security/api_key", &*body);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  if (arguments.flag("--json"))
    print_json(answer->body);
  else
    std::printf("%s\n", answer->body.string_or("encoded").c_str());
  return success;
}

std::string time_of(const Json& key, std::string_view name) {
  const Json* value = key.find(name);
  return value != nullptr && value->is_integer() ? format_iso8601(value->as_int()) : "-";
}

std::string last_use_of(const Json& key) {
  const Json* const use = key.find("last_used");
  return use == nullptr ? "-" : time_of(*use, "at");
}

std::string state_of_key(const Json& key) {
  if (key.bool_or("invalidated")) return "invalidated";
  const Json* const enabled = key.find("enabled");
  return enabled == nullptr || enabled->as_bool() ? "valid" : "disabled";
}

int list(const Arguments& arguments, Connection& connection) {
  if (arguments.flag("--encryption"))
    return mixed_encryption(arguments) ? misused(encryption_misused, usage_text)
                                       : list_encryption_keys(arguments, connection);
  const bool objects = arguments.flag("--objects");
  if (mixed(arguments, objects) || (!objects && arguments.option("--user")))
    return misused(
        objects ? "--objects lists by --account and --user" : "--account and --user need --objects",
        usage_text);
  if (objects) return list_object_keys(arguments, connection);
  std::string path = "/_security/api_key";
  if (const auto name = arguments.option("--name")) path += "?name=" + percent_encode(*name, "*");
  const auto answer = connection.ask("GET", path);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  const Json* keys = answer->body.find("api_keys");
  if (arguments.flag("--json") || keys == nullptr || !keys->is_array()) {
    print_json(answer->body);
    return success;
  }
  std::vector<Row> rows;
  for (const Json& key : keys->as_array()) {
    const Json* kind = key.find_path("metadata._cairn.identity.kind");
    rows.push_back({key.string_or("id"), key.string_or("name"),
                    kind != nullptr && kind->is_string() ? kind->as_string() : "user",
                    time_of(key, "creation"), time_of(key, "expiration"),
                    last_use_of(key), state_of_key(key)});
  }
  print_table({"ID", "NAME", "KIND", "CREATED", "EXPIRES", "LAST USED", "STATE"}, rows);
  return success;
}

int show(const Arguments& arguments, Connection& connection) {
  const auto answer =
      connection.ask("GET", "/_security/api_key?id=" + percent_encode(arguments.words()[0]));
  if (!answer.ok()) return explain(answer.error());
  const Json* keys = answer->body.find("api_keys");  // with 404 too, and empty then
  if (answer->status != 200 && keys == nullptr) return explain(*answer);
  if (keys == nullptr || !keys->is_array() || keys->as_array().empty()) {
    std::fprintf(stderr, "cairn: there is no key [%s]\n", arguments.words()[0].c_str());
    return failed;
  }
  print_json(keys->as_array()[0]);
  return success;
}

int remove(const Arguments& arguments, Connection& connection) {
  if (arguments.flag("--objects")) return delete_object_keys(arguments, connection);
  const Json body = Json::object({{"ids", Json::array_of(arguments.words())}});
  const auto answer = connection.ask("DELETE", "/_security/api_key", &body);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  const auto count = [&](std::string_view name) {
    const Json* ids = answer->body.find(name);
    return ids != nullptr && ids->is_array() ? ids->as_array().size() : 0;
  };
  const std::size_t gone = count("invalidated_api_keys") + count("previously_invalidated_api_keys");
  if (arguments.flag("--json")) {
    print_json(answer->body);
  } else {
    const Json* details = answer->body.find("error_details");
    for (const Json& detail : details != nullptr ? details->as_array() : Json::Array())
      std::fprintf(stderr, "cairn: %s\n", detail.string_or("reason").c_str());
    std::fprintf(stderr, "%zu of %zu keys invalidated\n", gone, arguments.words().size());
  }
  return gone == arguments.words().size() ? success : gone == 0 ? failed : partly_failed;
}

int rotate_master_key(Connection& connection) {
  const auto answer = connection.ask("POST", "/_cairn/master_key/_rotate");
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  std::fputs(
      "every kept secret is sealed with a new master key; the old one opens nothing any more\n"
      "make a backup: older ones are of the old key\n",
      stderr);
  return success;
}

int rotate(const Arguments& arguments, Connection& connection) {
  if (arguments.flag("--master") != arguments.words().empty())
    return misused("either ID or --master says which key", usage_text);
  if (arguments.flag("--master")) return rotate_master_key(connection);
  Json body = Json::object();
  if (const auto overlap = arguments.option("--overlap")) body.set("overlap", *overlap);
  const auto answer = connection.ask(
      "POST", "/_security/api_key/" + percent_encode(arguments.words()[0]) + "/_rotate", &body);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  if (arguments.flag("--json")) {
    print_json(answer->body);
    return success;
  }
  std::printf("%s\n", answer->body.string_or("encoded").c_str());
  if (answer->body.find("previous_until") != nullptr)
    std::fprintf(stderr, "the old secret holds until %s\n",
                 time_of(answer->body, "previous_until").c_str());
  return success;
}

int set_active(const Arguments& arguments, Connection& connection, bool active) {
  const bool objects = arguments.flag("--objects");
  if (objects && arguments.flag("--encryption")) return misused(encryption_misused, usage_text);
  if (objects) return set_object_key_active(arguments, connection, active);
  if (arguments.flag("--encryption"))
    return set_encryption_key_enabled(arguments, connection, active);
  std::size_t done = 0;
  int status = success;
  for (const std::string& id : arguments.words()) {
    const auto answer = connection.ask("PUT", "/_security/api_key/" + percent_encode(id) +
                                                  (active ? "/_enable" : "/_disable"));
    if (answer.ok() && answer->status == 200)
      ++done;
    else
      status = answer.ok() ? explain(*answer) : explain(answer.error());
  }
  std::fprintf(stderr, "%zu of %zu keys %s\n", done, arguments.words().size(),
               active ? "enabled" : "disabled");
  if (done == arguments.words().size()) return success;
  return done == 0 ? status : partly_failed;
}
int disable(const Arguments& arguments, Connection& connection) {
  return set_active(arguments, connection, false);
}
int enable(const Arguments& arguments, Connection& connection) {
  return set_active(arguments, connection, true);
}

const std::vector<Verb>& verbs() {
  const Syntax some{
      .options = {}, .flags = {"--objects", "--encryption"}, .words_min = 1, .words_max = 1000};
  static const std::vector<Verb> all = {
      {"create",
       {.options = {"--name", "--kind", "--user", "--id", "--repo", "--fact", "--expiration",
                    "--cluster", "--index", "--account", "--policy", "--alias", "--description",
                    "--access-key", "--user-kind"},
        .flags = {"--json", "--objects", "--encryption", "--both-ports"}},
       create},
      {"list",
       {.options = {"--name", "--account", "--user"},
        .flags = {"--json", "--objects", "--encryption"}},
       list},
      {"show", {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1}, show},
      {"delete",
       {.options = {}, .flags = {"--json", "--objects"}, .words_min = 1, .words_max = 1000},
       remove},
      {"rotate",
       {.options = {"--overlap"}, .flags = {"--json", "--master"}, .words_min = 0, .words_max = 1},
       rotate},
      {"disable", some, disable},
      {"enable", some, enable},
      {"alias",
       {.options = {"--add", "--remove"}, .flags = {"--json"}, .words_min = 1, .words_max = 1},
       change_encryption_key_aliases},
  };
  return all;
}

}  // namespace

int key_command(const std::vector<std::string>& words, const Environment& environment) {
  if (words.size() == 1 && words[0] == "rotate")
    return misused("either ID or --master says which key", usage_text);
  return run_noun({.name = "key", .usage = usage_text, .verbs = verbs()}, words, environment);
}

CommandPage key_page() { return {"key", std::string(usage_text)}; }

}  // namespace cairn::cli
