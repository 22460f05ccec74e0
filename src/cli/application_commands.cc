// SPDX-License-Identifier: Apache-2.0
// `cairn applications`: which programs may act for whom.
#include <cstdio>

#include "base/encode.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/key_body.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace cairn::cli {
namespace {

constexpr std::string_view applications_usage =
    "usage: cairn applications grant CLIENT_ID [--cluster PRIVILEGE,...]... [--index "
    "NAMES:PRIVILEGES]...\n"
    "                                [--kind KIND [--user NAME|--id ID|--repo ID] [--fact "
    "NAME=VALUE]...]\n"
    "                                [--json]\n"
    "       cairn applications list CLIENT_ID [--json]\n"
    "       cairn applications revoke CLIENT_ID ACCOUNT... [--json]\n"
    "grant: the application, an API key of the kind oauth_app, gets tokens to act for the user of "
    "the\n"
    "key that asks, with these privileges or with all of that key. --kind grants them for an\n"
    "installation, a workflow or another user, and needs manage_api_key. revoke: ends a grant and "
    "all\n"
    "its tokens; ACCOUNT as list shows it, as user:ann.\n"
    "every command: [--server URL] [--key-file FILE] [--ca-file FILE] [--certificate-file FILE]\n";

std::string grants_of(const std::string& application) {
  return "/_security/application/" + percent_encode(application) + "/grant";
}

int grant(const Arguments& arguments, Connection& connection) {
  Json body = Json::object();
  auto identity = identity_of(arguments);
  auto role = role_of(arguments);
  if (!identity.ok() || !role.ok())
    return misused((identity.ok() ? role.error() : identity.error()).message, applications_usage);
  if (!identity->is_null()) body.set("identity", std::move(*identity));
  if (!role->as_object().empty())
    body.set("role_descriptors", Json::object({{"role", std::move(*role)}}));
  const auto asked = ask_or_explain(connection, "PUT", grants_of(arguments.words()[0]), &body);
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json"))
    print_json(asked.body);
  else
    std::printf("%s\n", asked.body.string_or("account").c_str());
  return success;
}

int list_grants(const Arguments& arguments, Connection& connection) {
  const auto asked = ask_or_explain(connection, "GET", grants_of(arguments.words()[0]));
  if (asked.exit_code != success) return asked.exit_code;
  const Json* const grants = asked.body.find("grants");
  if (arguments.flag("--json") || grants == nullptr || !grants->is_array()) {
    print_json(asked.body);
    return success;
  }
  std::vector<Row> rows;
  for (const Json& one : grants->as_array())
    rows.push_back(
        {one.string_or("account"), one.string_or("username"), one.string_or("granted_by")});
  print_table({"ACCOUNT", "USER", "GRANTED BY KEY"}, rows);
  return success;
}

int revoke(const Arguments& arguments, Connection& connection) {
  const std::string& application = arguments.words()[0];
  int status = success;
  std::size_t done = 0;
  for (std::size_t i = 1; i < arguments.words().size(); ++i) {
    const auto asked = ask_or_explain(
        connection, "DELETE", grants_of(application) + "/" + percent_encode(arguments.words()[i]));
    if (asked.exit_code != success) {
      status = asked.exit_code;
      continue;
    }
    ++done;
    if (arguments.flag("--json"))
      print_json(asked.body);
    else
      std::printf("%s\t%lld tokens ended\n", arguments.words()[i].c_str(),
                  static_cast<long long>(asked.body.int_or("tokens_ended")));
  }
  return status == success || done == 0 ? status : partly_failed;
}

const std::vector<Verb>& applications_verbs() {
  static const std::vector<Verb> all = {
      {"grant",
       {.options = {"--cluster", "--index", "--kind", "--user", "--id", "--repo", "--fact"},
        .flags = {"--json"},
        .words_min = 1,
        .words_max = 1},
       grant},
      {"list", {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1}, list_grants},
      {"revoke", {.options = {}, .flags = {"--json"}, .words_min = 2, .words_max = 1000}, revoke},
  };
  return all;
}

}  // namespace

int applications_command(const std::vector<std::string>& words, const Environment& environment) {
  return run_noun(
      {.name = "applications", .usage = applications_usage, .verbs = applications_verbs()}, words,
      environment);
}

CommandPage applications_page() { return {"applications", std::string(applications_usage)}; }

}  // namespace cairn::cli
