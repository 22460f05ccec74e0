// SPDX-License-Identifier: Apache-2.0
#include "net/http/head_parser.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/strings.h"

namespace head_parser_test {

using namespace cairn;
using namespace cairn::net;

namespace {

struct Parsed {
  std::optional<HeadFault> fault;
  RequestHead head;
  Framing framing;
};

Parsed parse(std::string_view bytes, HeadLimits limits = {}) {
  Parsed parsed;
  parsed.fault = parse_request_head(bytes, limits, parsed.head, parsed.framing);
  return parsed;
}

std::string with(std::string_view fields) {
  return "PUT /x HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

// All of a chunked body, fed in pieces of `step` bytes; "!" and the reason for a broken one, "?"
// where more is wanted.
std::string decode(std::string_view in, std::size_t step, std::size_t room = 64,
                   Headers* trailers = nullptr, std::size_t* rest = nullptr) {
  ChunkDecoder decoder;
  std::string out;
  std::string held;
  std::vector<char> buffer(room);
  for (std::size_t at = 0;;) {
    const auto result = decoder.decode(held, buffer);
    out.append(buffer.data(), result.produced);
    held.erase(0, result.consumed);
    if (result.outcome == ChunkDecoder::Outcome::broken) return "!" + std::string(decoder.reason());
    if (result.outcome == ChunkDecoder::Outcome::done) {
      if (trailers != nullptr) *trailers = decoder.trailers();
      if (rest != nullptr) *rest = held.size() + in.size() - at;
      return out;
    }
    if (result.produced > 0 || result.consumed > 0) continue;
    if (at == in.size()) return "?";
    held += in.substr(at, step);
    at = std::min(in.size(), at + step);
  }
}

}  // namespace

TEST_CASE("heads: an empty expectation expects nothing") {
  const auto parsed = parse("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: \r\n\r\n");
  REQUIRE_FALSE(parsed.fault);
  CHECK_FALSE(parsed.framing.expect_continue);
}

TEST_CASE("heads: a proper one gives its parts") {
  const auto parsed = parse(
      "POST /a/b%20c?x=1&y HTTP/1.1\r\nHost: Example.org:9200\r\nX-Empty:\r\nX-A:  b c \t\r\n"
      "Content-Length: 12\r\nConnection: keep-alive\r\nExpect: 100-Continue\r\n\r\n");
  REQUIRE_FALSE(parsed.fault);
  CHECK(parsed.head.method == "POST");
  CHECK(parsed.head.target == "/a/b%20c?x=1&y");
  CHECK(parsed.head.path() == "/a/b%20c");
  CHECK(parsed.head.query() == "x=1&y");
  CHECK(parsed.head.version_minor == 1);
  CHECK(parsed.head.headers.find("x-empty") == "");
  CHECK(parsed.head.headers.find("X-a") == "b c");
  CHECK(parsed.head.headers.fields().size() == 6);
  CHECK(parsed.framing.length == 12);
  CHECK(parsed.framing.keep_alive);
  CHECK(parsed.framing.expect_continue);
  CHECK_FALSE(parsed.framing.chunked);
}

TEST_CASE("heads: who keeps a connection") {
  CHECK(parse("GET / HTTP/1.1\r\nHost: a\r\n\r\n").framing.keep_alive);
  CHECK_FALSE(
      parse("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n").framing.keep_alive);
  CHECK_FALSE(parse("GET / HTTP/1.0\r\n\r\n").framing.keep_alive);
  CHECK(parse("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").framing.keep_alive);
}

TEST_CASE("heads: an absolute form gives path and host") {
  const auto parsed = parse("GET http://real:80?q=1 HTTP/1.1\r\nHost: other\r\n\r\n");
  REQUIRE_FALSE(parsed.fault);
  CHECK(parsed.head.target == "/?q=1");
  CHECK(parsed.head.headers.find("Host") == "real:80");
  CHECK_FALSE(parse("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").fault);
}

TEST_CASE("heads: what two readers could understand differently is refused") {
  struct Case {
    std::string bytes;
    int status;
  };
  const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n";
  const std::vector<Case> cases = {
      // Framing.
      {with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400},
      {with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), 400},
      {with("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"), 400},
      {with("Content-Length: 5\r\nContent-Length: 5\r\n"), 400},
      {with("Content-Length: 5\r\nContent-Length: 6\r\n"), 400},
      {with("Content-Length: 5,5\r\n"), 400},
      {with("Content-Length: 5, 5\r\n"), 400},
      {with("Content-Length: +5\r\n"), 400},
      {with("Content-Length: -5\r\n"), 400},
      {with("Content-Length: 0x5\r\n"), 400},
      {with("Content-Length: 5 5\r\n"), 400},
      {with("Content-Length: five\r\n"), 400},
      {with("Content-Length:\r\n"), 400},
      {with("Content-Length: 18446744073709551616\r\n"), 400},
      {with("Content-Length: 99999999999999999999999\r\n"), 400},
      {with("Content-Length : 5\r\n"), 400},
      {with("Transfer-Encoding: xchunked\r\n"), 400},
      {with("Transfer-Encoding: chunked, gzip\r\n"), 400},
      {with("Transfer-Encoding: chunked, chunked\r\n"), 400},
      {with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400},
      {with("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"), 400},
      {with("Transfer-Encoding: identity\r\n"), 400},
      {with("Transfer-Encoding: \"chunked\"\r\n"), 400},
      {with("Transfer-Encoding: chunked;q=1\r\n"), 400},
      {with("Transfer-Encoding:\r\n"), 400},
      {with("Transfer-Encoding: gzip, chunked\r\n"), 501},
      {"PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      // Lines.
      {get + "X: a\r\n b\r\n\r\n", 400},
      {get + "X: a\r\n\tb\r\n\r\n", 400},
      {get + "X:\r\n b\r\n\r\n", 400},
      {get + " X: a\r\n\r\n", 400},
      {get + "X : a\r\n\r\n", 400},
      {get + "X\t: a\r\n\r\n", 400},
      {get + "X\tY: a\r\n\r\n", 400},
      {get + ": a\r\n\r\n", 400},
      {get + "X\r\n\r\n", 400},
      {get + "X: a\nY: b\r\n\r\n", 400},
      {get + "X: a\rY: b\r\n\r\n", 400},
      {get + "X: a" + std::string(1, '\0') + "b\r\n\r\n", 400},
      {get + "X" + std::string(1, '\0') + ": b\r\n\r\n", 400},
      {get + "X: \x01\r\n\r\n", 400},
      {get + "X: \x7f\r\n\r\n", 400},
      {get + "X(: b\r\n\r\n", 400},
      {"GET / HTTP/1.1\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/1.1\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\n\r\n", 400},
      // Hosts.
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400},
      {"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a:123456\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a?b\r\n\r\n", 400},
      // Request lines.
      {"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET /  HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET / b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {" GET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"G@T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400},
      {"GET / http/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/11\r\nHost: a\r\n\r\n", 400},
      {"GET /\r\n\r\n", 400},
      {"GET\r\n\r\n", 400},
      {"GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET http://u@h/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 501},
      {std::string(1024, 'M') + " / HTTP/1.1\r\nHost: a\r\n\r\n", 501},
      {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
      {"PRI * HTTP/2.0\r\n\r\n", 505},
      {"GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505},
      {"GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505},
      // Others.
      {get + "Expect: 200-ok\r\n\r\n", 417},
      {"\x16\x03\x01\x02\r\n\r\n", 400},
  };
  for (const Case& each : cases) {
    CAPTURE(each.bytes);
    const auto parsed = parse(each.bytes);
    REQUIRE(parsed.fault);
    CHECK(parsed.fault->status == each.status);
    CHECK_FALSE(parsed.fault->reason.empty());
  }
}

TEST_CASE("heads: what looks odd but is allowed is accepted") {
  for (const std::string_view host : {"", "a", "a:", "a:80", "[::1]", "[::1]:9200", "a_b",
                                      "1.2.3.4", "x%41y", "bucket.s3.example.org"}) {
    CAPTURE(host);
    CHECK_FALSE(parse("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n").fault);
  }
  CHECK_FALSE(parse(with("Transfer-Encoding: Chunked\r\n")).fault);
  CHECK_FALSE(parse(with("Content-Length: 007\r\n")).fault);
  CHECK_FALSE(parse(with("X: \xc3\xa4\r\n")).fault);
  CHECK_FALSE(parse("GET /\xc3\xa4?\xff HTTP/1.1\r\nHost: a\r\n\r\n").fault);
  CHECK_FALSE(parse("MKCOL /a//b/../c%2f%00 HTTP/1.1\r\nHost: a\r\n\r\n").fault);
}

TEST_CASE("heads: limits on number and sizes") {
  std::string many;
  for (int i = 0; i < 200; ++i) many += "X-" + std::to_string(i) + ": y\r\n";
  CHECK(parse(with(many)).fault->status == 431);  // Host is one as well
  CHECK_FALSE(parse(with(many), {.fields = 201}).fault);
  CHECK(parse(with("X: " + std::string(17 << 10, 'x') + "\r\n")).fault->status == 431);
  CHECK_FALSE(parse(with("X: " + std::string(16 << 10, 'x') + "\r\n")).fault);
  CHECK(parse(with(many), {.bytes = 500, .fields = 201}).fault->status == 431);
  const std::string target = "/" + std::string(17 << 10, 'x');
  CHECK(parse("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n").fault->status == 414);
}

TEST_CASE("heads: the end is found in any pieces") {
  const std::string head = with("A: b\r\n");
  const std::string bytes = head + "body\r\n\r\n";
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    for (std::size_t scanned = 0; scanned <= std::min(size, head.size() - 1); ++scanned) {
      const auto end = find_head_end(std::string_view(bytes).substr(0, size), scanned);
      CHECK(end.has_value() == (size >= head.size()));
      if (end) CHECK(*end == head.size());
    }
  }
  CHECK(find_head_end("GET / HTTP/1.1\nx", 0) == 15u);
  CHECK(find_head_end("\n", 0) == 1u);
}

TEST_CASE("heads: replies") {
  int status = 0;
  Headers headers;
  Framing framing;
  const auto reply = [&](std::string_view bytes, bool of_head = false) {
    return parse_reply_head(bytes, {}, of_head, status, headers, framing);
  };
  CHECK_FALSE(reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"));
  CHECK(status == 200);
  CHECK(framing.length == 5);
  CHECK(framing.keep_alive);
  CHECK_FALSE(reply("HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n"));
  CHECK(framing.chunked);
  CHECK_FALSE(reply("HTTP/1.1 200 OK\r\n\r\n"));
  CHECK(framing.until_close);
  CHECK_FALSE(framing.keep_alive);
  CHECK_FALSE(reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true));
  CHECK(framing.length == 0);
  CHECK(headers.find("content-length") == "5");
  for (const std::string_view code : {"204", "304", "100"}) {
    CHECK_FALSE(reply("HTTP/1.1 " + std::string(code) + " x\r\nContent-Length: 5\r\n\r\n"));
    CHECK(framing.length == 0);
  }
  CHECK_FALSE(reply("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n"));
  CHECK_FALSE(framing.keep_alive);
  for (const std::string_view bad :
       {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.1 099 OK\r\n\r\n", "ICY 200 OK\r\n\r\n", "HTTP/1.1 200 OK\nA: b\r\n\r\n"}) {
    CAPTURE(bad);
    CHECK(reply(bad).has_value());
  }
}

TEST_CASE("chunks: bodies come out the same in pieces of any size") {
  const std::string in =
      "5\r\nhello\r\n1;a=b;c=\"d;\\\"\"\r\n \r\n000a\r\n0123456789\r\n6\r\nworld!\r\n0\r\n\r\nnext";
  for (const std::size_t step : {1u, 2u, 3u, 7u, 1000u}) {
    for (const std::size_t room : {1u, 3u, 64u}) {
      std::size_t rest = 0;
      CHECK(decode(in, step, room, nullptr, &rest) == "hello 0123456789world!");
      CHECK(rest == 4);
    }
  }
}

TEST_CASE("chunks: trailers are kept apart") {
  Headers trailers;
  CHECK(decode("1\r\nx\r\n0\r\nX-Sum: abc\r\nX-B: c\r\n\r\n", 1, 8, &trailers) == "x");
  CHECK(trailers.fields().size() == 2);
  CHECK(trailers.find("x-sum") == "abc");
}

TEST_CASE("chunks: broken framing is refused") {
  for (const std::string_view bad : {"0x5\r\nhello\r\n0\r\n\r\n",
                                     "5;a=\n\r\nhello\r\n0\r\n\r\n",
                                     "5\nhello\r\n0\r\n\r\n",
                                     "5\r\nhello0\r\n\r\n",
                                     "5\r\nhello\n0\r\n\r\n",
                                     "5\r\nhelloX\r\n0\r\n\r\n",
                                     "-1\r\nx\r\n0\r\n\r\n",
                                     "+5\r\nhello\r\n0\r\n\r\n",
                                     " 5\r\nhello\r\n0\r\n\r\n",
                                     "5 \r\nhello\r\n0\r\n\r\n",
                                     "\r\nhello\r\n0\r\n\r\n",
                                     "g\r\nhello\r\n0\r\n\r\n",
                                     "10000000000000000\r\nx\r\n0\r\n\r\n",
                                     "00000000000000005\r\nhello\r\n0\r\n\r\n",
                                     "5;\r\nhello\r\n0\r\n\r\n",
                                     "5;a=\"b\r\nhello\r\n0\r\n\r\n",
                                     "5\r\rhello\r\n0\r\n\r\n",
                                     "0\r\nContent-Length: 5\r\n\r\n",
                                     "0\r\nTransfer-Encoding: chunked\r\n\r\n",
                                     "0\r\nX: a\r\n b\r\n\r\n",
                                     "0\r\nX : a\r\n\r\n",
                                     "0\r\nX: a\nY: b\r\n\r\n",
                                     "0\r\nX\r\n\r\n",
                                     "5;a b\r\nhello\r\n0\r\n\r\n"}) {
    CAPTURE(bad);
    for (const std::size_t step : {1u, 1000u}) CHECK(decode(bad, step).starts_with("!"));
  }
  CHECK(decode("5\r\nhel", 1) == "?");
  CHECK(decode("5\r\nhello\r\n", 1) == "?");
  CHECK(decode("0\r\n", 1) == "?");
  CHECK(decode("ffffffffffffffff\r\nx", 100) == "?");  // a claim, not memory
}

TEST_CASE("chunks: lines, extensions and trailers have limits") {
  CHECK(decode("5;" + std::string(5000, 'x'), 100).starts_with("!"));
  CHECK(decode(std::string(20, '1'), 1).starts_with("!"));
  std::string floods;
  for (int i = 0; i < 100; ++i) floods += "1;" + std::string(1000, 'e') + "\r\nx\r\n";
  CHECK(decode(floods, 100).starts_with("!"));
  std::string trailers = "0\r\n";
  for (int i = 0; i < 100; ++i) trailers += "X-" + std::to_string(i) + ": y\r\n";
  CHECK(decode(trailers + "\r\n", 100).starts_with("!"));
  CHECK(decode("0\r\nX: " + std::string(40'000, 'y'), 100).starts_with("!"));
}

TEST_CASE("heads: the fuzzer's corpus neither crashes nor gives two lengths") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tests/fuzz/corpus/http_head")) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    CAPTURE(entry.path().string());
    ++files;
    if (const auto end = find_head_end(bytes, 0)) {
      const auto parsed = parse(std::string_view(bytes).substr(0, *end));
      const bool two_lengths = parsed.framing.chunked && parsed.framing.length;
      CHECK((parsed.fault.has_value() || !two_lengths));
    }
    const std::string whole = decode(bytes, bytes.size() + 1);
    CHECK(decode(bytes, 1) == whole);
  }
  CHECK(files >= 20);
}

}  // namespace head_parser_test
