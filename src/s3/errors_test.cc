// SPDX-License-Identifier: Apache-2.0
#include "s3/errors.h"

#include <doctest/doctest.h>

#include <set>

#include "format/xml.h"
#include "s3/model.h"
#include "s3/wire/error_body.h"

namespace cairn::s3::errors_test {
namespace {

TEST_CASE("errors: every code stands once, with a status and words") {
  std::set<std::string_view> seen;
  for (const ErrorRow& row : error_rows) {
    CAPTURE(row.code);
    CHECK(seen.insert(row.code).second);
    CHECK(row.status >= 300);
    CHECK(row.status < 600);
    CHECK_FALSE(row.message.empty());
    CHECK(find_error(row.code) == &row);
  }
  CHECK(find_error("NoSuchThing") == nullptr);
}

TEST_CASE("errors: one without a code of the table goes out under its kind's") {
  const auto wire = [](ErrorKind kind) {
    const Error e{.kind = kind, .message = "m"};
    return std::string(code_of(e)) + " " + std::to_string(status_of(e));
  };
  CHECK(wire(ErrorKind::storage_full) == "ServiceUnavailable 503");
  CHECK(wire(ErrorKind::unavailable) == "ServiceUnavailable 503");
  CHECK(wire(ErrorKind::rate_limited) == "SlowDown 503");
  CHECK(wire(ErrorKind::timeout) == "RequestTimeout 400");
  CHECK(wire(ErrorKind::corrupt) == "InternalError 500");
  CHECK(wire(ErrorKind::permission_denied) == "AccessDenied 403");
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::internal); ++kind)
    CHECK(status_of(Error{.kind = static_cast<ErrorKind>(kind)}) >= 400);
}

TEST_CASE("errors: a body carries code, message, details and ids, and is read back") {
  const Error fault = error("NoSuchKey").with_detail("Key", "a<b>&\x01");
  const std::string body =
      render_error(fault, {.resource = "/b/a", .request_id = "R1", .host_id = "H1"});
  CHECK(body ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>NoSuchKey</Code><Message>The "
        "specified key does not exist.</Message><Key>a&lt;b&gt;&amp;&#x1;</Key><Resource>/b/a"
        "</Resource><RequestId>R1</RequestId><HostId>H1</HostId></Error>");
  const Error read = parse_error(404, body);
  CHECK(read.kind == ErrorKind::not_found);
  CHECK(read.code == "NoSuchKey");
  CHECK(read.message == "The specified key does not exist.");
  REQUIRE(read.details.size() == 4);
  CHECK(read.details[0].second == "a<b>&\x01");
}

TEST_CASE("errors: a fault of the service tells strangers nothing of its inside") {
  const Error fault{.kind = ErrorKind::corrupt,
                    .message = "extent 7 in /data/x does not verify",
                    .details = {{"Path", "/data/x"}}};
  const std::string body = render_error(fault, {});
  CHECK(body.find("/data") == std::string::npos);
  CHECK(body.find("We encountered an internal error") != std::string::npos);
}

TEST_CASE("errors: replies that are none of ours still become errors") {
  CHECK(parse_error(503, "").code == "Http503Error");
  CHECK(parse_error(503, "").kind == ErrorKind::unavailable);
  CHECK(parse_error(502, "<html><body>Bad Gateway</body></html>").kind == ErrorKind::unavailable);
  CHECK(parse_error(404, "not xml").kind == ErrorKind::not_found);
  const Error inside = parse_error(
      200,
      "<?xml version=\"1.0\"?>\n   <Error><Code>InternalError</Code><Message>m</Message></Error>");
  CHECK(inside.kind == ErrorKind::internal);
  CHECK(inside.message == "m");
  CHECK(parse_error(400, "<Error><Code>BrandNew</Code></Error>").code == "BrandNew");
}

TEST_CASE("model: names of buckets") {
  for (const char* good : {"abc", "a-b", "my.bucket.1", "123", "a1b", "1.2.3.4.5", "a.b-c",
                           "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
    CAPTURE(good);
    CHECK(is_bucket_name(good));
  }
  for (const char* bad : {"",
                          "ab",
                          "Abc",
                          "a_b",
                          "-ab",
                          "ab-",
                          ".ab",
                          "ab.",
                          "a..b",
                          "192.168.5.4",
                          "xn--abc",
                          "sthree-abc",
                          "amzn-s3-demo-abc",
                          "abc-s3alias",
                          "abc--ol-s3",
                          "abc.mrap",
                          "abc--x-s3",
                          "abc--table-s3",
                          "a b",
                          "a/b",
                          ".cairn-auth",
                          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_bucket_name(bad));
  }
  CHECK(is_reserved_bucket(".cairn-auth"));
  CHECK_FALSE(is_reserved_bucket("cairn-auth"));
}

}  // namespace
}  // namespace cairn::s3::errors_test
