// SPDX-License-Identifier: Apache-2.0
#include "net/http/message.h"

#include <doctest/doctest.h>

#include <string>

#include "net/address.h"
#include "net/client/client.h"
#include "net/http/field_bytes.h"
#include "net/http/gzip_stream.h"

namespace message_test {

using namespace cairn;
using namespace cairn::net;

TEST_CASE("headers: names compare without case, order stays, values are trimmed") {
  Headers headers;
  headers.add("Accept", " a ");
  headers.add("X", "1");
  headers.add("accept", "b\t");
  CHECK(headers.find("ACCEPT") == "a");
  CHECK(headers.joined("Accept") == "a, b");
  CHECK(headers.joined("none") == "");
  CHECK_FALSE(headers.find("none"));
  headers.set("ACCEPT", "c");
  CHECK(headers.joined("accept") == "c");
  CHECK(headers.fields().size() == 2);
  CHECK(headers.fields()[0].first == "Accept");
  headers.set("New", "n");
  CHECK(headers.has("new"));
  headers.remove("x");
  CHECK_FALSE(headers.has("X"));
  headers.add("Empty", "");
  CHECK(headers.find("empty") == "");
}

TEST_CASE("fields: the quick look at eight bytes together sees what a look at each one does") {
  const auto breaks_slowly = [](std::string_view name, std::string_view value) {
    return name.empty() || name.find_first_of(std::string_view("\r\n\0: ", 5)) != name.npos ||
           value.find_first_of(std::string_view("\r\n\0", 3)) != value.npos;
  };
  CHECK(breaks_a_head("", "value"));
  for (std::size_t size = 1; size <= 20; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, 'x');
        text[at] = static_cast<char>(byte);
        REQUIRE(breaks_a_head(text, "value") == breaks_slowly(text, "value"));
        REQUIRE(breaks_a_head("name", text) == breaks_slowly("name", text));
      }
    }
  }
}

TEST_CASE("head lines: what would break a head is left out, the rest can be had as fields") {
  HeadLines lines;
  lines.add("x-ratelimit-limit", "60");
  for (const std::string_view bad : std::initializer_list<std::string_view>{
           "a\r\nb", "a\nb", "a\rb", std::string_view("a\0b", 3)}) {
    lines.add("name", bad);
    lines.add(bad, "value");
  }
  for (const std::string_view name : {"", "a b", "a:"}) lines.add(name, "value");
  lines.add("empty", "");
  CHECK(lines.text() == "x-ratelimit-limit: 60\r\nempty: \r\n");
  Headers headers;
  lines.add_to(headers);
  REQUIRE(headers.fields().size() == 2);
  CHECK(headers.find("X-RateLimit-Limit") == "60");
  CHECK(headers.find("empty") == "");
}

TEST_CASE("query: parameters in order, decoded") {
  const auto query = parse_query("a=1&b&c=&a=%41+%2B&%3d=x=y&&");
  REQUIRE(query.ok());
  const QueryParameters expected = {{"a", "1"}, {"b", ""}, {"c", ""}, {"a", "A +"}, {"=", "x=y"}};
  CHECK(*query == expected);
  CHECK(parse_query("")->empty());
  for (const std::string_view bad :
       std::initializer_list<std::string_view>{"a=%", "a=%4", "%zz=1", "a=%4g"}) {
    const auto broken = parse_query(bad);
    REQUIRE_FALSE(broken.ok());
    CHECK(broken.error().kind == ErrorKind::invalid_argument);
  }
}

TEST_CASE("target: path and query") {
  RequestHead head;
  head.target = "/a/b?c=d?e";
  CHECK(head.path() == "/a/b");
  CHECK(head.query() == "c=d?e");
  head.target = "/a";
  CHECK(head.path() == "/a");
  CHECK(head.query() == "");
}

TEST_CASE("bodies: read whole up to a limit, with room behind them") {
  for (const bool known : {true, false}) {
    for (const std::size_t size : {0u, 1u, 16'384u, 16'385u, 100'000u}) {
      StringBody body(std::string(size, 'x'), {}, known);
      const auto all = read_all(body, size);
      REQUIRE(all.ok());
      CHECK(*all == std::string(size, 'x'));
      CHECK(all->capacity() >= size + 64);
    }
    StringBody body(std::string(1001, 'x'), {}, known);
    const auto over = read_all(body, 1000);
    REQUIRE_FALSE(over.ok());
    CHECK(over.error().kind == ErrorKind::too_large);
  }
}

TEST_CASE("bodies: memory follows the bytes that came, whatever length is claimed") {
  // Gives a byte at a time and notes how much room it is offered.
  struct Trickle final : BodyReader {
    Result<std::size_t> read(std::span<char> into) override {
      CHECK(into.size() <= 2 * given + (16 << 10) + 1);
      if (given == 40'000) return Error{.kind = ErrorKind::cancelled};
      into[0] = 'x';
      ++given;
      return std::size_t{1};
    }
    std::optional<std::uint64_t> length() const override { return 1 << 30; }
    const Headers& trailers() const override { return none; }
    std::size_t given = 0;
    Headers none;
  };
  Trickle trickle;
  CHECK_FALSE(read_all(trickle, 2u << 30).ok());
  CHECK(trickle.given == 40'000);
}

TEST_CASE("urls: parts and authority") {
  const auto url = parse_url("HTTPS://Example.org:9243/a/b?c=d#frag");
  REQUIRE(url.ok());
  CHECK(url->scheme == "https");
  CHECK(url->host == "Example.org");
  CHECK(url->port == 9243);
  CHECK(url->target == "/a/b?c=d");
  CHECK(url->authority() == "Example.org:9243");
  CHECK(parse_url("http://h")->target == "/");
  CHECK(parse_url("http://h")->authority() == "h");
  CHECK(parse_url("https://h:443/")->authority() == "h");
  CHECK(parse_url("http://h?x")->target == "/?x");
  CHECK(parse_url("http://h:")->port == 80);
  const auto six = parse_url("http://[::1]:8080/x");
  REQUIRE(six.ok());
  CHECK(six->host == "::1");
  CHECK(six->authority() == "[::1]:8080");
  for (const std::string_view bad :
       {"", "h", "//h/", "ftp://h/", "http:///x", "http://", "http://u:p@h/", "http://h:0/",
        "http://h:65536/", "http://h:x/", "http://[::1/", "http://h /", "http://h/\r\nX: y",
        "http://[::1]x/", "file:///etc/passwd"}) {
    CAPTURE(bad);
    const auto refused = parse_url(bad);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().kind == ErrorKind::invalid_argument);
  }
}

TEST_CASE("addresses: host and port") {
  CHECK(parse_host_port("127.0.0.1:80")->host == "127.0.0.1");
  CHECK(parse_host_port("[::1]:80")->host == "::1");
  CHECK(parse_host_port(":80")->host == "");
  CHECK(parse_host_port("*:80")->host == "");
  CHECK(parse_host_port("h:0")->port == 0);
  for (const std::string_view bad : {"", "h", "h:", "h:x", "::1:80", "h:65536", "h:-1"}) {
    CHECK_FALSE(parse_host_port(bad).ok());
  }
}

TEST_CASE("gzip: who accepts it, and what it is good for") {
  CHECK(accepts_gzip("gzip"));
  CHECK(accepts_gzip("br, GZIP;q=0.3"));
  CHECK(accepts_gzip("*"));
  CHECK(accepts_gzip("x-gzip"));
  CHECK_FALSE(accepts_gzip(""));
  CHECK_FALSE(accepts_gzip("br"));
  CHECK_FALSE(accepts_gzip("gzip;q=0"));
  CHECK_FALSE(accepts_gzip("gzip;q=0.000, *"));
  CHECK_FALSE(accepts_gzip("*;q=0"));
  for (const std::string_view good :
       {"text/plain; charset=utf-8", "application/json",
        "application/vnd.elasticsearch+json;compatible-with=8", "application/x-ndjson",
        "application/xml", "image/svg+xml", "TEXT/HTML"}) {
    CAPTURE(good);
    CHECK(is_compressible(good));
  }
  for (const std::string_view bad :
       {"image/png", "application/gzip", "application/octet-stream", "text/event-stream", ""}) {
    CHECK_FALSE(is_compressible(bad));
  }
}

}  // namespace message_test
