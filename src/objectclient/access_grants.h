// SPDX-License-Identifier: Apache-2.0
// Access grants: credentials for a part of a bucket, from the service that knows who was granted
// what.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/threads.h"
#include "objectclient/credentials.h"
#include "objectclient/environment.h"
#include "s3/operations/operation.h"

namespace cairn::objectclient {

struct AccessGrantsOptions {
  std::string privilege = "Default";  // or "Minimal": no more than the target
  bool fallback = false;              // without a grant, the client's own credentials
  bool caching = true;
  std::int64_t duration_seconds = 0;  // of credentials; 0: what the service gives
};

/// What a request wants to do, and with what: "READ", "s3://bucket/key".
struct GrantTarget {
  std::string bucket;
  std::string target;
  std::string permission;
};

/// Nothing for operations that grants do not cover, and for directory buckets.
/// Errors: invalid_argument, ArgumentError: a copy from another bucket.
Result<std::optional<GrantTarget>> grant_target_of(const s3::Operation& operation,
                                                   const void* input);

/// Safe from any thread. Keeps a hundred grants, and for ten minutes whose they are.
/// Addresses for tests and private clouds: AWS_ENDPOINT_URL_S3_CONTROL, AWS_ENDPOINT_URL_STS.
class AccessGrants {
 public:
  /// `environment.clock` outlives it.
  AccessGrants(AccessGrantsOptions options, std::string region, Environment environment);
  /// Credentials for the target; `own` asks for them, and is the answer where there is no grant
  /// and `fallback` is on. Errors: AccessDenied; unavailable.
  Result<std::shared_ptr<const Credentials>> get(const GrantTarget& target,
                                                 const std::shared_ptr<const Credentials>& own,
                                                 const os::Deadline& deadline);

 private:
  struct Grant {
    std::string access_key_id;  // of whoever asked
    std::string permission;
    std::string target;  // as it was granted: "s3://bucket/a/*"
    std::shared_ptr<const Credentials> credentials;
  };
  struct Account {
    std::string id;
    std::int64_t until_ns;
  };
  std::shared_ptr<const Credentials> cached(const GrantTarget& target, const Credentials& own);
  Result<std::string> instance_account(const GrantTarget& target, const Credentials& own,
                                       const os::Deadline& deadline);
  Result<std::string> own_account(const Credentials& own, const os::Deadline& deadline);
  Result<Grant> ask(const GrantTarget& target, const Credentials& own,
                    const os::Deadline& deadline);
  Result<std::string> control(const std::string& account, const std::string& path_and_query,
                              const Credentials& own, const os::Deadline& deadline);

  const AccessGrantsOptions options_;
  const std::string region_;
  const Environment environment_;
  Mutex mutex_;
  std::list<Grant> grants_ CAIRN_GUARDED_BY(mutex_);                  // used last first
  std::map<std::string, Account> accounts_ CAIRN_GUARDED_BY(mutex_);  // by bucket
};

}  // namespace cairn::objectclient
