// SPDX-License-Identifier: Apache-2.0
#include "objectstore/mirror/mirror_mend.h"

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "objectstore/core/core.h"
#include "objectstore/engine.h"
#include "objectstore/extents/extent_file.h"
#include "objectstore/extents/extent_mend.h"
#include "os/mirror/mirror_copy.h"
#include "store/folding.h"

namespace cairn::objectstore {
namespace {

bool is_missing(const Error& error) { return error.kind == ErrorKind::not_found; }
bool is_end(const Error& error) {
  return error.kind == ErrorKind::cancelled || error.kind == ErrorKind::timeout;
}

/// The id of the extent that a path names.
std::optional<std::uint64_t> extent_of(std::string_view below_root) {
  constexpr std::string_view extents = "objects/extents/";
  if (!below_root.starts_with(extents) || below_root.size() != extents.size() + 3 + 16)
    return std::nullopt;
  const std::string_view digits = below_root.substr(extents.size() + 3);
  std::uint64_t id = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), id, 16);
  if (fault != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return id;
}

Result<bool> is_referenced(Engine& engine, std::uint64_t extent) {
  const std::string prefix = extent_prefix(extent);
  CAIRN_TRY(const auto cursor,
            engine.core().kv().cursor(Table::references, store::after_prefix(prefix)));
  cursor->seek(prefix);
  if (cursor->valid()) return true;
  CAIRN_CHECK(cursor->status());
  return false;
}

/// Where the file is, seen at one moment.
struct Places {
  std::array<std::optional<std::uint64_t>, 2> bytes;
};

Result<Places> places_of(os::MirrorSides& sides, const std::string& path) {
  Places places;
  const auto stopped = sides.stop_changes();
  for (const int side : {0, 1}) {
    const auto info = sides.below().info(sides.on(side, path));
    if (!info.ok() && !is_missing(info.error())) return info.error();
    if (info.ok()) places.bytes[static_cast<std::size_t>(side)] = info->size_bytes;
  }
  return places;
}

/// One that nothing refers to was left by a crash on the side that is not read, where nobody
/// sweeps.
Result<Mended> drop_left_extent(os::MirrorSides& sides, int side, const std::string& path) {
  const auto stopped = sides.stop_changes();
  if (sides.below().info(sides.on(1 - side, path)).ok()) return Mended::whole;
  const Status removed = sides.below().remove(sides.on(side, path));
  if (removed.ok() || is_missing(removed.error())) return Mended::whole;
  return removed.error();
}

Result<Mended> mend_extent_file(Engine& engine, os::MirrorSides& sides, const std::string& path,
                                std::uint64_t id, const Pace& pace) {
  CAIRN_TRY(const Places places, places_of(sides, path));
  if (!places.bytes[0] && !places.bytes[1]) return Mended::whole;  // deleted meanwhile
  const bool in_both = places.bytes[0] && places.bytes[1];
  if (!in_both) {
    CAIRN_TRY(const bool referenced, is_referenced(engine, id));
    const int there = places.bytes[0] ? 0 : 1;
    // The collector, or the sweep, takes it away where it is read.
    if (!referenced && there == sides.reading()) return Mended::whole;
    if (!referenced) return drop_left_extent(sides, there, path);
  }
  for (const int side : {sides.reading(), 1 - sides.reading()}) {
    const auto& bytes = places.bytes[static_cast<std::size_t>(side)];
    const auto body = bytes ? extent_body_bytes(*bytes) : std::nullopt;
    if (!body) continue;
    const ExtentSpan span{.id = id, .size_bytes = *body};
    Status other = verify_extent_on(sides, 1 - side, path, span, pace);
    if (!other.ok() && is_end(other.error())) return other.error();
    if (other.ok() && side == sides.reading()) return Mended::whole;
    const Status mended = mend_extent(sides, path, span, pace);
    if (mended.ok()) return Mended::done;
    if (is_end(mended.error())) return mended.error();
  }
  CAIRN_TRY(const Places after, places_of(sides, path));
  return after.bytes[0] || after.bytes[1] ? Mended::lost : Mended::whole;
}

Result<Mended> mend_table_file(Engine& engine, os::MirrorSides& sides, const std::string& path,
                               const Pace& pace) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const auto info = sides.below().info(sides.on(sides.reading(), path));
  if (pace && info.ok()) CAIRN_CHECK(pace(2 * info->size_bytes));
  const auto mended = engine.core().kv().mend_table(name);
  if (mended.ok()) return *mended ? Mended::done : Mended::whole;
  CAIRN_TRY(const Places after, places_of(sides, path));
  return after.bytes[0] && after.bytes[1] ? Mended::lost : Mended::whole;
}

/// Without checksums: what is missing is copied, what differs is told, but for what can be made
/// anew.
Result<Mended> mend_plain_file(os::MirrorSides& sides, const std::string& path, bool is_known,
                               const Pace& pace) {
  if (sides.open_part(path)) return Mended::whole;
  CAIRN_TRY(const Places places, places_of(sides, path));
  if (!places.bytes[0] && !places.bytes[1]) return Mended::whole;
  if (places.bytes[0] && places.bytes[1]) {
    CAIRN_TRY(const bool same, os::is_same_file(sides, path, UINT64_MAX, pace));
    if (same) return Mended::whole;
    const auto stopped = sides.stop_changes();  // it may just have been replaced
    CAIRN_TRY(const bool still_same, os::is_same_file(sides, path, UINT64_MAX, {}));
    if (still_same) return Mended::whole;
    if (is_known) return Mended::differs;
    CAIRN_CHECK(os::copy_over(sides, 1 - sides.reading(), path, {}));
    return Mended::done;
  }
  const auto stopped = sides.stop_changes();
  const int target = places.bytes[0] ? 1 : 0;
  if (!sides.below().info(sides.on(1 - target, path)).ok()) return Mended::whole;
  CAIRN_CHECK(os::copy_over(sides, target, path, {}));
  return Mended::done;
}

}  // namespace

Result<Mended> mend_file(Engine& engine, os::MirrorSides& sides, const std::string& path,
                         const Pace& pace) {
  if (!sides.both_whole()) return Mended::whole;
  const std::string_view below_root = std::string_view(path).substr(sides.root().size() + 1);
  if (const auto id = extent_of(below_root))
    return mend_extent_file(engine, sides, path, *id, pace);
  constexpr std::string_view metadata = "objects/meta/";
  if (below_root.starts_with(
          metadata))  // what else lies there changes, and is compared at the start
    return path.ends_with(".sst") ? mend_table_file(engine, sides, path, pace)
                                  : Result<Mended>(Mended::whole);
  if (below_root.starts_with("tmp/") || below_root == "LOCK") return Mended::whole;
  const bool is_known = below_root.starts_with("keys/") || below_root.starts_with("audit/");
  return mend_plain_file(sides, path, is_known, pace);
}

}  // namespace cairn::objectstore
