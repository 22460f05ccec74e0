// SPDX-License-Identifier: Apache-2.0
#include "os/mirror/mirror_fill.h"

#include <algorithm>
#include <utility>

#include "os/log.h"
#include "os/metrics.h"

namespace cairn::os {
namespace {

constexpr std::uint64_t last_copy_bytes = 1 << 20;  // copied while changes are stopped

bool is_missing(const Error& error) { return error.kind == ErrorKind::not_found; }

}  // namespace

Status MirrorFill::paced(std::uint64_t bytes) {
  CAIRN_CHECK(still_filling());
  return pace_ ? pace_(bytes) : ok_status();
}

Status MirrorFill::still_filling() const {
  if (sides_.state(target_) == SideState::filling && sides_.is_whole(source())) return ok_status();
  return Error{.kind = ErrorKind::conflict,
               .message = "the filling of [" + sides_.folder(target_) +
                          "] was ended: " + sides_.reason(target_)};
}

bool MirrorFill::is_left_out(const std::string& folder, const std::string& name) const {
  if (name == "LOCK") return true;
  if (folder != sides_.root()) return false;
  return name.starts_with(mirror_marker_name) || name == "lost+found" ||
         std::find(rules_.left_out.begin(), rules_.left_out.end(), name) != rules_.left_out.end();
}

std::uint64_t MirrorFill::told_by(const std::string& path, std::uint64_t size) const {
  if (!rules_.told_by) return size;
  return rules_.told_by(std::string_view(path).substr(sides_.root().size() + 1), size);
}

Status MirrorFill::begin() {
  const auto stopped = sides_.stop_changes();
  if (sides_.state(target_) == SideState::whole)
    return Error{.kind = ErrorKind::conflict,
                 .message = "[" + sides_.folder(target_) + "] is whole already"};
  MirrorMarker marker = sides_.marker(source());
  if (!marker.alone) {
    marker.go_alone(sides_.draw());
    CAIRN_CHECK(sides_.set_state(source(), SideState::whole, marker));
  }
  marker.filling = true;
  (void)sides_.take_owed();
  sides_.begin_era(target_);
  for (const auto& parts : sides_.open_parts()) {
    parts->retire(target_);
    parts->dirty_from.store(0);
  }
  return sides_.set_state(target_, SideState::filling, std::move(marker));
}

Status MirrorFill::run() {
  CAIRN_CHECK(begin());
  log(LogLevel::info, "os", "mirror_fill_begins",
      {{"folder", sides_.folder(target_)}, {"from", sides_.folder(source())}});
  CAIRN_CHECK(attach_open());
  CAIRN_CHECK(walk(sides_.root()));
  for (;;) {
    CAIRN_TRY(const bool finished, finish());
    if (finished) break;
    CAIRN_CHECK(attach_open());
    for (const std::string& path : sides_.take_owed()) CAIRN_CHECK(keep_file(path));
  }
  log(LogLevel::info, "os", "mirror_side_whole",
      {{"folder", sides_.folder(target_)},
       {"compared_files", progress_.compared_files.load()},
       {"copied_files", progress_.copied_files.load()},
       {"copied_bytes", progress_.copied_bytes.load()},
       {"removed_files", progress_.removed_files.load()}});
  return ok_status();
}

Status MirrorFill::attach_open() {
  for (const auto& parts : sides_.open_parts())
    if (parts->part(target_) == nullptr) CAIRN_CHECK(attach(*parts));
  return ok_status();
}

/// Copies what is there while it grows, and the last of it while nothing changes.
Status MirrorFill::attach(OpenParts& parts) {
  File* const from = parts.part(source());
  if (from == nullptr) return ok_status();
  Files& files = sides_.below();
  std::unique_ptr<File> to;
  bool named = false;
  {
    const auto stopped = sides_.stop_changes();
    const std::string name = parts.name();
    named = !name.empty();
    // One that was removed while it is open has no name to be found under.
    if (named && !files.info(sides_.on(source(), name)).ok()) return ok_status();
    const std::string place = sides_.on(target_, named ? name : parts.directory);
    CAIRN_CHECK(make_directories_durably(files, named ? place.substr(0, place.rfind('/')) : place));
    CAIRN_TRY(to, named ? files.open(place, OpenMode::truncate) : files.create_unnamed(place));
    parts.dirty_from.store(0);
  }
  for (;;) {
    CAIRN_CHECK(still_filling());
    const std::uint64_t begin = parts.dirty_from.load();
    CAIRN_TRY(const std::uint64_t size, from->size());
    if (begin >= size || size - begin <= last_copy_bytes) break;
    parts.dirty_from.store(size);
    CAIRN_CHECK(
        copy_bytes(*from, *to, begin, size, [this](std::uint64_t bytes) { return paced(bytes); }));
    progress_.copied_bytes += size - begin;
  }
  const auto stopped = sides_.stop_changes();
  if (!named && !parts.name().empty()) return ok_status();  // it got one meanwhile, and is owed
  CAIRN_TRY(const std::uint64_t size, from->size());
  const std::uint64_t begin = std::min(parts.dirty_from.load(), size);
  CAIRN_CHECK(copy_bytes(*from, *to, begin, size, {}));
  CAIRN_CHECK(to->truncate(size));
  CAIRN_CHECK(to->sync_all());
  progress_.copied_bytes += size - begin;
  ++progress_.copied_files;
  parts.install(target_, std::move(to));
  return ok_status();
}

Status MirrorFill::keep_directory(const std::string& folder) {
  const std::string place = sides_.on(target_, folder);
  if (sides_.below().info(place).ok()) return ok_status();
  const unsigned mode = mode_of(sides_.below(), sides_.on(source(), folder));
  return make_directories_durably(sides_.below(), place, mode == 0 ? 0750 : mode);
}

Status MirrorFill::walk(const std::string& folder) {
  CAIRN_CHECK(keep_directory(folder));
  Files& files = sides_.below();
  const auto names = files.list(sides_.on(source(), folder));
  if (!names.ok() && is_missing(names.error())) return ok_status();
  CAIRN_CHECK(names);
  for (const std::string& name : *names) {
    const std::string path = folder + "/" + name;
    const bool left_out = is_left_out(folder, name);
    if (left_out && (name == "LOCK" || name.starts_with(mirror_marker_name))) continue;
    const auto info = files.info(sides_.on(source(), path));
    if (!info.ok() && is_missing(info.error())) continue;
    CAIRN_CHECK(info);
    if (left_out) {  // the folder alone: what is made in it from now on is in both
      if (info->is_directory && name != "lost+found") CAIRN_CHECK(keep_directory(path));
      continue;
    }
    CAIRN_CHECK(info->is_directory ? walk(path) : keep_file(path));
  }
  CAIRN_CHECK(drop_strange(folder, *names));
  return files.sync_directory(sides_.on(target_, folder));
}

/// What lies on the target alone goes, but in the root, where people may keep things.
Status MirrorFill::drop_strange(const std::string& folder, const std::vector<std::string>& names) {
  if (folder == sides_.root()) return ok_status();
  CAIRN_TRY(const auto there, sides_.below().list(sides_.on(target_, folder)));
  for (const std::string& name : there) {
    if (is_left_out(folder, name) || std::find(names.begin(), names.end(), name) != names.end())
      continue;
    const std::string path = folder + "/" + name;
    const auto stopped = sides_.stop_changes();
    const auto meanwhile = sides_.below().info(sides_.on(source(), path));
    if (meanwhile.ok() || !is_missing(meanwhile.error())) continue;
    CAIRN_CHECK(drop(sides_.on(target_, path)));
  }
  return ok_status();
}

Status MirrorFill::drop(const std::string& path) {
  Files& files = sides_.below();
  const auto info = files.info(path);
  if (!info.ok()) return is_missing(info.error()) ? ok_status() : Status(info.error());
  if (!info->is_directory) {
    ++progress_.removed_files;
    return files.remove(path);
  }
  CAIRN_TRY(const auto names, files.list(path));
  for (const std::string& name : names) CAIRN_CHECK(drop(path + "/" + name));
  return files.remove_directory(path);
}

Status MirrorFill::keep_file(const std::string& path) {
  ++progress_.compared_files;
  CAIRN_CHECK(still_filling());
  if (const auto parts = sides_.open_part(path))
    return parts->part(target_) == nullptr ? attach(*parts) : ok_status();
  const auto mine = sides_.below().info(sides_.on(source(), path));
  if (!mine.ok() && is_missing(mine.error())) return ok_status();  // removed meanwhile
  CAIRN_CHECK(mine);
  const auto there = sides_.below().info(sides_.on(target_, path));
  if (there.ok() && there->size_bytes == mine->size_bytes) {
    const auto same = is_same_file(sides_, path, told_by(path, mine->size_bytes),
                                   [this](std::uint64_t bytes) { return paced(bytes); });
    if (same.ok() && *same) return ok_status();
    CAIRN_CHECK(still_filling());
  }
  return copy(path);
}

Status MirrorFill::copy(const std::string& path) {
  static Counter& filled = metrics().counter(
      "cairn_mirror_filled_bytes_total", "Bytes that were copied to fill a folder of the mirror");
  Files& files = sides_.below();
  const auto before = files.info(sides_.on(source(), path));
  if (!before.ok()) return is_missing(before.error()) ? ok_status() : Status(before.error());
  const std::string place = sides_.on(target_, path);
  CAIRN_CHECK(make_directories_durably(files, place.substr(0, place.rfind('/'))));
  const auto beside = copy_beside(sides_, target_, path, mirror_copy_ending,
                                  [this](std::uint64_t bytes) { return paced(bytes); });
  if (!beside.ok() && is_missing(beside.error())) return ok_status();
  CAIRN_CHECK(beside);
  const auto stopped = sides_.stop_changes();
  const auto after = files.info(sides_.on(source(), path));
  const bool stands = after.ok() && after->id == before->id &&
                      after->size_bytes == before->size_bytes &&
                      after->modified_ns == before->modified_ns && !sides_.open_part(path);
  if (!stands) {
    if (after.ok()) sides_.owe(path);
    return files.remove(*beside);
  }
  CAIRN_CHECK(files.rename(*beside, place));
  CAIRN_CHECK(files.sync_directory(place.substr(0, place.rfind('/'))));
  ++progress_.copied_files;
  progress_.copied_bytes += before->size_bytes;
  filled.add(before->size_bytes);
  return ok_status();
}

Result<bool> MirrorFill::finish() {
  const auto stopped = sides_.stop_changes();
  CAIRN_CHECK(still_filling());
  if (!sides_.owes_nothing()) return false;
  for (const auto& parts : sides_.open_parts()) {
    if (parts->part(target_) != nullptr || parts->part(source()) == nullptr) continue;
    const std::string name = parts->name();
    if (name.empty() || sides_.below().info(sides_.on(source(), name)).ok()) return false;
  }
  // First the source says that it is not alone: the other order could leave two folders of one
  // generation of which one goes on alone.
  MirrorMarker marker = sides_.marker(source());
  marker.alone = false;
  CAIRN_CHECK(sides_.set_state(source(), SideState::whole, marker));
  CAIRN_CHECK(sides_.set_state(target_, SideState::whole, std::move(marker)));
  return true;
}

}  // namespace cairn::os
