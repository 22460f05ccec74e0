// SPDX-License-Identifier: Apache-2.0
// Load for object storages: one thread, many connections, requests that are signed beforehand.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "../../disk_probe.h"
#include "net/http/message.h"
#include "s3/signing/signing.h"

namespace cairn::bench {

/// Where requests go, and as whom.
struct Target {
  std::string host;  // "127.0.0.1"
  std::uint16_t port = 0;
  s3::Credentials credentials = {};  // without an id: requests are not signed
  std::string region = "us-east-1";
  std::string authority = {};      // of the field Host; empty: host and port
  std::string session_token = {};  // of a directory bucket's session
};
/// From "http://127.0.0.1:9000". Ends the program for anything else.
Target target_of(std::string_view url);

/// The head of one request, signed by header fields now, payload unsigned; in the target's session
/// where it has one.
std::string head_of(const Target& target, std::string_view method, std::string_view path,
                    std::string_view query, std::uint64_t body_bytes);

/// The bytes of every object: the same for each number and size, and not compressible.
class Contents {
 public:
  /// For bodies of at most `most` bytes.
  explicit Contents(std::size_t most);
  std::string_view of(std::uint64_t number, std::size_t bytes) const;

 private:
  std::string bytes_;
  std::size_t most_;
};

/// One request: its head, its body, and what the reply's body must be.
struct Order {
  std::string_view head;
  std::string_view body = {};
  std::string_view expected = {};             // compared byte by byte, where it is not empty
  std::uint64_t expected_bytes = UINT64_MAX;  // else counted alone; UINT64_MAX: any
};

struct LoadParams {
  int connections = 16;
  double seconds = 5;
  std::uint64_t requests_max = UINT64_MAX;  // ends earlier after so many
  bool polls = false;                       // never sleeps: for a generator with its own core
  bool discard = false;                     // reply bodies are taken from the socket without a copy
};

struct LoadResult {
  Figures figures;
  std::uint64_t requests = 0;
  double bytes_per_second = 0;  // of bodies, either way
  double seconds = 0;
  double cpu_share = 0;  // of one core, spent by this thread
};

/// Gives the order with that number; what its views point to stays until the reply is there.
using OrderSource = std::function<Order(std::uint64_t number, int connection)>;
/// Sends orders, one at a time on each connection, and ends the program at the first reply that is
/// not as it should be: a figure of failures is worth nothing.
LoadResult run_load(const Target& target, const LoadParams& params, const OrderSource& orders);

/// Connections that have had one reply each and then say nothing.
std::vector<int> idle_connections(const Target& target, int count, const Order& order);

}  // namespace cairn::bench
