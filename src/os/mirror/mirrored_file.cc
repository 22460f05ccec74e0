// SPDX-License-Identifier: Apache-2.0
#include "os/mirror/mirrored_file.h"

#include <algorithm>
#include <utility>

#include "os/metrics.h"

namespace cairn::os {
namespace {

// From here on two disks that write at one time are worth waking a thread.
constexpr std::size_t wide_bytes = 64 << 10;

void lower(std::atomic<std::uint64_t>& least, std::uint64_t value) {
  std::uint64_t now = least.load();
  while (value < now && !least.compare_exchange_weak(now, value)) {
  }
}

/// What reading has in common, and what a reader cannot do.
class Mirrored : public File {
 public:
  Mirrored(MirrorSides& sides, std::shared_ptr<OpenParts> parts)
      : sides_(sides), parts_(std::move(parts)) {}

  Result<std::size_t> read_at(std::uint64_t offset, char* into, std::size_t count) override {
    const int first = sides_.reading();
    std::optional<Error> fault;
    for (const int side : {first, 1 - first}) {
      if (side != first && !sides_.is_whole(side)) break;
      File* const part = part_of(side);
      if (part == nullptr) continue;
      auto got = part->read_at(offset, into, count);
      if (got.ok()) {
        if (fault) note_read_around();
        return got;
      }
      if (!fault) fault = std::move(got).error();
    }
    if (fault) return std::move(*fault);
    return nowhere();
  }
  Result<std::uint64_t> size() override {
    CAIRN_TRY(const FileInfo found, info());
    return found.size_bytes;
  }
  Result<FileInfo> info() override {
    File* const part = any_part();
    return part != nullptr ? part->info() : Result<FileInfo>(nowhere());
  }
  MirroredPlace place() const { return {.sides = &sides_, .path = parts_->name()}; }
  int descriptor() const override {
    File* const part = any_part();
    return part != nullptr ? part->descriptor() : -1;
  }

 protected:
  /// The file of that side, opened now where that is possible; null where it is not.
  virtual File* part_of(int side) const { return parts_->part(side); }
  File* any_part() const {
    const int first = sides_.reading();
    File* const part = part_of(first);
    return part != nullptr ? part : part_of(1 - first);
  }
  Error nowhere() const {
    return {.kind = ErrorKind::internal,
            .message = "[" + parts_->name() + "] is open on no folder of the mirror that is whole"};
  }
  void note_read_around() {
    count_read_around();
    if (!parts_->name().empty()) sides_.suspect(parts_->name());
  }

  MirrorSides& sides_;
  const std::shared_ptr<OpenParts> parts_;
};

class Reader final : public Mirrored {
 public:
  Reader(MirrorSides& sides, std::shared_ptr<OpenParts> parts) : Mirrored(sides, std::move(parts)) {
    for (const int side : {0, 1}) eras_[static_cast<std::size_t>(side)].store(sides.era(side));
  }

  Status write_at(std::uint64_t, std::string_view) override { return refused(); }
  Status append(std::string_view) override { return refused(); }
  Status allocate(std::uint64_t, std::uint64_t, bool) override { return refused(); }
  Status truncate(std::uint64_t) override { return refused(); }
  Status sync_data() override { return ok_status(); }
  Status sync_all() override { return ok_status(); }
  Status set_modified_ns(std::int64_t) override { return refused(); }
  Status publish(const std::string&) override { return refused(); }
  bool set_direct(bool direct) override {
    File* const part = any_part();
    return part != nullptr && part->set_direct(direct);
  }

 protected:
  /// The other one is opened when it is needed: mostly never.
  File* part_of(int side) const override {
    const auto at = static_cast<std::size_t>(side);
    const std::uint64_t era = sides_.era(side);
    File* const open = parts_->part(side);
    if (open != nullptr && eras_[at].load(std::memory_order_acquire) == era) return open;
    const std::lock_guard lock(mutex_);
    if (parts_->part(side) != nullptr && eras_[at].load() == era) return parts_->part(side);
    auto file = sides_.below().open(sides_.on(side, parts_->name()), OpenMode::read);
    if (!file.ok()) return parts_->part(side);
    // Somebody may be reading the one of before.
    if (parts_->owned[at]) outlived_.push_back(std::move(parts_->owned[at]));
    parts_->install(side, std::move(*file));
    eras_[at].store(era, std::memory_order_release);
    return parts_->part(side);
  }

 private:
  Error refused() const {
    return {.kind = ErrorKind::permission_denied,
            .message = "[" + parts_->name() + "] is open for reading"};
  }
  mutable std::mutex mutex_;
  mutable std::array<std::atomic<std::uint64_t>, 2> eras_;  // of the sides, when they were opened
  mutable std::vector<std::unique_ptr<File>> outlived_;
};

class Writer final : public Mirrored {
 public:
  Writer(MirrorSides& sides, std::shared_ptr<OpenParts> parts, std::uint64_t end)
      : Mirrored(sides, std::move(parts)), end_(end) {}

  Status write_at(std::uint64_t offset, std::string_view bytes) override {
    const auto hold = sides_.hold();
    lower(parts_->dirty_from, offset);
    return sides_.run(bytes.size() >= wide_bytes,
                      [&](int side) { return write_part(side, offset, bytes); });
  }
  Status append(std::string_view bytes) override {
    CAIRN_CHECK(write_at(end_, bytes));
    end_ += bytes.size();
    return ok_status();
  }
  Status allocate(std::uint64_t offset, std::uint64_t length, bool keep_size) override {
    if (!keep_size) {
      const auto hold = sides_.hold();
      lower(parts_->dirty_from, offset);
    }
    return each(false, [&](File& part) { return part.allocate(offset, length, keep_size); });
  }
  Status truncate(std::uint64_t size) override {
    const auto hold = sides_.hold();
    lower(parts_->dirty_from, size);
    CAIRN_CHECK(sides_.run(false, [&](int side) {
      File* const part = parts_->part(side);
      return part != nullptr ? part->truncate(size) : ok_status();
    }));
    end_ = size;
    return ok_status();
  }
  Status sync_data() override {
    return each(true, [](File& part) { return part.sync_data(); });
  }
  Status sync_all() override {
    return each(true, [](File& part) { return part.sync_all(); });
  }
  Status set_modified_ns(std::int64_t unix_ns) override {
    return each(false, [&](File& part) { return part.set_modified_ns(unix_ns); });
  }
  /// One side may take such writes and the other not: each has its own way then.
  bool set_direct(bool direct) override {
    const auto hold = sides_.hold();
    bool taken = false;
    for (const int side : {0, 1}) {
      File* const part = parts_->part(side);
      if (part == nullptr || !sides_.takes(side)) continue;
      const bool takes = part->set_direct(direct);
      parts_->direct[static_cast<std::size_t>(side)].store(direct && takes);
      taken = taken || takes;
    }
    return taken;
  }
  Status publish(const std::string& path) override {
    const auto hold = sides_.hold();
    const auto turn = sides_.names().of(path);
    CAIRN_CHECK(sides_.run(false, [&](int side) {
      File* const part = parts_->part(side);
      const Status done = part != nullptr ? part->publish(sides_.on(side, path)) : ok_status();
      if (!sides_.is_whole(side) && (part == nullptr || !done.ok())) sides_.owe(path);
      return done;
    }));
    parts_->set_name(path);
    return ok_status();
  }

 private:
  Status each(bool wide, const std::function<Status(File&)>& step) {
    const auto hold = sides_.hold();
    return sides_.run(wide, [&](int side) {
      File* const part = parts_->part(side);
      return part != nullptr ? step(*part) : ok_status();
    });
  }
  Status write_part(int side, std::uint64_t offset, std::string_view bytes) {
    File* const part = parts_->part(side);
    if (part == nullptr) return ok_status();
    Status done = part->write_at(offset, bytes);
    auto& direct = parts_->direct[static_cast<std::size_t>(side)];
    if (done.ok() || !direct.load()) return done;
    const ErrorKind kind = done.error().kind;
    if (kind != ErrorKind::invalid_argument && kind != ErrorKind::unsupported) return done;
    direct.store(false);
    if (!part->set_direct(false)) return done;
    return part->write_at(offset, bytes);
  }

  std::uint64_t end_;
};

}  // namespace

std::unique_ptr<File> mirrored_writer(MirrorSides& sides, std::shared_ptr<OpenParts> parts,
                                      std::uint64_t end) {
  return std::make_unique<Writer>(sides, std::move(parts), end);
}

std::unique_ptr<File> mirrored_reader(MirrorSides& sides, std::string path, int side,
                                      std::unique_ptr<File> file) {
  auto parts = std::make_shared<OpenParts>();
  parts->set_name(std::move(path));
  parts->install(side, std::move(file));
  return std::make_unique<Reader>(sides, std::move(parts));
}

std::optional<MirroredPlace> place_of(File& file) {
  auto* const mirrored = dynamic_cast<Mirrored*>(&file);
  if (mirrored == nullptr) return std::nullopt;
  auto place = mirrored->place();
  if (place.path.empty()) return std::nullopt;
  return place;
}

Status read_or_mend(const MirroredPlace& place, const std::function<Status(File&)>& read,
                    const std::function<Status(File&)>& write) {
  MirrorSides& sides = *place.sides;
  std::optional<Error> fault;
  std::optional<int> good;
  std::array<bool, 2> bad = {};
  const auto read_on = [&](int side) -> Status {
    CAIRN_TRY(const auto file, sides.below().open(sides.on(side, place.path), OpenMode::read));
    return read(*file);
  };
  for (const int side : {1 - sides.reading(), sides.reading()}) {
    if (!sides.is_whole(side)) continue;
    Status done = read_on(side);
    if (done.ok())
      good = side;
    else
      fault = std::move(done).error();
    bad[static_cast<std::size_t>(side)] = !done.ok();
  }
  if (!good) return fault ? Status(std::move(*fault)) : ok_status();
  if (bad[static_cast<std::size_t>(1 - *good)]) {
    CAIRN_CHECK(read_on(*good));
    count_read_around();
    const auto mend = [&]() -> Status {
      CAIRN_TRY(const auto file,
                sides.below().open(sides.on(1 - *good, place.path), OpenMode::read_write));
      CAIRN_CHECK(write(*file));
      return file->sync_data();
    };
    const Status mended = mend();
    if (mended.ok()) return ok_status();
    if (mended.error().kind == ErrorKind::not_found)
      sides.suspect(place.path);
    else if (is_of_side(mended.error()))
      (void)sides.put_aside(1 - *good, mended.error().message).ok();
  }
  return ok_status();
}

void count_read_around() {
  static Counter& reads =
      metrics().counter("cairn_mirror_read_around_total",
                        "Reads that one folder of the mirror could not give, and the other gave");
  reads.add();
}

}  // namespace cairn::os
