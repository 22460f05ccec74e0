// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/robots_rules.h"

#include <doctest/doctest.h>

namespace cairn::connectors::robots_rules_test {

RobotsRules rules(std::string_view text) { return RobotsRules::parse(text, "cairn"); }

TEST_CASE("robots: the example of RFC 9309, 5.1") {
  constexpr std::string_view text =
      "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n"
      "User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n"
      "User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\n"
      "User-Agent: quxbot\n";
  const auto others = rules(text);
  CHECK_FALSE(others.allows("/a.gif"));
  CHECK(others.allows("/a.gif?x"));
  CHECK_FALSE(others.allows("/example/page.html"));
  CHECK(others.allows("/publications/x"));
  const auto foo = RobotsRules::parse(text, "foobot");
  CHECK(foo.allows("/example/page.html"));
  CHECK(foo.allows("/example/allowed.gif"));
  CHECK_FALSE(foo.allows("/"));
  for (const auto* name : {"barbot", "bazbot"}) {
    CHECK_FALSE(RobotsRules::parse(text, name).allows("/example/page.html"));
    CHECK(RobotsRules::parse(text, name).allows("/example/"));
  }
  CHECK(RobotsRules::parse(text, "quxbot").allows("/example/page.html"));
}

TEST_CASE("robots: the longest match decides, and Allow wins a tie (5.2)") {
  const auto some = rules(
      "User-Agent: cairn\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n"
      "Disallow: /same\nAllow: /same\n");
  CHECK_FALSE(some.allows("/example/page/disallowed.gif"));
  CHECK(some.allows("/example/page/"));
  CHECK(some.allows("/same"));
}

TEST_CASE("robots: groups of one name are one, names have any case") {
  const auto some = rules(
      "user-agent: CAIRN/2.0\rdisallow: /a # why\r\ncrawl-delay: 1.5\nsitemap: http://h/s.xml\n"
      "User-agent: *\nDisallow: /\n\nUSER-AGENT: Cairn\nDisallow: /b\n");
  CHECK_FALSE(some.allows("/a/1"));
  CHECK_FALSE(some.allows("/b"));
  CHECK(some.allows("/c"));
  CHECK(some.allows("/A"));
  CHECK(some.delay_ms() == 1500);
  CHECK(some.sitemaps() == std::vector<std::string>{"http://h/s.xml"});
}

TEST_CASE("robots: escapes are compared as octets (2.2.2)") {
  const auto some =
      rules("User-agent: *\nDisallow: /a%3cd\nDisallow: /\xe3\x83\x84\nDisallow: /%62\n");
  CHECK_FALSE(some.allows("/a%3Cd.html"));
  CHECK_FALSE(some.allows("/%E3%83%84"));
  CHECK_FALSE(some.allows("/b"));
}

TEST_CASE("robots: * and $") {
  const auto some =
      rules("User-agent: *\nDisallow: /x*y*z$\nDisallow: /*?session=\nDisallow: /e$\n");
  CHECK_FALSE(some.allows("/x1y2zz"));
  CHECK(some.allows("/x1y2z3"));
  CHECK_FALSE(some.allows("/p?session=1"));
  CHECK(some.allows("/p?other"));
  CHECK_FALSE(some.allows("/e"));
  CHECK(some.allows("/ee"));
}

TEST_CASE("robots: what says nothing allows everything, and what cannot say nothing") {
  for (const auto* text :
       {"", "no rules", "User-agent: *\nDisallow:\n", "Disallow: /\n",
        "User-agent: other\nDisallow: /\n", "User-agent: cairn_other\nDisallow: /\n"})
    CHECK(rules(text).allows("/a"));
  CHECK_FALSE(RobotsRules::nothing_allowed().allows("/a"));
  CHECK(RobotsRules::nothing_allowed().allows("/robots.txt"));
}

TEST_CASE("robots: a file that is too much closes more, never less") {
  std::string text = "User-agent: *\n";
  for (int i = 0; i < 3000; ++i)
    text += "Disallow: /d" + std::to_string(i) + "*aaaaaaaaaaaaaaaaaaaa$\n";
  const auto some = rules(text);
  CHECK_FALSE(some.allows("/d2999/anything"));
  CHECK(some.allows("/else"));
}

}  // namespace cairn::connectors::robots_rules_test
