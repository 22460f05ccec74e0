// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.h"

#include <algorithm>
#include <cstdio>

#include "cli/exit_codes.h"

namespace cairn::cli {

int misused(std::string_view why, std::string_view usage) {
  std::fprintf(stderr, "cairn: %s\n%s", std::string(why).c_str(), std::string(usage).c_str());
  return usage_error;
}

bool asks_for_help(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == "help") return true;
  for (const auto& word : words) {
    if (word == "--") return false;  // what follows are words, whatever they look like
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

void print_json(const Json& value) { std::printf("%s\n", value.dump(true).c_str()); }

int run_noun(const Noun& noun, const std::vector<std::string>& words,
             const Environment& environment) {
  if (asks_for_help(words) || words.empty()) {
    std::fputs(std::string(noun.usage).c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? usage_error : success;
  }
  for (const Verb& verb : noun.verbs) {
    if (verb.name != words[0]) continue;
    Syntax syntax = verb.syntax;
    Connection::add_options(syntax);
    const auto arguments = Arguments::parse({words.begin() + 1, words.end()}, syntax);
    if (!arguments.ok()) return misused(arguments.error().message, noun.usage);
    auto connection = Connection::open(*arguments, environment);
    if (!connection.ok()) return explain(connection.error());
    return verb.run(*arguments, *connection);
  }
  return misused("unknown command: cairn " + std::string(noun.name) + " " + words[0], noun.usage);
}

}  // namespace cairn::cli
