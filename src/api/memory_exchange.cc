// SPDX-License-Identifier: Apache-2.0
// A body that is there already and a reply that is kept.
#include "api/memory_exchange.h"

#include <algorithm>
#include <cstring>

namespace cairn::api {
namespace {

class Body final : public net::BodyReader {
 public:
  explicit Body(std::string_view text) : rest_(text), size_(text.size()) {}
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), rest_.size());
    std::memcpy(into.data(), rest_.data(), count);
    rest_.remove_prefix(count);
    return count;
  }
  std::optional<std::uint64_t> length() const override { return size_; }
  const net::Headers& trailers() const override { return trailers_; }

 private:
  std::string_view rest_;
  std::uint64_t size_;
  net::Headers trailers_;
};

class Writer final : public net::ReplyWriter {
 public:
  Writer(MemoryReply& reply, const std::function<void()>& before)
      : reply_(reply), before_(before) {}
  Status send_continue() override { return ok_status(); }
  Status begin(int status, const net::Headers& headers,
               std::optional<std::uint64_t> length) override {
    (void)length;
    if (before_) before_();
    reply_.status = status;
    reply_.headers = headers;
    standing.add_to(reply_.headers);
    return ok_status();
  }
  Status write(std::string_view bytes) override {
    reply_.body += bytes;
    return ok_status();
  }
  Status write_file(int, std::uint64_t, std::uint64_t) override {
    return Error{ErrorKind::unsupported, {}, "no files in memory"};
  }
  Status flush() override { return ok_status(); }
  Status end(const net::Headers&) override { return ok_status(); }
  Status reply(int status, const net::Headers& headers, std::string_view body) override {
    CAIRN_CHECK(begin(status, headers, body.size()));
    return write(body);
  }
  bool begun() const override { return reply_.status != 0; }
  int status() const override { return reply_.status; }

 private:
  MemoryReply& reply_;
  const std::function<void()>& before_;
};

}  // namespace

Json MemoryReply::json() const {
  auto parsed = parse_json(body);
  return parsed.ok() ? *parsed : Json();
}

MemoryReply exchange_in_memory(const net::Handler& handler, const MemoryRequest& request) {
  net::RequestHead head;
  head.method = request.method;
  head.target = request.target;
  head.headers = request.headers;
  head.peer_address = "127.0.0.1";
  if (!request.body.empty()) {
    head.headers.set("Content-Length", std::to_string(request.body.size()));
    if (!head.headers.has("content-type")) head.headers.set("Content-Type", "application/json");
  }
  MemoryReply out;
  Body body(request.body);
  Writer writer(out, request.before_reply);
  net::Exchange exchange{head, body, writer, request.deadline, "test-request"};
  handler(exchange);
  return out;
}

}  // namespace cairn::api
