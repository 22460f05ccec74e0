// SPDX-License-Identifier: Apache-2.0
#include "backup/verify.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "backup/lease.h"
#include "backup/workers.h"

namespace cairn::backup {
namespace {

constexpr std::size_t batch = 1000;  // pieces, removed at a time

/// Calls `each` with the pieces of every file of a backup, lists of extents first.
Status for_each_file(Repository& repository, const Manifest& manifest,
                     const std::function<Status(const std::string& file,
                                                const std::vector<std::string>& pieces)>& each,
                     const std::function<Status(const ExtentList&, const Error&)>& on_bad_list,
                     const os::Deadline& deadline) {
  for (const auto* const group : {&manifest.metadata, &manifest.files, &manifest.configuration})
    for (const FileEntry& file : *group) CAIRN_CHECK(each(file.path, file.pieces));
  for (const ExtentList& list : manifest.extents) {
    const auto encoded = repository.get_piece(list.piece, deadline);
    const auto extents =
        encoded.ok() ? decode_extents(*encoded) : Result<std::vector<ExtentEntry>>(encoded.error());
    if (!extents.ok()) {
      CAIRN_CHECK(on_bad_list(list, extents.error()));
      continue;
    }
    CAIRN_CHECK(each("list " + std::to_string(list.number) + " of extents", {list.piece}));
    for (const ExtentEntry& extent : *extents)
      CAIRN_CHECK(each("extent " + std::to_string(extent.id), extent.pieces));
  }
  return ok_status();
}

/// One verification on its way.
class Verification {
 public:
  Verification(Repository& repository, const Options& options,
               const std::function<void(const Fault&)>& on_fault, const os::Deadline& deadline)
      : repository_(repository),
        on_fault_(on_fault),
        deadline_(deadline),
        workers_(options.workers) {}

  Status look_at(const std::string& id) {
    ++count_.backups;
    const auto manifest = repository_.read(id, deadline_);
    if (!manifest.ok() && manifest.error().kind == ErrorKind::corrupt) {
      tell({id, "manifest", manifest.error().message});
      return ok_status();
    }
    CAIRN_CHECK(manifest);
    for (const DamagedExtent& extent : manifest->damaged)
      tell({id, "extent " + std::to_string(extent.id),
            "was damaged when the backup was made: " + extent.reason});
    CAIRN_CHECK(for_each_file(
        repository_, *manifest,
        [&](const std::string& file, const std::vector<std::string>& pieces) {
          return add(id, file, pieces);
        },
        [&](const ExtentList& list, const Error& error) -> Status {
          if (error.kind != ErrorKind::corrupt) return error;
          tell({id, std::to_string(list.count) + " extents", error.message});
          return ok_status();
        },
        deadline_));
    return read_all(id);
  }

  const VerifyCount& count() const { return count_; }

 private:
  struct Wanted {
    std::string file;
    std::string piece;
  };

  Status add(const std::string& id, const std::string& file,
             const std::vector<std::string>& pieces) {
    for (const std::string& piece : pieces) {
      if (const auto known = bad_.find(piece); known != bad_.end()) {
        tell({id, file, known->second});
      } else if (seen_.insert(piece).second) {
        waiting_.push_back({file, piece});
      }
    }
    return waiting_.size() < batch ? ok_status() : read_all(id);
  }

  Status read_all(const std::string& id) {
    CAIRN_CHECK(workers_.for_each(waiting_.size(), [&](std::size_t i) -> Status {
      const auto bytes = repository_.get_piece(waiting_[i].piece, deadline_);
      if (!bytes.ok() && bytes.error().kind != ErrorKind::corrupt) return bytes.error();
      const std::lock_guard lock(mutex_);
      ++count_.pieces;
      if (bytes.ok()) {
        count_.bytes += bytes->size();
      } else {
        bad_.emplace(waiting_[i].piece, bytes.error().message);
        tell({id, waiting_[i].file, bytes.error().message});
      }
      return deadline_.check("verify");
    }));
    waiting_.clear();
    return ok_status();
  }

  void tell(const Fault& fault) {
    ++count_.faults;
    on_fault_(fault);
  }

  Repository& repository_;
  const std::function<void(const Fault&)>& on_fault_;
  const os::Deadline& deadline_;
  Workers workers_;
  std::mutex mutex_;
  std::unordered_set<std::string> seen_;
  std::unordered_map<std::string, std::string> bad_;  // piece: why
  std::vector<Wanted> waiting_;
  VerifyCount count_;
};

/// Names of the pieces that the backups need. Errors: corrupt, where that cannot be known.
Result<std::unordered_set<std::string>> needed_by(Repository& repository,
                                                  const std::vector<std::string>& ids,
                                                  const os::Deadline& deadline) {
  std::unordered_set<std::string> needed;
  for (const std::string& id : ids) {
    CAIRN_TRY(const Manifest manifest, repository.read(id, deadline));
    CAIRN_CHECK(for_each_file(
        repository, manifest,
        [&](const std::string&, const std::vector<std::string>& pieces) {
          needed.insert(pieces.begin(), pieces.end());
          return ok_status();
        },
        [&](const ExtentList&, const Error& error) -> Status { return error; }, deadline));
  }
  return needed;
}

}  // namespace

Result<VerifyCount> verify(Repository& repository, const std::vector<std::string>& ids,
                           const Options& options,
                           const std::function<void(const Fault&)>& on_fault,
                           const os::Deadline& deadline) {
  Verification verification(repository, options, on_fault, deadline);
  for (const std::string& id : ids) CAIRN_CHECK(verification.look_at(id));
  return verification.count();
}

Result<Swept> remove(Repository& repository, const std::vector<std::string>& ids,
                     const Options& options, const os::Clock& clock, os::Random& random,
                     const os::Deadline& deadline) {
  store::Store& store = repository.store();
  CAIRN_TRY(const auto lease,
            Lease::take(store, Lease::Kind::sweep, options, clock, random, deadline));
  CAIRN_TRY(auto staying, repository.list(deadline));
  std::erase_if(staying, [&](const std::string& id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  });
  CAIRN_TRY(const auto needed, needed_by(repository, staying, deadline));
  for (const std::string& id : ids) CAIRN_CHECK(store.remove(layout::manifest_key(id), deadline));
  Swept swept;
  std::vector<std::string> going;
  const auto take_away = [&]() -> Status {
    CAIRN_CHECK(lease->beat(deadline));
    CAIRN_CHECK(store.remove_batch(going, deadline));
    swept.pieces += going.size();
    going.clear();
    return ok_status();
  };
  CAIRN_CHECK(store::for_each_object(
      store, layout::pieces, deadline, [&](const store::ObjectInfo& info) -> Status {
        if (needed.contains(info.key.substr(info.key.rfind('/') + 1))) return ok_status();
        swept.bytes += info.size_bytes;
        going.push_back(info.key);
        return going.size() < batch ? ok_status() : take_away();
      }));
  if (!going.empty()) CAIRN_CHECK(take_away());
  return swept;
}

}  // namespace cairn::backup
