// SPDX-License-Identifier: Apache-2.0
#include "app/commands/admin_key_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string_view>

#include "app/data/mirrored_folder.h"
#include "app/nodes/cluster_node.h"
#include "app/nodes/platform_store.h"
#include "app/settings/settings.h"
#include "auth/first_keys.h"
#include "auth/keys/keys.h"
#include "cli/arguments.h"
#include "cli/exit_codes.h"
#include "objectstore/engine.h"
#include "os/log.h"

namespace cairn::app {
namespace {

using Words = std::vector<std::string>;

constexpr std::int64_t open_wait_ms = 600'000;  // a long log to replay is no reason to give up
constexpr std::string_view admin_key_usage =
    "usage: cairn key create --admin --data DIR [--key-out FILE] [--config FILE] [--store URL]\n"
    "makes an administrator's key without a server and without another key, for an installation\n"
    "whose keys are lost, and writes it to FILE (DIR/keys/admin.key), which must not be there yet.\n"
    "Exit status: 66 no data folder, 73 the file is there, 75 a server uses the data folder.\n";

int misused_admin(const std::string& why) {
  std::fprintf(stderr, "cairn: %s\n%s", why.c_str(), std::string(admin_key_usage).c_str());
  return cli::usage_error;
}

int failed_admin(const Error& error) {
  std::fprintf(stderr, "cairn: %s\n", error.message.c_str());
  if (error.kind == ErrorKind::already_exists) return cli::cannot_create;
  return cli::exit_code_of(error, cli::internal_error);
}

/// A server makes the folder that it does not find; this command repairs one that is there.
Status check_there(const std::string& folder) {
  struct stat info {};
  if (::stat((folder + "/objects").c_str(), &info) != 0)
    return Error{ErrorKind::not_found, {}, folder + " is no data folder: it has no objects/"};
  if (info.st_uid == ::geteuid()) return ok_status();
  // Files of another owner would keep the server out of its own folder.
  return Error{ErrorKind::permission_denied,
               {},
               folder + " belongs to user " + std::to_string(info.st_uid) +
                   "; run this command as that user"};
}

Result<std::string> make_key(const Settings& settings, const std::string& file) {
  const auto deadline = os::Deadline::in_ms(open_wait_ms);
  std::unique_ptr<ClusterNode> node;
  if (!settings.store_url.empty()) {
    CAIRN_CHECK(check_there(settings.data_dir));
    CAIRN_TRY(node, ClusterNode::open_alone(settings, deadline));
  }
  DataPlace own;
  if (node == nullptr) {
    CAIRN_TRY(own, open_data_place(settings));
  }
  const DataPlace& data = node ? node->data() : own;
  CAIRN_CHECK(check_there(data.folder));
  objectstore::EngineOptions options = settings.engine;
  options.data_dir = data.folder;
  options.files = &data.files();
  CAIRN_TRY(const auto engine, objectstore::Engine::open(options));
  CAIRN_TRY(const auto place, PlatformStore::open(node.get(), *engine, deadline));
  CAIRN_TRY(const auto store, place->reserved(".cairn-auth"));
  CAIRN_TRY(const auto keys, auth::Keys::open(*store, os::system_clock(), os::system_random(),
                                              settings.auth, deadline));
  return auth::make_administrator(file, *keys, os::system_clock(), os::system_random(), deadline);
}

}  // namespace

bool asks_for_admin_key(const Words& words) {
  return words.size() >= 2 && words[0] == "key" && words[1] == "create" &&
         std::find(words.begin(), words.end(), "--admin") != words.end();
}

int admin_key_command(const Words& words, const Words& environment) {
  if (std::find(words.begin(), words.end(), "--help") != words.end()) {
    std::fputs(std::string(admin_key_usage).c_str(), stdout);
    return cli::success;
  }
  const auto arguments = cli::Arguments::parse(
      words, {.options = {"--data", "--store", "--config", "--key-out"}, .flags = {"--admin"}});
  if (!arguments.ok()) return misused_admin(arguments.error().message);
  std::vector<GivenSetting> flags;
  if (const auto data = arguments->option("--data"))
    flags.push_back({.key = "data.dir", .text = *data, .origin = "--data"});
  if (const auto store = arguments->option("--store"))
    flags.push_back({.key = "store.url", .text = *store, .origin = "--store"});
  const auto loaded =
      load_settings(arguments->option("--config").value_or(""), environment, flags);
  if (!loaded.ok()) {
    std::fprintf(stderr, "cairn: %s\n", loaded.error().message.c_str());
    return cli::configuration_error;
  }
  const Settings& settings = loaded->settings;
  os::configure_log(os::LogLevel::error, settings.log_format);
  const std::string file =
      arguments->option("--key-out").value_or(settings.data_dir + "/keys/admin.key");
  const auto made = make_key(settings, file);
  if (!made.ok()) return failed_admin(made.error());
  std::fprintf(stderr, "the administrator's key %s was written to %s\n", made->c_str(),
               file.c_str());
  return cli::success;
}

}  // namespace cairn::app
