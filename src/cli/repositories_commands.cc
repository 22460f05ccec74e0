// SPDX-License-Identifier: Apache-2.0
// `cairn repositories`: where snapshots are kept.
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

constexpr std::string_view repositories_usage =
    "usage: cairn repositories list [--json]\n"
    "       cairn repositories show NAME\n"
    "       cairn repositories create NAME FOLDER|s3://BUCKET/PREFIX [--client NAME] [--readonly]\n"
    "                                 [--setting KEY=VALUE]... [--no-verify] [--json]\n"
    "       cairn repositories verify NAME [--json]\n"
    "       cairn repositories cleanup NAME [--json]\n"
    "       cairn repositories delete NAME... [--json]\n"
    "create: a folder beneath path.repo, a bucket of this Cairn's own object storage, or, with "
    "the\n"
    "client of s3.client that --client names, one of another cluster. It is written to and read "
    "from\n"
    "before it is registered.\n"
    "cleanup: deletes what no snapshot needs. delete: unregisters; the snapshots stay where they "
    "are.\n"
    "every command: [--server URL] [--key-file FILE] [--ca-file FILE] [--certificate-file FILE]\n";

std::string repository_path(const std::string& name) {
  return "/_snapshot/" + percent_encode(name);
}

std::string place_of(const Json& repository) {
  const Json* settings = repository.find("settings");
  if (settings == nullptr) return "-";
  if (const std::string folder = settings->string_or("location"); !folder.empty()) return folder;
  const std::string base = settings->string_or("base_path");
  return "s3://" + settings->string_or("bucket") + (base.empty() ? "" : "/" + base);
}

int list_repositories(const Arguments& arguments, Connection& connection) {
  const auto asked = ask_or_explain(connection, "GET", "/_snapshot");
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json")) {
    print_json(asked.body);
    return success;
  }
  std::vector<Row> rows;
  for (const auto& [name, one] : asked.body.is_object() ? asked.body.as_object() : Json::Object()) {
    const Json* settings = one.find("settings");
    rows.push_back({name, one.string_or("type"), place_of(one),
                    settings != nullptr ? settings->string_or("client", "-") : "-"});
  }
  print_table({"REPOSITORY", "TYPE", "PLACE", "CLIENT"}, rows);
  return success;
}

int show_repository(const Arguments& arguments, Connection& connection) {
  const auto asked = ask_or_explain(connection, "GET", repository_path(arguments.words()[0]));
  if (asked.exit_code == success) print_json(asked.body);
  return asked.exit_code;
}

Result<Json> repository_body(const Arguments& arguments) {
  constexpr std::string_view scheme = "s3://";
  const std::string& place = arguments.words()[1];
  Json settings = Json::object();
  const bool in_bucket = place.starts_with(scheme);
  if (in_bucket) {
    const std::string rest = place.substr(scheme.size());
    const std::size_t slash = rest.find('/');
    settings.set("bucket", rest.substr(0, slash));
    if (slash != std::string::npos && slash + 1 < rest.size())
      settings.set("base_path", rest.substr(slash + 1));
    if (const auto client = arguments.option("--client")) settings.set("client", *client);
  } else {
    if (arguments.option("--client"))
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "--client is for a bucket (s3://…), not for a folder"};
    settings.set("location", place);
  }
  if (arguments.flag("--readonly")) settings.set("readonly", true);
  for (const auto& given : arguments.options("--setting")) {
    const auto equals = given.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "--setting is KEY=VALUE, not " + given};
    settings.set(given.substr(0, equals), given.substr(equals + 1));
  }
  return Json::object({{"type", in_bucket ? "s3" : "fs"}, {"settings", std::move(settings)}});
}

int create_repository(const Arguments& arguments, Connection& connection) {
  const auto body = repository_body(arguments);
  if (!body.ok()) return explain(body.error());
  const std::string& name = arguments.words()[0];
  const auto asked = wait_for(
      connection, "PUT",
      repository_path(name) + (arguments.flag("--no-verify") ? "?verify=false" : ""), &*body);
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json"))
    print_json(asked.body);
  else
    std::fprintf(stderr, "repository %s registered\n", name.c_str());
  return success;
}

int verify_repository(const Arguments& arguments, Connection& connection) {
  const std::string& name = arguments.words()[0];
  const auto asked = wait_for(connection, "POST", repository_path(name) + "/_verify");
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json"))
    print_json(asked.body);
  else
    std::fprintf(stderr, "repository %s can be written and read\n", name.c_str());
  return success;
}

int clean_repository(const Arguments& arguments, Connection& connection) {
  const auto asked =
      wait_for(connection, "POST",
               repository_path(arguments.words()[0]) + "/_cleanup?master_timeout=-1&timeout=-1");
  if (asked.exit_code != success) return asked.exit_code;
  if (arguments.flag("--json")) {
    print_json(asked.body);
    return success;
  }
  const Json* results = asked.body.find("results");
  if (results != nullptr)
    std::fprintf(stderr, "%lld blobs deleted, %s\n",
                 static_cast<long long>(results->int_or("deleted_blobs")),
                 human_bytes(static_cast<std::uint64_t>(results->int_or("deleted_bytes"))).c_str());
  return success;
}

int delete_repositories(const Arguments& arguments, Connection& connection) {
  return for_each_word(arguments, [&](const std::string& name) {
    const auto asked = ask_or_explain(connection, "DELETE", repository_path(name));
    if (asked.exit_code != success) return asked.exit_code;
    if (arguments.flag("--json"))
      print_json(asked.body);
    else
      std::fprintf(stderr, "repository %s unregistered\n", name.c_str());
    return success;
  });
}

const std::vector<Verb>& repositories_verbs() {
  static const std::vector<Verb> all = {
      {"list", {.options = {}, .flags = {"--json"}}, list_repositories},
      {"show",
       {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1},
       show_repository},
      {"create",
       {.options = {"--client", "--setting"},
        .flags = {"--json", "--readonly", "--no-verify"},
        .words_min = 2,
        .words_max = 2},
       create_repository},
      {"verify",
       {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1},
       verify_repository},
      {"cleanup",
       {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1},
       clean_repository},
      {"delete",
       {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1000},
       delete_repositories},
  };
  return all;
}

}  // namespace

int repositories_command(const std::vector<std::string>& words, const Environment& environment) {
  return run_noun(
      {.name = "repositories", .usage = repositories_usage, .verbs = repositories_verbs()}, words,
      environment);
}

CommandPage repositories_page() { return {"repositories", std::string(repositories_usage)}; }

}  // namespace cairn::cli
