// SPDX-License-Identifier: Apache-2.0
// Where models can be had that are not in the store yet: a place with files by name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/client/client.h"
#include "os/deadline.h"
#include "os/files/files.h"
#include "store/store.h"

namespace cairn::inference {

/// Takes bytes as they come; an error ends the reading and is what it gives.
using TakeBytes = std::function<Status(std::string_view bytes)>;

/// Files `<model_id>/<file>` beneath one place that the operator named. Safe from any thread; every
/// call may block up to its deadline. Errors of all calls: not_found where the place answers that
/// it has no such file; anything else means that it cannot be told now, with the reason.
class FileSource {
 public:
  virtual ~FileSource() = default;
  virtual const std::string& name() const = 0;  // as it was configured, for people
  /// The whole file. Errors: too_large beyond `limit_bytes`.
  virtual Result<std::string> read(const std::string& path, std::size_t limit_bytes,
                                   const os::Deadline& deadline) = 0;
  virtual Result<std::uint64_t> size(const std::string& path, const os::Deadline& deadline) = 0;
  /// The bytes from `offset` on, until the end or until `take` gives an error.
  virtual Status stream(const std::string& path, std::uint64_t offset, const TakeBytes& take,
                        const os::Deadline& deadline) = 0;
};

/// A folder of this machine. `files` outlives the result.
std::unique_ptr<FileSource> folder_source(os::Files& files, std::string folder);

/// Opens a store at each use, since a bucket may come later. Errors: not_found counts as
/// unreachable.
using OpenStore =
    std::function<Result<std::shared_ptr<store::Store>>(const os::Deadline& deadline)>;
std::unique_ptr<FileSource> store_source(std::string name, OpenStore open);

/// Files beneath an http or https address, by GET and HEAD, resumed by Range. Connections go to
/// that host alone; redirects are not followed, and no credentials are sent. Errors:
/// invalid_argument for what is no such address.
Result<std::unique_ptr<FileSource>> http_source(std::string url);

}  // namespace cairn::inference
