// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/feed_entries.h"

#include <doctest/doctest.h>

namespace cairn::connectors::feed_entries_test {
namespace {

std::vector<FeedEntry> entries(const std::string& text) {
  auto out = read_feed(text);
  REQUIRE_MESSAGE(out.ok(), (out.ok() ? std::string() : out.error().message));
  return *std::move(out);
}

}  // namespace

TEST_CASE("feeds: RSS 2.0 with its modules") {
  const auto some = entries(
      R"(<?xml version="1.0"?><rss version="2.0" xmlns:content="c" xmlns:dc="d"><channel><title>C</title>)"
      R"(<item><title>One &amp; only</title><link>https://a/1</link><guid isPermaLink="false">id-1</guid>)"
      R"(<description>short</description><content:encoded><![CDATA[<p>long <b>one</b></p>]]></content:encoded>)"
      R"(<dc:creator>Ada</dc:creator><category>x</category><category>y</category>)"
      R"(<pubDate>Fri, 02 Jan 2026 05:04:05 +0200</pubDate></item>)"
      R"(<item><title>Two</title><link>https://a/2</link><description>&lt;i&gt;d&lt;/i&gt;</description></item>)"
      R"(<item><title>Three</title></item></channel></rss>)");
  REQUIRE(some.size() == 3);
  CHECK(some[0].id == "id-1");
  CHECK(some[0].title == "One & only");
  CHECK(some[0].content == "<p>long <b>one</b></p>");
  CHECK(some[0].author == "Ada");
  CHECK(some[0].categories == std::vector<std::string>{"x", "y"});
  CHECK(some[0].modified_ms == 1767323045000);
  CHECK(some[1].id == "https://a/2");
  CHECK(some[1].content == "<i>d</i>");
  CHECK(some[2].id.size() == 32);
}

TEST_CASE("feeds: Atom with texts, HTML and XHTML") {
  const auto some = entries(
      R"(<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><id>feed</id>)"
      R"(<entry><id>urn:1</id><title>T</title><link rel="self" href="https://a/self"/>)"
      R"(<link href="https://a/1"/><author><name>Ada</name></author><category term="x"/>)"
      R"(<updated>2026-01-02T03:04:05Z</updated><summary>a &lt; b</summary></entry>)"
      R"(<entry><id>urn:2</id><content type="html">&lt;p&gt;h&lt;/p&gt;</content></entry>)"
      R"(<entry><id>urn:3</id><content type="xhtml"><div>Hello <b>big</b> world &amp; co</div></content></entry>)"
      R"(</feed>)");
  REQUIRE(some.size() == 3);
  CHECK(some[0].link == "https://a/1");
  CHECK(some[0].author == "Ada");
  CHECK(some[0].content == "a &lt; b");
  CHECK(some[0].categories == std::vector<std::string>{"x"});
  CHECK(some[0].modified_ms == 1767323045000);
  CHECK(some[1].content == "<p>h</p>");
  CHECK(some[2].content == "<div>Hello <b>big</b> world &amp; co</div>");
}

TEST_CASE("feeds: RSS 1.0 has its items beside the channel") {
  const auto some = entries(
      R"(<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/"><channel><title>C</title></channel>)"
      R"(<item rdf:about="x"><title>T</title><link>https://a/1</link><dc:date xmlns:dc="d">2026-01-02</dc:date></item></rdf:RDF>)");
  REQUIRE(some.size() == 1);
  CHECK(some[0].id == "https://a/1");
  CHECK(some[0].modified_ms != 0);
}

TEST_CASE("feeds: what is no feed is an error") {
  for (const auto* text : {"", "<rss", "<html><body>no</body></html>", "no XML", "<a><item/></a>"})
    CHECK_FALSE(read_feed(text).ok());
  CHECK(entries("<rss><channel/></rss>").empty());
}

TEST_CASE("feeds: dates as people write them") {
  CHECK(feed_date_ms("Fri, 02 Jan 2026 03:04:05 GMT") == 1767323045000);
  CHECK(feed_date_ms("2 Jan 2026 03:04:05 -0000") == 1767323045000);
  CHECK(feed_date_ms("Fri, 2 Jan 2026 00:34:05 -0230") == 1767323045000);
  CHECK(feed_date_ms("2026-01-02T03:04:05Z") == 1767323045000);
  for (const auto* text : {"", "yesterday", "Fri, 02 Foo 2026 03:04:05 GMT", "1 2 3 4 5",
                           "Fri, 02 Jan 2026 03:04:05 +2"})
    CHECK(feed_date_ms(text) == 0);
}

}  // namespace cairn::connectors::feed_entries_test
