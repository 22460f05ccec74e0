// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/transfer/transfer.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "cli/objects/places/address.h"
#include "cli/objects/places/key_path.h"
#include "cli/objects/places/listing.h"
#include "cli/objects/places/local_files.h"
#include "cli/objects/places/media_type.h"
#include "cli/objects/transfer/run_each.h"
#include "os/files/files.h"
#include "s3/operations/operation.h"

namespace cairn::cli {
namespace {

constexpr int threads_of_each = 2;  // for the parts of a file, where many files go at once

std::string path_of_download(const Transfer& transfer) {
  if (!transfer.target_path.empty()) return transfer.target_path;
  return as_folder(transfer.target_folder) + transfer.target_name;
}

bool has_param(const Params& params, std::string_view name) {
  return std::any_of(params.begin(), params.end(),
                     [&](const auto& param) { return param.first == name; });
}

/// The file that keeps what an upload needs to go on: one for each file and place it goes to.
std::string resume_path_of(const Service& service, const TransferSettings& settings,
                           const Transfer& transfer) {
  char* const real = ::realpath(transfer.source.place.c_str(), nullptr);
  const std::string whole = real != nullptr ? real : transfer.source.place;
  ::free(real);  // NOLINT(cppcoreguidelines-no-malloc)
  const std::string name = service.endpoint() + "\n" + transfer.target_bucket + "\n" +
                           transfer.target_key + "\n" + whole;
  return settings.resume_folder + "/" + to_hex(sha256(name)).substr(0, 32) + ".json";
}

Json etag_json(const std::string& etag) {
  return etag.empty() ? Json::object() : Json::object({{"etag", etag}});
}

std::string text_or_empty(const Value& value) {
  const std::string* const text = value.text();
  return text != nullptr ? *text : std::string();
}

/// "?versionId=…" where a version is asked for.
std::string version_of_source(const Params& params) {
  for (const auto& [name, value] : params)
    if (name == "version_id" && value.text() != nullptr)
      return "?versionId=" + percent_encode(*value.text());
  return {};
}

Error already_there(const std::string& what) {
  return {ErrorKind::already_exists, {}, what + " is there already"};
}

}  // namespace

Params params_of_operation(std::string_view operation, const Params& params) {
  Params out;
  const s3::Operation* const found = s3::find_operation(operation);
  if (found == nullptr) return out;
  const s3::Shape& shape = found->input();
  for (const auto& param : params)
    if (shape.find(param.first) != nullptr) out.push_back(param);
  return out;
}

std::string copy_source_of(const std::string& bucket, const std::string& key) {
  const std::string separator = bucket.starts_with("arn:") ? "/object/" : "/";
  return percent_encode(bucket + separator + key, "/:");
}

Action Transfer::action() const {
  switch (direction) {
    case Direction::upload:
      return {remove_source ? "move" : "upload", source.place,
              object_text(target_bucket, target_key), source.size};
    case Direction::download:
      return {remove_source ? "move" : "download", object_text(source_bucket, source.place),
              path_of_download(*this), source.size};
    case Direction::copy:
      return {remove_source ? "move" : "copy", object_text(source_bucket, source.place),
              object_text(target_bucket, target_key), source.size};
  }
  return {};
}

Status Transfers::run(const NextTransfer& next, bool single) const {
  PartSettings parts = settings_.parts;
  parts.threads = single ? settings_.jobs : std::min(settings_.jobs, threads_of_each);
  // What would be done is told in the order of its listing.
  const int at_once = single || report_.dry_run() ? 1 : settings_.jobs;
  return run_each<Transfer>(at_once, service_.deadline(), next,
                            [&](Transfer& transfer) { make(transfer, parts); });
}

void Transfers::make(const Transfer& transfer, const PartSettings& parts) const {
  const Action action = transfer.action();
  if (transfer.direction == Direction::download && transfer.target_path.empty())
    if (const std::string why = why_no_path(transfer.target_name); !why.empty())
      return report_.odd(action.source, why);
  if (transfer.direction != Direction::download)
    if (const std::string why = why_no_key(transfer.target_key); !why.empty())
      return report_.odd(action.source, why);
  if (report_.dry_run()) return report_.done(action);
  auto made = transfer.direction == Direction::upload     ? upload(transfer, parts)
              : transfer.direction == Direction::download ? download(transfer, parts)
                                                          : copy(transfer, parts);
  const bool there = !made.ok() && settings_.no_clobber &&
                     (made.error().kind == ErrorKind::precondition_failed ||
                      made.error().kind == ErrorKind::already_exists);
  if (there) return report_.skipped(action, "it is there already");
  if (!made.ok()) return report_.failed(action, made.error());
  if (transfer.remove_source)
    if (const Status removed = remove_source(transfer); !removed.ok())
      return report_.failed(action, removed.error());
  report_.done(action, *made);
}

Result<Json> Transfers::upload(const Transfer& transfer, PartSettings parts) const {
  Params params = settings_.params;
  params.emplace_back("bucket", transfer.target_bucket);
  params.emplace_back("key", transfer.target_key);
  const std::string_view type = media_type_of(transfer.source.place);
  if (settings_.guess_type && !type.empty()) params.emplace_back("content_type", type);
  if (settings_.no_clobber) params.emplace_back("if_none_match", "*");
  if (settings_.resume) parts.resume_path = resume_path_of(service_, settings_, transfer);
  std::uint64_t counted = 0;
  CAIRN_TRY(const Uploaded done,
            service_.upload_file(params, transfer.source.place, parts,
                                 [&](std::uint64_t bytes, std::optional<std::uint64_t>) {
                                   report_.moved(counted, bytes);
                                 }));
  report_.moved(counted, transfer.source.size);
  Json more = etag_json(done.etag);
  if (done.parts_reused > 0) more.set("parts_reused", done.parts_reused);
  return more;
}

Result<Json> Transfers::download(const Transfer& transfer, const PartSettings& parts) const {
  std::string path = transfer.target_path;
  if (path.empty()) {
    CAIRN_TRY(path, make_way(transfer.target_folder, transfer.target_name));
  } else if (const auto slash = path.rfind('/'); slash != std::string::npos && slash > 0) {
    const std::string folder = path.substr(0, slash);
    if (!is_local_folder(folder)) CAIRN_CHECK(os::system_files().make_directories(folder, 0777));
  }
  if (is_local_folder(path)) return Error{ErrorKind::already_exists, {}, path + " is a folder"};
  if (settings_.no_clobber && exists_locally(path)) return already_there(path);
  Params params = params_of_operation("get_object", settings_.params);
  params.emplace_back("bucket", transfer.source_bucket);
  params.emplace_back("key", transfer.source.place);
  std::uint64_t counted = 0;
  CAIRN_TRY(const Value got, service_.download(params, path, parts, [&](std::uint64_t bytes, auto) {
    report_.moved(counted, bytes);
  }));
  const auto* const length = got["content_length"].integer();
  report_.moved(counted, length != nullptr ? static_cast<std::uint64_t>(*length) : counted);
  if (const std::int64_t modified = time_ms_of(got["last_modified"]); modified != 0)
    CAIRN_CHECK(set_modified_ms(path, modified));
  return etag_json(text_or_empty(got["etag"]));
}

Result<Json> Transfers::copy(const Transfer& transfer, const PartSettings& parts) const {
  Params params = settings_.params;
  if (settings_.no_clobber) params.emplace_back("if_none_match", "*");
  // Other metadata count only where those of the source do not.
  const bool replaces = std::any_of(params.begin(), params.end(), [](const auto& param) {
    return param.first == "metadata" || param.first == "content_type" ||
           param.first == "cache_control" || param.first.starts_with("content_") ||
           param.first == "expires";
  });
  if (replaces && !has_param(params, "metadata_directive"))
    params.emplace_back("metadata_directive", "REPLACE");
  if (has_param(params, "tagging") && !has_param(params, "tagging_directive"))
    params.emplace_back("tagging_directive", "REPLACE");
  std::uint64_t counted = 0;
  const auto progress = [&](std::uint64_t bytes, std::optional<std::uint64_t>) {
    report_.moved(counted, bytes);
  };
  if (transfer.source.size >= settings_.copy_threshold_bytes && transfer.source.size > 0)
    return copy_in_parts(service_, transfer, params, parts, progress);
  Params sent = params_of_operation("copy_object", params);
  sent.emplace_back("bucket", transfer.target_bucket);
  sent.emplace_back("key", transfer.target_key);
  sent.emplace_back("copy_source", copy_source_of(transfer.source_bucket, transfer.source.place) +
                                       version_of_source(settings_.params));
  CAIRN_TRY(const Value done, service_.call("copy_object", sent));
  report_.moved(counted, transfer.source.size);
  return etag_json(text_or_empty(done["copy_object_result"]["etag"]));
}

Status Transfers::remove_source(const Transfer& transfer) const {
  if (transfer.direction == Direction::upload)
    return os::system_files().remove(transfer.source.place);
  const auto removed = service_.call(
      "delete_object", {{"bucket", transfer.source_bucket}, {"key", transfer.source.place}});
  return removed.ok() ? ok_status() : Status(removed.error());
}

}  // namespace cairn::cli
