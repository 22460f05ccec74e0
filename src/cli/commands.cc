// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

namespace cairn::cli {

std::vector<CommandHelp> command_help() {
  return {
      {"cairn add FOLDER [--watch] [--serve]", "a folder to search: by words and by meaning"},
      {"cairn search WORDS [--index NAME]", "answers by words and by meaning"},
      {"cairn health [--live]", "whether a server is ready, for probes"},
      {"cairn key create --name NAME [options]", "makes an API key and prints it once"},
      {"cairn key list [--name PREFIX*]", "lists API keys"},
      {"cairn key show ID", "shows one API key, never its secret"},
      {"cairn key delete ID...", "invalidates API keys"},
      {"cairn key rotate ID", "draws a new secret; the old one holds for a day"},
      {"cairn key create --admin --data DIR",
       "without a server: an administrator's key, where all are lost"},
      {"cairn limits status", "what is left of the limits of one's own key"},
      {"cairn limits show IDENTITY", "what an identity has used, as user:alice or ip:192.0.2.1"},
      {"cairn limits reset IDENTITY...", "forgets what was counted of identities"},
      {"cairn limits policy", "the limits that are in use"},
      {"cairn model import FOLDER|URL|s3://BUCKET/PREFIX", "takes a model into the model store"},
      {"cairn model list", "the models of the store, and how far downloads are"},
      {"cairn model remove ID...", "removes models that nothing uses"},
      {"cairn objects cp|mv|sync|ls|rm|mb|rb|presign", "object storage, as other tools have it"},
      {"cairn objects OPERATION", "any operation of the object storage, as put-object"},
      {"cairn objects resolve-endpoint", "where requests go: a JSON case a line on standard input"},
      {"cairn objects sign", "signs requests: a JSON case a line on standard input"},
  };
}

std::vector<CommandPage> command_pages() {
  return {add_page(),    search_page(), health_page(), key_page(),
          limits_page(), model_page(),  objects_page()};
}

std::optional<int> run(const std::vector<std::string>& words, const Environment& environment) {
  if (words.empty()) return std::nullopt;
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (words[0] == "health") return health_command(rest, environment);
  if (words[0] == "key") return key_command(rest, environment);
  if (words[0] == "limits") return limits_command(rest, environment);
  if (words[0] == "model") return model_command(rest, environment);
  if (words[0] == "search") return search_command(rest, environment);
  if (words[0] == "objects") return objects_command(rest, environment);
  return std::nullopt;
}

}  // namespace cairn::cli
