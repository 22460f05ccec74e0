// SPDX-License-Identifier: Apache-2.0
#include "backup/create.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "backup/lease.h"
#include "backup/pieces.h"
#include "backup/workers.h"
#include "base/encode.h"
#include "format/time.h"
#include "snapshots/throttle.h"

namespace cairn::backup {
namespace {

constexpr std::size_t read_bytes = 1 << 20;

/// One backup on its way.
class Creation {
 public:
  Creation(Repository& repository, const Source& source, const CreateParams& params,
           const Options& options, const os::Clock& clock, Progress& progress,
           const os::Deadline& deadline)
      : repository_(repository),
        source_(source),
        params_(params),
        options_(options),
        clock_(clock),
        progress_(progress),
        deadline_(deadline),
        workers_(options.workers),
        throttle_(options.bytes_per_second) {}

  Result<Manifest> run(Lease& lease) {
    lease_ = &lease;
    objectstore::Checkpoint& checkpoint = source_.checkpoint;
    manifest_.id = params_.id;
    manifest_.begun_ms = clock_.unix_ms();
    manifest_.program = options_.program;
    manifest_.installation = options_.owner;
    manifest_.data_format = checkpoint.format();
    manifest_.database_id = checkpoint.database_id();
    manifest_.starts = checkpoint.starts();
    CAIRN_CHECK(find_previous());
    progress_.files_total = checkpoint.metadata_files().size() + checkpoint.extents().size() +
                            source_.files.size() + source_.configuration.size();
    CAIRN_CHECK(copy_metadata());
    checkpoint.release_metadata();
    CAIRN_CHECK(copy_extents());
    CAIRN_CHECK(copy_files(source_.files, manifest_.files));
    CAIRN_CHECK(copy_files(source_.configuration, manifest_.configuration));
    CAIRN_CHECK(checkpoint.check());
    manifest_.ended_ms = clock_.unix_ms();
    manifest_.new_bytes = progress_.added_bytes;
    manifest_.new_pieces = progress_.added_pieces;
    CAIRN_CHECK(lease.beat(deadline_));
    CAIRN_CHECK(repository_.write(manifest_, deadline_));
    return std::move(manifest_);
  }

 private:
  /// The newest backup of this very database: what it has need not be read again.
  Status find_previous() {
    if (params_.rereads) return ok_status();
    CAIRN_TRY(const auto ids, repository_.list(deadline_));
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
      auto manifest = repository_.read(*id, deadline_);
      // One that cannot be read is no reason to make none: then all is read.
      if (!manifest.ok() && (manifest.error().kind == ErrorKind::corrupt ||
                             manifest.error().kind == ErrorKind::unsupported))
        continue;
      CAIRN_CHECK(manifest);
      if (manifest->database_id != manifest_.database_id) continue;
      previous_ = std::move(*manifest);
      return ok_status();
    }
    return ok_status();
  }

  PieceWriter piece_writer() {
    return PieceWriter(
        repository_, options_.piece_bytes,
        [this](std::size_t plain, std::uint64_t added) { return note(plain, added); }, deadline_);
  }

  /// Between any two pieces, of whatever thread.
  Status note(std::size_t plain_bytes, std::uint64_t added_bytes) {
    progress_.bytes_done += plain_bytes;
    progress_.added_bytes += added_bytes;
    if (added_bytes != 0) ++progress_.added_pieces;
    CAIRN_CHECK(source_.checkpoint.check());
    CAIRN_CHECK(lease_->beat(deadline_));
    const std::lock_guard lock(throttle_mutex_);
    return throttle_.spend(plain_bytes, deadline_);
  }

  Status copy_metadata() {
    std::map<std::string, const FileEntry*> before;
    if (previous_)
      for (const FileEntry& file : previous_->metadata) before[file.path] = &file;
    const auto& files = source_.checkpoint.metadata_files();
    manifest_.metadata.resize(files.size());
    return workers_.for_each(files.size(), [&](std::size_t i) -> Status {
      const auto& file = files[i];
      FileEntry& entry = manifest_.metadata[i];
      entry = {.path = file.name, .size_bytes = file.size_bytes};
      const auto known = before.find(file.name);
      // A table is written once, and its number never given again by the same database.
      if (file.name.ends_with(".sst") && known != before.end() &&
          known->second->size_bytes == file.size_bytes) {
        entry.pieces = known->second->pieces;
      } else {
        PieceWriter pieces = piece_writer();
        for (std::uint64_t at = 0; at < file.size_bytes; at += read_bytes) {
          CAIRN_TRY(const std::string bytes,
                    source_.checkpoint.read_metadata(file, at, read_bytes));
          CAIRN_CHECK(pieces.write(bytes));
        }
        CAIRN_TRY(entry.pieces, pieces.finish());
      }
      ++progress_.files_done;
      return ok_status();
    });
  }

  Status copy_extents() {
    const auto& ids = source_.checkpoint.extents();
    for (std::size_t at = 0; at < ids.size();) {
      const std::uint64_t number = ids[at] >> list_bits;
      std::size_t end = at;
      while (end < ids.size() && ids[end] >> list_bits == number) ++end;
      CAIRN_CHECK(copy_list(number, {ids.begin() + static_cast<std::ptrdiff_t>(at),
                                     ids.begin() + static_cast<std::ptrdiff_t>(end)}));
      at = end;
    }
    return ok_status();
  }

  /// What the backup before has of that list.
  Result<std::map<std::uint64_t, ExtentEntry>> extents_before(std::uint64_t number) {
    std::map<std::uint64_t, ExtentEntry> out;
    if (!previous_) return out;
    for (const ExtentList& list : previous_->extents) {
      if (list.number != number) continue;
      const auto bytes = repository_.get_piece(list.piece, deadline_);
      if (!bytes.ok() && bytes.error().kind == ErrorKind::corrupt) continue;  // then all is read
      CAIRN_CHECK(bytes);
      CAIRN_TRY(auto extents, decode_extents(*bytes));
      for (ExtentEntry& extent : extents) out.emplace(extent.id, std::move(extent));
    }
    return out;
  }

  Status copy_list(std::uint64_t number, const std::vector<std::uint64_t>& ids) {
    CAIRN_TRY(const auto before, extents_before(number));
    std::vector<std::optional<ExtentEntry>> copied(ids.size());
    CAIRN_CHECK(workers_.for_each(ids.size(), [&](std::size_t i) -> Status {
      const auto known = before.find(ids[i]);
      if (known != before.end()) {
        copied[i] = known->second;
      } else {
        CAIRN_TRY(copied[i], copy_extent(ids[i]));
      }
      ++progress_.files_done;
      return deadline_.check("back up");
    }));
    std::vector<ExtentEntry> extents;
    ExtentList list{.number = number};
    for (auto& extent : copied) {
      if (!extent) continue;
      ++list.count;
      list.size_bytes += extent->size_bytes;
      extents.push_back(std::move(*extent));
    }
    if (extents.empty()) return ok_status();
    const std::string encoded = encode_extents(extents);
    CAIRN_TRY(auto piece, repository_.put_piece(encoded, deadline_));
    list.piece = std::move(piece.name);
    manifest_.extents.push_back(std::move(list));
    return note(encoded.size(), piece.added_bytes);
  }

  /// Nothing where its bytes do not verify.
  Result<std::optional<ExtentEntry>> copy_extent(std::uint64_t id) {
    PieceWriter pieces = piece_writer();
    Status failed_put = ok_status();
    const Status read = source_.checkpoint.read_extent(id, [&](std::string_view bytes) {
      failed_put = pieces.write(bytes);
      return failed_put;
    });
    CAIRN_CHECK(failed_put);
    if (!read.ok()) return damaged(id, read.error());
    CAIRN_TRY(auto names, pieces.finish());
    CAIRN_TRY(const std::uint64_t size, source_.checkpoint.extent_bytes(id));
    return std::optional(ExtentEntry{.id = id, .size_bytes = size, .pieces = std::move(names)});
  }

  Result<std::optional<ExtentEntry>> damaged(std::uint64_t id, const Error& error) {
    if (error.kind != ErrorKind::corrupt) return error;
    CAIRN_CHECK(source_.checkpoint.check());  // it is gone because the disk got full
    const std::lock_guard lock(damaged_mutex_);
    manifest_.damaged.push_back({id, error.message});
    return std::optional<ExtentEntry>();
  }

  Status copy_files(const std::vector<KeptFile>& files, std::vector<FileEntry>& out) {
    for (const KeptFile& kept : files) {
      const auto file = source_.file_system.open(kept.path, os::OpenMode::read);
      if (!file.ok() && file.error().kind == ErrorKind::not_found) continue;  // gone meanwhile
      CAIRN_CHECK(file);
      FileEntry entry{.path = kept.kept_as, .is_secret = kept.is_secret};
      PieceWriter pieces = piece_writer();
      std::string bytes(read_bytes, '\0');
      for (;;) {
        CAIRN_TRY(const std::size_t got,
                  (*file)->read_at(entry.size_bytes, bytes.data(), bytes.size()));
        if (got == 0) break;
        entry.size_bytes += got;
        CAIRN_CHECK(pieces.write(std::string_view(bytes).substr(0, got)));
      }
      CAIRN_TRY(entry.pieces, pieces.finish());
      out.push_back(std::move(entry));
      ++progress_.files_done;
    }
    return ok_status();
  }

  Repository& repository_;
  const Source& source_;
  const CreateParams& params_;
  const Options& options_;
  const os::Clock& clock_;
  Progress& progress_;
  const os::Deadline& deadline_;
  Workers workers_;
  std::mutex throttle_mutex_;
  snapshots::Throttle throttle_;
  std::mutex damaged_mutex_;
  Lease* lease_ = nullptr;
  std::optional<Manifest> previous_;
  Manifest manifest_;
};

}  // namespace

std::string new_id(const os::Clock& clock, os::Random& random) {
  return format_basic_iso8601(clock.unix_ms()) + "-" + to_hex(random.bytes(3));
}

Result<Manifest> create(Repository& repository, const Source& source, const CreateParams& params,
                        const Options& options, const os::Clock& clock, os::Random& random,
                        Progress& progress, const os::Deadline& deadline) {
  CAIRN_TRY(const auto lease,
            Lease::take(repository.store(), Lease::Kind::create, options, clock, random, deadline));
  return Creation(repository, source, params, options, clock, progress, deadline).run(*lease);
}

}  // namespace cairn::backup
