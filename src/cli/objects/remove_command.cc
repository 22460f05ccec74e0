// SPDX-License-Identifier: Apache-2.0
// `cairn objects rm`, and `rb`, which empties a bucket before.
#include <memory>
#include <utility>

#include "cli/exit_codes.h"
#include "cli/objects/command.h"
#include "cli/objects/failure.h"
#include "cli/objects/places/address.h"
#include "cli/objects/places/listing.h"
#include "cli/objects/places/name_filter.h"
#include "cli/objects/report.h"
#include "cli/objects/transfer/removal.h"
#include "objectclient/token_watch.h"

namespace cairn::cli {
namespace {

constexpr std::size_t removal_batch_max = 1'000;

Value identifier_of_key(const std::string& key) { return Value::map({{"key", key}}); }

/// The objects below a prefix that the filter takes, in batches.
NextBatch filtered_batches(const Service& service, const Address& at, NameFilter filter) {
  const NextEntry next = listed_entries(service, at.bucket, at.key);
  const auto over = std::make_shared<bool>(false);
  return [next, over, filter = std::move(filter)]() -> Result<std::optional<Value::List>> {
    Value::List batch;
    while (!*over && batch.size() < removal_batch_max) {
      CAIRN_TRY(const auto entry, next());
      *over = !entry;
      if (entry && filter.takes(entry->name)) batch.push_back(identifier_of_key(entry->place));
    }
    return batch.empty() ? std::nullopt : std::optional(std::move(batch));
  };
}

/// The versions of an object, or of all below a prefix.
NextBatch version_batches(const Service& service, const Address& at, bool recursive) {
  const NextIdentifiers next = version_pages(service, at.bucket, at.key);
  const std::string only = recursive ? "" : at.key;
  return [next, only]() -> Result<std::optional<Value::List>> {
    CAIRN_TRY(auto page, next());
    if (page && !only.empty())
      std::erase_if(*page, [&](const Value& one) {
        return one["key"].text() == nullptr || *one["key"].text() != only;
      });
    return page;
  };
}

Status remove_one(const Service& service, const Address& at, const Arguments& arguments,
                  Report& report) {
  Params params = {{"bucket", at.bucket}, {"key", at.key}};
  const auto version = arguments.option("--version-id");
  if (version) params.emplace_back("version_id", *version);
  const Action action{"delete", at.text(), {}, 0};
  if (!report.dry_run()) {
    const auto removed = service.call("delete_object", params);
    if (!removed.ok()) return report.failed(action, removed.error()), ok_status();
  }
  report.done(action);
  return ok_status();
}

int run_remove(const Arguments& arguments, ObjectRun& run) {
  const bool json = arguments.flag("--json");
  const bool recursive = arguments.flag("--recursive");
  const bool versions = arguments.flag("--all-versions");
  std::vector<Address> places;
  for (const std::string& word : arguments.words()) {
    auto at = parse_object_address(word);
    if (!at.ok()) return tell_failure(run.console, at.error(), json);
    if (at->key.empty() && !recursive)
      return tell_failure(run.console,
                          Error{ErrorKind::invalid_argument,
                                {},
                                word + " names no object: add --recursive for all of the bucket"},
                          json);
    places.push_back(*std::move(at));
  }
  const auto service = open_service(arguments, run);
  if (!service.ok()) return tell_failure(run.console, service.error(), json);
  Report report(arguments, run.console, os::system_clock());
  Status done = ok_status();
  for (const Address& at : places) {
    done =
        versions
            ? remove_batches(*service, at.bucket, version_batches(*service, at, recursive), report)
        : recursive ? remove_batches(*service, at.bucket,
                                     filtered_batches(*service, at, NameFilter(arguments)), report)
                    : remove_one(*service, at, arguments, report);
    if (!done.ok()) break;
  }
  const int status = report.finish(recursive && done.ok());
  return done.ok() ? status : tell_failure(run.console, done.error(), json);
}

Status abort_open_uploads(const Service& service, const std::string& bucket, Report& report) {
  Params params = {{"bucket", bucket}};
  objectclient::TokenWatch watch;
  const auto marker = [](const Value& page, std::string_view name) {
    const std::string* const text = page[name].text();
    return text != nullptr ? *text : std::string();
  };
  for (;;) {
    CAIRN_TRY(const Value page, service.call("list_multipart_uploads", params));
    const auto* const uploads = page["uploads"].elements();
    if (uploads != nullptr)
      for (const Value& one : *uploads) {
        const Action action{
            "abort",
            object_text(bucket, one["key"].text() != nullptr ? *one["key"].text() : ""),
            {},
            0};
        if (!report.dry_run()) {
          const auto aborted = service.call(
              "abort_multipart_upload",
              {{"bucket", bucket}, {"key", one["key"]}, {"upload_id", one["upload_id"]}});
          if (!aborted.ok()) {
            report.failed(action, aborted.error());
            continue;
          }
        }
        report.done(action);
      }
    const bool* const more = page["is_truncated"].boolean();
    if (more == nullptr || !*more) return ok_status();
    CAIRN_CHECK(
        watch.see(marker(page, "next_key_marker") + '\0' + marker(page, "next_upload_id_marker")));
    params = {{"bucket", bucket},
              {"key_marker", page["next_key_marker"]},
              {"upload_id_marker", page["next_upload_id_marker"]}};
  }
}

/// Everything: objects, all their versions, and uploads that are not finished.
Status empty_bucket(const Service& service, const std::string& bucket, Report& report) {
  const Address all{.kind = Address::Kind::object, .bucket = bucket};
  const Status removed =
      remove_batches(service, bucket, version_batches(service, all, true), report);
  // A service without versions has objects all the same.
  if (!removed.ok() && removed.error().code != "NotImplemented") return removed;
  if (!removed.ok())
    CAIRN_CHECK(remove_batches(service, bucket, filtered_batches(service, all, {}), report));
  return abort_open_uploads(service, bucket, report);
}

int run_remove_bucket(const Arguments& arguments, ObjectRun& run) {
  const bool json = arguments.flag("--json");
  const auto at = parse_object_address(arguments.words()[0]);
  if (!at.ok()) return tell_failure(run.console, at.error(), json);
  if (!at->key.empty())
    return tell_failure(
        run.console,
        Error{ErrorKind::invalid_argument, {}, arguments.words()[0] + " names more than a bucket"},
        json);
  const auto service = open_service(arguments, run);
  if (!service.ok()) return tell_failure(run.console, service.error(), json);
  Report report(arguments, run.console, os::system_clock());
  if (arguments.flag("--force"))
    if (const Status empty = empty_bucket(*service, at->bucket, report); !empty.ok())
      return tell_failure(run.console, empty.error(), json);
  const Action action{"remove_bucket", at->bucket, {}, 0};
  if (!report.dry_run()) {
    const auto removed = service->call("delete_bucket", {{"bucket", at->bucket}});
    if (!removed.ok()) {
      report.failed(action, removed.error());
      return report.finish(false);
    }
  }
  report.done(action);
  return report.finish(false);
}

Syntax removal_syntax(Syntax syntax) {
  for (const auto flag : report_flags) syntax.flags.emplace_back(flag);
  return syntax;
}

}  // namespace

const ObjectCommand& remove_command() {
  static const ObjectCommand command{
      .name = "rm",
      .usage = "cairn objects rm s3://BUCKET/KEY... [--recursive] [options]",
      .summary = "deletes objects",
      .help =
          "  --recursive                 all below the prefix, 1,000 a request\n"
          "  --include PATTERN  --exclude PATTERN   in order, the last that matches decides\n"
          "  --version-id ID             this version, for ever\n"
          "  --all-versions              every version and delete marker, for ever\n"
          "  --dry-run                   says what it would do\n"
          "  --json                      a JSON object a line\n"
          "  --quiet                     errors only\n",
      .syntax = removal_syntax({.options = {"--include", "--exclude", "--version-id"},
                                .flags = {"--recursive", "--all-versions"},
                                .words_min = 1,
                                .words_max = 10'000}),
      .run = run_remove};
  return command;
}

const ObjectCommand& remove_bucket_command() {
  static const ObjectCommand command{
      .name = "rb",
      .usage = "cairn objects rb s3://BUCKET [--force] [options]",
      .summary = "removes a bucket",
      .help =
          "  --force                     deletes all that is in it before: objects, every\n"
          "                              version, and uploads that are not finished\n"
          "  --dry-run                   says what it would do\n"
          "  --json                      a JSON object a line\n"
          "  --quiet                     errors only\n",
      .syntax =
          removal_syntax({.options = {}, .flags = {"--force"}, .words_min = 1, .words_max = 1}),
      .run = run_remove_bucket};
  return command;
}

}  // namespace cairn::cli
