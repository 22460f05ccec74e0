// SPDX-License-Identifier: Apache-2.0
// Source: the waiters of the S3 service model.
#include "objectclient/waiters.h"

#include <cmath>
#include <functional>

namespace cairn::objectclient {
namespace {

enum class Sight { there, gone };

Status wait_for(const Client& client, Sight wanted, const std::string& what,
                const std::function<CallInfo(Status& done)>& look, const WaitOptions& options) {
  for (std::int64_t attempt = 1;; ++attempt) {
    Status done = ok_status();
    const CallInfo info = look(done);
    const bool missing = !done.ok() && info.status == 404;
    if (!done.ok() && !missing) return done;
    if (missing == (wanted == Sight::gone)) return ok_status();
    if (attempt >= options.attempts)
      return Error{ErrorKind::timeout, "TooManyAttemptsError",
                   "stopped waiting until " + what + " " +
                       (wanted == Sight::there ? "exists" : "is gone") + ", after " +
                       std::to_string(attempt) + " attempts"};
    CAIRN_CHECK(client.sleep(options.delay_s, options.deadline));
  }
}

Status wait_for_bucket(const Client& client, Sight wanted, const std::string& bucket,
                       const WaitOptions& options) {
  const Client calm = client.without_exceptions();
  return wait_for(
      client, wanted, "the bucket " + bucket,
      [&](Status& done) {
        const auto response = calm.head_bucket({.bucket = bucket}, {.deadline = options.deadline});
        // Elsewhere, or somebody else's: there is one.
        const int status = response.call().status;
        if (!response.ok() && status != 301 && status != 403) done = response.error();
        return response.call();
      },
      options);
}

Status wait_for_object(const Client& client, Sight wanted, const s3::GetObjectInput& object,
                       const WaitOptions& options) {
  const Client calm = client.without_exceptions();
  return wait_for(
      client, wanted, "the object " + object.bucket + "/" + object.key,
      [&](Status& done) {
        const auto response = calm.head_object(object, {.deadline = options.deadline});
        if (!response.ok()) done = response.error();
        return response.call();
      },
      options);
}

}  // namespace

Status wait_until_bucket_exists(const Client& client, const std::string& bucket,
                                const WaitOptions& options) {
  return wait_for_bucket(client, Sight::there, bucket, options);
}
Status wait_until_bucket_not_exists(const Client& client, const std::string& bucket,
                                    const WaitOptions& options) {
  return wait_for_bucket(client, Sight::gone, bucket, options);
}
Status wait_until_object_exists(const Client& client, const s3::GetObjectInput& object,
                                const WaitOptions& options) {
  return wait_for_object(client, Sight::there, object, options);
}
Status wait_until_object_not_exists(const Client& client, const s3::GetObjectInput& object,
                                    const WaitOptions& options) {
  return wait_for_object(client, Sight::gone, object, options);
}

}  // namespace cairn::objectclient
