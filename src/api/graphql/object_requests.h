// SPDX-License-Identifier: Apache-2.0
// Requests of the object storage that a GraphQL request makes for its caller.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "gate/route.h"
#include "net/http/message.h"
#include "os/deadline.h"

namespace cairn::api {

struct ObjectRequest {
  std::string method = "GET";
  std::string path = "/";  // escaped: "/bucket/a%20key"
  std::string query = {};  // escaped
  std::string body = {};
  net::Headers headers = {};
  std::string peer_address = {};  // of the request that it is a part of, for the audit log
  std::string request_id = {};
};
struct ObjectReply {
  int status = 0;
  net::Headers headers = {};
  std::string body = {};
};

/// Makes one request with the access key that the caller's key has, and gives what port 9000 would
/// answer: rights, checks and audit log are that port's. Blocks until then, on any thread; nothing
/// is counted by its limits. Errors: permission_denied, for a caller without an access key.
using AskObjects = std::function<Result<ObjectReply>(
    const gate::Caller& caller, const ObjectRequest& request, const os::Deadline& deadline)>;

}  // namespace cairn::api
