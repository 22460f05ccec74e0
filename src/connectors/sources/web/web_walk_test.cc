// SPDX-License-Identifier: Apache-2.0
// A site in memory: a walk that goes on at the place of another one gives the same, and asks for
// nothing twice but what was not recorded.
#include "connectors/sources/web/web_walk.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cairn::connectors::web_walk_test {
namespace {

const std::string base = "https://example.org";

/// What all pages of a walk came to.
struct Given {
  std::map<std::string, std::string> items;  // path to version
  std::set<std::string> left_out, unreadable, kept, removed;
  std::size_t skipped = 0;
  bool operator==(const Given&) const = default;
};

struct Site {
  std::map<std::string, std::pair<int, std::string>> pages;  // by path
  std::vector<std::string> asked;
  os::FakeClock clock;
  WebValues values = {.urls = {base + "/"},
                      .sitemaps = {base + "/map"},
                      .bounds = {.hosts = {"example.org"}, .pages_max = 40, .depth_max = 20},
                      .page_bytes_max = 1 << 20};
  HeldPage held;
  os::Deadline deadline = os::Deadline::in_ms(60'000);

  Site() {
    page("/", "<a href='/1'><a href='/2'><a href='/gone'><a href='https://other.org/'>");
    for (int i = 1; i <= 12; ++i)
      page("/" + std::to_string(i),
           "page <a href='/" + std::to_string(i + 2) + "'>" + std::to_string(i));
    page("/5", "<meta name=robots content=noindex><a href='/7'>");
    page("/6", pages["/4"].second);
    page("/8", "<link rel=canonical href='/9'><a href='/10'>");
    page("/11", "leads on <a href='/flood/1'>");
    for (int i = 1; i <= 60; ++i)
      page("/flood/" + std::to_string(i), "flood <a href='/flood/" + std::to_string(i + 1) + "'>");
    pages["/12"] = {500, ""};
    pages["/moves"] = {302, ""};
    pages["/map"] = {200, "<urlset><url><loc>" + base + "/mapped</loc></url></urlset>"};
    page("/mapped", "mapped <a href='/moves'>");
  }
  void page(const std::string& path, const std::string& body) {
    pages[path] = {200, "<title>" + path + "</title>" + body};
  }

  PageFetchParams fetch() {
    return {.outreach = *Outreach::of({"example.org"}),
            .beat = [](std::string_view) { return ok_status(); },
            .means = {.clock = &clock,
                      .sleep =
                          [this](std::int64_t ms, const os::Deadline&) {
                            clock.advance_ms(ms);
                            return true;
                          },
                      .send = [this](const net::ClientRequest& request, const os::Deadline&,
                                     std::size_t) { return answer(request); }}};
  }

  Result<net::ClientReply> answer(const net::ClientRequest& request) {
    const std::string& path = request.url.target;
    if (path != "/robots.txt") asked.push_back(path);
    net::ClientReply reply{.status = 404, .headers = {}, .body = {}};
    const auto found = pages.find(path);
    if (found == pages.end()) return reply;
    reply.status = found->second.first;
    reply.body = found->second.second;
    reply.headers.set("Content-Type", "text/html");
    if (path == "/moves") reply.headers.set("Location", "/12");
    const std::string etag = "\"" + std::to_string(std::hash<std::string>()(reply.body)) + "\"";
    reply.headers.set("ETag", etag);
    if (const auto known = request.headers.find("If-None-Match"); known && *known == etag) {
      reply.status = 304;
      reply.body.clear();
    }
    return reply;
  }

  WebWalk walk(const std::string& cursor = {}) { return {values, fetch(), held, cursor}; }

  /// Up to so many pages; true where the walk is over.
  bool take(WebWalk& walk, Given& given, std::size_t pages_max = 1000) {
    for (std::size_t i = 0; i < pages_max; ++i) {
      const auto page = walk.next(deadline);
      REQUIRE_MESSAGE(page.ok(), (page.ok() ? std::string() : page.error().message));
      for (const auto& item : page->items) given.items[item.path] = item.version;
      for (const auto& one : page->left_out) given.left_out.insert(one.reason);
      for (const auto& one : page->unreadable) given.unreadable.insert(one.reason);
      given.kept.insert(page->kept.begin(), page->kept.end());
      given.removed.insert(page->removed.begin(), page->removed.end());
      given.skipped += page->skipped;
      if (page->last) return true;
    }
    return false;
  }

  /// A walk that is cut off after so many pages, and goes on with what `is_recorded` says.
  Given in_two(std::size_t cut, const std::string& cursor,
               const std::function<bool(const SourceItem&)>& is_recorded) {
    Given before, after;
    std::string place;
    {
      WebWalk first = walk(cursor);
      take(first, before, cut);
      place = first.place();
    }
    WebWalk second = walk(cursor);
    second.resume_at(place, is_recorded);
    CHECK(second.is_whole() == cursor.empty());
    take(second, after);
    return after;
  }
};

}  // namespace

TEST_CASE("web walk: one that is cut off anywhere goes on, and asks for no page twice") {
  Site whole;
  Given wanted;
  WebWalk walk = whole.walk();
  REQUIRE(whole.take(walk, wanted));
  CHECK(wanted.items.size() > 20);
  CHECK(wanted.unreadable.size() == 1);
  std::vector<std::string> once = whole.asked;
  std::sort(once.begin(), once.end());
  CHECK(std::adjacent_find(once.begin(), once.end()) == once.end());
  for (std::size_t cut = 0; cut < 45; ++cut) {
    CAPTURE(cut);
    Site site;
    const Given given = site.in_two(cut, "", [](const SourceItem&) { return true; });
    CHECK(given == wanted);
    std::sort(site.asked.begin(), site.asked.end());
    CHECK(site.asked == once);
  }
}

TEST_CASE("web walk: a page whose documents were not recorded is asked for again") {
  Site site;
  Given wanted;
  WebWalk walk = site.walk();
  REQUIRE(site.take(walk, wanted));
  site.asked.clear();
  const Given given =
      site.in_two(30, "", [](const SourceItem& item) { return item.path != base + "/3"; });
  CHECK(given == wanted);
  CHECK(std::count(site.asked.begin(), site.asked.end(), "/3") == 2);
  CHECK(std::count(site.asked.begin(), site.asked.end(), "/4") == 1);
}

TEST_CASE("web walk: a walk over changes goes on as one over everything does") {
  for (std::size_t cut = 0; cut < 45; ++cut) {
    CAPTURE(cut);
    Site site;
    Given first, wanted;
    WebWalk all = site.walk();
    REQUIRE(site.take(all, first));
    const std::string cursor = all.cursor();
    REQUIRE(!cursor.empty());
    site.page("/3", "another text <a href='/new'>");
    site.page("/new", "new");
    site.pages.erase("/2");
    WebWalk changes = site.walk(cursor);
    REQUIRE(site.take(changes, wanted));
    CHECK(wanted.items.count(base + "/3") == 1);
    CHECK(wanted.removed.count(base + "/2") == 1);
    site.asked.clear();
    const Given given = site.in_two(cut, cursor, [](const SourceItem&) { return true; });
    CHECK(given == wanted);
    std::sort(site.asked.begin(), site.asked.end());
    CHECK(std::adjacent_find(site.asked.begin(), site.asked.end()) == site.asked.end());
  }
}

TEST_CASE("web walk: a text that is no place changes nothing") {
  Site site;
  WebWalk some = site.walk();
  Given given, wanted, ignored;
  REQUIRE_FALSE(site.take(some, ignored, 20));
  const std::string place = some.place();
  WebWalk walk = site.walk();
  REQUIRE(site.take(walk, wanted));
  for (std::size_t size = 0; size < place.size(); size += 1 + size / 20) {
    CAPTURE(size);
    given = {};
    WebWalk again = site.walk();
    again.resume_at(place.substr(0, size), [](const SourceItem&) { return true; });
    REQUIRE(site.take(again, given));
    CHECK(given == wanted);
  }
}

}  // namespace cairn::connectors::web_walk_test
