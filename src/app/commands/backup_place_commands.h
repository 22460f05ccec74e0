// SPDX-License-Identifier: Apache-2.0
// The commands on a repository of backups that need no server.
#pragma once

#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "backup/service.h"
#include "cli/arguments.h"

namespace cairn::app {

/// What every one of them is told.
struct BackupCommand {
  cli::Arguments arguments;
  Settings settings;
  backup::Place place = {};   // of the command line, or of the settings
  std::string key_file = {};  // likewise
};

int backup_init(const BackupCommand& command);
int backup_list(const BackupCommand& command);
int backup_verify(const BackupCommand& command);
int backup_restore(const BackupCommand& command);
int backup_remove(const BackupCommand& command);

/// Prints why on standard error; the exit status.
int backup_failed(const Error& error);

}  // namespace cairn::app
