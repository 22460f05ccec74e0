// SPDX-License-Identifier: Apache-2.0
// The object storage as the commands see it: the client library by name, without its typed headers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectclient/body.h"
#include "objectclient/presign.h"
#include "objectclient/value.h"
#include "os/deadline.h"

namespace cairn::objectclient {
class Client;
}

namespace cairn::cli {

using objectclient::Params;
using objectclient::Value;

/// How large objects go: in parts, several at once.
struct PartSettings {
  std::uint64_t threshold_bytes = 16ull << 20;
  std::uint64_t part_bytes = 8ull << 20;
  int threads = 10;
  std::string resume_path = {};  // of uploads of files; empty: a failed upload is taken back
};

/// What an upload made.
struct Uploaded {
  std::string etag = {};
  std::int64_t parts_reused = 0;
};

/// Safe from any thread. Errors of all calls: those of the client, whose messages name the call;
/// where a reply came, `details` has its `status`, and what else is known of the call.
class Service {
 public:
  Service(objectclient::Client client, os::Deadline deadline);

  Result<Value> call(std::string_view operation, const Params& params,
                     const objectclient::Body& body = {}, const objectclient::Target& target = {},
                     const objectclient::Progress& progress = {}) const;
  /// `params` as of put_object; names that it has not are left out.
  Result<Uploaded> upload_file(const Params& params, const std::string& path,
                               const PartSettings& parts,
                               const objectclient::Progress& progress) const;
  Result<Uploaded> upload_stream(const Params& params, net::BodyReader& reader,
                                 const PartSettings& parts,
                                 const objectclient::Progress& progress) const;
  /// `params` as of get_object. The result is that of get_object.
  Result<Value> download(const Params& params, const std::string& path, const PartSettings& parts,
                         const objectclient::Progress& progress) const;
  Result<objectclient::PresignedRequest> presign(std::string_view operation, const Params& params,
                                                 std::int64_t expires_in_s) const;
  Result<objectclient::PresignedPost> presign_post(
      const std::string& bucket, const std::string& key,
      const objectclient::PresignedPostOptions& options) const;

  const os::Deadline& deadline() const { return deadline_; }
  /// A service that nothing interrupts, for cleaning up.
  Service until(os::Deadline deadline) const;
  std::string endpoint() const;
  std::string region() const;

 private:
  Service(std::shared_ptr<const objectclient::Client> client, os::Deadline deadline)
      : client_(std::move(client)), deadline_(std::move(deadline)) {}
  std::shared_ptr<const objectclient::Client> client_;
  os::Deadline deadline_;
};

}  // namespace cairn::cli
