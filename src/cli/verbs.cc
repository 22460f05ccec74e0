// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.h"

#include <algorithm>
#include <cstdio>

#include "cli/exit_codes.h"
#include "os/files/files.h"

namespace cairn::cli {
namespace {

constexpr std::size_t json_bytes_max = 100u << 20;
constexpr std::int64_t longest_answer_ms = 24ll * 3600 * 1000;

}  // namespace

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

int for_each_word(const Arguments& arguments, const std::function<int(const std::string&)>& act) {
  std::size_t done = 0;
  int worst = success;
  for (const auto& word : arguments.words()) {
    const int status = act(word);
    if (status == success)
      ++done;
    else
      worst = status;
  }
  return worst == success || done == 0 ? worst : partly_failed;
}

Result<Json> read_json_object(const std::string& path) {
  std::string text;
  if (path == "-") {
    char piece[64 << 10];
    for (std::size_t got = std::fread(piece, 1, sizeof piece, stdin);
         got > 0 && text.size() <= json_bytes_max; got = std::fread(piece, 1, sizeof piece, stdin))
      text.append(piece, got);
  } else {
    CAIRN_TRY(text, os::read_file(os::system_files(), path, json_bytes_max));
  }
  auto json = parse_json(text);
  if (!json.ok()) return with_context(std::move(json).error(), path);
  if (!json->is_object())
    return Error{.kind = ErrorKind::invalid_argument, .message = path + " holds no JSON object"};
  return json;
}

namespace {

Asked explained(const Result<Answer>& answer) {
  if (!answer.ok()) return {.exit_code = explain(answer.error())};
  if (answer->status != 200) return {.exit_code = explain(*answer)};
  return {.body = answer->body};
}

}  // namespace

Asked ask_or_explain(Connection& connection, std::string method, const std::string& path,
                     const Json* body) {
  return explained(connection.ask(std::move(method), path, body));
}

Asked wait_for(Connection& connection, std::string method, const std::string& path,
               const Json* body) {
  return explained(connection.send(std::move(method), path, body == nullptr ? "" : body->dump(),
                                   body == nullptr ? "" : "application/json", longest_answer_ms));
}

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
