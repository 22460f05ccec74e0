// SPDX-License-Identifier: Apache-2.0
#include "app/repository_places.h"

#include "base/strings.h"
#include "objectstore/engine_store.h"
#include "snapshots/errors.h"
#include "stores/folder_store.h"

namespace cairn::app {
namespace {

using snapshots::RepositorySettings;
using Opened = Result<std::unique_ptr<store::Store>>;

Error refused(const RepositorySettings& repository, const std::string& why) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "repository_exception",
          .message = "[" + repository.name + "] " + why};
}

/// "a/./b//c" as "a/b/c"; nothing where ".." stands in it.
std::optional<std::string> normal(const std::string& path) {
  std::string out;
  for (const std::string_view part : split(path, '/')) {
    if (part == "..") return std::nullopt;
    if (part.empty() || part == ".") continue;
    out += "/";
    out += part;
  }
  return out;
}

Opened open_folder(const RepositorySettings& repository, const std::vector<std::string>& roots) {
  const std::string location = repository.settings.string_or("location");
  if (location.empty()) return refused(repository, "missing location");
  if (roots.empty())
    return refused(repository,
                   "location [" + location + "] cannot be used: no folder is allowed. Name the "
                   "allowed ones in the setting path.repo (environment CAIRN_PATH__REPO) and start "
                   "Cairn again");
  const auto wanted = normal(location.front() == '/' ? location : roots.front() + "/" + location);
  for (const auto& root : roots) {
    const auto allowed = normal(root);
    if (!wanted || !allowed) continue;
    if (*wanted == *allowed || wanted->starts_with(*allowed + "/"))
      return stores::folder_store(*wanted);
  }
  return refused(repository, "location [" + location + "] doesn't match any of the locations "
                             "specified by path.repo (" + join(roots, ", ") + ")");
}

Opened open_bucket(const RepositorySettings& repository, objectstore::Engine& engine) {
  for (const auto known : {"endpoint", "region", "client"})
    if (repository.settings.find(known) != nullptr)
      return refused(repository, "setting [" + std::string(known) +
                                     "] is not known: repositories of type s3 lie in buckets of "
                                     "this Cairn's own object storage");
  const std::string bucket = repository.settings.string_or("bucket");
  if (bucket.empty()) return refused(repository, "No bucket defined for s3 repository");
  if (bucket.front() == '.') return refused(repository, "bucket [" + bucket + "] does not exist");
  std::string base = repository.settings.string_or("base_path");
  while (!base.empty() && base.front() == '/') base.erase(0, 1);
  if (!base.empty() && base.back() != '/') base += '/';
  auto opened = objectstore::bucket_store(engine, bucket, base);
  if (!opened.ok() && opened.error().kind == ErrorKind::not_found)
    return refused(repository, "bucket [" + bucket + "] does not exist; create it in the object "
                               "storage first");
  return opened;
}

}  // namespace

snapshots::OpenRepository repository_places(std::vector<std::string> path_repo,
                                            objectstore::Engine& engine) {
  return [roots = std::move(path_repo), &engine](const RepositorySettings& repository) -> Opened {
    if (repository.type == "fs") return open_folder(repository, roots);
    if (repository.type == "s3") return open_bucket(repository, engine);
    return refused(repository, "repository type [" + repository.type +
                                   "] does not exist; known are fs and s3");
  };
}

}  // namespace cairn::app
