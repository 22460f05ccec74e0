// SPDX-License-Identifier: Apache-2.0
// `cairn objects access-point`: access points and their policies.
#include <optional>
#include <utility>

#include "base/strings.h"
#include "cli/exit_codes.h"
#include "cli/objects/command.h"
#include "cli/objects/failure.h"
#include "cli/objects/parameters.h"
#include "cli/objects/places/address.h"
#include "cli/objects/result_text.h"
#include "objectclient/call/value_json.h"

namespace cairn::cli {
namespace {

Error access_point_fault(std::string text) {
  return {ErrorKind::invalid_argument, {}, std::move(text)};
}

// One verb: its operation, and how many words stand behind it.
struct AccessPointVerb {
  std::string_view verb;
  std::string_view operation;
  std::size_t words;
};
constexpr AccessPointVerb access_point_verbs[] = {
    {"create", "create_access_point", 2},
    {"list", "list_access_points", 0},
    {"show", "get_access_point", 1},
    {"delete", "delete_access_point", 1},
    {"policy", "get_access_point_policy", 1},
    {"set-policy", "put_access_point_policy", 2},
    {"delete-policy", "delete_access_point_policy", 1},
    {"scope", "get_access_point_scope", 1},
    {"set-scope", "put_access_point_scope", 2},
    {"delete-scope", "delete_access_point_scope", 1},
};

Result<std::string> account_of(const Arguments& arguments, const ObjectRun& run) {
  if (auto given = arguments.option("--account")) return *given;
  if (run.environment)
    if (auto known = run.environment("AWS_ACCOUNT_ID")) return *known;
  return access_point_fault(
      "say whose access points are meant: --account with 12 digits, or AWS_ACCOUNT_ID");
}

Result<Value> value_of_json(const std::string& word) {
  CAIRN_TRY(const std::string text, text_or_file(word));
  return Value::from_json(text);
}

Result<Params> params_of_new(const std::vector<std::string>& words, const Arguments& arguments) {
  CAIRN_TRY(const Address at, parse_object_address(words[2]));
  if (!at.key.empty()) return access_point_fault(words[2] + " names more than a bucket");
  Params request = {{"bucket", at.bucket}};
  if (const auto owner = arguments.option("--bucket-account"))
    request.emplace_back("bucket_account_id", *owner);
  if (const auto scope = arguments.option("--scope")) {
    CAIRN_TRY(Value value, value_of_json(*scope));
    request.emplace_back("scope", std::move(value));
  }
  if (arguments.flag("--public"))
    request.emplace_back("public_access_block_configuration",
                         Value::map({{"block_public_acls", false},
                                     {"ignore_public_acls", false},
                                     {"block_public_policy", false},
                                     {"restrict_public_buckets", false}}));
  return Params{{"name", words[1]}, {"create_access_point_request", Value::map(std::move(request))}};
}

bool lists_directories(const Arguments& arguments) {
  return arguments.flag("--directory") ||
         arguments.option("--bucket").value_or("").ends_with("--x-s3");
}

Result<Params> params_of_verb(const AccessPointVerb& verb, const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words();
  if (verb.verb == "create") return params_of_new(words, arguments);
  Params params;
  if (verb.words > 0) params.emplace_back("name", words[1]);
  if (verb.verb == "list")
    if (const auto bucket = arguments.option("--bucket"))
      params.emplace_back(lists_directories(arguments) ? "directory_bucket" : "bucket", *bucket);
  if (verb.verb == "set-scope") {
    CAIRN_TRY(Value scope, value_of_json(words[2]));
    params.emplace_back("put_access_point_scope_request", Value::map({{"scope", std::move(scope)}}));
  }
  if (verb.verb == "set-policy") {
    CAIRN_TRY(std::string policy, text_or_file(words[2]));
    params.emplace_back("put_access_point_policy_request",
                        Value::map({{"policy", std::move(policy)}}));
  }
  return params;
}

// All pages of a listing; of another operation its one result. A listing that comes back to where it
// was would never end.
Status show_results(const Service& service, const AccessPointVerb& verb, Params params,
                    const Arguments& arguments, ObjectRun& run) {
  const bool directories = verb.verb == "list" && lists_directories(arguments);
  const std::string_view operation =
      directories ? "list_access_points_for_directory_buckets" : verb.operation;
  for (std::string at;;) {
    CAIRN_TRY(const Value result, service.call(operation, params));
    run.console.out(arguments.flag("--json") ? objectclient::json_of(result).dump() + "\n"
                                             : result_text(result));
    const std::string* next = verb.verb == "list" ? result["next_token"].text() : nullptr;
    if (next == nullptr || next->empty()) return ok_status();
    if (*next == at)
      return Error{ErrorKind::unavailable, {}, "the service gives the same page again"};
    at = *next;
    std::erase_if(params, [](const auto& each) { return each.first == "next_token"; });
    params.emplace_back("next_token", *next);
  }
}

int run_access_point(const Arguments& arguments, ObjectRun& run) {
  const bool json = arguments.flag("--json");
  const auto fail = [&](const Error& error) { return tell_failure(run.console, error, json); };
  const AccessPointVerb* verb = nullptr;
  for (const AccessPointVerb& each : access_point_verbs)
    if (each.verb == arguments.words()[0]) verb = &each;
  if (verb == nullptr || arguments.words().size() != verb->words + 1)
    return fail(access_point_fault(
        "cairn objects access-point takes create NAME s3://BUCKET, list, show NAME, delete NAME, "
        "policy NAME, set-policy NAME POLICY, delete-policy NAME, scope NAME, set-scope NAME SCOPE or "
        "delete-scope NAME"));
  const auto account = account_of(arguments, run);
  if (!account.ok()) return fail(account.error());
  auto params = params_of_verb(*verb, arguments);
  if (!params.ok()) return fail(params.error());
  params->emplace_back("account_id", *account);
  if (const auto outpost = arguments.option("--outpost"))
    params->emplace_back("outpost_id", *outpost);
  const auto service = open_service(arguments, run);
  if (!service.ok()) return fail(service.error());
  const Status done = show_results(*service, *verb, *std::move(params), arguments, run);
  return done.ok() ? success : fail(done.error());
}

}  // namespace

const ObjectCommand& access_point_command() {
  static const ObjectCommand command{
      .name = "access-point",
      .usage = "cairn objects access-point VERB [NAME …] --account ID [options]",
      .summary = "makes, shows and deletes access points, their policies and scopes",
      .help =
          "  create NAME s3://BUCKET     prints the ARN and the alias\n"
          "  list                        those of one --bucket, or of all; of directory buckets with\n"
          "                              --directory\n"
          "  show NAME                   delete NAME\n"
          "  policy NAME                 delete-policy NAME\n"
          "  set-policy NAME POLICY      JSON, or @FILE\n"
          "  scope NAME                  delete-scope NAME\n"
          "  set-scope NAME SCOPE        of a directory bucket's: JSON, or @FILE, such as\n"
          "                              {\"prefixes\":[\"a/\"],\"permissions\":[\"GetObject\"]}\n"
          "  --account ID                whose: 12 digits; or AWS_ACCOUNT_ID\n"
          "  --bucket-account ID         create: whose the bucket is, where it is another's\n"
          "  --scope SCOPE               create: of a directory bucket's\n"
          "  --outpost ID                of a bucket of this outpost, with any verb\n"
          "  --public                    create: nothing is blocked that is for everybody\n"
          "  --json                      a JSON object a line\n",
      .syntax = {.options = {"--account", "--bucket", "--bucket-account", "--outpost", "--scope"},
                 .flags = {"--directory", "--json", "--public"},
                 .words_min = 1,
                 .words_max = 3},
      .run = run_access_point};
  return command;
}

}  // namespace cairn::cli
