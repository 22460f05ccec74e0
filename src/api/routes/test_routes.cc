// SPDX-License-Identifier: Apache-2.0
// Small answers: what counts is what they cost.
#include "api/routes/test_routes.h"

#include "api/forms/error_json.h"
#include "base/strings.h"
#include "os/threads/blocking.h"
#include "os/threads/pool.h"

namespace cairn::api {
namespace {

constexpr std::string_view etag = "\"cairn-test\"";
constexpr const char* large_files_media_type = "application/vnd.git-lfs+json";
constexpr std::int64_t longest_ms = 60'000;

Result<std::int64_t> ms_of(const Call& call) {
  CAIRN_TRY(const std::int64_t ms, call.integer("ms", 0));
  if (ms < 0 || ms > longest_ms)
    return illegal_argument("[ms] must be from 0 to " + std::to_string(longest_ms));
  return ms;
}

Reply done(std::string_view name) {
  return Reply::json(Json::object({{"ok", true}, {"route", name}}));
}

/// A list of tags, weak or not, or * (RFC 9110, 13.1.2).
bool names_tag(std::string_view list, std::string_view tag) {
  for (auto one : split(list, ',')) {
    one = trim(one);
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == tag || one == "*") return true;
  }
  return false;
}

Reply tagged(Call& call) {
  const std::string known = call.exchange().head.headers.joined("if-none-match");
  Reply reply = names_tag(known, etag) ? Reply::empty(304) : done("etag");
  reply.headers.set("ETag", etag);
  return reply;
}

Reply boom() {
  return Reply::json(Json::object({{"message", "Server Error"}, {"status", "500"}}), 500);
}

Result<Reply> wait(const Call& call) {
  CAIRN_TRY(const std::int64_t ms, ms_of(call));
  const os::Blocking blocking;
  (void)os::sleep_ms(ms, call.deadline());
  return done("sleep");
}

Result<Reply> burn(const Call& call) {
  CAIRN_TRY(const std::int64_t ms, ms_of(call));
  const std::int64_t end = os::thread_cpu_ns() + ms * 1'000'000;
  volatile std::uint64_t sink = 0;
  while (os::thread_cpu_ns() < end && !call.deadline().passed())
    for (int i = 0; i < 10'000; ++i) sink = sink * 6'364'136'223'846'793'005u + 1;
  return done("cpu");
}

Result<Reply> graphql(Call& call) {
  CAIRN_TRY(const Json body, call.body());
  if (body.string_or("query").empty()) return illegal_argument("[query] is required");
  return Reply::json(Json::object({{"data", Json::object({{"ok", true}})}}));
}

gate::Route test_row(std::string method, std::string name, std::string resource,
                     std::string summary) {
  return {.method = std::move(method),
          .path = "/_test/" + name,
          .operation = "test." + name,
          .surface = gate::Surface::code_hosting,
          .resource = std::move(resource),
          .public_data = true,
          .stability = gate::Stability::experimental,
          .summary = std::move(summary),
          .media_type = "application/json; charset=utf-8"};
}

void add_simple(Router& router, gate::Route route, std::string name) {
  router.add(std::move(route), [name](Call& call) -> Result<Reply> {
    CAIRN_CHECK(call.raw_body());  // whatever it is
    return done(name);
  });
}

}  // namespace

void add_test_routes(Router& router) {
  add_simple(router, test_row("GET", "core", "core", "Counts as core."), "core");
  add_simple(router, test_row("GET", "core2", "core", "Another endpoint of core."), "core2");
  add_simple(router, test_row("GET", "search", "search", "Counts as search."), "search");
  add_simple(router, test_row("GET", "code_search", "code_search", "Counts as code_search."),
             "code_search");
  add_simple(router,
             test_row("POST", "write", "core", "Counts as core, with the points of a write."),
             "write");
  auto content = test_row("POST", "content", "core", "Counts as core, and as content.");
  content.content = true;
  add_simple(router, std::move(content), "content");
  auto files = test_row("POST", "lfs", "lfs", "Counts as a batch of large files.");
  files.surface = gate::Surface::large_files;
  files.media_type = large_files_media_type;
  files.error_wording = [](const Error& error, int, std::string_view request_id,
                           net::Headers& headers) {
    headers.set("Content-Type", large_files_media_type);
    return Json::object({{"message", error.message}, {"request_id", request_id}}).dump();
  };
  add_simple(router, std::move(files), "lfs");

  router.add(test_row("GET", "etag", "core", "Has an ETag, and answers 304 to who knows it."),
             [](Call& call) -> Result<Reply> { return tagged(call); });
  router.add(test_row("GET", "boom", "core", "Fails with 500."),
             [](Call&) -> Result<Reply> { return boom(); });
  const gate::Parameter ms = {"ms", "integer", "Milliseconds; 0 where absent."};
  auto sleep = test_row("GET", "sleep", "core", "Takes so long.");
  sleep.query = {ms};
  router.add(std::move(sleep), [](Call& call) { return wait(call); });
  auto cpu = test_row("GET", "cpu", "core", "Takes so much CPU time.");
  cpu.query = {ms};
  router.add(std::move(cpu), [](Call& call) { return burn(call); });
  auto query = test_row("POST", "graphql", "graphql", "Counts as GraphQL, a mutation as one.");
  query.graphql = true;
  query.body_required = true;
  router.add(std::move(query), [](Call& call) { return graphql(call); });
}

}  // namespace cairn::api
