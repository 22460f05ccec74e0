// SPDX-License-Identifier: Apache-2.0
// Requests that this node passes on to the one that serves them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "net/client/client.h"
#include "net/http/message.h"
#include "nodes/forwarded_head.h"

namespace cairn::nodes {

struct ForwarderOptions {
  std::string shared_secret = {};  // of all nodes, 32 bytes: TLS by it; empty: plain, for tests
  std::size_t kept_body_bytes = 256 << 10;  // a body as long as that can be sent again
  std::int64_t connect_timeout_ms = 2'000;
};

/// A request on its way to whichever node takes it. Its body is read once, and kept where it is
/// short, so that another node can have it after one that was not there.
class PassedRequest {
 public:
  PassedRequest(net::Exchange& exchange, std::size_t kept_body_bytes);
  net::Exchange& exchange() { return exchange_; }
  /// Reads what can be kept, once. Errors: those of the client's body.
  Status prepare();
  /// The body from its beginning. Valid while this lives.
  net::BodyReader& body();
  bool is_kept() const { return kept_.has_value(); }
  /// Nothing of the body is lost: another node can have the request.
  bool can_repeat() const { return is_kept() || !taken_.began(); }
  /// What reading from the client failed with.
  const std::optional<Error>& fault() const { return taken_.fault(); }

 private:
  /// Reads the client's body, and remembers whether anybody did.
  class Taken final : public net::BodyReader {
   public:
    explicit Taken(net::BodyReader& from) : from_(from) {}
    Result<std::size_t> read(std::span<char> into) override;
    std::optional<std::uint64_t> length() const override { return from_.length(); }
    const net::Headers& trailers() const override { return from_.trailers(); }
    bool began() const { return began_; }
    const std::optional<Error>& fault() const { return fault_; }

   private:
    net::BodyReader& from_;
    bool began_ = false;
    std::optional<Error> fault_;
  };

  net::Exchange& exchange_;
  const std::size_t kept_body_bytes_;
  Taken taken_;
  bool prepared_ = false;
  std::optional<std::string> kept_;
  std::optional<net::StringBody> replayed_;
};

/// What ends the wait for another node's answer, beside the request's deadline.
struct PassedUntil {
  std::stop_token gone = {};    // the node is no more
  std::stop_token silent = {};  // it says nothing; heeded until its answer begins
  bool only_reads = false;      // the request may be repeated without harm, whatever its method is
};

/// Safe from any thread.
class Forwarder {
 public:
  enum class Outcome {
    answered,   // the client has the answer, or has gone
    not_taken,  // nothing was done: another node, or this one a little later, may have it
    unknown,    // it was sent, and nobody knows what became of it
  };

  explicit Forwarder(ForwarderOptions options);

  /// Sends the request to the node at `address` ("10.0.0.2:9300") and its answer to the client, in
  /// pieces as they come. Until the request's deadline, or `until`. `why` tells why it is not
  /// answered. What may be repeated without harm is not_taken where its answer was lost.
  Outcome pass(PassedRequest& request, const std::string& address, const PassedUntil& until,
               std::string& why);
  /// Whether the node at `address` says before the deadline that it is there.
  bool is_there(const std::string& address, const os::Deadline& deadline);
  /// The body of what the node at `address` answers to a call with `body`, with success. Errors:
  /// those of the connection; unavailable for any other answer, with its first words.
  Result<std::string> call(const std::string& address, std::string_view path,
                           const std::string& body, const os::Deadline& deadline);
  /// What the node at `address` tells replicas. Errors: those of the connection; unavailable where
  /// it does not serve.
  Result<std::string> ask_told(const std::string& address, const std::string& question,
                               const os::Deadline& deadline);
  std::size_t kept_body_bytes() const { return options_.kept_body_bytes; }

 private:
  std::optional<net::Url> url_of(const std::string& address) const;

  const ForwarderOptions options_;
  net::Client client_;
};

}  // namespace cairn::nodes
