// SPDX-License-Identifier: Apache-2.0
#include "app/objects/graphql_objects.h"

#include <utility>

#include "api/memory_exchange.h"
#include "base/encode.h"
#include "base/hash.h"

namespace cairn::app {

api::AskObjects ask_objects(std::shared_ptr<s3api::Service> service,
                            std::shared_ptr<const ObjectCaller> callers) {
  return [service = std::move(service), callers = std::move(callers)](
             const gate::Caller& caller, const api::ObjectRequest& request,
             const os::Deadline& deadline) -> Result<api::ObjectReply> {
    net::RequestHead head{
        .method = request.method, .target = request.path, .headers = {}, .peer_address = {}};
    if (!request.query.empty()) head.target += "?" + request.query;
    head.headers = request.headers;
    CAIRN_CHECK(callers->sign(caller, head, to_hex(sha256(request.body))));
    api::MemoryRequest inner{.method = request.method,
                             .target = head.target,
                             .headers = head.headers,
                             .body = request.body,
                             .deadline = deadline};
    if (request.method == "PUT")
      inner.headers.set("Content-Length", std::to_string(request.body.size()));
    api::MemoryReply reply;
    api::MemoryExchange exchange(inner, reply, request.peer_address, request.request_id);
    service->handle(exchange.exchange());
    if (reply.length) reply.headers.set("Content-Length", std::to_string(*reply.length));
    return api::ObjectReply{reply.status, std::move(reply.headers), std::move(reply.body)};
  };
}

}  // namespace cairn::app
