// SPDX-License-Identifier: Apache-2.0
#include "app/backups/backup_places.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "objectstore/copies/checkpoint.h"
#include "os/files/secret_file.h"
#include "stores/folder_store.h"
#include "stores/registered_folder.h"

namespace cairn::app {
namespace {

using Opened = Result<std::unique_ptr<store::Store>>;
using Files = std::vector<backup::KeptFile>;

constexpr std::string_view cluster_scheme = "s3://";

RepositoryPlaces places_of(const Settings& settings) {
  return {.path_repo = settings.path_repo,
          .clients = settings.s3_clients,
          .keys_folder = settings.data_dir + "/keys",
          .allowed_endpoints = settings.allowed_endpoints};
}

Opened open_bucket(const backup::Place& place, const Settings& settings) {
  const std::string_view path = std::string_view(place.text).substr(cluster_scheme.size());
  const std::size_t slash = std::min(path.find('/'), path.size());
  const std::string bucket(path.substr(0, slash));
  if (bucket.empty())
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "[" + place.text + "] names no bucket: a place is s3://BUCKET/PREFIX"};
  const Json values =
      Json::object({{"bucket", bucket},
                    {"base_path", std::string(path.substr(std::min(slash + 1, path.size())))},
                    {"client", place.client.empty() ? "default" : place.client}});
  return open_on_cluster({.name = "backup", .type = "s3", .settings = values}, places_of(settings));
}

/// Files of one folder, not of those below it.
Status add_files(const std::string& data, const std::string& folder, bool is_secret, Files& out) {
  auto names = os::system_files().list(data + "/" + folder);
  if (!names.ok() && names.error().kind == ErrorKind::not_found) return ok_status();
  CAIRN_CHECK(names);
  std::sort(names->begin(), names->end());
  for (const std::string& name : *names) {
    const std::string kept_as = folder + "/" + name;
    const auto info = os::system_files().info(data + "/" + kept_as);
    // What is written beside a file, to take its place, is none.
    if (!info.ok() || info->is_directory || name.find(".new-") != std::string::npos) continue;
    out.push_back({.kept_as = kept_as, .path = data + "/" + kept_as, .is_secret = is_secret});
  }
  return ok_status();
}

/// Keys before the audit log: the newest line that they know must not be missing from it.
Result<Files> data_files(const std::string& data) {
  Files out;
  CAIRN_CHECK(add_files(data, "keys", true, out));
  CAIRN_CHECK(add_files(data, "audit", false, out));
  return out;
}

/// The files of the settings, under the names that they have beside one another.
Result<Files> configuration_files(const std::vector<std::string>& files) {
  Files out;
  for (const std::string& file : files) {
    if (!os::system_files().info(file).ok()) continue;
    const std::string name = file.substr(file.rfind('/') + 1);
    out.push_back(
        {.kept_as = out.empty() && file == files.front() ? "cairn.yaml" : "conf.d/" + name,
         .path = file,
         .is_secret = true});
  }
  return out;
}

}  // namespace

Opened open_backup_place(const backup::Place& place, const Settings& settings,
                         BackupFolders folders) {
  if (place.text.starts_with(cluster_scheme)) return open_bucket(place, settings);
  if (!place.text.starts_with('/'))
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "[" + place.text +
                            "] is no place for backups: name s3://BUCKET/PREFIX or the absolute "
                            "path of a folder"};
  if (folders == BackupFolders::made) return stores::folder_store(place.text);
  if (folders == BackupFolders::any || place.text == settings.backup.place)
    return stores::registered_folder(place.text);
  return open_allowed_folder(
      {.name = "backup", .type = "fs", .settings = Json::object({{"location", place.text}})},
      settings.path_repo);
}

Result<backup::Key> read_backup_key(const std::string& file) {
  CAIRN_TRY(const auto text, os::read_secret_file(file));
  if (!text)
    return Error{
        .kind = ErrorKind::not_found,
        .message = "there is no key of backups at [" + file + "]; `cairn backup init` makes one"};
  auto key = backup::Key::parse(*text);
  if (!key.ok()) return with_context(std::move(key).error(), file);
  return key;
}

backup::Dependencies backup_dependencies(const Settings& settings, objectstore::Engine& engine,
                                         std::shared_mutex& keys_stay) {
  return {.open_place =
              [&settings](const backup::Place& place) {
                return open_backup_place(place, settings, BackupFolders::allowed);
              },
          .checkpoint = [&settings, &engine]() -> Result<std::unique_ptr<objectstore::Checkpoint>> {
            if (settings.store_url.empty()) return engine.checkpoint();
            return Error{.kind = ErrorKind::unsupported,
                         .message =
                             "indices, keys and settings lie on the cluster at store.url, which "
                             "a backup of this machine would not hold: keep versions of that "
                             "bucket, or copies of it, there"};
          },
          .files = [&settings] { return data_files(settings.data_dir); },
          .configuration = [&settings] { return configuration_files(settings.files); },
          .key = [&settings]() -> Result<backup::Key> {
            if (!settings.backup.key_file.empty()) return read_backup_key(settings.backup.key_file);
            return Error{.kind = ErrorKind::invalid_argument,
                         .message = "no key is given: give one, or set backup.key_file"};
          },
          .next_due = [schedule = settings.backup.schedule](
                          std::int64_t unix_ms) -> std::optional<std::int64_t> {
            if (schedule.empty()) return std::nullopt;
            const auto cron = backup_schedule(schedule);
            return cron.ok() ? cron->next_after_ms(unix_ms) : std::nullopt;
          },
          .keys_stay = &keys_stay};
}

}  // namespace cairn::app
