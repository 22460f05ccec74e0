// SPDX-License-Identifier: Apache-2.0
// What limits look like on the object surface.
#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hmac_sha1.h"
#include "gate/fake_limiter.h"
#include "os/files/files.h"
#include "os/random.h"
#include "s3api/service_rig.h"
#include "store/memory_store.h"

namespace cairn::s3api::limits_test {
namespace {

using gate::FakeLimiter;
using ratelimit::Refusal;

/// The rig, with a limiter that allows 5 requests of which 2 are used.
struct Limited {
  explicit Limited(ratelimit::Policy policy = ratelimit::default_policy())
      : limiter(std::move(policy)) {
    limiter.decide = [](const auto&) { return FakeLimiter::admitted(5, 2); };
    const auto key = std::make_shared<const auth::ObjectKey>(
        auth::ObjectKey{.access_key_id = rig.mine.access_key_id,
                        .secret = rig.mine.secret_access_key,
                        .account_id = std::string(12, '1'),
                        .canonical_id = std::string(64, '1'),
                        .user = "alice",
                        .active = true,
                        .creation_ms = 0});
    rig.service = std::make_unique<Service>(ServiceParams{
        .engine = *rig.engine,
        .find_key = [key](std::string_view id) { return id == key->access_key_id ? key : nullptr; },
        .clock = rig.clock,
        .metrics = metrics,
        .gate = &gate});
  }

  std::unique_ptr<store::Store> store = store::memory_store();
  std::unique_ptr<os::Random> random = os::seeded_random(5);
  os::Metrics metrics;
  ServiceRig rig;
  std::unique_ptr<auth::Keys> keys =
      std::move(auth::Keys::open(*store, rig.clock, *random, {}, os::Deadline::never()).value());
  std::unique_ptr<gate::AuditLog> audit =
      std::move(gate::AuditLog::open(os::system_files(), rig.clock, {}).value());
  FakeLimiter limiter;
  gate::Gate gate{*keys, *audit, {.limiter = &limiter, .metrics = metrics}};
};

}  // namespace

TEST_CASE("limits: objects are charged to the user of the access key, and to addresses") {
  Limited fixture;
  CHECK(fixture.rig.put("/bucket").status == 200);
  const auto& asked = fixture.limiter.asked;
  REQUIRE(asked.size() == 1);
  CHECK(asked.back().identity.account == "user:alice");
  CHECK(asked.back().charge.surface == ratelimit::Surface::objects);
  CHECK(asked.back().charge.points == 5);
  const auto create = asked.back().charge.endpoint;
  CHECK(fixture.rig.put("/bucket/a", "text").status == 200);
  CHECK(asked.back().charge.endpoint != create);
  const auto put = asked.back().charge.endpoint;
  CHECK(fixture.rig.put("/bucket/b", "text").status == 200);
  CHECK(asked.back().charge.endpoint == put);
  const Answer got = fixture.rig.get("/bucket/a");
  CHECK(got.status == 200);
  CHECK(got.header("x-ratelimit-limit") == "5");
  CHECK(got.header("x-ratelimit-remaining") == "3");
  CHECK(got.header("x-ratelimit-resource") == "objects");
  CHECK(asked.back().charge.points == 1);

  // Errors of every kind carry the headers, and are asked about once.
  const std::size_t before = asked.size();
  CHECK(fixture.rig.get("/bucket/nothing").header("x-ratelimit-used") == "2");
  CHECK(fixture.rig.ask({.method = "PATCH", .target = "/bucket"}).header("x-ratelimit-used") == "2");
  const auto unknown = asked.back().charge.endpoint;
  Answer answer = fixture.rig.ask({.target = "/bucket/a", .sign = false});
  CHECK(answer.status == 403);
  CHECK(answer.header("x-ratelimit-used") == "2");
  CHECK(asked.back().identity.account.starts_with("ip:"));
  answer = fixture.rig.ask(
      {.target = "/bucket/a", .credentials = {fixture.rig.mine.access_key_id, "wrong"}});
  CHECK(answer.code() == "SignatureDoesNotMatch");
  CHECK(asked.back().identity.account.starts_with("ip:"));
  CHECK(asked.back().charge.endpoint != unknown);
  answer = fixture.rig.ask({.target = "/bucket/a", .credentials = fixture.rig.theirs});
  CHECK(answer.code() == "InvalidAccessKeyId");
  CHECK(asked.back().identity.account.starts_with("ip:"));
  CHECK(asked.size() == before + 5);
  // A browser that asks for leave does so without credentials, and for free.
  CHECK(fixture.rig.ask({.method = "OPTIONS", .target = "/bucket/a", .sign = false}).status != 200);
  CHECK(asked.size() == before + 5);
  CHECK(fixture.limiter.live() == 0);
  CHECK(fixture.limiter.released.size() == before + 5);
}

TEST_CASE("limits: a form is charged as a put, to the user whose key signed it") {
  Limited fixture;
  CHECK(fixture.rig.put("/bucket").status == 200);
  CHECK(fixture.rig.put("/bucket/a", "text").status == 200);
  const auto& asked = fixture.limiter.asked;
  const auto put = asked.back().charge.endpoint;
  const auto part = [](std::string_view name, std::string_view value) {
    return "--XX\r\nContent-Disposition: form-data; name=\"" + std::string(name) + "\"\r\n\r\n" +
           std::string(value) + "\r\n";
  };
  const std::string policy = to_base64(
      R"({"expiration":"2030-01-01T00:00:00Z","conditions":[{"bucket":"bucket"},{"key":"a"}]})");
  const auto send = [&](const std::string& fields) {
    return fixture.rig.ask({.method = "POST",
                            .target = "/bucket",
                            .headers = {{"Content-Type", "multipart/form-data; boundary=XX"}},
                            .body = fields + part("file", "x") + "--XX--",
                            .sign = false});
  };
  const auto& mine = fixture.rig.mine;
  const std::string good =
      part("key", "a") + part("AWSAccessKeyId", mine.access_key_id) + part("policy", policy) +
      part("signature", to_base64(hmac_sha1(mine.secret_access_key, policy)));
  CHECK(send(good).header("x-ratelimit-used") == "2");
  CHECK(asked.back().identity.account == "user:alice");
  CHECK(asked.back().charge.endpoint == put);
  CHECK(asked.back().charge.points == 5);
  // One whose sender is not known counts as its address', and so does what is no form.
  const std::size_t before = asked.size();
  CHECK(send(part("key", "a")).status == 403);
  CHECK(asked.back().identity.account.starts_with("ip:"));
  CHECK(send(part("acl", "a")).header("x-ratelimit-used") == "2");
  CHECK(asked.back().identity.account.starts_with("ip:"));
  CHECK(asked.size() == before + 2);
  fixture.limiter.decide = [](const auto&) { return FakeLimiter::refused(Refusal::primary); };
  CHECK(send(good).code() == "SlowDown");
  CHECK(send(part("acl", "a")).code() == "SlowDown");
}

TEST_CASE("limits: over the limit is SlowDown with a wait, before anything is done") {
  Limited fixture;
  CHECK(fixture.rig.put("/bucket").status == 200);
  for (const Refusal refusal : {Refusal::primary, Refusal::points, Refusal::concurrent}) {
    fixture.limiter.decide = [&](const auto&) { return FakeLimiter::refused(refusal, 9); };
    const Answer answer = fixture.rig.put("/bucket/a", "text");
    CHECK(answer.status == 503);
    CHECK(answer.code() == "SlowDown");
    CHECK(answer.header("retry-after") == "9");
    CHECK_FALSE(fixture.rig.body_was_read);
    const Answer head = fixture.rig.head("/bucket/a");
    CHECK(head.status == 503);
    CHECK(head.body.empty());
    CHECK(head.header("retry-after") == "9");
    CHECK(fixture.rig.ask({.target = "/bucket/a", .credentials = fixture.rig.theirs}).code() ==
          "SlowDown");
  }
  fixture.limiter.decide = {};
  CHECK(fixture.rig.get("/bucket/a").code() == "NoSuchKey");

  ratelimit::Policy policy = ratelimit::default_policy();
  policy.statuses[static_cast<std::size_t>(ratelimit::Surface::objects)] = {429, 429};
  fixture.gate.set_policy(std::make_shared<const ratelimit::Policy>(policy));
  fixture.limiter.decide = [](const auto&) { return FakeLimiter::refused(Refusal::primary); };
  const Answer answer = fixture.rig.get("/bucket/a");
  CHECK(answer.status == 429);
  CHECK(answer.code() == "SlowDown");
  CHECK(fixture.limiter.live() == 0);
}

TEST_CASE("limits: a 304 of an object gives the request back") {
  Limited fixture;
  CHECK(fixture.rig.put("/bucket").status == 200);
  const std::string etag = fixture.rig.put("/bucket/a", "text").header("ETag");
  const Answer answer = fixture.rig.get("/bucket/a", {{"If-None-Match", etag}});
  CHECK(answer.status == 304);
  CHECK(answer.header("x-ratelimit-used") == "1");
  CHECK(answer.header("x-ratelimit-remaining") == "4");
  CHECK(fixture.limiter.refunds == 1);
}

}  // namespace cairn::s3api::limits_test
