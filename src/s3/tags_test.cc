// SPDX-License-Identifier: Apache-2.0
#include "s3/tags.h"

#include <doctest/doctest.h>

namespace cairn::s3::tags_test {
namespace {

struct Case {
  std::string key;
  std::string value;
  std::string message;  // empty: allowed
};

TEST_CASE("tags: what a tag may be") {
  const std::string bad_key = "The TagKey you have provided is invalid";
  const std::string bad_value = "The TagValue you have provided is invalid";
  std::string umlauts;
  for (int i = 0; i < 128; ++i) umlauts += "\xC3\xBC";
  const Case cases[] = {
      {"k", "", ""},
      {"Az09 +-=._:/@", "Az09 +-=._:/@", ""},
      {std::string(128, 'k'), std::string(256, 'v'), ""},
      {umlauts, umlauts + umlauts, ""},
      {"", "v", bad_key},
      {std::string(129, 'k'), "v", bad_key},
      {umlauts + "k", "v", bad_key},
      {"a,b", "v", bad_key},
      {"a\nb", "v", bad_key},
      {"\xFF", "v", bad_key},
      {"k", std::string(257, 'v'), bad_value},
      {"k", "v,w", bad_value},
      {"k", "<", bad_value},
  };
  for (const Case& c : cases) {
    CAPTURE(c.key);
    for (const Tagged what : {Tagged::object, Tagged::bucket, Tagged::new_bucket}) {
      const auto tags = tags_of({{.key = c.key, .value = c.value}}, what);
      CHECK(tags.ok() == c.message.empty());
      if (tags.ok()) {
        CHECK(*tags == Tags{{c.key, c.value}});
        CHECK(tag_elements(*tags) == std::vector<TagElement>{{.key = c.key, .value = c.value}});
        continue;
      }
      CHECK(tags.error().code == "InvalidTag");
      CHECK(tags.error().message == c.message);
      CHECK(tags.error().details.at(0).second == c.key);
    }
  }
}

TEST_CASE("tags: sets have limits, no key twice, and none of the system's") {
  const auto numbered = [](std::size_t count) {
    std::vector<TagElement> tags;
    for (std::size_t i = 0; i < count; ++i) tags.push_back({.key = "k" + std::to_string(i)});
    return tags;
  };
  CHECK(tags_of({}, Tagged::object)->empty());
  CHECK(tags_of(numbered(10), Tagged::object)->size() == 10);
  CHECK(tags_of(numbered(11), Tagged::object).error().message ==
        "Object tags cannot be greater than 10");
  CHECK(tags_of(numbered(11), Tagged::object).error().code == "BadRequest");
  CHECK(tags_of(numbered(50), Tagged::bucket)->size() == 50);
  CHECK(tags_of(numbered(51), Tagged::bucket).error().code == "BadRequest");
  CHECK(tags_of({{.key = "a", .value = "1"}, {.key = "a", .value = "1"}}, Tagged::bucket)
            .error()
            .message == "Cannot provide multiple Tags with the same key");
  const std::vector<TagElement> reserved = {{.key = "aws:x", .value = "1"}};
  CHECK(tags_of(reserved, Tagged::bucket).error().message ==
        "System tags cannot be added/updated by requester");
  CHECK(tags_of(reserved, Tagged::object).error().message ==
        "Your TagKey cannot be prefixed with aws:");
  CHECK(tags_of(reserved, Tagged::new_bucket).error().message.starts_with("User-defined tag keys"));
}

TEST_CASE("tags: the header field is a query") {
  CHECK(tags_of_field("")->empty());
  CHECK(*tags_of_field("a=1&b+c=%C3%BC&d=") == Tags{{"a", "1"}, {"b c", "\xC3\xBC"}, {"d", ""}});
  CHECK(*tags_of_field("flag") == Tags{{"flag", ""}});
  for (const char* field : {"key1=val1&key1=val2", "key1=val1,key2=val2", "a=%zz", "=v", "a=%FF"}) {
    CAPTURE(field);
    const auto tags = tags_of_field(field);
    REQUIRE_FALSE(tags.ok());
    CHECK(tags.error().code == "InvalidArgument");
    CHECK(tags.error().details == std::vector<std::pair<std::string, std::string>>{
                                      {"ArgumentName", "x-amz-tagging"}, {"ArgumentValue", field}});
  }
  CHECK(tags_of_field("a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1&j=1&k=1").error().code == "BadRequest");
  CHECK(tags_of_field("aws:a=1").error().code == "InvalidTag");
}

}  // namespace
}  // namespace cairn::s3::tags_test
