// SPDX-License-Identifier: Apache-2.0
#include "snapshots/repositories.h"

#include <algorithm>

#include "base/encode.h"
#include "base/ids.h"
#include "base/strings.h"
#include "format/time.h"
#include "os/log.h"
#include "snapshots/errors.h"

namespace cairn::snapshots {
namespace {

constexpr std::string_view record_prefix = "repository/";

/// A setting as text: callers of the platform write numbers and booleans with or without quotes.
std::optional<std::string> setting(const Json& settings, std::string_view name) {
  const Json* value = settings.find(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  return value->is_string() ? value->as_string() : value->dump();
}

Result<bool> boolean_setting(const Json& settings, std::string_view name, bool fallback) {
  const auto text = setting(settings, name);
  if (!text) return fallback;
  if (*text == "true" || *text == "false") return *text == "true";
  return bad_argument("Failed to parse value [" + *text + "] of [" + std::string(name) +
                      "] as only [true] or [false] are allowed.");
}

Result<std::uint64_t> rate_setting(const Json& settings, std::string_view name) {
  const auto text = setting(settings, name);
  if (!text || *text == "0" || *text == "-1") return std::uint64_t{0};
  return parse_byte_size(*text, name);
}

Status check_name(const std::string& name) {
  if (name.empty() || name.find_first_of("#/\\*?\"<>| ,") != std::string::npos ||
      name.front() == '_')
    return Error{.kind = ErrorKind::invalid_argument,
                 .code = "repository_exception",
                 .message = "[" + name + "] invalid repository name: it must not be empty, begin "
                            "with _ or contain # / \\ * ? \" < > | , or a space"};
  return ok_status();
}

}  // namespace

Repositories::Repositories(store::Store& records, OpenRepository open, os::Random& random)
    : records_(records), open_(std::move(open)), random_(random) {}

Result<std::shared_ptr<const Repository>> Repositories::open(const RepositorySettings& settings,
                                                             const std::string& uuid,
                                                             PlaceIs place) const {
  auto out = std::make_shared<Repository>();
  out->record = settings;
  out->uuid = uuid;
  CAIRN_TRY(out->readonly, boolean_setting(settings.settings, "readonly", false));
  CAIRN_TRY(out->snapshot_bytes_per_second,
            rate_setting(settings.settings, "max_snapshot_bytes_per_sec"));
  CAIRN_TRY(out->restore_bytes_per_second,
            rate_setting(settings.settings, "max_restore_bytes_per_sec"));
  if (const auto text = setting(settings.settings, "max_number_of_snapshots")) {
    const auto number = parse_number<std::size_t>(*text);
    if (!number || *number == 0)
      return bad_argument("Failed to parse value [" + *text +
                          "] for setting [max_number_of_snapshots] must be a positive number");
    out->snapshots_max = *number;
  }
  CAIRN_TRY(out->store, open_(settings, place));
  return std::shared_ptr<const Repository>(std::move(out));
}

Status Repositories::load(const os::Deadline& deadline) {
  return store::for_each_object(
      records_, record_prefix, deadline, [&](const store::ObjectInfo& info) -> Status {
        CAIRN_TRY(const auto object, records_.get(info.key, deadline));
        CAIRN_TRY(const Json json, parse_json(object.bytes));
        Entry entry{.repository = nullptr,
                    .record = {.name = json.string_or("name"), .type = json.string_or("type")},
                    .uuid = json.string_or("uuid"),
                    .fault = {}};
        if (const Json* settings = json.find("settings")) entry.record.settings = *settings;
        auto opened = open(entry.record, entry.uuid, PlaceIs::registered);
        if (opened.ok()) {
          entry.repository = *opened;
        } else {
          entry.fault = opened.error();
          os::log(os::LogLevel::warn, "snapshots", "a repository cannot be opened",
                  {{"repository", entry.record.name}, {"error", opened.error().message}});
        }
        const std::lock_guard lock(mutex_);
        entries_[entry.record.name] = std::move(entry);
        return ok_status();
      });
}

Status Repositories::put(const RepositorySettings& settings, bool verify_it,
                         const os::Deadline& deadline) {
  CAIRN_CHECK(check_name(settings.name));
  std::string uuid = url_safe_id(random_.bytes(15));
  CAIRN_TRY(const auto opened, open(settings, uuid, PlaceIs::registered_now));
  if (verify_it && !opened->readonly) CAIRN_CHECK(verify(*opened, deadline));
  const Json record = Json::object({{"name", settings.name},
                                    {"type", settings.type},
                                    {"uuid", uuid},
                                    {"settings", settings.settings}});
  CAIRN_CHECK(records_.put(std::string(record_prefix) + settings.name, record.dump(), deadline));
  const std::lock_guard lock(mutex_);
  entries_[settings.name] = {.repository = opened, .record = settings, .uuid = uuid, .fault = {}};
  return ok_status();
}

Status Repositories::remove(const std::string& name, const os::Deadline& deadline) {
  {
    const std::lock_guard lock(mutex_);
    if (entries_.count(name) == 0) return repository_missing(name);
  }
  CAIRN_CHECK(records_.remove(std::string(record_prefix) + name, deadline));
  const std::lock_guard lock(mutex_);
  entries_.erase(name);
  return ok_status();
}

Result<std::shared_ptr<const Repository>> Repositories::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) return repository_missing(name);
  if (found->second.fault) return *found->second.fault;
  return found->second.repository;
}

Result<std::vector<std::string>> Repositories::resolve(const std::string& expression) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  const std::string wanted = expression.empty() ? "_all" : expression;  // the views lie in it
  for (const std::string_view part : split(wanted, ',')) {
    const std::string pattern = part == "_all" ? "*" : std::string(part);
    const bool plain = pattern.find('*') == std::string::npos;
    if (plain && entries_.count(pattern) == 0) return repository_missing(pattern);
    for (const auto& [name, entry] : entries_)
      if (wildcard_match(pattern, name) && std::find(out.begin(), out.end(), name) == out.end())
        out.push_back(name);
  }
  return out;
}

Result<Json> Repositories::describe(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) return repository_missing(name);
  const Entry& entry = found->second;
  return Json::object({{"type", entry.record.type},
                       {"uuid", entry.uuid},
                       {"settings", entry.record.settings}});
}

Status Repositories::verify(const Repository& repository, const os::Deadline& deadline) const {
  const std::string key = "tests-" + to_hex(random_.bytes(8)) + "/master.dat";
  const std::string bytes = random_.bytes(64);
  const auto failed = [&](const std::string& why) -> Status {
    return Error{.kind = ErrorKind::internal,
                 .code = "repository_verification_exception",
                 .message = "[" + repository.record.name +
                            "] path is not accessible on master node: " + why};
  };
  if (const auto put = repository.store->put(key, bytes, deadline); !put.ok())
    return failed(put.error().message);
  const auto back = repository.store->get(key, deadline);
  if (!back.ok()) return failed(back.error().message);
  if (back->bytes != bytes) return failed("what was written does not read back");
  if (const auto gone = repository.store->remove(key, deadline); !gone.ok())
    return failed(gone.error().message);
  return ok_status();
}

}  // namespace cairn::snapshots
