// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/page_links.h"

#include <doctest/doctest.h>

#include "connectors/sources/web/sitemap.h"

namespace cairn::connectors::page_links_test {

using Texts = std::vector<std::string>;

TEST_CASE("page links: where a page leads") {
  const auto page = read_page_links(
      "<!doctype html><HEAD><base href='/b/'><link rel='stylesheet' href=s.css>"
      "<link href=\"http://a/c?x=1&amp;y=2\" REL=canonical><title><a href=t></title>"
      "<script>if (a<b) '<a href=no>'</script><style></s <a href=no></style>"
      "<!-- <a href=no> --></head><a class=x href = one >1</a><A HREF='two&#x2f;&#50;'>"
      "<a rel='external nofollow' href=no><area href=three><a name=x><a href=''>"
      "<a href=\"four\"href=no><a href=five/>",
      "cairn");
  CHECK(page.links == Texts{"one", "two/2", "three", "four", "five/"});
  CHECK(page.base == "/b/");
  CHECK(page.canonical == "http://a/c?x=1&y=2");
  CHECK_FALSE(page.wishes.noindex);
  CHECK_FALSE(page.wishes.nofollow);
}

TEST_CASE("page links: what a page asks of crawlers") {
  const auto wishes = [](std::string_view html) { return read_page_links(html, "cairn").wishes; };
  CHECK(wishes("<meta name=robots content='noindex, follow'>").noindex);
  CHECK_FALSE(wishes("<meta name=robots content='noindex, follow'>").nofollow);
  CHECK(wishes("<META content=NONE name=ROBOTS>").nofollow);
  CHECK(wishes("<meta name=Cairn content=nofollow>").nofollow);
  CHECK_FALSE(wishes("<meta name=otherbot content=noindex>").noindex);
  const auto field = [](std::string_view text) {
    CrawlWishes out;
    add_wishes(text, "cairn", out);
    return out;
  };
  CHECK(field("noindex").noindex);
  CHECK(field("max-snippet:2, unavailable_after: 25 Jun 2030 15:00:00 PST, none").nofollow);
  CHECK_FALSE(field("otherbot: noindex, nofollow").nofollow);
  CHECK(field("otherbot: noindex, cairn: nofollow").nofollow);
}

TEST_CASE("page links: pages that break off") {
  for (const auto* text : {"", "<", "<a", "<a href", "<a href=", "<a href='x", "<!--",
                           "<!-- <a href=x>", "<script>", "<a href=x", "</a", "<a \"", "<a ="})
    static_cast<void>(read_page_links(text, "cairn"));
  CHECK(read_page_links("<a href=&#xffffffff;&amp", "cairn").links == Texts{"&#xffffffff;&amp"});
}

TEST_CASE("sitemaps: lists, indexes and texts") {
  const auto list = read_sitemap(
      "<?xml version='1.0'?><urlset xmlns='s' xmlns:image='i'><url><loc> http://a/1?x&amp;y </loc>"
      "<image:image><image:loc>http://a/i.png</image:loc></image:image></url>"
      "<url><lastmod>2026</lastmod><loc><![CDATA[http://a/2]]></loc></url><url/></urlset>");
  REQUIRE(list.ok());
  CHECK_FALSE(list->is_index);
  CHECK(list->urls == Texts{"http://a/1?x&y", "http://a/2"});
  const auto index =
      read_sitemap("<sitemapindex><sitemap><loc>http://a/s.xml.gz</loc></sitemap></sitemapindex>");
  REQUIRE(index.ok());
  CHECK(index->is_index);
  CHECK(index->urls == Texts{"http://a/s.xml.gz"});
  CHECK(read_sitemap("http://a/1\r\n\nhttps://a/2")->urls == Texts{"http://a/1", "https://a/2"});
  for (const auto* text : {"<html/>", "<urlset>", "words", "<rss><url><loc>x</loc></url></rss>"})
    CHECK_FALSE(read_sitemap(text).ok());
}

}  // namespace cairn::connectors::page_links_test
