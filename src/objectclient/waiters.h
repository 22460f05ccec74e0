// SPDX-License-Identifier: Apache-2.0
// Waiting until a bucket or an object is there, or is gone.
#pragma once

#include <cstdint>
#include <string>

#include "objectclient/client.h"

namespace cairn::objectclient {

struct WaitOptions {
  double delay_s = 5;
  std::int64_t attempts = 20;
  os::Deadline deadline = os::Deadline::never();
};

struct WaitResult {
  std::int64_t attempts = 0;  // looks that it took
};

// Each asks with HEAD until the answer is the one waited for, with `delay_s` between two looks, and
// blocks the calling thread. A wait that fails throws, or gives a response that holds the error, as
// every call of the client does. Errors: TooManyAttemptsError; that of an answer that is neither
// yes nor no; timeout, cancelled.
Response<WaitResult> wait_until_bucket_exists(const Client& client, const std::string& bucket,
                                              const WaitOptions& options = {});
Response<WaitResult> wait_until_bucket_not_exists(const Client& client, const std::string& bucket,
                                                  const WaitOptions& options = {});
Response<WaitResult> wait_until_object_exists(const Client& client,
                                              const s3::GetObjectInput& object,
                                              const WaitOptions& options = {});
Response<WaitResult> wait_until_object_not_exists(const Client& client,
                                                  const s3::GetObjectInput& object,
                                                  const WaitOptions& options = {});

}  // namespace cairn::objectclient
