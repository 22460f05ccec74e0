// SPDX-License-Identifier: Apache-2.0
#include "os/mirror/mirrored_files.h"

#include <utility>

#include "os/mirror/mirrored_file.h"

namespace cairn::os {
namespace {

/// The lock of the folder, which the mirror holds as long as it lives.
class FolderLock final : public File {
 public:
  explicit FolderLock(MirrorSides& sides) : sides_(sides) {}
  Result<std::size_t> read_at(std::uint64_t, char*, std::size_t) override { return no_file(); }
  Status write_at(std::uint64_t, std::string_view) override { return no_file(); }
  Status append(std::string_view) override { return no_file(); }
  Status allocate(std::uint64_t, std::uint64_t, bool) override { return no_file(); }
  Status truncate(std::uint64_t) override { return no_file(); }
  Status sync_data() override { return ok_status(); }
  Status sync_all() override { return ok_status(); }
  Result<std::uint64_t> size() override { return std::uint64_t{0}; }
  Result<FileInfo> info() override { return sides_.lock_info(sides_.reading()); }
  Status set_modified_ns(std::int64_t) override { return no_file(); }
  bool set_direct(bool) override { return false; }
  int descriptor() const override { return -1; }
  Status publish(const std::string&) override { return no_file(); }

 private:
  static Error no_file() {
    return {.kind = ErrorKind::unsupported, .message = "the lock of a folder is no file to use"};
  }
  MirrorSides& sides_;
};

bool begins_empty(OpenMode mode) {
  return mode == OpenMode::truncate || mode == OpenMode::create_exclusive;
}

}  // namespace

/// Looks on one whole side, and on the other where that one does not give it.
template <class T>
Result<T> MirroredFiles::look(const std::string& path, const std::function<Result<T>(int)>& step) {
  const int first = sides_.reading();
  auto found = step(first);
  if (found.ok() || !sides_.is_whole(1 - first)) return found;
  auto other = step(1 - first);
  if (!other.ok()) return found;
  sides_.suspect(path);
  count_read_around();
  return other;
}

Result<std::unique_ptr<File>> MirroredFiles::open_to_read(const std::string& path) {
  int from = 0;
  auto file = look<std::unique_ptr<File>>(path, [&](int side) {
    from = side;
    return sides_.below().open(sides_.on(side, path), OpenMode::read);
  });
  CAIRN_CHECK(file);
  return mirrored_reader(sides_, path, from, std::move(*file));
}

Result<std::unique_ptr<File>> MirroredFiles::open(const std::string& path, OpenMode mode) {
  if (!sides_.covers(path)) return sides_.below().open(path, mode);
  if (mode == OpenMode::read) return open_to_read(path);
  const auto hold = sides_.hold();
  const auto turn = sides_.names().of(path);
  auto parts = std::make_shared<OpenParts>();
  parts->set_name(path);
  std::optional<std::uint64_t> end;
  CAIRN_CHECK(sides_.run(false, [&](int side) -> Status {
    OpenMode how = mode;
    if (!sides_.is_whole(side) && !begins_empty(mode)) {
      // What is in it already comes with the copy that is made of it.
      if (end.value_or(0) != 0) return ok_status();
      how = OpenMode::truncate;
    }
    CAIRN_TRY(auto file, sides_.below().open(sides_.on(side, path), how));
    if (!end) {
      CAIRN_TRY(end, file->size());
    }
    parts->install(side, std::move(file));
    return ok_status();
  }));
  sides_.add_open(parts);
  return mirrored_writer(sides_, std::move(parts), end.value_or(0));
}

Result<std::unique_ptr<File>> MirroredFiles::create_unnamed(const std::string& directory) {
  if (!sides_.covers(directory)) return sides_.below().create_unnamed(directory);
  const auto hold = sides_.hold();
  const auto turn = sides_.names().of(directory);
  auto parts = std::make_shared<OpenParts>();
  parts->directory = directory;
  CAIRN_CHECK(sides_.run(false, [&](int side) -> Status {
    CAIRN_TRY(auto file, sides_.below().create_unnamed(sides_.on(side, directory)));
    parts->install(side, std::move(file));
    return ok_status();
  }));
  sides_.add_open(parts);
  return mirrored_writer(sides_, std::move(parts), 0);
}

Status MirroredFiles::rename(const std::string& from, const std::string& to) {
  if (!sides_.covers(from)) return sides_.below().rename(from, to);
  const auto hold = sides_.hold();
  const auto turn = sides_.names().of(from, to);
  CAIRN_CHECK(sides_.run(false, [&](int side) {
    const Status done = sides_.below().rename(sides_.on(side, from), sides_.on(side, to));
    if (!sides_.is_whole(side) && !done.ok()) sides_.owe(to);
    return done;
  }));
  for (const auto& parts : sides_.open_parts())
    if (parts->name() == from) parts->set_name(to);
  return ok_status();
}

/// That one side has it no more is what was wanted. With the gate and the name held.
Status MirroredFiles::unlink(const std::function<Status(int)>& step) {
  bool was_there = false;
  std::optional<Error> missing;
  CAIRN_CHECK(sides_.run(false, [&](int side) {
    Status done = step(side);
    if (done.ok() && sides_.is_whole(side)) was_there = true;
    if (done.ok() || done.error().kind != ErrorKind::not_found) return done;
    if (sides_.is_whole(side)) missing = done.error();
    return ok_status();
  }));
  if (missing && !was_there) return std::move(*missing);
  return ok_status();
}

Status MirroredFiles::remove(const std::string& path) {
  if (!sides_.covers(path)) return sides_.below().remove(path);
  const auto hold = sides_.hold();
  const auto turn = sides_.names().of(path);
  return unlink([&](int side) { return sides_.below().remove(sides_.on(side, path)); });
}

Status MirroredFiles::remove_directory(const std::string& path) {
  if (!sides_.covers(path)) return sides_.below().remove_directory(path);
  const auto hold = sides_.hold();
  const auto turn = sides_.names().change_directories();
  return unlink([&](int side) { return sides_.below().remove_directory(sides_.on(side, path)); });
}

Status MirroredFiles::make_directories(const std::string& path, unsigned mode) {
  if (!sides_.covers(path)) return sides_.below().make_directories(path, mode);
  const auto hold = sides_.hold();
  const auto turn = sides_.names().change_directories();
  return sides_.run(false, [&](int side) -> Status {
    // A folder that is gone, with its disk, must not begin anew on another one.
    CAIRN_CHECK(sides_.below().info(sides_.folder(side)));
    return sides_.below().make_directories(sides_.on(side, path), mode);
  });
}

Status MirroredFiles::sync_directory(const std::string& path) {
  if (!sides_.covers(path)) return sides_.below().sync_directory(path);
  const auto hold = sides_.hold();
  const auto turn = sides_.names().keep_directories();
  return sides_.run(true,
                    [&](int side) { return sides_.below().sync_directory(sides_.on(side, path)); });
}

Result<std::vector<std::string>> MirroredFiles::list(const std::string& directory) {
  if (!sides_.covers(directory)) return sides_.below().list(directory);
  return look<std::vector<std::string>>(
      directory, [&](int side) { return sides_.below().list(sides_.on(side, directory)); });
}

Result<FileInfo> MirroredFiles::info(const std::string& path) {
  if (!sides_.covers(path)) return sides_.below().info(path);
  return look<FileInfo>(path, [&](int side) { return sides_.below().info(sides_.on(side, path)); });
}

Result<std::unique_ptr<File>> MirroredFiles::lock(const std::string& path) {
  if (!sides_.covers(path)) return sides_.below().lock(path);
  const auto hold = sides_.hold();
  const auto turn = sides_.names().of(path);
  const bool own = path == sides_.root() + "/LOCK";
  auto parts = std::make_shared<OpenParts>();
  parts->set_name(path);
  std::optional<Error> taken;
  const Status done = sides_.run(false, [&](int side) -> Status {
    Status locked = ok_status();
    if (own) {
      locked = sides_.lock_folder(side);
    } else {
      auto file = sides_.below().lock(sides_.on(side, path));
      if (file.ok()) parts->install(side, std::move(*file));
      locked = file.ok() ? ok_status() : Status(std::move(file).error());
    }
    if (locked.ok() || locked.error().kind != ErrorKind::conflict) return locked;
    taken = locked.error();
    return ok_status();  // that somebody has it is no fault of a disk
  });
  if (taken) return std::move(*taken);
  CAIRN_CHECK(done);
  if (own) return std::unique_ptr<File>(std::make_unique<FolderLock>(sides_));
  return mirrored_writer(sides_, std::move(parts), 0);
}

Result<std::uint64_t> MirroredFiles::free_bytes(const std::string& path) {
  return sides_.covers(path) ? sides_.free_bytes() : sides_.below().free_bytes(path);
}

MirrorSides* sides_of(Files& files) {
  auto* const mirrored = dynamic_cast<MirroredFiles*>(&files);
  return mirrored != nullptr ? &mirrored->sides() : nullptr;
}

}  // namespace cairn::os
