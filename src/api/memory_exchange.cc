// SPDX-License-Identifier: Apache-2.0
// A body that is there already and a reply that is kept.
#include "api/memory_exchange.h"

#include <unistd.h>

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
    reply_.length = length;
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
  Status write_file(int descriptor, std::uint64_t offset, std::uint64_t count) override {
    char piece[16 << 10];
    while (count > 0) {
      const ssize_t read = ::pread(descriptor, piece, std::min<std::uint64_t>(count, sizeof piece),
                                   static_cast<off_t>(offset));
      if (read <= 0) return Error{ErrorKind::unavailable, {}, "a file could not be read"};
      reply_.body.append(piece, static_cast<std::size_t>(read));
      offset += static_cast<std::uint64_t>(read);
      count -= static_cast<std::uint64_t>(read);
    }
    return ok_status();
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

MemoryExchange::MemoryExchange(const MemoryRequest& request, MemoryReply& reply,
                               std::string peer_address, std::string request_id)
    : request_id_(std::move(request_id)),
      body_(std::make_unique<Body>(request.body)),
      writer_(std::make_unique<Writer>(reply, request.before_reply)) {
  head_.method = request.method;
  head_.target = request.target;
  head_.headers = request.headers;
  head_.peer_address = std::move(peer_address);
  if (!request.body.empty()) {
    head_.headers.set("Content-Length", std::to_string(request.body.size()));
    if (!head_.headers.has("content-type")) head_.headers.set("Content-Type", "application/json");
  }
  exchange_ = std::make_unique<net::Exchange>(
      net::Exchange{head_, *body_, *writer_, request.deadline, request_id_});
}
MemoryExchange::~MemoryExchange() = default;

MemoryReply exchange_in_memory(const net::Handler& handler, const MemoryRequest& request) {
  MemoryReply out;
  MemoryExchange memory(request, out);
  handler(memory.exchange());
  return out;
}

}  // namespace cairn::api
