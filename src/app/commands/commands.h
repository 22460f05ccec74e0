// SPDX-License-Identifier: Apache-2.0
// The commands of the program, and what they share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings/settings.h"

namespace cairn::app {

/// The settings that a command line asks for, or the exit status after the reason was printed.
struct SettingsOrExit {
  std::optional<LoadedSettings> settings;
  int exit_code = 0;
  SettingsSources sources = {};  // to read them again
};

/// Reads the flags of `serve` and `config`, then everything else that has a say.
SettingsOrExit settings_of_words(const std::vector<std::string>& words,
                                 const std::vector<std::string>& environment,
                                 std::string_view usage);

/// The whole program: words without its name. The exit status.
int run(const std::vector<std::string>& words, const std::vector<std::string>& environment);

}  // namespace cairn::app
