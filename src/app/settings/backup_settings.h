// SPDX-License-Identifier: Apache-2.0
// The settings backup.*: where backups of this server go, and when.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "connectors/records/cron.h"

namespace cairn::app {

struct BackupSettings {
  std::string place = {};   // a folder, or s3://bucket/prefix
  std::string client = {};  // of s3.client.*, which reaches the place; empty: "default"
  std::string key_file = {};
  std::string schedule = {};     // daily, hourly, or fields of cron
  std::int64_t keep = 0;         // the newest so many; 0: all
  std::uint64_t rate_bytes = 0;  // a second; 0: as fast as it goes
};

/// Errors: invalid_argument.
Result<connectors::Cron> backup_schedule(std::string_view text);

/// Errors: invalid_argument, with the setting: a schedule without a place or key, a place or a key
/// that would be lost with the data folder.
Status check_backup_settings(const BackupSettings& settings, const std::string& data_dir);

}  // namespace cairn::app
