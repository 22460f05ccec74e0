// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <string_view>
#include <utility>

namespace cairn::cli {

std::vector<CommandHelp> command_help() {
  return {
      {"cairn add FOLDER [--watch] [--serve]", "a folder to search: by words and by meaning"},
      {"cairn search WORDS [--index NAME]", "answers by words and by meaning"},
      {"cairn top [--once] [--json]", "what a server does now, again every two seconds"},
      {"cairn console [--print]", "a link that signs a browser in to the console"},
      {"cairn health [--live]", "whether a server is ready, for probes"},
      {"cairn bulk load FILE|- [--index NAME]", "many documents of a file of NDJSON"},
      {"cairn indices list|show|create|delete|stats", "indices"},
      {"cairn endpoints list|show|create|ask|delete", "models that answer, by name"},
      {"cairn repositories list|create|verify", "where snapshots are kept"},
      {"cairn snapshots create|list|restore|delete", "copies of indices in repositories"},
      {"cairn key create --name NAME [options]", "makes an API key and prints it once"},
      {"cairn key list [--name PREFIX*]", "lists API keys"},
      {"cairn key show ID", "shows one API key, never its secret"},
      {"cairn key delete ID...", "invalidates API keys"},
      {"cairn key rotate ID", "draws a new secret; the old one holds for a day"},
      {"cairn applications grant|list|revoke", "which programs may act for whom, by tokens"},
      {"cairn key create --admin --data DIR",
       "without a server: an administrator's key, where all are lost"},
      {"cairn audit search|export|key", "the audit log of a running server"},
      {"cairn audit shipping|ship", "how far the audit log is in its bucket; there now"},
      {"cairn limits status", "what is left of the limits of one's own key"},
      {"cairn limits show IDENTITY", "what an identity has used, as user:alice or ip:192.0.2.1"},
      {"cairn limits reset IDENTITY...", "forgets what was counted of identities"},
      {"cairn limits policy", "the limits that are in use"},
      {"cairn messages show|test", "what people are told of, and a message to try"},
      {"cairn model import FOLDER|URL|s3://BUCKET/PREFIX", "takes a model into the model store"},
      {"cairn model list", "the models of the store, and how far downloads are"},
      {"cairn model remove ID...", "removes models that nothing uses"},
      {"cairn node list|drain|resume", "the nodes that share a store"},
      {"cairn objects cp|mv|sync|ls|rm|mb|rb|presign", "object storage, as other tools have it"},
      {"cairn objects OPERATION", "any operation of the object storage, as put-object"},
      {"cairn objects resolve-endpoint", "where requests go: a JSON case a line on standard input"},
      {"cairn objects sign", "signs requests: a JSON case a line on standard input"},
  };
}

std::vector<CommandPage> command_pages() {
  return {add_page(),          search_page(),    bulk_page(),    top_page(),
          console_page(),      health_page(),    indices_page(), endpoints_page(),
          repositories_page(), snapshots_page(), key_page(),     applications_page(),
          limits_page(),       messages_page(),  model_page(),   node_page(),
          objects_page()};
}

std::optional<int> run(const std::vector<std::string>& words, const Environment& environment) {
  using Command = int (*)(const std::vector<std::string>&, const Environment&);
  static constexpr std::pair<std::string_view, Command> commands[] = {
      {"applications", applications_command},
      {"bulk", bulk_command},
      {"console", console_command},
      {"endpoints", endpoints_command},
      {"health", health_command},
      {"indices", indices_command},
      {"key", key_command},
      {"limits", limits_command},
      {"messages", messages_command},
      {"model", model_command},
      {"node", node_command},
      {"objects", objects_command},
      {"repositories", repositories_command},
      {"search", search_command},
      {"snapshots", snapshots_command},
      {"top", top_command},
  };
  if (words.empty()) return std::nullopt;
  for (const auto& [noun, command] : commands)
    if (words[0] == noun) return command({words.begin() + 1, words.end()}, environment);
  return std::nullopt;
}

}  // namespace cairn::cli
