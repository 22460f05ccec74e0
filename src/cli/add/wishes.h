// SPDX-License-Identifier: Apache-2.0
// What the words of `cairn add` mean.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::cli {

/// "/home/me/My Books/" as "my-books": the last name of a path in the letters that an index may
/// have. Empty where nothing is left.
std::string name_of_folder(std::string_view path);

/// daily (at three), hourly, or fields of cron as connectors take them; UTC.
/// Errors: invalid_argument for anything else.
Result<std::string> cron_of_schedule(std::string_view text);

/// daily and hourly for crontab(5), whose times are local. Of other schedules, which have more to
/// say than a crontab, "MINUTE HOUR * * *" for a person to fill in.
std::string crontab_of_schedule(std::string_view text);

/// A title as words that can be asked for: letters and digits only, at most seven. Of a manual
/// page, "name(1) - summary", the summary. Empty where fewer than two words are left.
std::string question_of_title(std::string_view title);

/// A word as a shell takes it, quoted where it must be.
std::string shell_word(std::string_view word);

}  // namespace cairn::cli
