// SPDX-License-Identifier: Apache-2.0
#include "remotestore/place.h"

#include <doctest/doctest.h>

namespace place_test {

using namespace cairn;
using namespace cairn::remotestore;

TEST_CASE("place: a URL names bucket, prefix, endpoint, region and style") {
  const auto place = parse_place(
      "s3://books/a//b?endpoint=http%3A%2F%2F127.0.0.1:9000/&region=eu-west-1&path_style=false");
  REQUIRE(place.ok());
  CHECK(place->bucket == "books");
  CHECK(place->prefix == "a/b/");
  CHECK(place->endpoint == "http://127.0.0.1:9000");
  CHECK(place->region == "eu-west-1");
  CHECK(place->path_style == false);
  CHECK(place->shown() == "s3://books/a/b/");
  const auto plain = parse_place("s3://books");
  REQUIRE(plain.ok());
  CHECK(plain->prefix.empty());
  CHECK_FALSE(plain->path_style.has_value());
  CHECK(parse_place("s3://books/?endpoint=http://h:1")->endpoint == "http://h:1");
}

TEST_CASE("place: what cannot be is refused with the reason, and secrets are not repeated") {
  const std::pair<const char*, const char*> cases[] = {
      {"http://books", "a store is named as in"},
      {"s3://", "no bucket"},
      {"s3://b?endpint=http://h", "did you mean endpoint"},
      {"s3://b?endpoint=h:9000", "must be an http or https URL"},
      {"s3://b?path_style=yes", "true or false"},
      {"s3://b?region", "has no value"},
      {"s3://b/%zz", "hexadecimal"},
      {"s3://b/a/../c", "not every cluster"},
      {"s3://id:s3cret@b/p", "credentials do not belong in the URL"},
      {"s3://b?endpoint=http://id:s3cret@h", "credentials do not belong in the URL"},
      {"s3://b?secret_access_key=s3cret", "credentials do not belong in the URL"},
      {"s3://b?access_key=s3cret", "credentials do not belong in the URL"},
      {"id:s3cret@s3://b", "a store is named as in"},
  };
  for (const auto& [url, words] : cases) {
    CAPTURE(url);
    const auto place = parse_place(url);
    REQUIRE_FALSE(place.ok());
    CHECK(place.error().kind == ErrorKind::invalid_argument);
    CHECK(place.error().message.find(words) != std::string::npos);
    CHECK(place.error().message.find("s3cret") == std::string::npos);
  }
}

}  // namespace place_test
