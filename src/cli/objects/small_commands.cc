// SPDX-License-Identifier: Apache-2.0
// `cairn objects mb` and `presign`.
#include <utility>

#include "base/strings.h"
#include "cli/exit_codes.h"
#include "cli/objects/command.h"
#include "cli/objects/failure.h"
#include "cli/objects/places/address.h"
#include "cli/objects/presign_post.h"
#include "cli/objects/report.h"

namespace cairn::cli {
namespace {

constexpr std::int64_t usual_expiry_s = 3'600;
constexpr std::string_view first_region = "us-east-1";  // has no name as a location

Error small_fault(std::string text) { return {ErrorKind::invalid_argument, {}, std::move(text)}; }

Params bucket_params(const Service& service, const Address& at, const Arguments& arguments) {
  Params params = {{"bucket", at.bucket}};
  const bool directory = at.bucket.ends_with("--x-s3");
  if (!directory && service.region() != first_region)
    params.emplace_back("create_bucket_configuration",
                        Value::map({{"location_constraint", service.region()}}));
  if (const auto acl = arguments.option("--acl")) params.emplace_back("acl", *acl);
  if (const auto ownership = arguments.option("--object-ownership"))
    params.emplace_back("object_ownership", *ownership);
  if (arguments.flag("--object-lock")) params.emplace_back("object_lock_enabled_for_bucket", true);
  return params;
}

int run_make_bucket(const Arguments& arguments, ObjectRun& run) {
  const bool json = arguments.flag("--json");
  const auto at = parse_object_address(arguments.words()[0]);
  if (!at.ok()) return tell_failure(run.console, at.error(), json);
  if (!at->key.empty())
    return tell_failure(run.console,
                        small_fault(arguments.words()[0] + " names more than a bucket"), json);
  const auto service = open_service(arguments, run);
  if (!service.ok()) return tell_failure(run.console, service.error(), json);
  Report report(arguments, run.console, os::system_clock());
  const Action action{"make_bucket", at->bucket, {}, 0};
  if (!report.dry_run()) {
    const auto made = service->call("create_bucket", bucket_params(*service, *at, arguments));
    const bool own = !made.ok() && made.error().code == "BucketAlreadyOwnedByYou";
    if (own && arguments.flag("--ignore-existing")) {
      report.skipped(action, "it is there already");
      return report.finish(false);
    }
    if (!made.ok()) {
      report.failed(action, made.error());
      return report.finish(false);
    }
  }
  report.done(action);
  return report.finish(false);
}

struct MethodOperation {
  std::string_view method;
  std::string_view operation;
};
constexpr MethodOperation method_operations[] = {{"GET", "get_object"},
                                                 {"PUT", "put_object"},
                                                 {"HEAD", "head_object"},
                                                 {"DELETE", "delete_object"}};

std::string_view operation_of_method(std::string_view method) {
  for (const auto& one : method_operations)
    if (equals_ignore_case(one.method, method)) return one.operation;
  return {};
}

int run_presign(const Arguments& arguments, ObjectRun& run) {
  const bool json = arguments.flag("--json");
  const auto fail = [&](const Error& error) { return tell_failure(run.console, error, json); };
  const auto at = parse_object_address(arguments.words()[0]);
  if (!at.ok()) return fail(at.error());
  if (arguments.flag("--post")) return run_presign_post(arguments, *at, usual_expiry_s, run);
  for (const char* name : {"--html", "--curl"})
    if (arguments.flag(name)) return fail(small_fault(std::string(name) + " is of --post"));
  for (const char* name : {"--content-length-range", "--field", "--starts-with"})
    if (arguments.option(name)) return fail(small_fault(std::string(name) + " is of --post"));
  if (at->key.empty()) return fail(small_fault(arguments.words()[0] + " names no object"));
  const std::string method = arguments.option("--method").value_or("GET");
  const std::string_view operation = operation_of_method(method);
  if (operation.empty()) return fail(small_fault("--method takes GET, PUT, HEAD or DELETE"));
  const auto seconds = read_expiry_s(arguments, usual_expiry_s);
  if (!seconds.ok()) return fail(seconds.error());
  Params params = {{"bucket", at->bucket}, {"key", at->key}};
  if (const auto version = arguments.option("--version-id"))
    params.emplace_back("version_id", *version);
  if (const auto type = arguments.option("--content-type"))
    params.emplace_back(operation == "put_object" ? "content_type" : "response_content_type",
                        *type);
  const auto service = open_service(arguments, run);
  if (!service.ok()) return fail(service.error());
  const auto signed_request = service->presign(operation, params, *seconds);
  if (!signed_request.ok()) return fail(signed_request.error());
  if (!json) {
    run.console.out(signed_request->url + "\n");
    return success;
  }
  Json headers = Json::object();
  for (const auto& [name, value] : signed_request->headers.fields()) headers.set(name, value);
  run.console.out(Json::object({{"method", signed_request->method},
                                {"url", signed_request->url},
                                {"headers", std::move(headers)},
                                {"expires_in", *seconds}})
                      .dump() +
                  "\n");
  return success;
}

Syntax make_bucket_syntax() {
  Syntax syntax{.options = {"--acl", "--object-ownership"},
                .flags = {"--object-lock", "--ignore-existing"},
                .words_min = 1,
                .words_max = 1};
  for (const auto flag : report_flags) syntax.flags.emplace_back(flag);
  return syntax;
}

}  // namespace

const ObjectCommand& make_bucket_command() {
  static const ObjectCommand command{
      .name = "mb",
      .usage = "cairn objects mb s3://BUCKET [options]",
      .summary = "makes a bucket",
      .help =
          "  --ignore-existing           one's own bucket of that name will do\n"
          "  --object-lock               versions can be locked\n"
          "  --object-ownership NAME     --acl ACL\n"
          "  --dry-run                   says what it would do\n"
          "  --json                      a JSON object a line\n",
      .syntax = make_bucket_syntax(),
      .run = run_make_bucket};
  return command;
}

const ObjectCommand& presign_command() {
  static const ObjectCommand command{
      .name = "presign",
      .usage = "cairn objects presign s3://BUCKET/KEY [options]",
      .summary = "prints a URL, or a form, by which anybody can ask for an object for a while",
      .help =
          "  --expires-in TIME           seconds, or as 15m: up to 7d; 1h where it is not given\n"
          "  --method GET|PUT|HEAD|DELETE\n"
          "  --content-type TYPE         of PUT: must be sent so; of GET: is answered so\n"
          "  --version-id ID\n"
          "  --json                      with method and the header fields to send\n"
          "  --post                      prints a form for pages instead, as JSON: its URL and its\n"
          "                              fields; below s3://BUCKET/PREFIX/ files keep their names\n"
          "  --content-length-range MIN,MAX\n"
          "                              of --post: how large the file may be, as 0,10MiB\n"
          "  --field FIELD=VALUE         of --post: a field that the form has, as acl=private\n"
          "  --starts-with FIELD=TEXT    of --post: a field that the page adds, and how it begins\n"
          "  --html, --curl              of --post: a page with the form; a command that sends it\n",
      .syntax = {.options = {"--expires-in", "--method", "--content-type", "--version-id",
                             "--content-length-range", "--field", "--starts-with"},
                 .flags = {"--json", "--post", "--html", "--curl"},
                 .words_min = 1,
                 .words_max = 1},
      .run = run_presign};
  return command;
}

}  // namespace cairn::cli
