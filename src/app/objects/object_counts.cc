// SPDX-License-Identifier: Apache-2.0
#include "app/objects/object_counts.h"

#include <utility>

#include "api/memory_exchange.h"

namespace cairn::app {

api::CountByObjects count_by(const s3api::Service& service) {
  return [&service](const net::RequestHead& head) {
    const api::MemoryRequest request{
        .method = head.method, .target = head.target, .headers = head.headers};
    api::MemoryReply reply;
    api::MemoryExchange exchange(request, reply);
    s3api::Service::Counted said = service.counted(exchange.exchange());
    api::CountedByObjects out;
    out.counted.route = said.route;
    if (!said.bucket.empty()) out.counted.indices.push_back(std::move(said.bucket));
    if (!said.understood.ok()) {
      const Error& why = said.understood.error();
      out.not_understood = why.message.empty() ? why.code : why.code + ": " + why.message;
    }
    if (said.handed_out)
      out.why_uncounted = "Cairn signed it for somebody whose request for it was counted";
    else if (!said.terms && head.method == "OPTIONS")
      out.why_uncounted = "browsers ask for leave to ask, and the object storage counts none of it";
    if (!said.terms) return out;
    out.counted.policy = std::move(said.terms->policy);
    out.counted.charge = said.terms->charge;
    out.counted.rules = std::move(said.terms->rules);
    return out;
  };
}

}  // namespace cairn::app
