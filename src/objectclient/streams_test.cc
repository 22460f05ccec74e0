// SPDX-License-Identifier: Apache-2.0
#include "objectclient/streams.h"

#include <doctest/doctest.h>

#include <sstream>

#include "objectclient/testing.h"
#include "objectclient/testing_store.h"
#include "objectclient/transfer.h"

namespace cairn::objectclient::streams_test {

TEST_CASE("streams: a body from where the stream stands, again after a failure") {
  ScriptedService service({{.status = 503, .body = error_xml("SlowDown")}, {}});
  MadeUp environment;
  std::istringstream in("skipped, and sent");
  in.ignore(9);
  const auto body = istream_body(in);
  REQUIRE(body.ok());
  environment.client(at(service)).put_object({.bucket = "b", .key = "k"}, *body).or_throw();
  CHECK(service.count() == 2);
  CHECK(service.last().body == "and sent");
  std::istringstream nothing("");
  CHECK(istream_body(nothing)->length() == 0);
}

TEST_CASE("streams: a stream that cannot go back is no body, and can be uploaded all the same") {
  struct Once : std::streambuf {  // gives bytes, and knows no places
    explicit Once(std::string bytes) : bytes_(std::move(bytes)) {
      setg(bytes_.data(), bytes_.data(), bytes_.data() + bytes_.size());
    }
    std::string bytes_;
  };
  Once source("from somewhere");
  std::istream in(&source);
  CHECK_FALSE(istream_body(in).ok());
  in.clear();
  Rig rig;
  IstreamReader reader(in);
  upload_stream(rig.client(), {.bucket = "b", .key = "k"}, reader).or_throw();
  CHECK(rig.store.object == "from somewhere");
}

TEST_CASE("streams: faults of a stream end the call") {
  std::istringstream in("short");
  IstreamReader reader(in, 9);
  char bytes[16];
  CHECK(*reader.read(bytes) == 5);
  CHECK(reader.read(bytes).error().kind == ErrorKind::invalid_argument);
  std::istringstream broken("x");
  broken.setstate(std::ios::badbit);
  CHECK(IstreamReader(broken).read(bytes).error().kind == ErrorKind::unavailable);
}

TEST_CASE("streams: an object goes into a stream, as long as that takes it") {
  Rig rig;
  rig.client().put_object({.bucket = "b", .key = "k"}, "bytes").or_throw();
  std::ostringstream out;
  rig.client().get_object({.bucket = "b", .key = "k"}, ostream_target(out)).or_throw();
  CHECK(out.str() == "bytes");
  out.setstate(std::ios::badbit);
  const auto failed = rig.client().get_object({.bucket = "b", .key = "k"}, ostream_target(out));
  CHECK_FALSE(failed.ok());
}

}  // namespace cairn::objectclient::streams_test
