// SPDX-License-Identifier: Apache-2.0
#include "objectstore/mirror/mirror_scrub.h"

#include <algorithm>
#include <set>
#include <string>

#include "objectstore/engine.h"
#include "objectstore/mirror/mirror_keeper.h"
#include "objectstore/mirror/mirror_mend.h"
#include "os/log.h"
#include "os/metrics.h"

namespace cairn::objectstore {
namespace {

class Round {
 public:
  Round(Engine& engine, os::MirrorSides& sides, const Pace& pace, const os::Deadline& deadline)
      : engine_(engine),
        sides_(sides),
        pace_(pace),
        deadline_(deadline),
        left_out_(mirror_rules().left_out) {}

  Result<MirrorScrubCount> run() {
    CAIRN_CHECK(walk(sides_.root()));
    static os::Gauge& damaged = os::metrics().gauge(
        "cairn_mirror_damaged_files",
        "Files that the last comparison of the mirror's folders found and could not mend");
    damaged.set(static_cast<std::int64_t>(count_.damaged));
    return count_;
  }

 private:
  Status walk(const std::string& folder) {
    std::set<std::string> names;
    std::set<std::string> folders;
    for (const int side : {0, 1}) CAIRN_CHECK(list(side, folder, names, folders));
    for (const std::string& name : names) CAIRN_CHECK(look(folder + "/" + name));
    for (const std::string& name : folders) CAIRN_CHECK(walk(folder + "/" + name));
    return ok_status();
  }

  Status list(int side, const std::string& folder, std::set<std::string>& names,
              std::set<std::string>& folders) {
    const std::string place = sides_.on(side, folder);
    const auto listed = sides_.below().list(place);
    if (!listed.ok() && listed.error().kind == ErrorKind::not_found) return ok_status();
    CAIRN_CHECK(listed);
    for (const std::string& name : *listed) {
      if (is_left_out(folder, name)) continue;
      const auto info = sides_.below().info(place + "/" + name);
      if (info.ok()) (info->is_directory ? folders : names).insert(name);
    }
    return ok_status();
  }

  bool is_left_out(const std::string& folder, const std::string& name) const {
    if (name == "LOCK" || name.starts_with(os::mirror_marker_name)) return true;
    if (name.find(".new-") != std::string::npos || name.find(".mirror-") != std::string::npos)
      return true;  // of a replacement that goes on
    if (folder == sides_.root() + "/objects" && name == "spare") return true;
    if (folder != sides_.root()) return false;
    // In the root people may keep things; what is Cairn's there is VERSION and folders.
    return name == "lost+found" || name.starts_with(".") ||
           std::find(left_out_.begin(), left_out_.end(), name) != left_out_.end();
  }

  Status look(const std::string& path) {
    CAIRN_CHECK(deadline_.check("compare the folders of the mirror"));
    if (!sides_.both_whole()) return ok_status();
    ++count_.files;
    CAIRN_TRY(const Mended mended, mend_file(engine_, sides_, path, pace_));
    if (mended == Mended::done) ++count_.mended;
    if (mended != Mended::differs && mended != Mended::lost) return ok_status();
    ++count_.damaged;
    os::log(os::LogLevel::error, "objectstore", "mirror_file_damaged",
            {{"file", sides_.on(0, path)},
             {"other_file", sides_.on(1, path)},
             {"reason", mended == Mended::lost
                            ? "it is whole in neither folder"
                            : "the folders differ, and nothing tells which of them is right"}});
    return ok_status();
  }

  Engine& engine_;
  os::MirrorSides& sides_;
  const Pace& pace_;
  const os::Deadline& deadline_;
  const std::vector<std::string> left_out_;
  MirrorScrubCount count_;
};

}  // namespace

Result<MirrorScrubCount> scrub_mirror(Engine& engine, os::MirrorSides& sides, const Pace& pace,
                                      const os::Deadline& deadline) {
  return Round(engine, sides, pace, deadline).run();
}

}  // namespace cairn::objectstore
