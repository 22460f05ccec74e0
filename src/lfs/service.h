// SPDX-License-Identifier: Apache-2.0
// Batches of large files: which are there, and by which URLs the others move.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "auth/secrets/object_keys.h"
#include "base/result.h"
#include "format/json.h"
#include "gate/route.h"
#include "lfs/announcements.h"
#include "lfs/batch.h"
#include "lfs/links.h"
#include "lfs/locks.h"
#include "lfs/options.h"
#include "lfs/repository.h"
#include "net/http/message.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "store/store.h"

namespace cairn::lfs {

/// The bucket of large files. Where there is none it is made, if `make` says so, and belongs to the
/// account of the key that signs. Errors: not_found; those of the store.
using OpenBucket =
    std::function<Result<std::shared_ptr<store::Store>>(bool make, const os::Deadline& deadline)>;

struct ServiceParams {
  OpenBucket open_bucket;
  std::function<std::string()> objects_url;  // of the listener: "http://127.0.0.1:9000"
  auth::ObjectKey key;                       // signs; the object service knows it
  std::string region = "us-east-1";
  Options options = {};
  Locks* locks = nullptr;  // outlives the service
  const os::Clock& clock = os::system_clock();
  os::Random& random = os::system_random();
};

/// One request, as the table of routes gives it.
struct Request {
  const net::RequestHead& head;
  const gate::Caller& caller;
  std::string_view owner;  // parameters of the path, decoded
  std::string_view repository;
  std::string_view id;  // of a lock, where the path has one
  std::string_view body;
  os::Deadline deadline;
};

struct Answer {
  int status = 200;
  Json body = {};
};

/// Safe from any thread; calls may block on the store. Errors carry the status of the wire in the
/// detail "_status" where it is not that of their kind.
class Service {
 public:
  explicit Service(ServiceParams params);

  /// The answer to POST …/objects/batch. Errors: not_found, permission_denied, invalid_argument
  /// (422), too_large; those of the store.
  Result<Answer> batch(const Request& request) const;
  /// The answer to POST …/verify. Errors: as above; not_found where the object is not there,
  /// invalid_argument (422) where it has another size.
  Result<Answer> verify(const Request& request) const;
  /// POST …/locks: 201, or 409 with the lock that is there. The next three: GET …/locks, and POST
  /// …/locks/verify and …/locks/{id}/unlock. A lock is of the account that its caller's requests
  /// count for. Errors: as above; not_found for a lock that is not there; permission_denied for one
  /// of somebody else, unless the caller has `manage` and says force.
  Result<Answer> lock(const Request& request) const;
  Result<Answer> list_locks(const Request& request) const;
  Result<Answer> verify_locks(const Request& request) const;
  Result<Answer> unlock(const Request& request) const;

  /// True where a batch that was counted has announced this call to verify: once for each object
  /// that it announced. The next question about the same one is another call.
  bool takes_announced(const net::RequestHead& head) const;

 private:
  struct Places;
  Status check(const NamedObject& object) const;
  Result<Json> answer(const NamedObject& object, Operation operation, const Places& places) const;
  Json action(std::string href) const;

  const ServiceParams params_;
  const Links links_;
  mutable Announcements announcements_;
};

}  // namespace cairn::lfs
