// SPDX-License-Identifier: Apache-2.0
#include "cli/add/own_server.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/strings.h"
#include "format/json.h"
#include "net/client/client.h"
#include "os/deadline.h"
#include "os/files/files.h"

namespace cairn::cli {
namespace {

constexpr std::int64_t start_wait_ms = 60'000;
constexpr std::int64_t start_look_ms = 50;
constexpr std::size_t ready_bytes_max = 4096;
constexpr std::size_t log_bytes_max = 64 << 20;
constexpr std::size_t log_lines_shown = 5;

Error unusable(std::string message) {
  return {.kind = ErrorKind::invalid_argument, .message = std::move(message)};
}

std::string quoted(const std::string& text) { return Json(text).dump(); }

Status write_settings(const std::string& file, const std::string& data) {
  if (os::system_files().info(file).ok()) return ok_status();
  return os::replace_file(
      file,
      "# Written by `cairn add --serve`. Files of conf.d beside it are read too.\n"
      "data: { dir: " +
          quoted(data) + " }\n",
      0600);
}

std::string last_lines(const std::string& file) {
  const auto text = os::read_file(os::system_files(), file, log_bytes_max);
  if (!text.ok()) return {};
  std::size_t at = text->size();
  for (std::size_t lines = 0; at > 0 && lines <= log_lines_shown; ++lines)
    at = text->rfind('\n', at - 1) == std::string::npos ? 0 : text->rfind('\n', at - 1);
  return std::string(trim(std::string_view(*text).substr(at)));
}

Result<std::string> own_program() {
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0 || static_cast<std::size_t>(length) == sizeof path)
    return Error{
        .kind = ErrorKind::unavailable,
        .message = "this program does not know where it lies; start `cairn serve` yourself"};
  return std::string(path, static_cast<std::size_t>(length));
}

/// A session of its own: neither Ctrl-C nor the end of the terminal ends it.
Result<int> spawn(std::vector<std::string> words, const std::string& log_file) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_file.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t child = 0;
  const int fault =
      ::posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (fault != 0)
    return Error{.kind = ErrorKind::unavailable,
                 .message = "starting " + words[0] + ": " + std::strerror(fault)};
  return static_cast<int>(child);
}

Result<std::vector<std::string>> listening_at(const std::optional<std::string>& url) {
  if (!url) return std::vector<std::string>();
  CAIRN_TRY(const net::Url parsed, net::parse_url(*url));
  if (parsed.scheme != "http")
    return unusable("--serve starts a server without TLS, which " + *url + " is not");
  const bool v6 = parsed.host.find(':') != std::string::npos;
  return std::vector<std::string>{
      "--api-listen",
      (v6 ? "[" + parsed.host + "]" : parsed.host) + ":" + std::to_string(parsed.port),
      "--objects-listen", "127.0.0.1:0"};
}

Result<OwnServer> wait_until_ready(OwnServer server, const std::string& ready_file) {
  const auto deadline = os::Deadline::in_ms(start_wait_ms);
  while (!deadline.passed()) {
    const auto text = os::read_file(os::system_files(), ready_file, ready_bytes_max);
    if (text.ok() && !text->empty()) {
      CAIRN_TRY(const Json facts, parse_json(*text));
      server.url = facts.string_or("api");
      return server;
    }
    int status = 0;
    if (::waitpid(server.process_id, &status, WNOHANG) == server.process_id)
      return Error{.kind = ErrorKind::unavailable,
                   .message = "the server did not start: " + last_lines(server.log_file)};
    os::sleep_ms(start_look_ms, deadline);
  }
  return Error{.kind = ErrorKind::unavailable,
               .message = "the server (process " + std::to_string(server.process_id) +
                          ") is not ready after a minute; its log is " + server.log_file};
}

}  // namespace

Result<OwnServer> start_own_server(const Environment& environment,
                                   const std::optional<std::string>& url) {
  const std::string data = user_data_folder(environment);
  const std::string settings = user_settings_folder(environment);
  if (data.empty() || settings.empty())
    return unusable(
        "--serve needs a home: neither HOME nor XDG_DATA_HOME and XDG_CONFIG_HOME are set");
  CAIRN_TRY(const auto listen, listening_at(url));
  CAIRN_TRY(const std::string program, own_program());
  auto& files = os::system_files();
  const std::string beside =
      data.substr(0, data.rfind('/'));  // the data folder is the server's own
  CAIRN_CHECK(files.make_directories(beside, 0700));
  CAIRN_CHECK(files.make_directories(settings, 0700));
  const std::string file = settings + "/cairn.yaml", ready = beside + "/ready.json";
  CAIRN_CHECK(write_settings(file, data));
  if (files.info(ready).ok()) CAIRN_CHECK(files.remove(ready));
  OwnServer server{.url = {},
                   .key_file = data + "/keys/admin.key",
                   .log_file = beside + "/serve.log",
                   .process_id = 0};
  std::vector<std::string> words{program,  "serve", "--config",     file,
                                 "--data", data,    "--ready-file", ready};
  words.insert(words.end(), listen.begin(), listen.end());
  CAIRN_TRY(server.process_id, spawn(std::move(words), server.log_file));
  return wait_until_ready(std::move(server), ready);
}

}  // namespace cairn::cli
