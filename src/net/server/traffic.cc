// SPDX-License-Identifier: Apache-2.0
// Names and help texts of the server's metrics.
#include "net/server/traffic.h"

namespace cairn::net {

Traffic::Traffic(const std::string& server)
    : accepted(os::metrics().counter("cairn_net_connections_total", "Connections accepted",
                                     {{"server", server}})),
      open(os::metrics().gauge("cairn_net_connections", "Connections that are open",
                               {{"server", server}})),
      received_bytes(os::metrics().counter("cairn_net_received_bytes_total",
                                           "Bytes received, heads and bodies",
                                           {{"server", server}})),
      sent_bytes(os::metrics().counter("cairn_net_sent_bytes_total", "Bytes sent, heads and bodies",
                                       {{"server", server}})),
      refused_heads(os::metrics().counter("cairn_net_refused_heads_total",
                                          "Requests refused because their head is malformed or "
                                          "over a limit",
                                          {{"server", server}})),
      timeouts(os::metrics().counter("cairn_net_timeouts_total",
                                     "Connections ended because a head or a body did not come "
                                     "in time",
                                     {{"server", server}})),
      overloads(os::metrics().counter("cairn_net_overloads_total",
                                      "Requests refused because no worker became free in time",
                                      {{"server", server}})),
      seconds(os::metrics().histogram("cairn_net_request_seconds",
                                      "From the head to the end of the reply",
                                      {{"server", server}})) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i] = &os::metrics().counter("cairn_net_requests_total", "Requests answered",
                                         {{"server", server}, {"class", std::to_string(i) + "xx"}});
  }
}

}  // namespace cairn::net
