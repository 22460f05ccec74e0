// SPDX-License-Identifier: Apache-2.0
#include "objectstore/extents/extent_mend.h"

#include <array>
#include <optional>
#include <utility>

#include "objectstore/extents/extent_file.h"
#include "os/mirror/mirror_copy.h"

namespace cairn::objectstore {

Status verify_extent_on(os::MirrorSides& sides, int side, const std::string& path,
                        const ExtentSpan& span, const Pace& pace) {
  const std::string place = sides.on(side, path);
  const auto info = sides.below().info(place);
  Status done = info.ok() ? ok_status() : Status(info.error());
  if (info.ok() && info->size_bytes != extent_file_bytes(span.size_bytes))
    done = Error{.kind = ErrorKind::corrupt,
                 .message = "the extent file [" + place + "] has " +
                            std::to_string(info->size_bytes) + " bytes and should have " +
                            std::to_string(extent_file_bytes(span.size_bytes))};
  if (done.ok()) done = verify_extent(sides.below(), place, span, pace);
  if (!done.ok() && done.error().kind == ErrorKind::not_found)
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the extent file [" + place + "] is missing"};
  return done;
}

Status mend_extent(os::MirrorSides& sides, const std::string& path, const ExtentSpan& span,
                   const Pace& pace) {
  std::array<std::optional<Error>, 2> faults;
  for (const int side : {0, 1}) {
    if (!sides.is_whole(side)) {
      faults[static_cast<std::size_t>(side)] =
          Error{.kind = ErrorKind::corrupt, .message = "the mirror has no other whole folder"};
      continue;
    }
    Status done = verify_extent_on(sides, side, path, span, pace);
    if (!done.ok()) faults[static_cast<std::size_t>(side)] = std::move(done).error();
  }
  const int first = sides.reading();
  if (faults[0] && faults[1]) return std::move(*faults[static_cast<std::size_t>(first)]);
  if (!faults[0] && !faults[1]) return ok_status();
  const int target = faults[0] ? 0 : 1;
  if (!sides.is_whole(target)) return ok_status();
  const Status mended = os::copy_into(sides, target, path, pace);
  if (mended.ok() || !os::is_of_side(mended.error())) return ok_status();
  if (mended.error().kind == ErrorKind::cancelled || mended.error().kind == ErrorKind::timeout)
    return mended;
  return sides.put_aside(target, mended.error().message);
}

}  // namespace cairn::objectstore
