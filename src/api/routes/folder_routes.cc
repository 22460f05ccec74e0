// SPDX-License-Identifier: Apache-2.0
#include "api/routes/folder_routes.h"

#include "api/forms/error_json.h"
#include "os/files/beneath.h"
#include "os/files/file_mark.h"
#include "os/files/files.h"

namespace cairn::api {
namespace {

bool lies_within(const std::string& path, const std::string& root) {
  return root == "/" || path == root || path.starts_with(root + "/");
}

/// A folder as this server sees it. Who sees the same mark sees the same folder.
Json folder_json(const std::string& path) {
  const auto mark = os::file_mark(path);
  const auto opened = os::system_files().open(path, os::OpenMode::read);
  Json out = Json::object({{"path", path}, {"readable", opened.ok()}});
  if (mark.ok()) out.set("mark", *mark);
  if (!opened.ok()) out.set("reason", opened.error().message);
  return out;
}

/// What lies beneath no root is not told from what is not there: roots hide the rest of the disk.
Json asked_folder(const std::string& path, const std::vector<std::string>& roots) {
  const auto resolved = os::real_path(path);
  for (const auto& root : roots) {
    const auto real = os::real_path(root);
    if (!resolved.ok() || !real.ok() || !lies_within(*resolved, *real)) continue;
    Json out = folder_json(path);
    out.set("allowed", true);
    return out;
  }
  return Json::object({{"path", path}, {"allowed", false}});
}

Result<Reply> folders(Call& call, const connectors::FolderRoots& roots) {
  const auto in_use = roots.in_use();
  const auto asked = call.query("path");
  if (asked && (!asked->starts_with('/') || asked->find('\0') != std::string::npos))
    return illegal_argument("[path] must be an absolute path, got [" + *asked + "]");
  Json list = Json::array();
  for (const auto& root : in_use.roots) list.push(folder_json(root));
  // The folder that conf.d is in: conf.d itself may not be there yet.
  const std::string beside = in_use.drop_in_folder.substr(0, in_use.drop_in_folder.rfind('/'));
  Json out = Json::object(
      {{"roots", std::move(list)},
       {"origin", in_use.origin},
       {"settings", Json::object({{"drop_in_folder", in_use.drop_in_folder},
                                  {"beside", folder_json(beside.empty() ? "/" : beside)}})}});
  if (asked) out.set("folder", asked_folder(*asked, in_use.roots));
  return Reply::json(std::move(out));
}

}  // namespace

void add_folder_routes(Router& router, ServiceRef<const connectors::FolderRoots> roots) {
  router.add({.method = "GET",
              .path = "/_cairn/folders",
              .operation = "cairn.folders",
              .cluster = {"manage_connector"},
              .query = {{"path", "string", "A folder: whether it may be read, and can be."}},
              .summary = "The folders that connectors may read, and where that is written."},
             [roots](Call& call) { return folders(call, *roots); });
}

}  // namespace cairn::api
