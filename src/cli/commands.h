// SPDX-License-Identifier: Apache-2.0
// The commands that talk to a running server, and those that need none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/connection.h"

namespace cairn::cli {

struct CommandHelp {
  std::string usage;    // "cairn key create [options]"
  std::string summary;  // one line
};

/// Every command of this room, for `cairn help`.
std::vector<CommandHelp> command_help();

/// What a noun says of itself at --help, of all its commands.
struct CommandPage {
  std::string noun;
  std::string text;  // "usage: cairn key create …\n       cairn key list …\n…"
};

/// Every noun of this room, in the order of the help.
std::vector<CommandPage> command_pages();
CommandPage add_page();
CommandPage health_page();
CommandPage key_page();
CommandPage limits_page();
CommandPage model_page();
CommandPage objects_page();
CommandPage search_page();

/// Runs a command given by its words without the program's name. The exit status, or nothing where
/// the noun is not of this room.
std::optional<int> run(const std::vector<std::string>& words, const Environment& environment);

/// `cairn key create|list|show|delete`.
int key_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn limits show|reset|policy|status`.
int limits_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn health`: is a server ready?
int health_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn model import|list|remove`.
int model_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn search`: answers by words and by meaning.
int search_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn objects …`: cp, ls and the like, every operation of the object storage, and
/// resolve-endpoint and sign, which need no server. Another exit status than those of
/// exit_codes.h: 130 and 143, interrupted.
int objects_command(const std::vector<std::string>& words, const Environment& environment);

}  // namespace cairn::cli
