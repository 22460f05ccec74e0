// SPDX-License-Identifier: Apache-2.0
// Every limit of the HTTP server and client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"

namespace cairn::net {

struct TlsOptions {
  std::string certificate_file = {};  // PEM chain
  std::string key_file = {};
  // PEM: clients must show a certificate that one of these authorities signed; empty: nobody asks.
  std::string client_authority_file = {};
  // Instead of all these: 32 random bytes that both ends know. Each proves so to the other, in TLS
  // 1.3. It tells that the other is one of those who know them, not which one.
  std::string shared_secret = {};

  /// Without it connections are plain.
  bool enabled() const { return !certificate_file.empty() || !shared_secret.empty(); }
  /// Errors: invalid_argument, for files that lack each other, and for a secret that has not 32
  /// bytes or stands beside files. The files are not read.
  Status validate() const;
};

struct ServerOptions {
  std::string name = "http";           // in logs and metrics
  std::string listen = "127.0.0.1:0";  // host:port or [v6]:port; port 0 takes a free one
  TlsOptions tls = {};

  // Workers.
  std::size_t max_workers = 1024;
  std::size_t reserved_workers = 4;  // of them, kept for paths that begin with one of these:
  std::vector<std::string> reserved_paths = {};
  std::size_t slots = 0;            // workers that run or poll at once; 0: as many as cores
  std::size_t worker_stack_bytes = 1 << 20;
  std::int64_t queue_ms = 10'000;  // wait for a worker when all are busy; then 503
  // A body is waited for by no worker until all of it is there, or so much of a longer one:
  std::size_t small_body_bytes = 64 << 10;  // the longest that is waited for as a whole; 0: none
  std::size_t body_start_bytes = 4 << 10;   // of a longer one, or in chunks
  std::size_t awaited_bytes_max = 64 << 20;  // of all those; beyond it workers wait
  std::size_t slow_bodies_max = 512;  // workers that wait for bodies; beyond it the slowest end
  std::size_t pipelined_max = 32;  // requests of one connection before others have their turn

  // Sizes.
  std::size_t max_connections = 20'000;
  std::size_t head_bytes_max = 64 << 10;
  std::size_t header_bytes_max = 16 << 10;  // of one field's value
  std::size_t target_bytes_max = 16 << 10;  // path and query
  std::size_t headers_max = 200;
  std::uint64_t body_bytes_max = 100ull << 20;  // also after inflating; 0: no limit of its own
  std::uint64_t unread_bytes_max = 256 << 10;   // of a body thrown away to keep a connection

  // Times.
  std::int64_t head_timeout_ms = 10'000;  // from the first byte of a head to its end
  std::int64_t idle_timeout_ms = 75'000;  // between requests
  std::int64_t request_timeout_ms = 0;    // 0: none; handlers have deadlines of their own
  std::int64_t write_stall_ms = 30'000;   // a peer that takes, or sends, nothing for so long
  std::uint64_t body_bytes_per_second_min = 512;  // either way, while waiting for the peer; 0: any
  std::int64_t body_grace_ms = 10'000;            // … once all waiting is longer than this
  std::int64_t linger_ms = 2'000;                 // for a peer to read the last reply

  // Compression.
  std::size_t gzip_reply_bytes_min = 1'400;  // 0: never compress replies
  bool inflate_request_bodies = true;  // Content-Encoding: gzip; false: handlers get what was sent

  Status validate() const;
};

struct Address;
using AddressCheck = std::function<Status(std::string_view host, const Address& address)>;
using Resolver = std::function<Result<std::vector<Address>>(
    const std::string& host, std::uint16_t port, const os::Deadline& deadline)>;

struct ClientOptions {
  std::int64_t connect_timeout_ms = 10'000;
  std::int64_t read_timeout_ms = 60'000;      // between bytes, and for all of a head
  std::int64_t write_stall_ms = 60'000;       // a server that takes nothing for so long
  std::int64_t idle_timeout_ms = 5'000;       // a pooled connection older than this is not reused
  std::int64_t continue_timeout_ms = 1'000;   // wait for 100 Continue; 0: never ask
  std::size_t connections_per_endpoint = 64;  // kept idle
  bool tls_verify = true;
  std::string tls_ca_file = {};           // empty: the system's
  std::string tls_certificate_file = {};  // PEM chain, for servers that ask; empty: none is shown
  std::string tls_key_file = {};          // empty: the key is in that file too
  /// Instead of these and of tls_verify: the 32 bytes of TlsOptions::shared_secret, which a server
  /// of https must prove that it knows. No certificate is accepted in its stead.
  std::string tls_shared_secret = {};
  std::size_t head_bytes_max = 64 << 10;
  /// Asked for each address that a connection may be made to, and its host, before it is; an error
  /// forbids it. For requests whose URL a stranger chose: outbound.h has rules.
  AddressCheck check_address = {};
  /// The addresses of a name, instead of asking the system.
  Resolver resolve = {};
};

}  // namespace cairn::net
