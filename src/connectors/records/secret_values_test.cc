// SPDX-License-Identifier: Apache-2.0
#include "connectors/records/secret_values.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace cairn::connectors::secret_values_test {
namespace {

/// Writes backwards, behind the context.
Seal backwards() {
  return {.close =
              [](std::string_view secret, std::string_view context) {
                return std::string(context) + "|" + std::string(secret.rbegin(), secret.rend());
              },
          .open = [](std::string_view sealed, std::string_view context) -> Result<std::string> {
            if (!sealed.starts_with(std::string(context) + "|"))
              return Error{.kind = ErrorKind::corrupt, .message = "of another context"};
            const auto back = sealed.substr(context.size() + 1);
            return std::string(back.rbegin(), back.rend());
          }};
}

const Json schema = *parse_json(R"({"url": {"sensitive": false}, "token": {"sensitive": true}})");

Json values(const std::string& token) {
  return Json::object(
      {{"url", Json::object({{"value", "u"}})}, {"token", Json::object({{"value", token}})}});
}

}  // namespace

TEST_CASE("secret values: sealed in the record, masked for who looks, opened for the source") {
  Json stored = values("open sesame");
  REQUIRE(seal_values(stored, Json::object(), schema, backwards(), "c").ok());
  CHECK(stored.dump().find("sesame") == std::string::npos);
  CHECK(stored.find_path("url.value")->as_string() == "u");
  CHECK(stored.find_path("token.value")->as_string() == secret_mask);
  Json shown = stored;
  hide_values(shown);
  CHECK(shown == values(std::string(secret_mask)));
  Json clear = shown;
  REQUIRE(open_values(clear, stored, backwards(), "c").ok());
  CHECK(clear == values("open sesame"));
  // Moved into another connector's record it opens nothing.
  CHECK(open_values(shown, stored, backwards(), "d").error().kind == ErrorKind::corrupt);
}

TEST_CASE("secret values: a mask that comes back keeps what is there, and is nothing by itself") {
  Json stored = values("open sesame");
  REQUIRE(seal_values(stored, Json::object(), schema, backwards(), "c").ok());
  Json again = values(std::string(secret_mask));
  REQUIRE(seal_values(again, stored, schema, backwards(), "c").ok());
  CHECK(again == stored);
  Json alone = values(std::string(secret_mask));
  CHECK_FALSE(seal_values(alone, Json::object(), schema, backwards(), "c").ok());
  Json none = values("");
  REQUIRE(seal_values(none, stored, schema, backwards(), "c").ok());
  CHECK(none == values(""));
}

TEST_CASE("secret values: sealed bytes do not come from outside, nor secrets without a seal") {
  Json forged = values("********");
  forged.find("token")->set("sealed", "b3BlbiBzZXNhbWU=");
  CHECK_FALSE(seal_values(forged, Json::object(), schema, backwards(), "c").ok());
  Json clear = values("open sesame");
  CHECK(seal_values(clear, Json::object(), schema, {}, "c").error().kind == ErrorKind::unavailable);
}

}  // namespace cairn::connectors::secret_values_test
