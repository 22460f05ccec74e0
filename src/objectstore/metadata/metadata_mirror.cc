// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/metadata_mirror.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "objectstore/metadata/metadata_check.h"
#include "objectstore/metadata/metadata_state.h"
#include "os/log.h"
#include "os/mirror/mirror_copy.h"
#include "os/mirror/mirror_todo.h"

namespace cairn::objectstore {
namespace {

bool is_table(const std::string& name) { return name.ends_with(".sst"); }

/// Why a database in that folder would not be opened; nothing where it would.
std::optional<std::string> fault_of(os::MirrorSides& sides, int side, const std::string& metadata) {
  const std::string folder = sides.on(side, metadata);
  std::optional<MetadataState> state;
  auto read = read_metadata_state(sides.below(), folder);
  if (read.ok())
    state = std::move(*read);
  else if (read.error().kind != ErrorKind::not_found)
    return read.error().message;
  const auto found = check_metadata(sides.below(), folder, state);
  if (!found.ok()) return found.error().message;
  for (const FileFault& fault : found->faults)
    if (fault.stops_start) return error_of(fault).message;
  return std::nullopt;
}

Result<std::set<std::string>> names_in(os::MirrorSides& sides, int side,
                                       const std::string& folder) {
  const auto names = sides.below().list(sides.on(side, folder));
  if (!names.ok() && names.error().kind == ErrorKind::not_found) return std::set<std::string>();
  CAIRN_CHECK(names);
  std::set<std::string> out;
  for (const std::string& name : *names) {
    if (name == "LOCK") continue;
    if (name.find(".mirror-") == std::string::npos)
      out.insert(name);
    else
      CAIRN_CHECK(sides.below().remove(sides.on(side, folder) + "/" + name));  // of a crash
  }
  return out;
}

/// A file that is on both sides, or on one.
Status compare(os::MirrorSides& sides, int source, const std::string& path,
               os::MirrorDifferences& out) {
  const auto mine = sides.below().info(sides.on(source, path));
  const auto there = sides.below().info(sides.on(1 - source, path));
  if (!mine.ok() && mine.error().kind == ErrorKind::not_found) {
    if (there.ok()) out.removals.push_back(path);
    return ok_status();
  }
  CAIRN_CHECK(mine);
  if (!there.ok()) {
    if (there.error().kind != ErrorKind::not_found) return there.error();
    out.copies.push_back(path);
    return ok_status();
  }
  const auto same = os::is_same_file(sides, path, mine->size_bytes, {});
  if (!same.ok() || !*same) out.copies.push_back(path);
  return ok_status();
}

/// A folder that does not take what it lacks is put aside.
Status in_line(os::MirrorSides& sides, int target, const os::MirrorDifferences& differences) {
  const Status done = os::bring_in_line(sides, target, differences);
  if (done.ok() || !os::is_of_side(done.error())) return done;
  return sides.put_aside(target, done.error().message);
}

}  // namespace

Status align_metadata(os::MirrorSides& sides, const std::string& metadata) {
  if (!sides.both_whole()) return ok_status();
  int source = sides.reading();
  if (const auto fault = fault_of(sides, source, metadata)) {
    if (fault_of(sides, 1 - source, metadata)) return ok_status();  // the start says what is wrong
    os::log(os::LogLevel::error, "objectstore", "mirror_metadata_damaged",
            {{"folder", sides.folder(source)},
             {"reason", *fault},
             {"advice", "they are taken from the other folder, where they are whole"}});
    source = 1 - source;
  }
  CAIRN_TRY(const auto mine, names_in(sides, source, metadata));
  CAIRN_TRY(const auto there, names_in(sides, 1 - source, metadata));
  os::MirrorDifferences lacks, tables_back;
  for (const std::string& name : mine) {
    const std::string path = metadata + "/" + name;
    if (!is_table(name))
      CAIRN_CHECK(compare(sides, source, path, lacks));
    else if (!there.contains(name))
      lacks.copies.push_back(path);
  }
  for (const std::string& name : there) {
    if (mine.contains(name)) continue;
    auto& list = is_table(name) ? tables_back.copies : lacks.removals;
    list.push_back(metadata + "/" + name);
  }
  CAIRN_CHECK(compare(sides, source, metadata_state_path(metadata), lacks));
  CAIRN_CHECK(in_line(sides, source, tables_back));
  if (lacks.empty() || !sides.both_whole()) return ok_status();
  os::log(os::LogLevel::info, "objectstore", "mirror_metadata_aligned",
          {{"folder", sides.folder(1 - source)},
           {"copied_files", lacks.copies.size()},
           {"removed_files", lacks.removals.size()}});
  return in_line(sides, 1 - source, lacks);
}

}  // namespace cairn::objectstore
