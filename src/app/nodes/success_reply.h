// SPDX-License-Identifier: Apache-2.0
// An answer that its client gets only where it is no error.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "net/http/message.h"

namespace cairn::app {

/// The field that tells who answered.
inline constexpr std::string_view replica_field = "Cairn-Replica";

/// Passes a reply on as it comes, with replica_field, or all of it is dropped.
class SuccessReply final : public net::ReplyWriter {
 public:
  explicit SuccessReply(net::ReplyWriter& to) : to_(to) {}
  bool passed_on() const { return status_ / 100 == 2; }

  Status send_continue() override { return ok_status(); }
  Status begin(int status, const net::Headers& headers,
               std::optional<std::uint64_t> length) override {
    status_ = status;
    if (!passed_on()) return ok_status();
    return to_.begin(status, told(headers), length);
  }
  Status write(std::string_view bytes) override {
    return passed_on() ? to_.write(bytes) : ok_status();
  }
  Status write_file(int descriptor, std::uint64_t offset, std::uint64_t count) override {
    return passed_on() ? to_.write_file(descriptor, offset, count) : ok_status();
  }
  Status flush() override { return passed_on() ? to_.flush() : ok_status(); }
  Status end(const net::Headers& trailers) override {
    return passed_on() ? to_.end(trailers) : ok_status();
  }
  Status reply(int status, const net::Headers& headers, std::string_view body) override {
    status_ = status;
    return passed_on() ? to_.reply(status, told(headers), body) : ok_status();
  }
  bool begun() const override { return status_ != 0; }
  int status() const override { return status_; }

 private:
  net::Headers told(net::Headers headers) {
    to_.standing = standing;
    headers.add(replica_field, "true");
    return headers;
  }

  net::ReplyWriter& to_;
  int status_ = 0;
};

}  // namespace cairn::app
