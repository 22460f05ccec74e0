// SPDX-License-Identifier: Apache-2.0
// An answer that is looked at before a client gets it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http/message.h"

namespace cairn::app {

/// Keeps a reply in memory; what goes beyond `bytes_max` of its body is left out.
class KeptReply final : public net::ReplyWriter {
 public:
  explicit KeptReply(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  Status send_continue() override { return ok_status(); }
  Status begin(int status, const net::Headers& headers, std::optional<std::uint64_t>) override {
    status_ = status;
    headers_ = headers;
    return ok_status();
  }
  Status write(std::string_view bytes) override {
    body_ += bytes.substr(0, bytes_max_ - body_.size());
    return ok_status();
  }
  Status write_file(int, std::uint64_t, std::uint64_t) override {
    return Error{.kind = ErrorKind::internal, .message = "this reply takes no files"};
  }
  Status flush() override { return ok_status(); }
  Status end(const net::Headers&) override { return ok_status(); }
  Status reply(int status, const net::Headers& headers, std::string_view body) override {
    CAIRN_CHECK(begin(status, headers, body.size()));
    return write(body);
  }
  bool begun() const override { return status_ != 0; }
  int status() const override { return status_; }
  /// Sends it on.
  Status send(net::ReplyWriter& to) const { return to.reply(status_, headers_, body_); }

 private:
  const std::size_t bytes_max_;
  int status_ = 0;
  net::Headers headers_;
  std::string body_;
};

}  // namespace cairn::app
