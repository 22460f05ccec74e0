// SPDX-License-Identifier: Apache-2.0
// Every limit of the HTTP server and client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace cairn::net {

struct TlsOptions {
  std::string certificate_file;  // PEM chain; empty: no TLS
  std::string key_file;
};

struct ServerOptions {
  std::string name = "http";           // in logs and metrics
  std::string listen = "127.0.0.1:0";  // host:port or [v6]:port; port 0 takes a free one
  TlsOptions tls = {};
  std::size_t max_workers = 1024;
  std::size_t reserved_workers = 4;  // kept for paths under /_health and /_metrics
  std::size_t max_connections = 20'000;
  std::size_t head_bytes_max = 64 << 10;
  std::size_t headers_max = 200;
  std::uint64_t body_bytes_max = 100ull << 20;  // 0: no limit of its own
  std::int64_t head_timeout_ms = 10'000;        // from the first byte of a head to its end
  std::int64_t idle_timeout_ms = 75'000;        // between requests
  std::int64_t request_timeout_ms = 0;          // 0: none; handlers have deadlines of their own
  std::int64_t write_stall_ms = 30'000;         // a peer that takes nothing for so long is dropped
  std::uint64_t body_bytes_per_second_min = 512;  // after a grace of 10 s
  std::size_t gzip_reply_bytes_min = 1'400;       // 0: never compress replies
  Status validate() const;
};

struct ClientOptions {
  std::int64_t connect_timeout_ms = 10'000;
  std::int64_t read_timeout_ms = 60'000;      // between bytes
  std::int64_t idle_timeout_ms = 5'000;       // a pooled connection older than this is not reused
  std::int64_t continue_timeout_ms = 1'000;   // wait for 100 Continue; 0: never ask
  std::size_t connections_per_endpoint = 64;  // kept idle
  bool tls_verify = true;
  std::string tls_ca_file = {};  // empty: the system's
  std::size_t head_bytes_max = 64 << 10;
};

}  // namespace cairn::net
