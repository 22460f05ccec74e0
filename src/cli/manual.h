// SPDX-License-Identifier: Apache-2.0
// Manual pages and completions for shells, from what the commands say of themselves.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/commands.h"

namespace cairn::cli {

/// A text as roff shows it: no character of it is a request or an escape.
std::string roff_text(std::string_view text);
/// A block whose lines stay as they are.
std::string roff_block(std::string_view text);

/// cairn(1). Source: man-pages(7), man(7).
std::string program_manual(const std::vector<CommandPage>& pages, std::string_view version);

/// The options of each command, by its words: "key create", "serve". Read out of the usages.
std::map<std::string, std::vector<std::string>> options_of_commands(
    const std::vector<CommandPage>& pages);

/// A script that completes nouns, verbs and options. Errors: invalid_argument for a shell that is
/// none of bash, zsh and fish.
Result<std::string> completion_script(std::string_view shell,
                                      const std::vector<CommandPage>& pages);

}  // namespace cairn::cli
