// SPDX-License-Identifier: Apache-2.0
// Requests to the REST API of a code-hosting service, by the rules of its rate limits.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "connectors/outreach.h"
#include "connectors/sources/told_waits.h"
#include "net/client/client.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "ratelimit/client/retry.h"

namespace cairn::connectors {

/// One exchange over HTTP. Errors: those of net::Client::send.
using ApiTransport =
    std::function<Result<net::ClientReply>(const net::ClientRequest&, const os::Deadline&)>;

struct ApiParams {
  net::Url base = {};
  std::string token = {};  // empty: as nobody
  ApiTransport send = {};
  const os::Clock* clock = &os::system_clock();
  os::Random* random = &os::system_random();
  ratelimit::Waits* waits = nullptr;  // null: this thread sleeps
  /// Told while a request waits: "resumes 14:32 UTC". Errors end the waiting.
  std::function<Status(std::string_view doing)> beat = {};
};

struct ApiAnswer {
  bool is_unchanged = false;  // since the ETag that was given
  std::string body = {};
  std::string etag = {};
  std::string next = {};  // the target of the next page; empty: none
};

/// One thread. Requests go one after another. A refusal by a limit is waited for as the service
/// says: remaining 0 to the reset, and before it comes to that; secondary limits for as long as
/// they tell; what is unclear for a minute and longer each time.
class CodeHostingApi {
 public:
  explicit CodeHostingApi(ApiParams params);
  ~CodeHostingApi();
  CodeHostingApi(const CodeHostingApi&) = delete;
  CodeHostingApi& operator=(const CodeHostingApi&) = delete;

  /// GET of a path below the base. `etag` of an earlier answer, or empty: an answer that is as
  /// before costs nothing of the limit. Errors: not_found, unauthenticated, permission_denied,
  /// rate_limited after some waits, unavailable; corrupt, for a next page at another host; those of
  /// `beat` and of the deadline.
  Result<ApiAnswer> get(const std::string& target, const std::string& etag,
                        const os::Deadline& deadline);

 private:
  Result<net::ClientReply> exchange(const net::ClientRequest& request,
                                    const os::Deadline& deadline);
  Result<ApiAnswer> answer_of(net::ClientReply reply, const std::string& target) const;

  const ApiParams params_;
  ToldWaits waiting_;
  ratelimit::RetryRules rules_;
};

}  // namespace cairn::connectors
