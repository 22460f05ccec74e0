// SPDX-License-Identifier: Apache-2.0
// The server's ReplyWriter: heads, chunks, files, compression, into one buffer and out.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/http/body.h"
#include "net/http/gzip_stream.h"
#include "net/http/message.h"
#include "net/http/parked_stream.h"
#include "net/transport.h"

namespace cairn::net {

/// Who takes over a reply that is parked.
class Parking {
 public:
  virtual ~Parking() = default;
  virtual std::shared_ptr<ParkedStream> park(bool chunked) = 0;
};

/// What a reply needs to know about its request and its server.
struct ReplyFacts {
  bool is_head = false;
  int version_minor = 1;
  bool keep_alive = true;
  bool expect_continue = false;
  std::string_view accept_encoding = {};
  std::size_t gzip_bytes_min = 0;          // 0: never
  std::uint64_t unread_bytes_max = 0;      // of a body that is thrown away to keep the connection
  std::atomic<bool>* answering = nullptr;  // set while it is sent (hang_up.h); null: nobody asks
  Parking* parking = nullptr;              // null: it cannot be parked
};

class Reply final : public ParkableReply {
 public:
  /// `out` gathers bytes; the connection sends what is left in it.
  Reply(Transport& transport, std::string& out, Patience& patience, const ReplyFacts& facts)
      : transport_(transport), out_(out), patience_(patience), facts_(facts) {}
  void set_body(const FramedBody* body) { body_ = body; }

  Status send_continue() override;
  Status begin(int status, const Headers& headers, std::optional<std::uint64_t> length) override;
  Status write(std::string_view bytes) override;
  Status write_file(int descriptor, std::uint64_t offset, std::uint64_t count) override;
  Status flush() override;
  Status end(const Headers& trailers = {}) override;
  Status reply(int status, const Headers& headers, std::string_view body) override;
  std::shared_ptr<ParkedStream> park() override;
  bool begun() const override { return status_ != 0; }
  int status() const override { return status_; }

  /// The peer has, or will have, all of the reply.
  bool complete() const;
  bool failed() const { return failed_; }
  bool keep_alive() const { return facts_.keep_alive && !failed_ && !spoiled_; }
  bool continue_pending() const { return facts_.expect_continue; }
  /// Sends what is gathered as far as the socket takes it, without waiting.
  void push();

 private:
  Status head(int status, const Headers& headers, std::optional<std::uint64_t> length,
              bool chunked);
  bool wants_gzip(const Headers& headers) const;
  void decide_keep_alive();
  Status put(std::string_view bytes);
  Status put_chunk(std::string_view bytes, bool now);
  Status gather(std::string_view bytes);
  Status send(std::string_view last, bool more = false);
  Status copy_file(int descriptor, std::uint64_t offset, std::uint64_t count);
  Status send_file(int descriptor, std::uint64_t offset, std::uint64_t count);
  Status spoil(ErrorKind kind, std::string_view what);
  Status check_open() const;

  Transport& transport_;
  std::string& out_;
  Patience& patience_;
  ReplyFacts facts_;
  const FramedBody* body_ = nullptr;
  std::string chunk_;
  std::string squeezed_;
  std::unique_ptr<GzipStream> gzip_;
  std::uint64_t left_ = 0;  // of a reply with a length
  int status_ = 0;
  bool chunked_ = false;
  bool to_close_ = false;  // the end of the connection ends the body
  bool bodiless_ = false;
  bool ended_ = false;
  bool failed_ = false;  // the peer cannot be reached
  bool sending_ = false;
  bool spoiled_ = false;  // what was said about the body is not true
};

}  // namespace cairn::net
