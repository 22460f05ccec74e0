// SPDX-License-Identifier: Apache-2.0
// Source: the waiters of the S3 service model.
#include "objectclient/waiters.h"

#include <functional>
#include <utility>

namespace cairn::objectclient {
namespace {

enum class Sight { there, gone };

/// What one look saw: success for what is there; the call besides.
using Look = std::function<Status(CallInfo& call)>;

Result<WaitResult> wait_for(const Client& client, Sight wanted, const std::string& what,
                            const Look& look, const WaitOptions& options, CallInfo& call) {
  for (std::int64_t attempt = 1;; ++attempt) {
    const Status seen = look(call);
    const bool missing = !seen.ok() && call.status == 404;
    if (!seen.ok() && !missing) return seen.error();
    if (missing == (wanted == Sight::gone)) return WaitResult{.attempts = attempt};
    if (attempt >= options.attempts)
      return Error{ErrorKind::timeout, "TooManyAttemptsError",
                   "stopped waiting until " + what + " " +
                       (wanted == Sight::there ? "exists" : "is gone") + ", after " +
                       std::to_string(attempt) + " attempts"};
    CAIRN_CHECK(client.sleep(options.delay_s, options.deadline));
  }
}

Response<WaitResult> waited(const Client& client, Sight wanted, const std::string& what,
                            const Look& look, const WaitOptions& options) {
  CallInfo call;
  auto done = wait_for(client, wanted, what, look, options, call);
  if (done.ok()) return {*done, std::move(call)};
  if (client.raises()) throw_error(done.error(), call);
  return {std::move(done).error(), std::move(call)};
}

Response<WaitResult> wait_for_bucket(const Client& client, Sight wanted, const std::string& bucket,
                                     const WaitOptions& options) {
  const Client calm = client.without_exceptions();
  const auto look = [&](CallInfo& call) -> Status {
    const auto response = calm.head_bucket({.bucket = bucket}, {.deadline = options.deadline});
    call = response.call();
    // Elsewhere, or somebody else's: there is one.
    if (response.ok() || call.status == 301 || call.status == 403) return ok_status();
    return response.error();
  };
  return waited(client, wanted, "the bucket " + bucket, look, options);
}

Response<WaitResult> wait_for_object(const Client& client, Sight wanted,
                                     const s3::GetObjectInput& object, const WaitOptions& options) {
  const Client calm = client.without_exceptions();
  const auto look = [&](CallInfo& call) -> Status {
    const auto response = calm.head_object(object, {.deadline = options.deadline});
    call = response.call();
    return response.ok() ? ok_status() : Status(response.error());
  };
  return waited(client, wanted, "the object " + object.bucket + "/" + object.key, look, options);
}

}  // namespace

Response<WaitResult> wait_until_bucket_exists(const Client& client, const std::string& bucket,
                                              const WaitOptions& options) {
  return wait_for_bucket(client, Sight::there, bucket, options);
}
Response<WaitResult> wait_until_bucket_not_exists(const Client& client, const std::string& bucket,
                                                  const WaitOptions& options) {
  return wait_for_bucket(client, Sight::gone, bucket, options);
}
Response<WaitResult> wait_until_object_exists(const Client& client,
                                              const s3::GetObjectInput& object,
                                              const WaitOptions& options) {
  return wait_for_object(client, Sight::there, object, options);
}
Response<WaitResult> wait_until_object_not_exists(const Client& client,
                                                  const s3::GetObjectInput& object,
                                                  const WaitOptions& options) {
  return wait_for_object(client, Sight::gone, object, options);
}

}  // namespace cairn::objectclient
