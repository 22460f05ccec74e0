// SPDX-License-Identifier: Apache-2.0
#include "cli/add/folder_access.h"

#include <cstdio>
#include <optional>

#include "base/encode.h"
#include "base/strings.h"
#include "os/deadline.h"
#include "os/files/file_mark.h"
#include "os/files/files.h"

namespace cairn::cli {
namespace {

constexpr std::string_view file_name = "folders.yaml";
constexpr std::size_t file_bytes_max = 1 << 20;
constexpr std::int64_t reload_wait_ms = 15'000;  // the server looks every second
constexpr std::int64_t look_every_ms = 100;

FolderAccess no(std::string why) { return {.server_reads = false, .why_not = std::move(why)}; }

/// Whether the server sees the file that is at this path here.
bool is_same(const Json& seen, const std::string& path) {
  const auto mark = os::file_mark(path);
  return mark.ok() && seen.string_or("mark") == *mark;
}

Result<Json> ask_server(Connection& connection, const std::string& folder) {
  CAIRN_TRY(Answer answer, connection.ask("GET", "/_cairn/folders?path=" + percent_encode(folder)));
  if (answer.status == 200) return std::move(answer.body);
  return Error{.kind = answer.status == 401 || answer.status == 403 ? ErrorKind::permission_denied
                                                                    : ErrorKind::unavailable,
               .message = reason_of(answer)};
}

bool is_allowed(const Json& facts) {
  const Json* folder = facts.find("folder");
  return folder != nullptr && folder->bool_or("allowed");
}

/// What the server's own eyes say of a folder that it is allowed to read.
FolderAccess judge(const Json& facts, const std::string& folder) {
  const Json& seen = *facts.find("folder");
  if (!seen.bool_or("readable"))
    return no("the server may not read it (" + seen.string_or("reason") + ")");
  if (!is_same(seen, folder)) return no("the server sees another folder at that path");
  return {.server_reads = true};
}

Json::Array roots_in(const Json& facts) {
  const Json* roots = facts.find("roots");
  return roots != nullptr && roots->is_array() ? roots->as_array() : Json::Array();
}

/// JSON is YAML.
std::string settings_text(const Json& facts, const std::string& folder) {
  Json roots = Json::array();
  for (const Json& root : roots_in(facts)) roots.push(root.string_or("path"));
  roots.push(folder);
  const Json settings = Json::object(
      {{"connectors", Json::object({{"directory", Json::object({{"roots", roots}})}})}});
  return "# Written by `cairn add`: the folders that connectors may read.\n" + settings.dump() +
         "\n";
}

/// conf.d with one more file in it; put back as it was unless it is kept.
class DropIn {
 public:
  explicit DropIn(std::string folder)
      : folder_(std::move(folder)), path_(folder_ + "/" + std::string(file_name)) {}

  const std::string& path() const { return path_; }

  Status write(const std::string& text) {
    auto before = os::read_file(os::system_files(), path_, file_bytes_max);
    if (before.ok()) before_ = *std::move(before);
    CAIRN_CHECK(os::system_files().make_directories(folder_, 0755));
    return os::replace_file(path_, text, 0644);  // the server's user reads it
  }
  void take_back() const {
    if (before_)
      (void)os::replace_file(path_, *before_, 0644);
    else
      (void)os::system_files().remove(path_);
  }

 private:
  std::string folder_, path_;
  std::optional<std::string> before_;
};

/// Why no file of conf.d could change the roots; empty where one can.
std::string why_not_by_file(const Json& facts, const std::string& folder) {
  const Json* settings = facts.find("settings");
  const Json* beside = settings == nullptr ? nullptr : settings->find("beside");
  if (settings != nullptr && settings->string_or("drop_in_folder").empty())
    return "the server is still starting";
  if (beside == nullptr || !is_same(*beside, beside->string_or("path")))
    return "the server runs on another machine, or its configuration cannot be seen from here";
  const std::string origin = facts.string_or("origin");
  if (origin.starts_with("CAIRN_") || origin.starts_with("--"))
    return "its folders are named by " + origin + ", which no file can add to";
  if (folder.find(',') != std::string::npos)
    return "the settings cannot name a folder with a comma in its name";
  return {};
}

Result<FolderAccess> add_root(Connection& connection, const std::string& folder, Json facts) {
  DropIn file(facts.find_path("settings.drop_in_folder")->as_string());
  if (const Status written = file.write(settings_text(facts, folder)); !written.ok())
    return no("this user may not write " + file.path() + " (" + written.error().message +
              "); with sudo it can");
  const auto until = os::Deadline::in_ms(reload_wait_ms);
  while (!is_allowed(facts) && !until.passed()) {
    os::sleep_ms(look_every_ms, until);
    auto fresh = ask_server(connection, folder);
    if (!fresh.ok()) {
      file.take_back();
      return std::move(fresh).error();
    }
    facts = *std::move(fresh);
  }
  if (!is_allowed(facts)) {
    file.take_back();
    return no("the server did not take over " + file.path() +
              ": its log says why, or connectors.directory.roots is set by " +
              facts.string_or("origin"));
  }
  FolderAccess access = judge(facts, folder);
  if (access.server_reads)
    std::fprintf(stderr, "allowed the server to read %s (in %s)\n", folder.c_str(),
                 file.path().c_str());
  else
    file.take_back();
  return access;
}

}  // namespace

Result<FolderAccess> let_server_read(Connection& connection, const std::string& folder,
                                     const AskPerson& ask) {
  CAIRN_TRY(Json facts, ask_server(connection, folder));
  if (is_allowed(facts)) return judge(facts, folder);
  if (const std::string why = why_not_by_file(facts, folder); !why.empty()) return no(why);
  CAIRN_TRY(const bool yes,
            ask("May the server read " + folder + " by itself? That is written into " +
                facts.find_path("settings.drop_in_folder")->as_string() + "/" +
                std::string(file_name) + "."));
  if (!yes) return no("that was not allowed");
  return add_root(connection, folder, std::move(facts));
}

}  // namespace cairn::cli
