// SPDX-License-Identifier: Apache-2.0
// Hosts that answer as they are told, on a clock that moves by the waits alone.
#include "connectors/sources/web/page_fetch.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "format/time.h"

namespace cairn::connectors::page_fetch_test {
namespace {

struct Asked {
  std::int64_t at_ms = 0;
  std::string url;
};

net::ClientReply reply(int status, std::string body = {},
                       std::vector<std::pair<std::string, std::string>> headers = {}) {
  net::ClientReply out{.status = status, .headers = {}, .body = std::move(body)};
  for (const auto& [name, value] : headers) out.headers.set(name, value);
  return out;
}

struct Fixture {
  os::FakeClock clock;
  const std::int64_t begin_ms = clock.unix_ms();
  std::map<std::string, std::vector<net::ClientReply>> answers;  // by address; the last one stays
  std::vector<Asked> asked;
  std::vector<std::string> told;
  std::int64_t takes_ms = 0;  // each answer
  int beats_left = -1;        // before the job is cancelled
  std::int64_t delay_ms = 500;
  os::Deadline deadline = os::Deadline::in_ms(60'000);

  PageFetch fetch() {
    return PageFetch(
        {.outreach = *Outreach::of({"*.example.org", "example.org"}),
         .delay_ms = delay_ms,
         .beat = [this](std::string_view doing) -> Status {
           told.emplace_back(doing);
           if (beats_left < 0 || beats_left-- > 0) return ok_status();
           return Error{.kind = ErrorKind::cancelled, .message = "the sync job was cancelled"};
         },
         .means = {.clock = &clock,
                   .sleep =
                       [this](std::int64_t ms, const os::Deadline&) {
                         clock.advance_ms(ms);
                         return true;
                       },
                   .send = [this](const net::ClientRequest& request, const os::Deadline&,
                                  std::size_t) { return send(request); }}});
  }

  Result<net::ClientReply> send(const net::ClientRequest& request) {
    const std::string url =
        request.url.scheme + "://" + request.url.authority() + request.url.target;
    asked.push_back({clock.unix_ms() - begin_ms, url});
    clock.advance_ms(takes_ms);
    const auto found = answers.find(url);
    if (found == answers.end()) return reply(404);
    const net::ClientReply out = found->second.front();
    if (found->second.size() > 1) found->second.erase(found->second.begin());
    if (out.status == 0) return Error{.kind = ErrorKind::unavailable, .message = "no answer"};
    return out;
  }

  PageAnswer get(PageFetch& fetch, const std::string& url) {
    auto answer = fetch.get(url, {}, 1 << 20, deadline);
    REQUIRE_MESSAGE(answer.ok(), (answer.ok() ? std::string() : answer.error().message));
    return *std::move(answer);
  }
  /// When each address of a host was asked for.
  std::vector<std::int64_t> times(const std::string& host) const {
    std::vector<std::int64_t> out;
    for (const Asked& one : asked)
      if (one.url.starts_with(host)) out.push_back(one.at_ms);
    return out;
  }
};

using Kind = PageAnswer::Kind;
using Times = std::vector<std::int64_t>;

const std::string site = "https://example.org", other = "https://b.example.org";

}  // namespace

TEST_CASE("fetch: a pause between two requests of a host, and none because of another one") {
  Fixture f;
  f.takes_ms = 100;
  f.answers[site + "/a"] = f.answers[site + "/b"] = f.answers[other + "/c"] = {reply(200, "x")};
  PageFetch fetch = f.fetch();
  CHECK(f.get(fetch, site + "/a").kind == Kind::page);
  CHECK(f.get(fetch, other + "/c").kind == Kind::page);
  CHECK(f.get(fetch, site + "/b").kind == Kind::page);
  CHECK(f.times(site + "/") == Times{0, 600, 1400});  // its robots.txt first
  CHECK(f.times(other + "/") == Times{700, 1300});
  CHECK(f.asked[0].url == site + "/robots.txt");
  CHECK(f.get(fetch, site + "/none").kind == Kind::gone);
  CHECK(f.times(site + "/robots.txt").size() == 1);
}

TEST_CASE("fetch: Crawl-delay is kept where it is longer, up to a minute") {
  for (const auto& [wanted, pause] : {std::pair{"3", 3000}, {"0.1", 500}, {"7200", 60'000}}) {
    Fixture f;
    f.answers[site + "/robots.txt"] = {
        reply(200, std::string("User-agent: *\nCrawl-delay: ") + wanted)};
    PageFetch fetch = f.fetch();
    f.get(fetch, site + "/a");
    f.get(fetch, site + "/b");
    CHECK(f.times(site + "/") == Times{0, pause, 2 * pause});
  }
}

TEST_CASE("fetch: robots.txt closes paths, and a host that cannot say is asked for nothing") {
  Fixture f;
  f.answers[site + "/robots.txt"] = {reply(200, "User-agent: cairn\nDisallow: /private")};
  f.answers[other + "/robots.txt"] = {reply(500)};
  const std::string third = "https://c.example.org";
  f.answers[third + "/robots.txt"] = {reply(301, "", {{"Location", "/rules"}})};
  f.answers[third + "/rules"] = {reply(200, "User-agent: *\nDisallow: /x")};
  const std::string fourth = "https://d.example.org";
  f.answers[fourth + "/robots.txt"] = {reply(403)};
  f.answers[fourth + "/a"] = {reply(200, "x")};
  PageFetch fetch = f.fetch();
  CHECK(f.get(fetch, site + "/private/a").kind == Kind::closed);
  CHECK(f.get(fetch, other + "/a").kind == Kind::failed);
  CHECK(f.get(fetch, third + "/x").kind == Kind::closed);
  CHECK(f.get(fetch, fourth + "/a").kind == Kind::page);
  CHECK(f.asked.size() == 6);  // four robots.txt, a redirect, one page
}

TEST_CASE("fetch: 429 and 503 are waited for as they say, three times, and told") {
  Fixture f;
  const std::string at = site + "/a";
  const std::string date = format_http_date(f.begin_ms / 1000 * 1000 + 90'000);
  f.answers[at] = {reply(429, "", {{"Retry-After", "40"}}), reply(503, "", {{"Retry-After", date}}),
                   reply(503), reply(200, "x")};
  PageFetch fetch = f.fetch();
  CHECK(f.get(fetch, at).kind == Kind::page);
  const Times times = f.times(at);
  REQUIRE(times.size() == 4);
  CHECK(times[0] == 500);
  CHECK(times[1] == 40'500);
  CHECK(times[2] >= 89'000);
  CHECK(times[2] <= 90'000);
  CHECK(times[3] == times[2] + 20'000);  // of themselves: five seconds, ten, twenty
  REQUIRE_FALSE(f.told.empty());
  CHECK(f.told.front() == "resumes " + format_iso8601(f.begin_ms + 40'500).substr(11, 5) + " UTC");
  CHECK(f.told.size() >= 100);  // each second
}

TEST_CASE("fetch: who refuses a fourth time, or for longer than ten minutes, has failed") {
  Fixture f;
  f.answers[site + "/a"] = {reply(429)};
  f.answers[other + "/a"] = {reply(503, "", {{"Retry-After", "601"}})};
  PageFetch fetch = f.fetch();
  const PageAnswer often = f.get(fetch, site + "/a");
  CHECK(often.kind == Kind::failed);
  CHECK(often.reason == "answered with status 429");
  CHECK(f.times(site + "/a") == Times{500, 5500, 15'500, 35'500});
  CHECK(f.get(fetch, other + "/a").kind == Kind::failed);
  CHECK(f.times(other + "/a").size() == 1);
}

TEST_CASE("fetch: a wait ends when the job is cancelled") {
  Fixture f;
  f.answers[site + "/a"] = {reply(429, "", {{"Retry-After", "300"}})};
  f.beats_left = 5;
  PageFetch fetch = f.fetch();
  const auto answer = fetch.get(site + "/a", {}, 1 << 20, f.deadline);
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().kind == ErrorKind::cancelled);
  CHECK(f.clock.unix_ms() - f.begin_ms < 10'000);
  CHECK(f.times(site + "/a").size() == 1);
}

TEST_CASE("fetch: a host that fails ten times in a row is not asked again") {
  Fixture f;
  f.answers[site + "/a"] = {reply(0)};
  f.answers[site + "/well"] = {reply(200, "x")};
  PageFetch fetch = f.fetch();
  for (int i = 0; i < 9; ++i) CHECK(f.get(fetch, site + "/a").kind == Kind::failed);
  CHECK(f.get(fetch, site + "/well").kind == Kind::page);  // counts anew
  for (int i = 0; i < 10; ++i) CHECK(f.get(fetch, site + "/a").kind == Kind::failed);
  const std::size_t before = f.asked.size();
  CHECK(f.get(fetch, site + "/well").reason.find("ten times in a row") != std::string::npos);
  CHECK(f.asked.size() == before);
}

TEST_CASE("fetch: the charset of an answer, as headers write it") {
  for (const auto& [field, charset] : std::map<std::string, std::string>{
           {"text/html", ""},
           {"text/html; charset=utf-8", "utf-8"},
           {"text/html;Charset=\"Windows-1251\" ; x=y", "Windows-1251"},
           {"text/html; x=y; charset=koi8-r", "koi8-r"},
           {"text/html; charset=", ""},
           {"text/html; charset=\"", "\""}}) {
    Fixture f;
    f.answers[site + "/a"] = {reply(200, "x", {{"Content-Type", field}})};
    PageFetch fetch = f.fetch();
    const PageAnswer answer = f.get(fetch, site + "/a");
    CHECK(answer.charset == charset);
    CHECK(answer.media_type == "text/html");
  }
}

TEST_CASE("fetch: hosts that are not in the list are not asked") {
  Fixture f;
  PageFetch fetch = f.fetch();
  CHECK(f.get(fetch, "https://elsewhere.example.com/a").kind == Kind::failed);
  CHECK(f.asked.empty());
}

}  // namespace cairn::connectors::page_fetch_test
