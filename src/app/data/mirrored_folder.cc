// SPDX-License-Identifier: Apache-2.0
#include "app/data/mirrored_folder.h"

#include <utility>

#include "os/random.h"

namespace cairn::app {
namespace {

Error no_mirror() {
  return {.kind = ErrorKind::not_found,
          .message =
              "the data folder has no mirror: set data.mirror to a folder on another disk, "
              "and restart"};
}

Json mirror_json(const objectstore::MirrorKeeper& keeper) {
  const os::MirrorStatus status = keeper.status();
  Json folders = Json::array();
  bool filling = false;
  for (std::size_t side = 0; side < 2; ++side) {
    const os::MirrorSideStatus& one = status.sides[side];
    filling = filling || one.state == os::SideState::filling;
    Json folder = Json::object({{"setting", side == 0 ? "data.dir" : "data.mirror"},
                                {"folder", one.folder},
                                {"state", std::string(os::name_of(one.state))}});
    if (!one.reason.empty()) folder.set("reason", one.reason);
    folders.push(std::move(folder));
  }
  const std::string fault = mirror_fault(status);
  Json out = Json::object({{"whole", fault.empty()}, {"folders", std::move(folders)}});
  if (!fault.empty()) out.set("fault", fault);
  if (filling)
    out.set("filling", Json::object({{"compared_files", status.compared_files},
                                     {"copied_files", status.copied_files},
                                     {"copied_bytes", status.copied_bytes}}));
  if (const std::string last = keeper.fault(); !last.empty()) out.set("last_filling_failed", last);
  return out;
}

}  // namespace

Result<DataPlace> open_data_place(const Settings& settings) {
  DataPlace place{.folder = settings.data_dir};
  while (place.folder.size() > 1 && place.folder.ends_with('/')) place.folder.pop_back();
  CAIRN_TRY(const bool marked, os::Mirror::has_marker(os::system_files(), place.folder));
  if (settings.mirror_dir.empty() && !marked) return place;
  CAIRN_TRY(place.mirror, os::Mirror::open(os::system_files(), os::system_random(),
                                           {.first = place.folder,
                                            .second = settings.mirror_dir,
                                            .full_bytes = settings.engine.reserve_bytes,
                                            .rules = objectstore::mirror_rules()}));
  place.folder = place.mirror->root();
  os::MirrorSides& sides = place.mirror->sides();
  place.secrets = std::make_unique<os::SecretPlaces>(
      place.folder,
      [&sides](const std::string& path, std::string_view text) {
        const auto hold = sides.hold();
        const auto turn = sides.names().of(path);
        return sides.run(
            false, [&](int side) { return os::write_one_secret_file(sides.on(side, path), text); });
      },
      [&sides](const std::string& path) { return sides.on(sides.reading(), path); });
  return place;
}

std::string mirror_fault(const os::MirrorStatus& status) {
  for (const os::MirrorSideStatus& side : status.sides) {
    if (side.folder.empty() || side.state == os::SideState::whole) continue;
    if (side.state == os::SideState::filling)
      return "the mirror is not whole: [" + side.folder + "] is being filled";
    return "the mirror is not whole: [" + side.folder + "] takes no part: " + side.reason;
  }
  return "";
}

api::MirrorControl mirror_control(objectstore::MirrorKeeper* keeper) {
  return {.status = [keeper]() -> Result<Json> {
            if (keeper == nullptr) return no_mirror();
            return mirror_json(*keeper);
          },
          .fill = [keeper]() -> Status {
            return keeper == nullptr ? Status(no_mirror()) : keeper->fill();
          },
          .leave = [keeper](int side) -> Status {
            return keeper == nullptr ? Status(no_mirror()) : keeper->leave(side);
          }};
}

}  // namespace cairn::app
