// SPDX-License-Identifier: Apache-2.0
// `cairn objects sync`: one side gets what the other has.
#include <atomic>
#include <utility>
#include <vector>

#include "cli/exit_codes.h"
#include "cli/objects/command.h"
#include "cli/objects/failure.h"
#include "cli/objects/places/address.h"
#include "cli/objects/places/key_path.h"
#include "cli/objects/places/listing.h"
#include "cli/objects/places/local_files.h"
#include "cli/objects/places/name_filter.h"
#include "cli/objects/report.h"
#include "cli/objects/service_options.h"
#include "cli/objects/transfer/import.h"
#include "cli/objects/transfer/removal.h"
#include "cli/objects/transfer/sync_plan.h"
#include "cli/objects/transfer/transfer.h"
#include "os/files/files.h"

namespace cairn::cli {
namespace {

struct SyncSides {
  Address source = {};
  Address target = {};
};

Result<std::vector<Entry>> all_entries(const NextEntry& next, const NameFilter& filter) {
  std::vector<Entry> out;
  for (;;) {
    CAIRN_TRY(auto entry, next());
    if (!entry) return out;
    if (filter.takes(entry->name)) out.push_back(*std::move(entry));
  }
}

/// What one side has. A folder that is not there has nothing.
Result<std::vector<Entry>> entries_of_side(const Service& service, const Address& side,
                                           const Arguments& arguments, bool is_target,
                                           const TellOdd& odd) {
  const NameFilter filter(arguments);
  if (side.is_object())
    return all_entries(listed_entries(service, side.bucket, as_folder(side.key)), filter);
  if (is_target && !exists_locally(side.path)) return std::vector<Entry>();
  if (!is_local_folder(side.path)) return no_local_folder(side.path);
  return all_entries(local_entries(side.path, !arguments.flag("--no-follow-symlinks"), odd),
                     filter);
}

/// Objects whose keys no file can have are told; those that mark folders are passed over.
std::vector<Entry> entries_with_paths(std::vector<Entry> entries, const std::string& bucket,
                                      Report& report) {
  std::erase_if(entries, [&](const Entry& entry) {
    if (entry.size == 0 && (entry.name.empty() || entry.name.ends_with('/'))) return true;
    const std::string why = why_no_path(entry.name);
    if (!why.empty()) report.odd(object_text(bucket, entry.place), why);
    return !why.empty();
  });
  return entries;
}

Transfer transfer_of_entry(const SyncSides& sides, Direction direction, Entry entry) {
  Transfer out{.direction = direction,
               .source = std::move(entry),
               .source_bucket = sides.source.bucket,
               .target_bucket = sides.target.bucket};
  if (direction == Direction::download) {
    out.target_folder = sides.target.path;
    out.target_name = out.source.name;
  } else {
    out.target_key = as_folder(sides.target.key) + out.source.name;
  }
  return out;
}

void remove_extra_files(const std::vector<Entry>& entries, Report& report) {
  for (const Entry& entry : entries) {
    const Action action{"delete", entry.place, {}, 0};
    const Status removed = report.dry_run() ? ok_status() : os::system_files().remove(entry.place);
    if (removed.ok())
      report.done(action);
    else
      report.failed(action, removed.error());
  }
}

Status make_in_step(const Service& service, const SyncSides& sides, const SyncRules& rules,
                    const TransferSettings& settings, const Arguments& arguments, Report& report) {
  bool complete = true;  // what could not be read may be there all the same
  const TellOdd odd = [&](const std::string& what, const std::string& why) {
    complete = false;
    report.odd(what, why);
  };
  CAIRN_TRY(auto source, entries_of_side(service, sides.source, arguments, false, odd));
  CAIRN_TRY(auto target, entries_of_side(service, sides.target, arguments, true, odd));
  if (rules.direction == Direction::download)
    source = entries_with_paths(std::move(source), sides.source.bucket, report);
  std::vector<Transfer> transfers;
  std::vector<Entry> extra;
  for (SyncStep& step : plan_sync(std::move(source), std::move(target), rules)) {
    if (step.kind == SyncStep::Kind::remove) {
      extra.push_back(std::move(step.entry));
      continue;
    }
    report.expect(step.entry.size);
    transfers.push_back(transfer_of_entry(sides, rules.direction, std::move(step.entry)));
  }
  report.all_expected();
  std::size_t next = 0;
  CAIRN_CHECK(Transfers(service, settings, report)
                  .run(
                      [&]() -> Result<std::optional<Transfer>> {
                        if (next == transfers.size()) return std::optional<Transfer>();
                        return std::optional(std::move(transfers[next++]));
                      },
                      transfers.size() == 1));
  if (extra.empty()) return ok_status();
  if (!complete)
    return Error{
        ErrorKind::conflict, {}, "not all of the source could be read: nothing is deleted"};
  if (!sides.target.is_object()) return remove_extra_files(extra, report), ok_status();
  std::vector<std::string> keys;
  for (Entry& entry : extra) keys.push_back(std::move(entry.place));
  return remove_keys(service, sides.target.bucket, keys, report);
}

Result<SyncSides> read_sides(const Arguments& arguments) {
  SyncSides sides;
  CAIRN_TRY(sides.source, parse_address(arguments.words()[0]));
  CAIRN_TRY(sides.target, parse_address(arguments.words()[1]));
  if (sides.source.is_stream() || sides.target.is_stream())
    return Error{ErrorKind::invalid_argument, {}, "- is no folder"};
  if (!sides.source.is_object() && !sides.target.is_object())
    return Error{ErrorKind::invalid_argument, {}, "one side must be s3://BUCKET[/PREFIX], or both"};
  return sides;
}

constexpr std::string_view import_options[] = {"--from-endpoint-url", "--from-region",
                                               "--from-profile", "--from-credentials-file",
                                               "--from-ca-bundle"};
constexpr std::string_view from_prefix = "--from-";

bool is_import(const Arguments& arguments) {
  for (const std::string_view option : import_options)
    if (arguments.option(option)) return true;
  return arguments.flag("--versions") || arguments.flag("--acls");
}

/// The service that the source lies in: the options of another one without "from-".
Result<Service> open_source(const Arguments& arguments, ObjectRun& run) {
  std::vector<std::string> words;
  for (const std::string_view option : import_options)
    if (const auto value = arguments.option(option)) {
      words.push_back("--" + std::string(option.substr(from_prefix.size())));
      words.push_back(*value);
    }
  if (words.empty()) return open_service(arguments, run);
  Syntax syntax;
  add_service_options(syntax);
  CAIRN_TRY(const auto given, Arguments::parse(words, syntax));
  return open_service(given, run);
}

int run_import(const Arguments& arguments, ObjectRun& run, const SyncSides& sides,
               const TransferSettings& settings) {
  const bool json = arguments.flag("--json");
  const auto fail = [&](const Error& error) { return tell_failure(run.console, error, json); };
  if (!sides.source.is_object() || !sides.target.is_object() || arguments.flag("--delete"))
    return fail({ErrorKind::invalid_argument,
                 {},
                 "--from-…, --versions and --acls are of two buckets, without --delete"});
  const auto from = open_source(arguments, run);
  if (!from.ok()) return fail(from.error());
  const auto to = open_service(arguments, run);
  if (!to.ok()) return fail(to.error());
  Report report(arguments, run.console, os::system_clock());
  const Status done = import_objects(
      *from, *to, sides.source, sides.target,
      {.versions = arguments.flag("--versions"), .acls = arguments.flag("--acls")}, settings,
      report);
  const int status = report.finish(done.ok());
  return done.ok() ? status : fail(done.error());
}

int run_sync(const Arguments& arguments, ObjectRun& run) {
  const bool json = arguments.flag("--json");
  const auto sides = read_sides(arguments);
  if (!sides.ok()) return tell_failure(run.console, sides.error(), json);
  const auto settings =
      read_transfer_settings(arguments, run.environment, sides->target.is_object());
  if (!settings.ok()) return tell_failure(run.console, settings.error(), json);
  if (is_import(arguments)) return run_import(arguments, run, *sides, *settings);
  const SyncRules rules{.direction = !sides->source.is_object()  ? Direction::upload
                                     : sides->target.is_object() ? Direction::copy
                                                                 : Direction::download,
                        .size_only = arguments.flag("--size-only"),
                        .exact_timestamps = arguments.flag("--exact-timestamps"),
                        .delete_extra = arguments.flag("--delete")};
  const auto service = open_service(arguments, run);
  if (!service.ok()) return tell_failure(run.console, service.error(), json);
  Report report(arguments, run.console, os::system_clock());
  const Status done = make_in_step(*service, *sides, rules, *settings, arguments, report);
  const int status = report.finish(done.ok());
  return done.ok() ? status : tell_failure(run.console, done.error(), json);
}

Syntax sync_syntax() {
  Syntax syntax{.options = {"--include", "--exclude"},
                .flags = {"--delete", "--size-only", "--exact-timestamps", "--no-follow-symlinks",
                          "--versions", "--acls"},
                .words_min = 2,
                .words_max = 2};
  for (const auto flag : report_flags) syntax.flags.emplace_back(flag);
  for (const auto option : import_options) syntax.options.emplace_back(option);
  add_transfer_options(syntax);
  return syntax;
}

std::string_view sync_help() {
  static const std::string text =
      "A file goes where its size is another one, or where the source is newer; from a bucket to "
      "a\n"
      "folder: where the file is newer than the object, since downloads get the object's time.\n\n"
      "  --size-only                 times do not count\n"
      "  --exact-timestamps          from a bucket to a folder: any other time counts\n"
      "  --delete                    what only the target has goes\n"
      "  --no-follow-symlinks        symbolic links are left out\n"
      "  --from-endpoint-url URL     the source is a bucket of another store; with\n"
      "  --from-region, --from-profile, --from-credentials-file, --from-ca-bundle\n"
      "  --versions                  every version and delete marker, the oldest first\n"
      "  --acls                      grants to everybody\n" +
      std::string(transfer_options_help());
  return text;
}

}  // namespace

const ObjectCommand& sync_command() {
  static const ObjectCommand command{
      .name = "sync",
      .usage = "cairn objects sync SOURCE TARGET [--delete] [options]",
      .summary = "gives a folder or prefix what another one has",
      .help = sync_help(),
      .syntax = sync_syntax(),
      .run = run_sync};
  return command;
}

}  // namespace cairn::cli
