// SPDX-License-Identifier: Apache-2.0
// `cairn objects cp` and `mv`.
#include <algorithm>
#include <memory>
#include <utility>

#include "cli/exit_codes.h"
#include "cli/objects/command.h"
#include "cli/objects/failure.h"
#include "cli/objects/places/address.h"
#include "cli/objects/places/key_path.h"
#include "cli/objects/places/listing.h"
#include "cli/objects/places/local_files.h"
#include "cli/objects/places/media_type.h"
#include "cli/objects/places/name_filter.h"
#include "cli/objects/report.h"
#include "cli/objects/transfer/input_body.h"
#include "cli/objects/transfer/transfer.h"

namespace cairn::cli {
namespace {

Error copy_fault(std::string text) { return {ErrorKind::invalid_argument, {}, std::move(text)}; }

/// What cp and mv are asked for.
struct CopyRequest {
  std::vector<Address> sources = {};
  Address target = {};
  bool recursive = false;
  bool moves = false;
  bool follow_links = true;
  NameFilter filter = {};
  std::string version_id = {};
};

Result<CopyRequest> read_copy_request(const Arguments& arguments, bool moves) {
  CopyRequest out{.recursive = arguments.flag("--recursive"),
                  .moves = moves,
                  .follow_links = !arguments.flag("--no-follow-symlinks"),
                  .filter = NameFilter(arguments),
                  .version_id = arguments.option("--version-id").value_or("")};
  for (const std::string& word : arguments.words()) {
    CAIRN_TRY(Address address, parse_address(word));
    out.sources.push_back(std::move(address));
  }
  out.target = std::move(out.sources.back());
  out.sources.pop_back();
  const bool streams = out.target.is_stream() || out.sources.front().is_stream();
  if (streams && (out.recursive || out.sources.size() > 1))
    return copy_fault("- is one stream: neither --recursive nor several sources go with it");
  if (streams && moves) return copy_fault("a stream cannot be moved");
  for (const Address& source : out.sources)
    if (!source.is_object() && !out.target.is_object())
      return copy_fault("neither " + source.text() + " nor " + out.target.text() +
                        " is an address of objects: s3://BUCKET/KEY");
  return out;
}

bool goes_into_folder(const CopyRequest& request) {
  if (request.target.is_object())
    return request.target.key.empty() || request.target.key.ends_with('/');
  return request.target.path.ends_with('/') || is_local_folder(request.target.path);
}

Direction direction_of(const Address& source, const Address& target) {
  if (!source.is_object()) return Direction::upload;
  return target.is_object() ? Direction::copy : Direction::download;
}

/// One file or object to one place.
Result<Transfer> single_transfer(const Service& service, const CopyRequest& request,
                                 const Address& source, const TransferSettings& settings) {
  Transfer out{.direction = direction_of(source, request.target),
               .source_bucket = source.bucket,
               .target_bucket = request.target.bucket,
               .remove_source = request.moves};
  if (out.direction == Direction::upload) {
    CAIRN_TRY(out.source, local_entry(source.path));
  } else {
    if (source.key.empty() || source.key.ends_with('/'))
      return copy_fault(source.text() + " names no object: add --recursive for all below it");
    out.source = {.name = source.key, .place = source.key};
  }
  if (out.direction == Direction::copy) {
    Params params = {{"bucket", source.bucket}, {"key", source.key}};
    for (const auto& [name, value] : settings.params)
      if (name.starts_with("copy_source_sse")) params.emplace_back(name.substr(12), value);
    CAIRN_TRY(const Value head, service.call("head_object", params));
    if (const auto* size = head["content_length"].integer())
      out.source.size = static_cast<std::uint64_t>(*size);
  }
  const std::string name = last_name(source.is_object() ? source.key : source.path);
  const bool folder = goes_into_folder(request);
  if (request.target.is_object()) {
    out.target_key = request.target.key + (folder ? name : "");
  } else if (folder) {
    out.target_folder = request.target.path;
    out.target_name = name;
  } else {
    out.target_path = request.target.path;
  }
  return out;
}

/// All files or objects below one source.
NextTransfer recursive_transfers(const Service& service, const CopyRequest& request,
                                 const Address& source, Report& report) {
  const Direction direction = direction_of(source, request.target);
  const std::string prefix = as_folder(source.key);
  const NextEntry next =
      direction == Direction::upload
          ? local_entries(source.path, request.follow_links,
                          [&report](const std::string& what, const std::string& why) {
                            report.odd(what, why);
                          })
          : listed_entries(service, source.bucket, prefix);
  return [next, direction, &request, &source, &report]() -> Result<std::optional<Transfer>> {
    for (;;) {
      CAIRN_TRY(auto entry, next());
      if (!entry) {
        report.all_expected();
        return std::optional<Transfer>();
      }
      if (!request.filter.takes(entry->name)) continue;
      Transfer out{.direction = direction,
                   .source = *std::move(entry),
                   .source_bucket = source.bucket,
                   .target_bucket = request.target.bucket,
                   .remove_source = request.moves};
      // A key that ends in '/' marks a folder, which files make by being in it.
      if (direction == Direction::download && out.source.size == 0 &&
          (out.source.name.empty() || out.source.name.ends_with('/'))) {
        report.skipped({"download", object_text(source.bucket, out.source.place), {}, 0},
                       "it marks a folder");
        continue;
      }
      if (direction == Direction::download) {
        out.target_folder = request.target.path;
        out.target_name = out.source.name;
      } else {
        out.target_key = as_folder(request.target.key) + out.source.name;
      }
      report.expect(out.source.size);
      return std::optional(std::move(out));
    }
  };
}

Status upload_standard_input(const Service& service, const CopyRequest& request,
                             const TransferSettings& settings, const ObjectRun& run,
                             Report& report) {
  const Action action{"upload", "-", request.target.text(), 0};
  if (request.target.key.empty() || request.target.key.ends_with('/'))
    return copy_fault("a stream needs a whole key: " + request.target.text());
  if (report.dry_run()) return report.done(action), ok_status();
  Params params = settings.params;
  params.emplace_back("bucket", request.target.bucket);
  params.emplace_back("key", request.target.key);
  if (settings.no_clobber) params.emplace_back("if_none_match", "*");
  const auto type = media_type_of(request.target.key);
  if (settings.guess_type && !type.empty()) params.emplace_back("content_type", type);
  DescriptorReader reader(run.input, run.deadline);
  std::uint64_t counted = 0;
  const auto sent = service.upload_stream(
      params, reader, settings.parts,
      [&](std::uint64_t bytes, std::optional<std::uint64_t>) { report.moved(counted, bytes); });
  if (sent.ok())
    report.done({action.verb, "-", action.destination, counted},
                Json::object({{"etag", sent->etag}}));
  else
    report.failed(action, sent.error());
  return ok_status();
}

void download_to_console(const Service& service, const CopyRequest& request,
                         const TransferSettings& settings, const ObjectRun& run, Report& report) {
  const Address& source = request.sources.front();
  Params params = params_of_operation("get_object", settings.params);
  params.emplace_back("bucket", source.bucket);
  params.emplace_back("key", source.key);
  const auto target = objectclient::Target::function([&](std::string_view bytes) {
    run.console.out(bytes);
    return ok_status();
  });
  // Standard output holds the object, and nothing else.
  const auto got = service.call("get_object", params, {}, target);
  if (!got.ok()) report.failed({"download", source.text(), "-", 0}, got.error());
}

Status copy_all(const Service& service, const CopyRequest& request,
                const TransferSettings& settings, Report& report) {
  const Transfers transfers(service, settings, report);
  for (const Address& source : request.sources) {
    if (request.recursive) {
      if (!source.is_object() && !is_local_folder(source.path)) return no_local_folder(source.path);
      const auto next = recursive_transfers(service, request, source, report);
      CAIRN_CHECK(transfers.run(next, false));
      continue;
    }
    auto one = single_transfer(service, request, source, settings);
    if (!one.ok()) {
      const Transfer meant{.direction = direction_of(source, request.target),
                           .remove_source = request.moves};
      report.failed({meant.action().verb, source.text(), request.target.text(), 0}, one.error());
      continue;
    }
    report.expect(one->source.size);
    report.all_expected();
    std::optional<Transfer> left = *std::move(one);
    CAIRN_CHECK(transfers.run(
        [&]() -> Result<std::optional<Transfer>> { return std::exchange(left, std::nullopt); },
        true));
  }
  return ok_status();
}

int run_copy(const Arguments& arguments, ObjectRun& run, bool moves) {
  const bool json = arguments.flag("--json");
  auto request = read_copy_request(arguments, moves);
  if (!request.ok()) return tell_failure(run.console, request.error(), json);
  auto settings = read_transfer_settings(arguments, run.environment, request->target.is_object());
  if (!settings.ok()) return tell_failure(run.console, settings.error(), json);
  if (!request->version_id.empty())
    settings->params.emplace_back("version_id", request->version_id);
  if (request->sources.size() > 1 && !goes_into_folder(*request) && !request->recursive)
    return tell_failure(run.console,
                        copy_fault("several sources go into a folder: " + request->target.text() +
                                   " does not end in /"),
                        json);
  const auto service = open_service(arguments, run);
  if (!service.ok()) return tell_failure(run.console, service.error(), json);
  Report report(arguments, run.console, os::system_clock());
  Status done = ok_status();
  if (request->sources.front().is_stream()) {
    done = upload_standard_input(*service, *request, *settings, run, report);
  } else if (request->target.is_stream()) {
    download_to_console(*service, *request, *settings, run, report);
    return report.finish(false);
  } else {
    done = copy_all(*service, *request, *settings, report);
  }
  const int status =
      report.finish(done.ok() && (request->recursive || request->sources.size() > 1));
  return done.ok() ? status : tell_failure(run.console, done.error(), json);
}

Syntax copy_syntax() {
  Syntax syntax{.options = {"--include", "--exclude", "--version-id"},
                .flags = {"--recursive", "--no-follow-symlinks"},
                .words_min = 2,
                .words_max = 10'000};
  for (const auto flag : report_flags) syntax.flags.emplace_back(flag);
  add_transfer_options(syntax);
  return syntax;
}

std::string_view copy_help() {
  static const std::string text =
      "SOURCE and TARGET are paths or s3://BUCKET/KEY, one of them at least; - is standard input\n"
      "or output. A TARGET that ends in / or is a folder takes the last name of SOURCE.\n\n"
      "  --recursive                 all below a folder or prefix\n"
      "  --no-follow-symlinks        symbolic links are left out\n"
      "  --version-id ID             of an object that is fetched\n"
      "  --expected-size BYTES       of standard input, where it is more than 80 GB\n" +
      std::string(transfer_options_help());
  return text;
}

}  // namespace

const ObjectCommand& copy_command() {
  static const ObjectCommand command{
      .name = "cp",
      .usage = "cairn objects cp SOURCE... TARGET [--recursive] [options]",
      .summary = "copies files to buckets, objects to files, and objects to objects",
      .help = copy_help(),
      .syntax = copy_syntax(),
      .run = [](const Arguments& arguments, ObjectRun& run) {
        return run_copy(arguments, run, false);
      }};
  return command;
}

const ObjectCommand& move_command() {
  static const ObjectCommand command{
      .name = "mv",
      .usage = "cairn objects mv SOURCE... TARGET [--recursive] [options]",
      .summary = "as cp, and removes what has arrived from where it was",
      .help = copy_help(),
      .syntax = copy_syntax(),
      .run = [](const Arguments& arguments, ObjectRun& run) {
        return run_copy(arguments, run, true);
      }};
  return command;
}

}  // namespace cairn::cli
