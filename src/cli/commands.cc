// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

namespace cairn::cli {

std::vector<CommandHelp> command_help() {
  return {
      {"cairn key create --name NAME [options]", "makes an API key and prints it once"},
      {"cairn key list [--name PREFIX*]", "lists API keys"},
      {"cairn key show ID", "shows one API key, never its secret"},
      {"cairn key delete ID...", "invalidates API keys"},
  };
}

std::optional<int> run(const std::vector<std::string>& words, const Environment& environment) {
  if (words.empty() || words[0] != "key") return std::nullopt;
  return key_command({words.begin() + 1, words.end()}, environment);
}

}  // namespace cairn::cli
