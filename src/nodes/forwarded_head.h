// SPDX-License-Identifier: Apache-2.0
// What a node tells another one of the request that it passes on.
#pragma once

#include <string>

#include "base/result.h"
#include "net/http/message.h"

namespace cairn::nodes {

struct ForwardedHead {
  std::string client_address = {};  // numeric, of the peer of the node that passes it on
  std::string tls_version = {};     // between those; empty without TLS
  std::string request_id = {};      // as that node's client is told
};

/// The field that it goes in.
inline constexpr std::string_view forwarded_field = "Cairn-Forwarded";
/// Of an answer 421: the node serves nothing itself, and has done nothing.
inline constexpr std::string_view not_serving_field = "Cairn-Not-Serving";
/// What is asked of the port for nodes to see whether anybody is there.
inline constexpr std::string_view there_path = "/there";
/// Where the node that serves is asked what it tells replicas; only while it may answer clients.
inline constexpr std::string_view told_path = "/told";

/// The fields of a request as another node gets them: without those of one connection alone, and
/// with `forwarded`.
net::Headers forwarded_headers(const net::RequestHead& head, const ForwardedHead& forwarded);

/// The head as the first node got it; `forwarded` tells what is no part of a head.
/// Errors: invalid_argument, where no node passed it on.
Result<net::RequestHead> original_head(const net::RequestHead& head, ForwardedHead& forwarded);

/// The fields of an answer that its reader gets: without those of one connection alone.
net::Headers answered_headers(const net::Headers& headers);

}  // namespace cairn::nodes
