// SPDX-License-Identifier: Apache-2.0
#include "app/settings/backup_settings.h"

namespace cairn::app {
namespace {

Error bad_backup_setting(std::string message) {
  return {.kind = ErrorKind::invalid_argument, .message = std::move(message)};
}

bool lies_below(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

}  // namespace

Result<connectors::Cron> backup_schedule(std::string_view text) {
  if (text == "daily") text = "0 0 3 * * ?";
  if (text == "hourly") text = "0 0 * * * ?";
  return connectors::Cron::parse(text);
}

Status check_backup_settings(const BackupSettings& settings, const std::string& data_dir) {
  const bool is_cluster = settings.place.starts_with("s3://");
  if (!settings.place.empty() && !is_cluster && !settings.place.starts_with('/'))
    return bad_backup_setting("backup.place: [" + settings.place +
                              "] is neither s3://BUCKET/PREFIX nor the absolute path of a folder");
  if (lies_below(settings.place, data_dir))
    return bad_backup_setting("backup.place: [" + settings.place +
                              "] lies in the data folder, and would be lost with it");
  if (lies_below(settings.key_file, data_dir))
    return bad_backup_setting("backup.key_file: [" + settings.key_file +
                              "] lies in the data folder: without it no backup of that folder "
                              "could be read");
  if (settings.schedule.empty()) return ok_status();
  if (const auto schedule = backup_schedule(settings.schedule); !schedule.ok())
    return with_context(schedule.error(),
                        "backup.schedule: neither daily nor hourly, nor fields of cron");
  if (settings.place.empty() || settings.key_file.empty())
    return bad_backup_setting("backup.schedule needs backup.place and backup.key_file");
  return ok_status();
}

}  // namespace cairn::app
