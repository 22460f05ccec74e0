// SPDX-License-Identifier: Apache-2.0
#include "os/mirror/mirror.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/encode.h"
#include "os/log.h"

namespace cairn::os {
namespace {

using Holds = MirrorFolder::Holds;

constexpr std::size_t marker_bytes_max = 64 << 10;

std::string marker_path(const std::string& folder) {
  return folder + "/" + std::string(mirror_marker_name);
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

/// Nothing where there is no marker. Errors: corrupt, with what to do.
Result<std::optional<MirrorMarker>> read_marker(Files& files, const std::string& folder) {
  const auto text = read_file(files, marker_path(folder), marker_bytes_max);
  if (!text.ok() && text.error().kind == ErrorKind::not_found) return std::optional<MirrorMarker>();
  CAIRN_CHECK(text);
  auto marker = decode_mirror_marker(*text);
  if (marker.ok()) return std::optional(std::move(*marker));
  return Error{.kind = ErrorKind::corrupt,
               .message = "[" + marker_path(folder) + "] is damaged: " + marker.error().message +
                          ". Nothing was changed; see docs/operating/mirror.md"};
}

/// What a start that was cut short leaves, and what file systems put there, is nothing yet.
bool is_nothing(const std::string& name) {
  return name == "LOCK" || name == "lost+found" || name.starts_with(".") ||
         name.starts_with("MIRROR");
}

/// A folder that cannot be read counts as missing, with `reason`.
Result<MirrorFolder> look_at(Files& files, const std::string& path, std::string& reason,
                             bool changes = true) {
  MirrorFolder folder{.path = path};
  const auto names = files.list(path);
  if (!names.ok()) {
    reason = names.error().message;
    folder.holds = Holds::missing;
    return folder;
  }
  auto ended = changes ? end_bringing_in_line(files, path) : ok_status();
  auto marker = read_marker(files, path);
  const Error* const fault = !ended.ok()    ? &ended.error()
                             : !marker.ok() ? &marker.error()
                                            : nullptr;
  if (fault != nullptr) {
    if (fault->kind == ErrorKind::corrupt) return *fault;
    reason = fault->message;
    folder.holds = Holds::missing;
    return folder;
  }
  folder.marker = std::move(*marker);
  const bool empty = std::all_of(names->begin(), names->end(), is_nothing);
  // A marker alone is that of a folder whose filling, or first start, did not come far.
  folder.holds = empty && (!folder.marker || folder.marker->filling) ? Holds::nothing : Holds::data;
  if (folder.holds == Holds::nothing) folder.marker.reset();
  return folder;
}

/// What people keep in a folder is not written over.
Status check_taken(Files& files, const MirrorFolder& folder) {
  if (folder.holds != Holds::data || folder.marker) return ok_status();
  for (const char* name : {"VERSION", "objects", "keys"})
    if (files.info(folder.path + "/" + name).ok()) return ok_status();
  return Error{.kind = ErrorKind::conflict,
               .message = "[" + folder.path +
                          "] is not empty and is no data folder of Cairn; name an empty or a new "
                          "folder as data.mirror"};
}

/// Somebody may just have made it. Where the folder above cannot be opened that is theirs.
void keep_name(Files& files, const std::string& folder) {
  const std::size_t slash = folder.rfind('/');
  (void)files.sync_directory(slash == 0 ? "/" : folder.substr(0, slash)).ok();
}

Error in_use(const std::string& folder) {
  return {
      .kind = ErrorKind::conflict,
      .message = "the data folder [" + folder +
                 "] is in use by another process of Cairn; stop that one first, or name another "
                 "folder"};
}

Status lock_it(MirrorSides& sides, int side) {
  const Status locked = sides.lock_folder(side);
  if (!locked.ok() && locked.error().kind == ErrorKind::conflict) return in_use(sides.folder(side));
  return locked;
}

}  // namespace

Result<bool> Mirror::has_marker(Files& files, const std::string& folder) {
  const auto info = files.info(marker_path(without_slashes(folder)));
  if (!info.ok() && info.error().kind != ErrorKind::not_found) return info.error();
  return info.ok();
}

namespace {

/// Folders that are there, or can be made, looked at and locked.
struct Found {
  std::array<MirrorFolder, 2> folders;
  std::array<std::string, 2> reasons;
};

Result<Found> look_at_both(Files& files, const std::array<std::string, 2>& paths) {
  Found found;
  for (const std::size_t side : {0u, 1u}) {
    found.folders[side] = {.holds = Holds::missing, .path = paths[side]};
    found.reasons[side] = "data.mirror names no folder";
    if (paths[side].empty()) continue;
    CAIRN_TRY(found.folders[side], look_at(files, paths[side], found.reasons[side]));
    if (side == 1) CAIRN_CHECK(check_taken(files, found.folders[side]));
  }
  return found;
}

/// A folder that is not there is made where no disk can have been lost: where the other one never
/// was part of a mirror.
Status make_missing(Files& files, Found& found) {
  for (const std::size_t side : {0u, 1u}) {
    MirrorFolder& folder = found.folders[side];
    const MirrorFolder& other = found.folders[1 - side];
    if (folder.holds != Holds::missing || folder.path.empty() || other.marker) continue;
    if (side == 0 && other.holds == Holds::data) continue;
    if (files.info(folder.path).ok()) continue;  // there, and not to be read
    CAIRN_CHECK(make_directories_durably(files, folder.path));
    folder.holds = Holds::nothing;
  }
  return ok_status();
}

}  // namespace

Result<std::unique_ptr<Mirror>> Mirror::open(Files& below, Random& random,
                                             const MirrorOptions& options) {
  const std::array<std::string, 2> paths{without_slashes(options.first),
                                         without_slashes(options.second)};
  CAIRN_TRY(Found found, look_at_both(below, paths));
  CAIRN_CHECK(make_missing(below, found));
  CAIRN_TRY(const MirrorVerdict verdict, judge_mirror(found.folders[0], found.folders[1]));
  std::unique_ptr<Mirror> mirror(new Mirror(below, random, options,
                                            {.folders = paths,
                                             .root = verdict.source,
                                             .full_bytes = options.full_bytes,
                                             .threads = options.threads}));
  MirrorSides& sides = mirror->sides_;
  for (const int side : {0, 1})
    if (found.folders[static_cast<std::size_t>(side)].holds != Holds::missing)
      CAIRN_CHECK(lock_it(sides, side));
  const auto source = static_cast<std::size_t>(verdict.source);
  MirrorMarker marker = found.folders[source].marker.value_or(
      MirrorMarker{.pair = sides.draw(), .generation = sides.draw()});
  if (verdict.kind == MirrorVerdict::Kind::same) {
    for (const int side : {0, 1})
      sides.begin(side, SideState::whole, found.folders[static_cast<std::size_t>(side)].marker, {});
    return mirror;
  }
  if (verdict.kind == MirrorVerdict::Kind::begin) {
    if (found.folders[0].holds == Holds::missing)
      return Error{.kind = ErrorKind::unavailable, .message = found.reasons[0]};
    const bool both = found.folders[1].holds == Holds::nothing;
    for (const int side : {0, 1}) {
      if (found.folders[static_cast<std::size_t>(side)].holds != Holds::nothing) {
        sides.begin(side, SideState::away, std::nullopt,
                    found.reasons[static_cast<std::size_t>(side)]);
        continue;
      }
      keep_name(below, paths[static_cast<std::size_t>(side)]);
      marker.alone = !both;
      CAIRN_CHECK(sides.set_state(side, SideState::whole, marker));
    }
    return mirror;
  }
  const std::size_t other = 1 - source;
  const bool is_new = !found.folders[source].marker;
  if (!marker.alone) {
    if (is_new)
      marker.alone = true;
    else
      marker.go_alone(sides.draw());
    CAIRN_CHECK(sides.set_state(verdict.source, SideState::whole, marker));
  } else {
    sides.begin(verdict.source, SideState::whole, std::move(marker), {});
  }
  const bool missing = found.folders[other].holds == Holds::missing;
  sides.begin(static_cast<int>(other), SideState::away, found.folders[other].marker,
              missing ? found.reasons[other] : "it is to be filled");
  if (missing && !paths[other].empty())
    log(LogLevel::error, "os", "mirror_side_missing",
        {{"folder", paths[other]},
         {"reason", found.reasons[other]},
         {"advice",
          "the server runs with the other folder alone; put the disk in order, then: "
          "cairn mirror fill"}});
  return mirror;
}

Result<MirrorVerdict> Mirror::look(Files& below, const std::string& first,
                                   const std::string& second) {
  std::string reason;
  CAIRN_TRY(const MirrorFolder a, look_at(below, without_slashes(first), reason, false));
  CAIRN_TRY(const MirrorFolder b, look_at(below, without_slashes(second), reason, false));
  return judge_mirror(a, b);
}

Status Mirror::keep(Files& below, Random& random, const std::string& given,
                    const std::string& given_other) {
  const std::string folder = without_slashes(given), other = without_slashes(given_other);
  std::string reason;
  CAIRN_TRY(const MirrorFolder kept, look_at(below, folder, reason));
  if (kept.holds == Holds::missing) return Error{.kind = ErrorKind::not_found, .message = reason};
  if (kept.holds == Holds::nothing)
    return Error{.kind = ErrorKind::not_found, .message = "[" + folder + "] holds no data"};
  if (kept.marker && kept.marker->filling)
    return Error{
        .kind = ErrorKind::unavailable,
        .message = "[" + folder + "] was being filled from the other folder, and is not whole"};
  CAIRN_TRY(const MirrorFolder lost, look_at(below, other, reason));
  CAIRN_CHECK(check_taken(below, lost));
  std::vector<std::unique_ptr<File>> locks;
  for (const std::string* each : {&folder, &other}) {
    if (each == &other && lost.holds == Holds::missing) continue;
    auto lock = below.lock(*each + "/LOCK");
    if (!lock.ok() && lock.error().kind == ErrorKind::conflict) return in_use(*each);
    CAIRN_CHECK(lock);
    locks.push_back(std::move(*lock));
  }
  const auto draw = [&] { return to_hex(random.bytes(16)); };
  MirrorMarker marker = kept.marker.value_or(MirrorMarker{.pair = draw(), .generation = draw()});
  // Of another mirror, or of none: it becomes one of this pair, which is behind.
  MirrorMarker behind = lost.marker && lost.marker->pair == marker.pair
                            ? *lost.marker
                            : MirrorMarker{.pair = marker.pair, .generation = draw()};
  behind.before.clear();
  behind.alone = false;
  marker.before.push_back(behind.generation);
  marker.go_alone(draw());
  CAIRN_CHECK(replace_file(below, marker_path(folder), encode(marker)));
  if (lost.holds != Holds::data) return ok_status();
  return replace_file(below, marker_path(other), encode(behind));
}

MirrorStatus Mirror::status() const {
  MirrorStatus out{.sides = {},
                   .compared_files = progress_.compared_files,
                   .copied_files = progress_.copied_files,
                   .copied_bytes = progress_.copied_bytes};
  for (const int side : {0, 1})
    out.sides[static_cast<std::size_t>(side)] = {
        .folder = sides_.folder(side), .state = sides_.state(side), .reason = sides_.reason(side)};
  return out;
}

std::optional<int> Mirror::lacking() const {
  if (is_one_folder()) return std::nullopt;
  for (const int side : {0, 1})
    if (sides_.state(side) == SideState::away && sides_.is_whole(1 - side)) return side;
  return std::nullopt;
}

Status Mirror::fill(int side, const MirrorPace& pace) {
  if (sides_.state(side) != SideState::away || !sides_.is_whole(1 - side))
    return Error{
        .kind = ErrorKind::conflict,
        .message = "[" + sides_.folder(side) + "] lacks nothing, or there is no whole folder"};
  std::string reason;
  Files& files = sides_.below();
  CAIRN_TRY(const MirrorFolder found, look_at(files, sides_.folder(side), reason));
  if (found.holds == Holds::missing)
    return Error{.kind = ErrorKind::unavailable, .message = reason};
  if (side == 1) CAIRN_CHECK(check_taken(files, found));
  const MirrorFolder whole{
      .holds = Holds::data, .path = sides_.folder(1 - side), .marker = sides_.marker(1 - side)};
  CAIRN_TRY(const MirrorVerdict verdict,
            side == 1 ? judge_mirror(whole, found) : judge_mirror(found, whole));
  const bool fits = verdict.kind == MirrorVerdict::Kind::one && verdict.source == 1 - side;
  if (!fits)
    return Error{.kind = ErrorKind::conflict,
                 .message = "[" + sides_.folder(side) +
                            "] went on beyond the folder that is in use; stop the server, and see "
                            "docs/operating/mirror.md"};
  CAIRN_CHECK(lock_it(sides_, side));
  keep_name(files, sides_.folder(side));
  progress_.compared_files = progress_.copied_files = progress_.copied_bytes =
      progress_.removed_files = 0;
  const Status filled = MirrorFill(sides_, side, rules_, pace, progress_).run();
  if (!filled.ok() && sides_.state(side) == SideState::filling)
    CAIRN_CHECK(sides_.put_aside(side, filled.error().message));
  return filled;
}

Status Mirror::leave(int side) {
  const auto stopped = sides_.stop_changes();
  if (!sides_.is_whole(1 - side))
    return Error{.kind = ErrorKind::conflict,
                 .message = "[" + sides_.folder(1 - side) +
                            "] is not whole: without this folder nothing would be"};
  CAIRN_CHECK(sides_.put_aside(side, "it was put aside by an operator"));
  for (const auto& parts : sides_.open_parts()) parts->retire(side);
  sides_.unlock_folder(side);
  return ok_status();
}

void Mirror::look_after() {
  for (const int side : {0, 1}) {
    if (!sides_.takes(side)) continue;
    const auto there = sides_.below().info(marker_path(sides_.folder(side)));
    if (there.ok() || !is_of_side(there.error())) continue;
    // Nobody else is asked: a folder that lost its marker lost its disk, or is somebody else's.
    const auto stopped = sides_.stop_changes();
    if (sides_.is_whole(1 - side))
      if (const Status aside = sides_.put_aside(side, there.error().message); !aside.ok())
        log(LogLevel::error, "os", "mirror_side_not_put_aside",
            {{"folder", sides_.folder(side)}, {"reason", aside.error().message}});
  }
}

}  // namespace cairn::os
