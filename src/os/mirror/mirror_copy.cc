// SPDX-License-Identifier: Apache-2.0
#include "os/mirror/mirror_copy.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "os/files/direct_memory.h"
#include "os/log.h"
#include "os/metrics.h"

namespace cairn::os {
namespace {

constexpr std::size_t piece_bytes = 256 << 10;

std::string parent_of_copy(const std::string& path) { return path.substr(0, path.rfind('/')); }

Status told(const MirrorPace& pace, std::uint64_t bytes) {
  return pace ? pace(bytes) : ok_status();
}

unsigned mode_of_descriptor(int descriptor) {
  struct stat s {};
  if (descriptor < 0 || ::fstat(descriptor, &s) != 0) return 0;
  return s.st_mode & 07777;
}

}  // namespace

unsigned mode_of(Files& files, const std::string& path) {
  const auto file = files.open(path, OpenMode::read);
  return file.ok() ? mode_of_descriptor((*file)->descriptor()) : 0;
}

Status copy_bytes(File& source, File& target, std::uint64_t from, std::uint64_t end,
                  const MirrorPace& pace) {
  if (from >= end) return ok_status();
  const DirectMemory memory = direct_memory(piece_bytes);
  for (std::uint64_t at = from - from % direct_alignment; at < end;) {
    CAIRN_TRY(const std::size_t got, source.read_at(at, memory.get(), piece_bytes));
    const std::uint64_t skipped = at < from ? from - at : 0;
    const std::uint64_t take = std::min<std::uint64_t>(got, end - at);
    if (take <= skipped)
      return Error{.kind = ErrorKind::corrupt,
                   .message = "a file that is copied ends early, at " + std::to_string(at + got)};
    CAIRN_CHECK(target.write_at(at + skipped, {memory.get() + skipped, take - skipped}));
    CAIRN_CHECK(told(pace, take));
    at += take;
  }
  return ok_status();
}

Result<std::string> copy_beside(MirrorSides& sides, int target, const std::string& path,
                                std::string_view ending, const MirrorPace& pace) {
  Files& files = sides.below();
  CAIRN_TRY(const auto source, files.open(sides.on(1 - target, path), OpenMode::read));
  const std::string beside = sides.on(target, path) + std::string(ending);
  CAIRN_TRY(const auto copy, files.open(beside, OpenMode::truncate));
  const auto fill = [&]() -> Status {
    CAIRN_TRY(const std::uint64_t size, source->size());
    CAIRN_CHECK(copy_bytes(*source, *copy, 0, size, pace));
    const unsigned mode = mode_of_descriptor(source->descriptor());
    if (mode != 0 && ::fchmod(copy->descriptor(), mode) != 0)
      return Error{.kind = ErrorKind::permission_denied,
                   .message = "the permissions of [" + beside + "] cannot be set"};
    return copy->sync_all();
  };
  if (Status filled = fill(); !filled.ok()) {
    (void)files.remove(beside).ok();
    return std::move(filled).error();
  }
  return beside;
}

Status copy_over(MirrorSides& sides, int target, const std::string& path, const MirrorPace& pace) {
  const std::string place = sides.on(target, path);
  CAIRN_CHECK(make_directories_durably(sides.below(), parent_of_copy(place)));
  CAIRN_TRY(const std::string beside, copy_beside(sides, target, path, mirror_copy_ending, pace));
  CAIRN_CHECK(sides.below().rename(beside, place));
  return sides.below().sync_directory(parent_of_copy(place));
}

namespace {

Counter& mended_bytes() {
  static Counter& mended = metrics().counter(
      "cairn_mirror_mended_bytes_total",
      "Bytes that were damaged in one folder of the mirror and written anew from the other");
  return mended;
}

void tell_mended(const MirrorSides& sides, int target, const std::string& path,
                 std::uint64_t bytes) {
  mended_bytes().add(bytes);
  log(LogLevel::warn, "os", "mirror_mended",
      {{"file", sides.on(target, path)},
       {"bytes", bytes},
       {"reason", "it was damaged or missing, and is whole again from the other folder"}});
}

}  // namespace

Status mend(MirrorSides& sides, int target, const std::string& path, std::uint64_t offset,
            std::string_view bytes) {
  CAIRN_TRY(const auto file, sides.below().open(sides.on(target, path), OpenMode::read_write));
  CAIRN_CHECK(file->write_at(offset, bytes));
  CAIRN_CHECK(file->sync_data());
  tell_mended(sides, target, path, bytes.size());
  return ok_status();
}

Status copy_into(MirrorSides& sides, int target, const std::string& path, const MirrorPace& pace) {
  Files& files = sides.below();
  CAIRN_TRY(const auto source, files.open(sides.on(1 - target, path), OpenMode::read));
  CAIRN_TRY(const std::uint64_t size, source->size());
  const auto open = files.open(sides.on(target, path), OpenMode::read_write);
  if (!open.ok()) {
    if (open.error().kind != ErrorKind::not_found) return open.error();
    CAIRN_CHECK(copy_over(sides, target, path, pace));
    tell_mended(sides, target, path, size);
    return ok_status();
  }
  std::string right(piece_bytes, '\0'), there(piece_bytes, '\0');
  std::uint64_t written = 0;
  for (std::uint64_t at = 0; at < size;) {
    CAIRN_TRY(const std::size_t got,
              source->read_at(at, right.data(), std::min<std::uint64_t>(piece_bytes, size - at)));
    if (got == 0) break;
    const auto now = (*open)->read_at(at, there.data(), got);
    if (!now.ok() || *now != got || right.compare(0, got, there, 0, got) != 0) {
      CAIRN_CHECK((*open)->write_at(at, {right.data(), got}));
      written += got;
    }
    at += got;
    CAIRN_CHECK(told(pace, 2 * got));
  }
  CAIRN_CHECK((*open)->truncate(size));
  CAIRN_CHECK((*open)->sync_all());
  tell_mended(sides, target, path, written);
  return ok_status();
}

Result<bool> is_same_file(MirrorSides& sides, const std::string& path, std::uint64_t tail,
                          const MirrorPace& pace) {
  Files& files = sides.below();
  CAIRN_TRY(const auto a, files.open(sides.on(0, path), OpenMode::read));
  CAIRN_TRY(const auto b, files.open(sides.on(1, path), OpenMode::read));
  CAIRN_TRY(const std::uint64_t size, a->size());
  CAIRN_TRY(const std::uint64_t other_size, b->size());
  if (size != other_size) return false;
  std::string left(piece_bytes, '\0'), right(piece_bytes, '\0');
  for (std::uint64_t at = size - std::min(size, tail); at < size;) {
    const std::size_t count = std::min<std::uint64_t>(piece_bytes, size - at);
    CAIRN_TRY(const std::size_t x, a->read_at(at, left.data(), count));
    CAIRN_TRY(const std::size_t y, b->read_at(at, right.data(), count));
    if (x != y || x == 0 || left.compare(0, x, right, 0, x) != 0) return false;
    at += x;
    CAIRN_CHECK(told(pace, 2 * x));
  }
  return true;
}

}  // namespace cairn::os
