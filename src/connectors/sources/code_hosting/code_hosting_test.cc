// SPDX-License-Identifier: Apache-2.0
// A service in memory behind Cairn's own limiter, on a clock of its own: every refusal, and a month
// of syncs.
#include "connectors/sources/code_hosting/code_hosting.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "connectors/sources/code_hosting/code_hosting_answers.h"
#include "connectors/testing.h"
#include "format/time.h"
#include "gate/refusal.h"
#include "os/metrics.h"
#include "ratelimit/memory/memory_limiter.h"

namespace cairn::connectors::code_hosting_test {
namespace {

constexpr std::int64_t start_ms = 1'767'323'045'000;  // 2026-01-02T03:04:05Z
const os::Deadline never = os::Deadline::never();

std::string service_time(std::int64_t ms) { return format_iso8601(ms).substr(0, 19) + "Z"; }

/// Passes time by moving the clock.
class MovedTime final : public ratelimit::Waits {
 public:
  explicit MovedTime(os::FakeClock& clock) : clock_(clock) {}
  std::int64_t left_ms(const os::Deadline&) override { return INT64_MAX; }
  bool sleep_ms(std::int64_t ms, const os::Deadline& deadline) override {
    if (deadline.stopped()) return false;
    clock_.advance_ms(ms);
    slept_ms += ms;
    return true;
  }
  std::int64_t slept_ms = 0;

 private:
  os::FakeClock& clock_;
};

class KeptPulse final : public Pulse {
 public:
  Status beat(std::string_view doing) override {
    said.insert(std::string(doing));
    if (!cancels) return ok_status();
    return Error{.kind = ErrorKind::cancelled, .message = "the sync job was cancelled"};
  }
  std::set<std::string> said;
  bool cancels = false;
};

/// One repository, "ada/engine".
class Service {
 public:
  explicit Service(os::FakeClock& clock, ratelimit::Policy policy = ratelimit::default_policy())
      : clock_(clock),
        policy_(std::make_shared<ratelimit::Policy>(std::move(policy))),
        random_(os::seeded_random(7)),
        limiter_(ratelimit::memory_limiter(policy_, clock, *random_, metrics_)) {
    identity_ = ratelimit::user_identity("ada");
    const auto charge = ratelimit::charge_of(
        {.method = "GET", .path = "/repos", .surface = ratelimit::Surface::platform}, *policy_);
    REQUIRE(charge.ok());
    charge_ = *charge;
  }

  void set_issue(int number, const std::string& title, bool is_pull = false) {
    Json one = Json::object({{"number", number},
                             {"title", title},
                             {"body", "body of " + title},
                             {"state", "open"},
                             {"user", Json::object({{"login", "bob"}})},
                             {"labels", Json::array({Json::object({{"name", "bug"}})})},
                             {"created_at", service_time(start_ms)},
                             {"updated_at", service_time(clock_.unix_ms())}});
    if (is_pull) one.set("pull_request", Json::object({{"url", "x"}}));
    issues[number] = std::move(one);
  }
  void set_comment(int id, int number, const std::string& body) {
    comments[id] = Json::object(
        {{"id", id},
         {"body", body},
         {"issue_url", "https://api.example/repos/ada/engine/issues/" + std::to_string(number)},
         {"updated_at", service_time(clock_.unix_ms())}});
  }

  Result<net::ClientReply> answer(const net::ClientRequest& request) {
    ++requests;
    if (script)
      if (auto reply = script(request)) return *std::move(reply);
    auto admission = limiter_->admit(identity_, charge_);
    if (!admission.decision().admitted()) return refusal(admission.decision());
    net::ClientReply reply = content(request);
    if (reply.status == 304) {
      admission.refund();
      ++unchanged;
    }
    add_window(reply, admission.decision());
    admission.finish(0);
    return reply;
  }

  ratelimit::Limiter& limiter() { return *limiter_; }
  const ratelimit::Identity& identity() const { return identity_; }

  std::map<int, Json> issues, comments, releases;
  std::map<std::string, std::string> files;
  int requests = 0, unchanged = 0;
  std::map<std::string, int> refusals;  // by name
  std::function<std::optional<Result<net::ClientReply>>(const net::ClientRequest&)> script;

 private:
  net::ClientReply refusal(const ratelimit::Decision& decision) {
    ++refusals[std::string(ratelimit::name_of(decision.refusal))];
    const int status = gate::status_of(decision, ratelimit::Surface::platform, *policy_);
    const Error error = gate::refusal_error(decision, identity_, status);
    net::ClientReply reply{.status = status, .headers = {}, .body = {}};
    reply.body = Json::object({{"message", error.message}}).dump();
    if (gate::tells_wait(decision, ratelimit::Surface::platform))
      reply.headers.set("Retry-After", std::to_string(decision.retry_after_s));
    add_window(reply, decision);
    return reply;
  }

  void add_window(net::ClientReply& reply, const ratelimit::Decision& decision) {
    reply.headers.set("Date", format_http_date(clock_.unix_ms()));
    if (!decision.window) return;
    reply.headers.set("X-RateLimit-Limit", std::to_string(decision.window->limit));
    reply.headers.set("X-RateLimit-Remaining", std::to_string(decision.window->remaining));
    reply.headers.set("X-RateLimit-Reset", std::to_string(decision.window->reset_s));
    reply.headers.set("X-RateLimit-Resource", "core");
  }

  static std::string parameter(const std::string& target, const std::string& name) {
    for (const auto pair : split(std::string_view(target).substr(target.find('?') + 1), '&'))
      if (pair.starts_with(name + "="))
        return percent_decode(pair.substr(name.size() + 1)).value_or("");
    return {};
  }

  net::ClientReply content(const net::ClientRequest& request) const {
    const std::string& target = request.url.target;
    if (request.headers.find("Authorization").value_or("") != "Bearer open-sesame")
      return {.status = 401, .headers = {}, .body = R"({"message":"Bad credentials"})"};
    if (target.starts_with("/api/repos/ada/engine/issues/comments")) return list(request, comments);
    if (target.starts_with("/api/repos/ada/engine/issues?")) return list(request, issues);
    if (target.starts_with("/api/repos/ada/engine/pulls/comments")) return list(request, {});
    if (target.starts_with("/api/repos/ada/engine/releases")) return list(request, releases);
    if (target.starts_with("/api/repos/ada/engine/git/trees/HEAD")) return tree(request);
    if (target.starts_with("/api/repos/ada/engine/git/blobs/"))
      return blob(target.substr(target.rfind('/') + 1));
    if (target == "/api/repos/ada/engine")
      return {.status = 200, .headers = {}, .body = R"({"full_name":"ada/engine"})"};
    return {.status = 404, .headers = {}, .body = R"({"message":"Not Found"})"};
  }

  static net::ClientReply with_etag(const net::ClientRequest& request, std::string body) {
    const std::string etag = "W/\"" + to_hex(sha256(body)).substr(0, 16) + "\"";
    if (request.headers.find("If-None-Match").value_or("") == etag)
      return {.status = 304, .headers = {}, .body = {}};
    net::ClientReply reply{.status = 200, .headers = {}, .body = std::move(body)};
    reply.headers.set("ETag", etag);
    return reply;
  }

  net::ClientReply list(const net::ClientRequest& request,
                        const std::map<int, Json>& things) const {
    const std::string since = parameter(request.url.target, "since");
    std::vector<const Json*> some;
    for (const auto& [id, thing] : things)
      if (since.empty() || thing.string_or("updated_at") >= since) some.push_back(&thing);
    std::stable_sort(some.begin(), some.end(), [](const Json* a, const Json* b) {
      return a->string_or("updated_at") < b->string_or("updated_at");
    });
    const auto page = parse_number<std::size_t>(parameter(request.url.target, "page")).value_or(1);
    Json out = Json::array();
    for (std::size_t i = (page - 1) * 100; i < std::min(page * 100, some.size()); ++i)
      out.push(*some[i]);
    net::ClientReply reply = with_etag(request, out.dump());
    if (reply.status != 200 || some.size() <= page * 100) return reply;
    std::string base = request.url.target;
    if (const std::size_t at = base.find("&page="); at != std::string::npos) base.resize(at);
    reply.headers.set("Link", "<https://api.example" + base + "&page=" + std::to_string(page + 1) +
                                  ">; rel=\"next\", <https://api."
                                  "example/last>; rel=\"last\"");
    return reply;
  }

  net::ClientReply tree(const net::ClientRequest& request) const {
    Json entries = Json::array();
    for (const auto& [path, text] : files)
      entries.push(Json::object({{"path", path},
                                 {"type", "blob"},
                                 {"mode", "100644"},
                                 {"sha", to_hex(sha256(text)).substr(0, 40)},
                                 {"size", static_cast<std::int64_t>(text.size())}}));
    return with_etag(request, Json::object({{"tree", entries}, {"truncated", false}}).dump());
  }

  net::ClientReply blob(const std::string& id) const {
    for (const auto& [path, text] : files)
      if (to_hex(sha256(text)).substr(0, 40) == id)
        return {
            .status = 200,
            .headers = {},
            .body =
                Json::object({{"encoding", "base64"}, {"content", to_base64(text) + "\n"}}).dump()};
    return {.status = 404, .headers = {}, .body = "{}"};
  }

  os::FakeClock& clock_;
  const std::shared_ptr<ratelimit::Policy> policy_;
  const std::unique_ptr<os::Random> random_;
  os::Metrics metrics_;
  const std::unique_ptr<ratelimit::Limiter> limiter_;
  ratelimit::Identity identity_;
  ratelimit::Charge charge_;
};

struct Fixture {
  os::FakeClock clock{start_ms};
  Service service;
  MovedTime time{clock};
  std::unique_ptr<os::Random> random = os::seeded_random(3);
  KeptPulse pulse;
  std::unique_ptr<Source> source;
  std::string cursor;
  std::map<std::string, SourceItem> known;  // what an index would have

  explicit Fixture(ratelimit::Policy policy = ratelimit::default_policy(),
                   const Json& more = Json::object())
      : service(clock, std::move(policy)) {
    const auto type = this->type();
    Json values = type->configuration_schema();
    values.find("url")->set("value", "https://api.example/api/");
    values.find("repositories")->set("value", "ada/engine");
    values.find("token")->set("value", "open-sesame");
    for (const auto& [name, value] : more.as_object()) values.find(name)->set("value", value);
    auto opened = type->open(values);
    REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? std::string() : opened.error().message));
    source = *std::move(opened);
    source->set_pulse(&pulse);
  }
  std::unique_ptr<const SourceType> type() {
    return code_hosting_source(
        {.outreach = *Outreach::of({"api.example"}),
         .send = [this](const net::ClientRequest& request,
                        const os::Deadline&) { return service.answer(request); },
         .clock = &clock,
         .random = random.get(),
         .waits = &time});
  }
  /// As a run does: what a walk over everything does not name is gone.
  Status sync(bool whole) {
    CAIRN_TRY(const auto walk, source->walk(whole ? std::string() : cursor, never));
    std::set<std::string> seen;
    for (bool last = false; !last;) {
      CAIRN_TRY(SourcePage page, walk->next(never));
      for (auto& item : page.items) {
        seen.insert(item.path);
        known[item.path] = std::move(item);
      }
      last = page.last;
    }
    if (walk->is_whole())
      std::erase_if(known, [&](const auto& item) { return seen.count(item.first) == 0; });
    cursor = walk->cursor();
    return ok_status();
  }
  std::string title(const std::string& path) {
    const auto found = known.find(path);
    return found == known.end() ? "(none)" : found->second.content->documents.front().title;
  }
};

net::ClientReply refused_with(int status, std::vector<std::pair<std::string, std::string>> headers,
                              std::string body = {}) {
  net::ClientReply reply{.status = status, .headers = {}, .body = std::move(body)};
  for (const auto& [name, value] : headers) reply.headers.set(name, value);
  return reply;
}

}  // namespace

TEST_CASE("code hosting: issues, pull requests, comments, releases and files, page by page") {
  Fixture f(ratelimit::default_policy(), Json::object({{"files", true}}));
  for (int i = 1; i <= 250; ++i) f.service.set_issue(i, "issue " + std::to_string(i), i % 10 == 0);
  f.service.set_comment(7, 12, "a comment");
  f.service.releases[1] =
      Json::object({{"id", 1}, {"tag_name", "v1"}, {"name", "One"}, {"body", "b"}});
  f.service.releases[2] = Json::object({{"id", 2}, {"tag_name", "v2"}, {"draft", true}});
  f.service.files = {{"README.md", "# Read me\ntext"}, {"logo.png", "x"}};
  REQUIRE(f.sync(true).ok());
  CHECK(f.known.size() == 250 + 1 + 1 + 1);
  CHECK(f.service.requests == 3 + 1 + 1 + 1 + 1);
  const SourceDocument& pull = f.known.at("ada/engine/issues/20").content->documents.front();
  CHECK(pull.fields.string_or("kind") == "pull_request");
  CHECK(pull.fields.find("labels")->dump() == R"(["bug"])");
  CHECK(pull.fields.string_or("author") == "bob");
  const SourceDocument& comment = f.known.at("ada/engine/comments/7").content->documents.front();
  CHECK(comment.title == "Comment on #12");
  CHECK(comment.fields.int_or("number") == 12);
  CHECK(f.title("ada/engine/releases/1") == "One");
  const auto file = documents_of(*f.source, f.known.at("ada/engine/files/README.md"));
  REQUIRE(file.ok());
  CHECK(file->front().title == "Read me");
  CHECK(f.source->check(never)->find("repositories")->dump() == R"(["ada/engine"])");
}

TEST_CASE("code hosting: what is unchanged costs nothing, what changed is asked for alone") {
  Fixture f;
  for (int i = 1; i <= 250; ++i) {
    f.service.set_issue(i, "issue " + std::to_string(i));
    f.clock.advance_ms(10'000);
  }
  REQUIRE(f.sync(true).ok());
  f.clock.advance_ms(600'000);
  REQUIRE(f.sync(false).ok());  // asks since a moment for the first time
  const int used = static_cast<int>(f.service.limiter().windows(f.service.identity())[0].used);
  for (int i = 0; i < 20; ++i) {
    f.clock.advance_ms(60'000);
    REQUIRE(f.sync(false).ok());
  }
  CHECK(f.service.limiter().windows(f.service.identity())[0].used == used);
  f.service.set_issue(7, "changed");
  f.service.set_issue(251, "new");
  f.clock.advance_ms(60'000);
  REQUIRE(f.sync(false).ok());
  CHECK(f.title("ada/engine/issues/7") == "changed");
  CHECK(f.title("ada/engine/issues/251") == "new");
  f.service.issues.erase(8);
  REQUIRE(f.sync(false).ok());
  CHECK(f.known.count("ada/engine/issues/8") == 1);
  REQUIRE(f.sync(true).ok());
  CHECK(f.known.count("ada/engine/issues/8") == 0);
}

TEST_CASE("code hosting: each refusal is waited for as it says, and told in the meantime") {
  struct Row {
    const char* what;
    net::ClientReply reply;
    std::int64_t least_s, most_s;
  };
  const std::string reset = std::to_string(start_ms / 1000 + 1800);
  const std::vector<Row> rows = {
      {"remaining 0, 403",
       refused_with(403,
                    {{"X-RateLimit-Remaining", "0"},
                     {"X-RateLimit-Reset", reset},
                     {"Date", format_http_date(start_ms)}},
                    R"({"message":"API rate limit exceeded for user."})"),
       1800, 1802},
      {"remaining 0, 429",
       refused_with(429, {{"X-RateLimit-Remaining", "0"},
                          {"X-RateLimit-Reset", reset},
                          {"Date", format_http_date(start_ms)}}),
       1800, 1802},
      {"secondary with a time",
       refused_with(403, {{"Retry-After", "90"}},
                    R"({"message":"You have exceeded a secondary rate limit."})"),
       90, 91},
      {"secondary without one",
       refused_with(403, {}, R"({"message":"You have exceeded a secondary rate limit."})"), 60, 67},
      {"too many", refused_with(429, {}), 60, 67},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Fixture f;
    int sent = 0;
    f.service.script = [&](const net::ClientRequest&) -> std::optional<Result<net::ClientReply>> {
      return sent++ == 0 ? std::optional<Result<net::ClientReply>>(row.reply) : std::nullopt;
    };
    REQUIRE(f.sync(true).ok());
    CHECK(f.time.slept_ms >= row.least_s * 1000);
    CHECK(f.time.slept_ms <= row.most_s * 1000);
    REQUIRE(f.pulse.said.size() == 1);
    CHECK(*f.pulse.said.begin() ==
          "resumes " + format_iso8601(start_ms + f.time.slept_ms).substr(11, 5) + " UTC");
  }
}

TEST_CASE("code hosting: a run that is to end does not wait on") {
  Fixture f;
  f.pulse.cancels = true;
  f.service.script = [](const net::ClientRequest&) -> std::optional<Result<net::ClientReply>> {
    return Result<net::ClientReply>(refused_with(429, {{"Retry-After", "3600"}}));
  };
  const Status ended = f.sync(true);
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.error().kind == ErrorKind::cancelled);
  CHECK(f.time.slept_ms == 0);
}

TEST_CASE("code hosting: what is no limit is an error at once, and what passes is tried again") {
  const auto fault = [](net::ClientReply reply) {
    Fixture f;
    f.service.script = [&](const net::ClientRequest&) -> std::optional<Result<net::ClientReply>> {
      return Result<net::ClientReply>(reply);
    };
    const Status ended = f.sync(true);
    REQUIRE_FALSE(ended.ok());
    return std::pair(ended.error().kind, f.service.requests);
  };
  CHECK(fault(refused_with(401, {})) == std::pair(ErrorKind::unauthenticated, 1));
  CHECK(fault(refused_with(403, {}, R"({"message":"Must have admin rights"})")) ==
        std::pair(ErrorKind::permission_denied, 1));
  CHECK(fault(refused_with(404, {})) == std::pair(ErrorKind::not_found, 1));
  CHECK(fault(refused_with(302, {{"Location", "http://10.0.0.1/"}})) ==
        std::pair(ErrorKind::unavailable, 1));
  CHECK(fault(refused_with(502, {})) == std::pair(ErrorKind::unavailable, 4));
  CHECK(fault(refused_with(200, {}, "<html>")) == std::pair(ErrorKind::corrupt, 1));
  CHECK(fault(refused_with(200, {{"Link", "<https://other.example/x>; rel=\"next\""}}, "[]")) ==
        std::pair(ErrorKind::corrupt, 1));
  // For ever refused: it gives up after some waits, each longer.
  CHECK(fault(refused_with(429, {{"Retry-After", "1"}})) == std::pair(ErrorKind::rate_limited, 6));
}

// A small allowance, thousands of things, a sync each ten minutes for a month: everything that
// changes gets known, no window is overdrawn, and nobody is banned.
TEST_CASE("code hosting: a month behind Cairn's own limiter") {
  ratelimit::Policy policy = ratelimit::default_policy();
  policy.plans.user = 60;
  policy.secondary.points_rest = 20;  // a minute: pages one after another meet it
  Fixture f(policy);
  for (int i = 1; i <= 1500; ++i) f.service.set_issue(i, "issue " + std::to_string(i));
  for (int i = 1; i <= 600; ++i) f.service.set_comment(i, i, "comment " + std::to_string(i));
  const auto random = os::seeded_random(11);
  constexpr std::int64_t month_ms = 30LL * 86'400'000;
  int changes = 0, syncs = 0, number = 1500;
  while (f.clock.unix_ms() < start_ms + month_ms) {
    const Status synced = f.sync(syncs++ % 144 == 0);
    REQUIRE_MESSAGE(synced.ok(), (synced.ok() ? std::string() : synced.error().message));
    f.clock.advance_ms(600'000);
    if (random->below(4) != 0) continue;
    ++changes;
    f.service.set_issue(static_cast<int>(1 + random->below(1500)),
                        "change " + std::to_string(changes));
    ++number;
    f.service.set_issue(number, "new " + std::to_string(number));
    f.service.set_comment(static_cast<int>(1 + random->below(1500)), 1,
                          "c" + std::to_string(changes));
  }
  f.clock.advance_ms(600'000);
  REQUIRE(f.sync(false).ok());
  CHECK(changes > 100);
  CHECK(syncs > 1000);
  REQUIRE(f.known.size() == f.service.issues.size() + f.service.comments.size());
  for (const auto& [id, issue] : f.service.issues)
    CHECK(f.title("ada/engine/issues/" + std::to_string(id)) == issue.string_or("title"));
  for (const auto& [id, comment] : f.service.comments)
    CHECK(f.known.at("ada/engine/comments/" + std::to_string(id)).content->documents.front().body ==
          comment.string_or("body"));
  CHECK(f.service.refusals["banned"] == 0);
  CHECK(f.service.refusals["primary"] == 0);  // it stops before the last one
  CHECK(f.service.refusals["points"] > 0);
  CHECK(f.service.refusals["points"] < f.service.requests / 10);
  CHECK(f.service.unchanged > syncs);
}

TEST_CASE("code hosting: values that can never work are refused by their names") {
  Fixture f;
  const auto type = f.type();
  const auto fault = [&](const char* name, Json value) {
    Json values = type->configuration_schema();
    values.find("url")->set("value", "https://api.example");
    values.find("repositories")->set("value", "ada/engine");
    values.find(name)->set("value", std::move(value));
    const Status valid = type->validate(values);
    REQUIRE_FALSE(valid.ok());
    return valid.error().message;
  };
  CHECK(fault("url", "https://other.example").find("connectors.allowed_hosts") !=
        std::string::npos);
  CHECK(fault("url", "https://user:pass@api.example").find("credentials") != std::string::npos);
  for (const auto* name : {"engine", "a/b/c", "/a", "a/", "../x", "a/..", "a/b?c", ""})
    CHECK(fault("repositories", name).find("[repositories]") != std::string::npos);
}

TEST_CASE("code hosting answers: links, and what is no answer") {
  CHECK(next_link("<https://a/x?page=2>; rel=\"next\", <https://a/x?page=9>; rel=\"last\"") ==
        "https://a/x?page=2");
  CHECK(next_link("<https://a/1>; rel=\"prev\", <https://a/3>; rel=\"next\"") == "https://a/3");
  CHECK(next_link("<https://a/1>; rel=\"last\"").empty());
  CHECK(next_link("<https://a/1").empty());
  CHECK(next_link("").empty());
  SourcePage page;
  std::string latest;
  for (const auto* text :
       {"", "{}", "[1]", "[{}]", "[{\"number\":\"1\"}]", "[{\"number\":-1}]", "null"})
    CHECK_FALSE(read_hosted_items(HostedKind::issues, "a/b", text, {}, page, latest).ok());
  CHECK_FALSE(read_hosted_items(HostedKind::files, "a/b", "[]", {}, page, latest).ok());
  CHECK_FALSE(read_hosted_file("{\"encoding\":\"none\"}").ok());
  CHECK_FALSE(read_hosted_file("{\"encoding\":\"base64\",\"content\":\"*\"}").ok());
}

}  // namespace cairn::connectors::code_hosting_test
