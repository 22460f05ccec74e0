// SPDX-License-Identifier: Apache-2.0
#include "app/commands/mirror_command.h"

#include <cstdio>
#include <optional>
#include <utility>

#include "app/settings/settings.h"
#include "cli/arguments.h"
#include "cli/exit_codes.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "format/json.h"
#include "format/time.h"
#include "os/mirror/mirror.h"
#include "os/random.h"

namespace cairn::app {
namespace {

constexpr std::string_view mirror_usage =
    "usage: cairn mirror status [--json]\n"
    "         the two folders, data.dir and data.mirror, and whether each is whole. Exit status 1\n"
    "         where one is not.\n"
    "       cairn mirror fill\n"
    "         looks for the folder that was away, and begins to give it what it lacks.\n"
    "       cairn mirror leave data.dir|data.mirror\n"
    "         puts one folder aside, so that its disk can be taken out.\n"
    "       cairn mirror keep FOLDER [--data DIR] [--mirror DIR] [--config FILE]\n"
    "         without a server: of two folders that were both written alone, FOLDER counts. What "
    "the\n"
    "         other one has beyond it is lost at the next start, which fills it anew.\n"
    "status, fill, leave: [--server URL] [--key-file FILE] [--ca-file FILE]\n"
    "                     [--certificate-file FILE]\n"
    "Exit status: 0 done, 1 the server said no, or not whole, 66 no such folder, 75 in use.\n";

int mirror_status(const cli::Arguments& arguments, cli::Connection& connection) {
  const cli::Asked asked = cli::ask_or_explain(connection, "GET", "/_cairn/mirror");
  if (asked.exit_code != 0) return asked.exit_code;
  const bool whole = asked.body.bool_or("whole");
  if (arguments.flag("--json")) {
    cli::print_json(asked.body);
    return whole ? cli::success : cli::failed;
  }
  std::vector<cli::Row> rows;
  if (const Json* const folders = asked.body.find("folders"); folders && folders->is_array())
    for (const Json& one : folders->as_array())
      rows.push_back({one.string_or("setting"), one.string_or("folder"), one.string_or("state"),
                      one.string_or("reason")});
  cli::print_table({"SETTING", "FOLDER", "STATE", "REASON"}, rows);
  if (const Json* const filling = asked.body.find("filling"))
    std::fprintf(
        stderr, "being filled: %lld files compared, %lld copied, %s\n",
        static_cast<long long>(filling->int_or("compared_files")),
        static_cast<long long>(filling->int_or("copied_files")),
        format_byte_size(static_cast<std::uint64_t>(filling->int_or("copied_bytes"))).c_str());
  if (const std::string last = asked.body.string_or("last_filling_failed"); !last.empty())
    std::fprintf(stderr, "the last filling failed: %s\n", last.c_str());
  return whole ? cli::success : cli::failed;
}

int mirror_fill(const cli::Arguments&, cli::Connection& connection) {
  const auto answer = connection.ask("POST", "/_cairn/mirror/_fill");
  if (!answer.ok()) return cli::explain(answer.error());
  if (answer->status != 202) return cli::explain(*answer);
  std::fputs("the folder is being filled: cairn mirror status\n", stderr);
  return cli::success;
}

int mirror_leave(const cli::Arguments& arguments, cli::Connection& connection) {
  const std::string& which = arguments.words()[0];
  if (which != "data.dir" && which != "data.mirror")
    return cli::misused("leave data.dir, or data.mirror", mirror_usage);
  return cli::ask_or_explain(connection, "POST", "/_cairn/mirror/_leave?folder=" + which).exit_code;
}

const std::vector<cli::Verb>& mirror_verbs() {
  static const std::vector<cli::Verb> all = {
      {.name = "status", .syntax = {.flags = {"--json"}}, .run = mirror_status},
      {.name = "fill", .syntax = {}, .run = mirror_fill},
      {.name = "leave", .syntax = {.words_min = 1, .words_max = 1}, .run = mirror_leave}};
  return all;
}

int keep_failed(const Error& error) {
  std::fprintf(stderr, "cairn: %s\n", error.message.c_str());
  return cli::exit_code_of(error, cli::io_error);
}

int mirror_keep(const std::vector<std::string>& words,
                const std::vector<std::string>& environment) {
  const auto arguments = cli::Arguments::parse(
      words, {.options = {"--data", "--mirror", "--config"}, .words_min = 1, .words_max = 1});
  if (!arguments.ok()) return cli::misused(arguments.error().message, mirror_usage);
  std::vector<GivenSetting> flags;
  if (const auto data = arguments->option("--data"))
    flags.push_back({.key = "data.dir", .text = *data, .origin = "--data"});
  if (const auto mirror = arguments->option("--mirror"))
    flags.push_back({.key = "data.mirror", .text = *mirror, .origin = "--mirror"});
  const auto loaded = load_settings(arguments->option("--config").value_or(""), environment, flags);
  if (!loaded.ok()) {
    std::fprintf(stderr, "cairn: %s\n", loaded.error().message.c_str());
    return cli::configuration_error;
  }
  const auto plain = [](std::string path) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path;
  };
  const std::string folder = plain(arguments->words()[0]);
  const std::string data = plain(loaded->settings.data_dir);
  const std::string mirror = plain(loaded->settings.mirror_dir);
  if (mirror.empty() || (folder != data && folder != mirror))
    return cli::misused(
        "[" + folder + "] is neither data.dir [" + data + "] nor data.mirror [" + mirror + "]",
        mirror_usage);
  const std::string& other = folder == data ? mirror : data;
  const Status kept = os::Mirror::keep(os::system_files(), os::system_random(), folder, other);
  if (!kept.ok()) return keep_failed(kept.error());
  std::fprintf(stderr, "%s counts: the next start fills %s from it\n", folder.c_str(),
               other.c_str());
  return cli::success;
}

}  // namespace

std::string_view mirror_help() { return mirror_usage; }

int mirror_command(const std::vector<std::string>& words,
                   const std::vector<std::string>& environment, const cli::Environment& lookup) {
  if (!words.empty() && words[0] == "keep" && !cli::asks_for_help(words))
    return mirror_keep({words.begin() + 1, words.end()}, environment);
  return cli::run_noun({.name = "mirror", .usage = mirror_usage, .verbs = mirror_verbs()}, words,
                       lookup);
}

}  // namespace cairn::app
