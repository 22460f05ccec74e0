// SPDX-License-Identifier: Apache-2.0
// The commands that talk to a running server, and those that need none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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
CommandPage applications_page();
CommandPage bulk_page();
CommandPage console_page();
CommandPage endpoints_page();
CommandPage health_page();
CommandPage indices_page();
CommandPage key_page();
CommandPage limits_page();
CommandPage messages_page();
CommandPage model_page();
CommandPage node_page();
CommandPage objects_page();
CommandPage repositories_page();
CommandPage search_page();
CommandPage snapshots_page();
CommandPage top_page();

/// Runs a command given by its words without the program's name. The exit status, or nothing where
/// the noun is not of this room.
std::optional<int> run(const std::vector<std::string>& words, const Environment& environment);

/// Those of `cairn audit` that ask a server; `verify`, which needs none, is the program's.
std::string_view audit_server_help();
/// `usage`: of all of `cairn audit`.
int audit_server_command(const std::vector<std::string>& words, const Environment& environment,
                         std::string_view usage);

/// `cairn key create|list|show|delete`.
int key_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn limits show|reset|policy|status`.
int limits_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn console`: a link that signs a browser in.
int console_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn health`: is a server ready?
int health_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn model import|list|remove`.
int model_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn search`: answers by words and by meaning.
int search_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn bulk load`: documents of a file, batch by batch.
int bulk_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn indices list|show|create|delete|stats`.
int indices_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn endpoints list|show|create|ask|delete`.
int endpoints_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn repositories list|show|create|verify|cleanup|delete`.
int repositories_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn snapshots create|list|show|restore|delete`.
int snapshots_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn applications grant|list|revoke`.
int applications_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn messages show|test`.
int messages_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn node list|drain|resume`.
int node_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn top`: what a server does now.
int top_command(const std::vector<std::string>& words, const Environment& environment);
/// `cairn objects …`: cp, ls and the like, every operation of the object storage, and
/// resolve-endpoint and sign, which need no server. Another exit status than those of
/// exit_codes.h: 130 and 143, interrupted.
int objects_command(const std::vector<std::string>& words, const Environment& environment);

}  // namespace cairn::cli
