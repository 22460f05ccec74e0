// SPDX-License-Identifier: Apache-2.0
// Makes one backup from a checkpoint of the engine and files beside it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backup/manifest.h"
#include "backup/options.h"
#include "backup/repository.h"
#include "base/result.h"
#include "objectstore/copies/checkpoint.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/files/files.h"
#include "os/random.h"

namespace cairn::backup {

/// Figures that grow while a backup is made, or restored; read from any thread.
struct Progress {
  std::atomic<std::uint64_t> files_total{0};  // of the metadata, extents, and files beside them
  std::atomic<std::uint64_t> files_done{0};
  std::atomic<std::uint64_t> bytes_done{0};   // read, or written to the folder
  std::atomic<std::uint64_t> added_bytes{0};  // to the repository
  std::atomic<std::uint64_t> added_pieces{0};
};

/// A file that is kept beside the objects, as it is when it is read.
struct KeptFile {
  std::string kept_as;  // FileEntry::path
  std::string path;     // where it lies now
  bool is_secret = false;
};

struct Source {
  objectstore::Checkpoint& checkpoint;
  std::vector<KeptFile> files = {};  // of the data folder
  std::vector<KeptFile> configuration = {};
  os::Files& file_system = os::system_files();
};

struct CreateParams {
  std::string id;        // a new one: new_id()
  bool rereads = false;  // all is read and put again, nothing is believed of the backup before
};

std::string new_id(const os::Clock& clock, os::Random& random);

/// Copies what the newest backup of the same database has not, and writes the manifest last: a
/// crash before that leaves pieces, which the next one finds. Extents that do not verify are named
/// in the manifest, and the backup goes on. Blocks; `options.workers` threads.
/// Errors: conflict (a sweep is at work), storage_full of the repository, or where the disk of the
/// data folder got full; those of the store; cancelled, timeout.
Result<Manifest> create(Repository& repository, const Source& source, const CreateParams& params,
                        const Options& options, const os::Clock& clock, os::Random& random,
                        Progress& progress, const os::Deadline& deadline);

}  // namespace cairn::backup
