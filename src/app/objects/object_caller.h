// SPDX-License-Identifier: Apache-2.0
// The access key of a caller of the platform, put to requests of the object storage.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "auth/principals.h"
#include "auth/secrets/object_keys.h"
#include "base/result.h"
#include "gate/route.h"
#include "net/http/message.h"
#include "os/clock.h"
#include "s3/signing/signing.h"

namespace cairn::app {

/// An administrator's key without an access key acts as the root of the administrator's account:
/// whoever may make access keys for that root need not make one first. Safe from any thread. Errors
/// of all calls: permission_denied, for any other caller whose key has no access key.
class ObjectCaller {
 public:
  /// `root`: an access key of that root, which the object storage takes. `principals` and `clock`
  /// outlive it.
  ObjectCaller(const auth::Principals& principals, auth::ObjectKey root, std::string region,
               const os::Clock& clock)
      : principals_(principals),
        root_(std::make_shared<const auth::ObjectKey>(std::move(root))),
        region_(std::move(region)),
        clock_(clock) {}

  /// Signs a request as the access key of the caller's key does, so that it is judged as one that
  /// came to the port of the object storage. `payload_hash`: of the body, in hexadecimal digits, or
  /// what s3::name_of(Payload) says.
  Status sign(const gate::Caller& caller, net::RequestHead& head,
              std::string_view payload_hash) const;
  /// The query of a URL with which everybody may make that one request. `path` is escaped; `query`
  /// is signed too.
  Result<std::string> presigned_query(const gate::Caller& caller, std::string_view method,
                                      std::string_view path, std::string query,
                                      std::string_view host, std::int64_t expires_in_s) const;

 private:
  Result<s3::SigningParams> params_of(const gate::Caller& caller) const;

  const auth::Principals& principals_;
  const std::shared_ptr<const auth::ObjectKey> root_;
  const std::string region_;
  const os::Clock& clock_;
  mutable s3::SigningKeys keys_;
};

}  // namespace cairn::app
