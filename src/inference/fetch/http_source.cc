// SPDX-License-Identifier: Apache-2.0
// Files beneath an http or https address.
#include <algorithm>
#include <charconv>
#include <utility>

#include "base/encode.h"
#include "inference/fetch/file_source.h"
#include "net/client/outbound.h"

namespace cairn::inference {
namespace {

constexpr std::size_t read_step_bytes = 256 << 10;
constexpr std::int64_t answer_ms = 30'000;  // for what is small

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t out = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return out;
}

class HttpSource final : public FileSource {
 public:
  HttpSource(std::string name, net::Url base, net::ClientOptions options)
      : name_(std::move(name)), base_(std::move(base)), client_(std::move(options)) {}
  const std::string& name() const override { return name_; }

  Result<std::string> read(const std::string& path, std::size_t limit_bytes,
                           const os::Deadline& deadline) override {
    const os::Deadline limit = deadline.sooner_ms(answer_ms);
    CAIRN_TRY(net::ClientReply reply, client_.send(request("GET", path), limit, limit_bytes));
    if (reply.status != 200) return refusal(path, reply.status, reply.headers);
    return std::move(reply.body);
  }

  Result<std::uint64_t> size(const std::string& path, const os::Deadline& deadline) override {
    CAIRN_TRY(const net::ClientReply reply,
              client_.send(request("HEAD", path), deadline.sooner_ms(answer_ms)));
    if (reply.status != 200) return refusal(path, reply.status, reply.headers);
    const auto length = reply.headers.find("Content-Length");
    const auto bytes = length ? number_of(*length) : std::nullopt;
    if (bytes) return *bytes;
    return Error{.kind = ErrorKind::unavailable,
                 .message = "the answer to HEAD for [" + path + "] has no Content-Length"};
  }

  Status stream(const std::string& path, std::uint64_t offset, const TakeBytes& take,
                const os::Deadline& deadline) override {
    net::ClientRequest wanted = request("GET", path);
    if (offset > 0) wanted.headers.set("Range", "bytes=" + std::to_string(offset) + "-");
    CAIRN_TRY(const auto reply, client_.open(wanted, deadline));
    std::uint64_t skip = 0;
    if (reply->status() == 200) {
      skip = offset;  // it knows no ranges
    } else if (reply->status() != 206 || offset == 0) {
      return refusal(path, reply->status(), reply->headers());
    } else {
      const auto range = reply->headers().find("Content-Range");
      const std::string begin = "bytes " + std::to_string(offset) + "-";
      if (!range || !range->starts_with(begin)) {
        return Error{
            .kind = ErrorKind::unavailable,
            .message = "the answer for [" + path + "] has other bytes than were asked for"};
      }
    }
    std::string buffer(read_step_bytes, '\0');
    while (true) {
      CAIRN_CHECK(deadline.check("downloading [" + path + "]"));
      CAIRN_TRY(const std::size_t count, reply->body().read(buffer));
      if (count == 0) return ok_status();
      const std::uint64_t passed = std::min<std::uint64_t>(skip, count);
      skip -= passed;
      if (passed < count) {
        CAIRN_CHECK(take(std::string_view(buffer).substr(passed, count - passed)));
      }
    }
  }

 private:
  net::ClientRequest request(std::string method, const std::string& path) const {
    net::ClientRequest out{.method = std::move(method), .url = base_};
    out.url.target += percent_encode(path, "/");
    out.headers.set("Accept-Encoding", "identity");  // what the digest is of
    return out;
  }

  static Error refusal(const std::string& path, int status, const net::Headers& headers) {
    const std::string what = "the answer for [" + path + "] is " + std::to_string(status);
    if (status == 404 || status == 410) return {.kind = ErrorKind::not_found, .message = what};
    if (status >= 300 && status < 400) {
      const auto to = headers.find("Location");
      return {.kind = ErrorKind::unavailable,
              .message = what +
                         (to ? ", a redirect to [" + std::string(*to) + "]" : std::string()) +
                         "; redirects are not followed: name the address that has the files"};
    }
    return {.kind = ErrorKind::unavailable, .message = what};
  }

  const std::string name_;
  const net::Url base_;
  net::Client client_;
};

}  // namespace

Result<std::unique_ptr<FileSource>> http_source(std::string text) {
  CAIRN_TRY(net::Url base, net::parse_url(text));
  if (base.target.find('?') != std::string::npos) {
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "[" + text + "] must be an address without a query"};
  }
  if (!base.target.ends_with('/')) base.target += '/';
  CAIRN_TRY(net::OutboundRules rules, net::OutboundRules::parse({}, "models.sources"));
  rules.close_public("models.sources names other hosts");
  rules.allow_host(base.host, base.port);
  net::ClientOptions options;
  options.check_address = [rules = std::move(rules)](std::string_view host,
                                                     const net::Address& address) {
    return rules.check(host, address);
  };
  return std::unique_ptr<FileSource>(
      std::make_unique<HttpSource>(std::move(text), std::move(base), std::move(options)));
}

}  // namespace cairn::inference
