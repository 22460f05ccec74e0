// SPDX-License-Identifier: Apache-2.0
#include "backup/restore.h"

#include <utility>
#include <vector>

#include "backup/pieces.h"
#include "backup/workers.h"

namespace cairn::backup {
namespace {

using objectstore::FolderRestore;
using objectstore::NextBytes;

/// One restore on its way.
class Restoration {
 public:
  Restoration(Repository& repository, const Manifest& manifest, FolderRestore& folder,
              const Options& options, Progress& progress, const os::Deadline& deadline)
      : repository_(repository),
        manifest_(manifest),
        folder_(folder),
        progress_(progress),
        deadline_(deadline),
        workers_(options.workers) {}

  Status run(const ConfigurationFile& configuration) {
    std::uint64_t total = manifest_.metadata.size() + manifest_.files.size();
    for (const ExtentList& list : manifest_.extents) total += list.count;
    progress_.files_total = total;
    for (const ExtentList& list : manifest_.extents) CAIRN_CHECK(write_list(list));
    CAIRN_CHECK(workers_.for_each(manifest_.metadata.size(), [&](std::size_t i) {
      return folder_.put_metadata_file(manifest_.metadata[i].path,
                                       bytes_of(manifest_.metadata[i].pieces));
    }));
    progress_.files_done += manifest_.metadata.size();
    for (const FileEntry& file : manifest_.files) {
      CAIRN_CHECK(folder_.put_file(file.path, file.is_secret, bytes_of(file.pieces)));
      ++progress_.files_done;
    }
    for (const FileEntry& file : manifest_.configuration)
      CAIRN_CHECK(configuration(file, bytes_of(file.pieces)));
    return folder_.finish(manifest_.data_format, manifest_.starts);
  }

 private:
  NextBytes bytes_of(const std::vector<std::string>& pieces) {
    return [this, next = piece_reader(repository_, pieces, deadline_)]() -> Result<std::string> {
      CAIRN_TRY(std::string bytes, next());
      progress_.bytes_done += bytes.size();
      return bytes;
    };
  }

  Status write_list(const ExtentList& list) {
    CAIRN_TRY(const std::string encoded, repository_.get_piece(list.piece, deadline_));
    CAIRN_TRY(const auto extents, decode_extents(encoded));
    return workers_.for_each(extents.size(), [&](std::size_t i) -> Status {
      const ExtentEntry& extent = extents[i];
      CAIRN_CHECK(folder_.put_extent(extent.id, extent.size_bytes, bytes_of(extent.pieces)));
      ++progress_.files_done;
      return deadline_.check("restore");
    });
  }

  Repository& repository_;
  const Manifest& manifest_;
  FolderRestore& folder_;
  Progress& progress_;
  const os::Deadline& deadline_;
  Workers workers_;
};

}  // namespace

Status restore(Repository& repository, const Manifest& manifest, os::Files& files,
               const std::string& folder, const ConfigurationFile& configuration,
               const Options& options, Progress& progress, const os::Deadline& deadline) {
  if (manifest.data_format > objectstore::data_format)
    return Error{.kind = ErrorKind::unsupported,
                 .message = "the backup [" + manifest.id + "] has data format " +
                            std::to_string(manifest.data_format) + ", written by Cairn " +
                            manifest.program + ", and this program reads up to " +
                            std::to_string(objectstore::data_format) +
                            "; restore it with that version or a newer one"};
  CAIRN_TRY(const auto target, FolderRestore::begin(files, folder, manifest.id));
  return Restoration(repository, manifest, *target, options, progress, deadline).run(configuration);
}

}  // namespace cairn::backup
