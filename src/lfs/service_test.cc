// SPDX-License-Identifier: Apache-2.0
#include "lfs/service.h"

#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "lfs/repository.h"
#include "lfs/rows.h"
#include "s3/errors.h"
#include "s3/signing/signing.h"
#include "store/memory_store.h"

namespace cairn::lfs::service_test {
namespace {

const char* const writer_roles =
    R"({"r":{"indices":[{"names":["lfs/acme/*"],"privileges":["read","write"]}]}})";
const char* const reader_roles =
    R"({"r":{"indices":[{"names":["lfs/acme/models"],"privileges":["read"]}]}})";

gate::Caller caller_with(const char* roles) {
  auth::Key key;
  key.id = "k";
  key.role_descriptors = parse_json(roles).value();
  REQUIRE(key.prepare().ok());
  return gate::Caller(std::make_shared<const auth::Key>(std::move(key)));
}

const std::string body = "a large file";
const std::string oid = to_hex(sha256(body));
const std::string other_oid = to_hex(sha256("another"));

/// A store that is there or not, and a service over it.
struct Fixture {
  explicit Fixture(Options options = {}) {
    key.access_key_id = "CKTEST";
    key.secret = "secret of forty characters or some more!";
    service = std::make_unique<Service>(ServiceParams{
        .open_bucket = [this](bool make,
                              const os::Deadline&) -> Result<std::shared_ptr<store::Store>> {
          if (!failure.ok()) return failure.error();
          if (!there && !make) return Error{.kind = ErrorKind::not_found, .message = "no bucket"};
          there = true;
          return objects;
        },
        .objects_url = [this] { return listener; },
        .key = key,
        .options = std::move(options),
        .clock = clock});
    head.method = "POST";
    head.target = "/acme/models.git/info/lfs/objects/batch";
    head.headers.set("Host", "cairn.example:9200");
  }

  Request request(const std::string& text, const gate::Caller& caller) const {
    return {head, caller, owner, repository, {}, text, os::Deadline::never()};
  }
  static Result<Json> body_of(Result<Answer> answer) {
    if (!answer.ok()) return answer.error();
    return std::move(answer->body);
  }
  Result<Json> batch(const std::string& text, const gate::Caller& caller) const {
    return body_of(service->batch(request(text, caller)));
  }
  Result<Json> verify(const std::string& text, const gate::Caller& caller) const {
    return body_of(service->verify(request(text, caller)));
  }
  void put(const std::string& name, const std::string& bytes) {
    there = true;
    REQUIRE(objects->put(name, bytes, os::Deadline::never()).ok());
  }

  os::FakeClock clock;
  std::shared_ptr<store::Store> objects = store::memory_store();
  bool there = false;
  Status failure = ok_status();
  std::string listener = "http://127.0.0.1:9000";
  std::string owner = "acme", repository = "models.git";
  auth::ObjectKey key;
  net::RequestHead head;
  std::unique_ptr<Service> service;
};

std::string batch_of(std::string_view operation, std::vector<std::pair<std::string, Json>> objects,
                     Json more = Json::object()) {
  Json list = Json::array();
  for (auto& [name, size] : objects) list.push(Json::object({{"oid", name}, {"size", size}}));
  more.set("operation", operation);
  more.set("objects", std::move(list));
  return more.dump();
}

int status_of(const Error& error) {
  for (const auto& [name, value] : error.details)
    if (name == "_status") return std::stoi(value);
  return s3::status_of(error);
}

/// What the object service finds in a request with this URL.
Status judge(const Fixture& fixture, const std::string& method, const std::string& url,
             const std::string& host, const std::string& content_sha256) {
  net::RequestHead head;
  head.method = method;
  const auto scheme_end = url.find("://") + 3;
  head.target = url.substr(url.find('/', scheme_end));
  head.headers.set("Host", host);
  if (!content_sha256.empty()) head.headers.set("X-Amz-Content-Sha256", content_sha256);
  CAIRN_TRY(const auto claim, s3::read_claim(head));
  REQUIRE(claim.has_value());
  CHECK(claim->access_key_id == fixture.key.access_key_id);
  s3::SigningKeys keys;
  return s3::verify_claim(*claim, head,
                          {.secret = fixture.key.secret, .now_ms = fixture.clock.unix_ms()}, keys);
}

}  // namespace

TEST_CASE("lfs: an upload is a signed PUT of that content and no other, until it expires") {
  Fixture fixture;
  const auto writer = caller_with(writer_roles);
  const auto got = fixture.batch(batch_of("upload", {{oid, 12}}), writer);
  REQUIRE(got.ok());
  CHECK(got->string_or("transfer") == "basic");
  CHECK(got->string_or("hash_algo") == "sha256");
  REQUIRE(got->find("objects")->as_array().size() == 1);
  const Json& object = got->find("objects")->as_array()[0];
  CHECK(object.string_or("oid") == oid);
  CHECK(object.int_or("size") == 12);
  // With it, clients would verify without their credentials.
  CHECK(object.find("authenticated") == nullptr);
  const Json& upload = *object.find_path("actions.upload");
  const std::string url = upload.string_or("href");
  CHECK(url.starts_with("http://127.0.0.1:9000/lfs/acme/models/" + oid + "?X-Amz-"));
  CHECK(upload.int_or("expires_in") == 3600);
  CHECK(upload.find("header")->dump() == R"({"x-amz-content-sha256":")" + oid + R"("})");
  CHECK(object.find_path("actions.verify")->string_or("href") ==
        "http://cairn.example:9200/acme/models.git/info/lfs/verify");
  CHECK(fixture.there);

  CHECK(judge(fixture, "PUT", url, "127.0.0.1:9000", oid).ok());
  CHECK_FALSE(judge(fixture, "PUT", url, "127.0.0.1:9000", other_oid).ok());
  CHECK_FALSE(judge(fixture, "PUT", url, "127.0.0.1:9000", "UNSIGNED-PAYLOAD").ok());
  CHECK_FALSE(judge(fixture, "PUT", url, "127.0.0.1:9000", "").ok());
  CHECK_FALSE(judge(fixture, "GET", url, "127.0.0.1:9000", oid).ok());
  CHECK_FALSE(judge(fixture, "PUT", url, "127.0.0.1:9001", oid).ok());
  std::string elsewhere = url;
  elsewhere.replace(elsewhere.find("models"), 6, "secret");
  CHECK_FALSE(judge(fixture, "PUT", elsewhere, "127.0.0.1:9000", oid).ok());
  fixture.clock.advance_ms(3'600'000);
  CHECK(judge(fixture, "PUT", url, "127.0.0.1:9000", oid).ok());
  fixture.clock.advance_ms(1);
  CHECK_FALSE(judge(fixture, "PUT", url, "127.0.0.1:9000", oid).ok());
}

TEST_CASE("lfs: what is there with that size is not sent again; with another size it is") {
  Fixture fixture;
  const auto writer = caller_with(writer_roles);
  fixture.put("acme/models/" + oid, body);
  auto got = fixture.batch(batch_of("upload", {{oid, 12}, {other_oid, 7}}), writer);
  REQUIRE(got.ok());
  CHECK(got->find("objects")->as_array()[0].find("actions") == nullptr);
  CHECK(got->find("objects")->as_array()[1].find_path("actions.upload") != nullptr);
  got = fixture.batch(batch_of("upload", {{oid, 13}}), writer);
  REQUIRE(got.ok());
  CHECK(got->find("objects")->as_array()[0].find_path("actions.upload") != nullptr);
  // Another repository has objects of its own.
  fixture.repository = "data";
  got = fixture.batch(batch_of("upload", {{oid, 12}}), writer);
  REQUIRE(got.ok());
  CHECK(got->find("objects")->as_array()[0].find_path("actions.upload") != nullptr);
}

TEST_CASE("lfs: a download is a signed GET, and an error for each object that is not there") {
  Fixture fixture;
  const auto reader = caller_with(reader_roles);
  auto got = fixture.batch(batch_of("download", {{oid, 12}}), reader);
  REQUIRE(got.ok());
  CHECK(got->find("objects")->as_array()[0].find_path("error.code")->as_int() == 404);
  CHECK_FALSE(fixture.there);  // looking makes no bucket

  fixture.put("acme/models/" + oid, body);
  got = fixture.batch(
      batch_of("download", {{oid, 12}, {other_oid, 7}, {oid, 99}, {"../" + oid, 12}}), reader);
  REQUIRE(got.ok());
  const auto& objects = got->find("objects")->as_array();
  REQUIRE(objects.size() == 4);
  const Json& there = objects[0];
  CHECK(there.bool_or("authenticated"));
  const std::string url = there.find_path("actions.download")->string_or("href");
  CHECK(url.starts_with("http://127.0.0.1:9000/lfs/acme/models/" + oid + "?"));
  CHECK(there.find_path("actions.download")->int_or("expires_in") == 3600);
  CHECK(judge(fixture, "GET", url, "127.0.0.1:9000", "").ok());
  CHECK_FALSE(judge(fixture, "PUT", url, "127.0.0.1:9000", "").ok());
  CHECK_FALSE(judge(fixture, "DELETE", url, "127.0.0.1:9000", "").ok());
  CHECK(objects[1].find_path("error.code")->as_int() == 404);
  CHECK(objects[2].find_path("error.code")->as_int() == 422);
  CHECK(objects[3].find_path("error.code")->as_int() == 422);
  for (std::size_t i = 1; i < 4; ++i) CHECK(objects[i].find("actions") == nullptr);
}

TEST_CASE("lfs: rights are index privileges on lfs/<owner>/<repository>") {
  Fixture fixture;
  fixture.put("acme/models/" + oid, body);
  const std::string download = batch_of("download", {{oid, 12}});
  const std::string upload = batch_of("upload", {{oid, 12}});
  const auto status = [](const Result<Json>& result) {
    return result.ok() ? 200 : status_of(result.error());
  };
  const auto reader = caller_with(reader_roles), writer = caller_with(writer_roles);
  CHECK(status(fixture.batch(download, reader)) == 200);
  CHECK(status(fixture.batch(download, writer)) == 200);
  CHECK(status(fixture.batch(upload, writer)) == 200);
  const auto refused = fixture.batch(upload, reader);
  REQUIRE_FALSE(refused.ok());
  CHECK(status(refused) == 403);
  CHECK(refused.error().message ==
        "this API key may not write repository [acme/models]; that is granted by the index "
        "privileges [write,all] on [lfs/acme/models]");
  const std::string one = Json::object({{"oid", oid}, {"size", 12}}).dump();
  CHECK(status(fixture.verify(one, writer)) == 200);
  CHECK(status(fixture.verify(one, reader)) == 403);
  // Who may do nothing with it learns nothing about it; the audit log is told the truth.
  for (const auto* roles :
       {R"({"r":{"cluster":["all"]}})",
        R"({"r":{"indices":[{"names":["acme*","models","lfs"],"privileges":["all"]}]}})",
        R"({"r":{"indices":[{"names":["lfs/other/*"],"privileges":["all"]}]}})"}) {
    const auto stranger = fixture.batch(download, caller_with(roles));
    CHECK(status(stranger) == 404);
    CHECK(stranger.error().kind == ErrorKind::permission_denied);
  }
  CHECK(status(fixture.batch(
            download,
            caller_with(R"({"r":{"indices":[{"names":["*"],"privileges":["all"]}]}})"))) == 200);
  CHECK(fixture.batch(download, gate::Caller()).error().kind == ErrorKind::unauthenticated);
}

TEST_CASE("lfs: what a counted batch announces is paid for, once for each object") {
  Fixture fixture;
  const auto writer = caller_with(writer_roles);
  const auto got = fixture.batch(batch_of("upload", {{oid, 12}, {other_oid, 7}}), writer);
  REQUIRE(got.ok());
  const Json& verify = *got->find_path("objects")->as_array()[0].find_path("actions.verify");
  const std::string ticket = verify.find("header")->string_or("X-Cairn-Batch");
  CHECK(ticket.size() == 32);
  const auto takes = [&](const std::string& value) {
    net::RequestHead head;
    if (!value.empty()) head.headers.add("X-Cairn-Batch", value);
    return fixture.service->takes_announced(head);
  };
  CHECK_FALSE(takes(""));
  CHECK_FALSE(takes("0123456789abcdef0123456789abcdef"));
  CHECK(takes(ticket));
  CHECK(takes(ticket));
  CHECK_FALSE(takes(ticket));  // two objects, two calls
  // What is there needs no verify, and a download has none.
  fixture.put("acme/models/" + oid, body);
  const auto again = fixture.batch(batch_of("upload", {{oid, 12}, {other_oid, 7}}), writer);
  const std::string second = again->find_path("objects")
                                 ->as_array()[1]
                                 .find_path("actions.verify.header")
                                 ->string_or("X-Cairn-Batch");
  CHECK(takes(second));
  CHECK_FALSE(takes(second));
  const auto third = fixture.batch(batch_of("upload", {{other_oid, 7}}), writer);
  fixture.clock.advance_ms(3'600'001);
  CHECK_FALSE(takes(third->find_path("objects")
                        ->as_array()[0]
                        .find_path("actions.verify.header")
                        ->string_or("X-Cairn-Batch")));
}

TEST_CASE("lfs: of tickets no more are kept than there is room for") {
  const os::FakeClock clock;
  const auto random = os::seeded_random(4);
  Announcements few(clock, *random, 3);
  std::vector<std::string> tickets;
  for (int i = 0; i < 5; ++i) {
    tickets.push_back(few.ticket());
    few.add(tickets.back(), 1, 1'000);
  }
  CHECK_FALSE(few.take(tickets[0]));
  CHECK_FALSE(few.take(tickets[1]));
  for (int i = 2; i < 5; ++i) CHECK(few.take(tickets[static_cast<std::size_t>(i)]));
}

TEST_CASE("lfs: a public repository is read by anybody, and written by nobody without rights") {
  Options options;
  options.public_repositories = {"acme/models", "open/*"};
  CHECK(options.validate().ok());
  Fixture fixture(options);
  fixture.put("acme/models/" + oid, body);
  const std::string download = batch_of("download", {{oid, 12}});
  const gate::Caller nobody;
  const auto got = fixture.batch(download, nobody);
  REQUIRE(got.ok());
  CHECK(got->find_path("objects")->as_array()[0].find_path("actions.download.href") != nullptr);
  const auto upload = fixture.batch(batch_of("upload", {{other_oid, 7}}), nobody);
  REQUIRE_FALSE(upload.ok());
  CHECK(upload.error().kind == ErrorKind::unauthenticated);  // so that git-lfs asks for a key
  const std::string one = Json::object({{"oid", oid}, {"size", 12}}).dump();
  CHECK(fixture.verify(one, nobody).error().kind == ErrorKind::unauthenticated);
  CHECK(fixture.batch(download, caller_with(R"({"r":{"cluster":["all"]}})")).ok());
  fixture.repository = "other";
  CHECK(fixture.batch(download, nobody).error().kind == ErrorKind::unauthenticated);
  fixture.owner = "open";
  CHECK(fixture.batch(download, nobody).ok());
  for (const char* wrong : {"acme", "*", "a/b/c"}) {
    options.public_repositories = {wrong};
    CHECK_FALSE(options.validate().ok());
  }
}

TEST_CASE("lfs: verify looks at the size of what arrived") {
  Fixture fixture;
  const auto writer = caller_with(writer_roles);
  const auto ask = [&](const Json& given) { return fixture.verify(given.dump(), writer); };
  const Json right = Json::object({{"oid", oid}, {"size", 12}});
  const auto missing = ask(right);
  REQUIRE_FALSE(missing.ok());
  CHECK(status_of(missing.error()) == 404);
  CHECK_FALSE(fixture.there);
  fixture.put("acme/models/" + oid, body);
  REQUIRE(ask(right).ok());
  CHECK(ask(right)->dump() == right.dump());
  for (const auto& wrong :
       {Json::object({{"oid", oid}, {"size", 11}}), Json::object({{"oid", oid}}),
        Json::object({{"oid", "x"}, {"size", 12}}), Json::array({1}), Json()}) {
    const auto refused = ask(wrong);
    REQUIRE_FALSE(refused.ok());
    CHECK(status_of(refused.error()) == 422);
  }
}

TEST_CASE("lfs: a batch of nothing is answered by nothing") {
  Fixture fixture;
  const auto empty = fixture.batch(batch_of("upload", {}), caller_with(writer_roles));
  REQUIRE(empty.ok());
  CHECK(empty->dump() == R"({"transfer":"basic","objects":[],"hash_algo":"sha256"})");
}

TEST_CASE("lfs: more objects than the limit are refused with 413, and none is looked at") {
  std::vector<std::pair<std::string, Json>> objects;
  for (int i = 0; i < 101; ++i) objects.emplace_back(to_hex(sha256(std::to_string(i))), i);
  const auto writer = caller_with(writer_roles);
  Fixture fixture;
  const auto refused = fixture.batch(batch_of("upload", objects), writer);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::too_large);
  CHECK(refused.error().message ==
        "the batch has 101 objects, and at most 100 are taken; ask in smaller batches");
  CHECK_FALSE(fixture.there);
  objects.pop_back();
  const auto full = fixture.batch(batch_of("upload", objects), writer);
  REQUIRE(full.ok());
  CHECK(full->find("objects")->as_array().size() == 100);
  Fixture larger({.batch_objects_max = 3});
  CHECK_FALSE(larger.batch(batch_of("upload", objects), writer).ok());
}

TEST_CASE("lfs: an object that cannot be is an error of its own; a batch of such is 422") {
  Fixture fixture({.object_bytes_max = 1000});
  const auto writer = caller_with(writer_roles);
  std::string upper = oid;
  upper[0] = 'A';
  const auto got = fixture.batch(
      batch_of("upload",
               {{oid, 1000}, {oid, 1001}, {upper, 1}, {oid.substr(1), 1}, {oid + "0", 1}, {"", 1}}),
      writer);
  REQUIRE(got.ok());
  const auto& objects = got->find("objects")->as_array();
  CHECK(objects[0].find("error") == nullptr);
  for (std::size_t i = 1; i < objects.size(); ++i) {
    CHECK(objects[i].find_path("error.code")->as_int() == 422);
    CHECK(objects[i].find("actions") == nullptr);
  }
  CHECK(objects[1].find("error")->string_or("message") ==
        "an object of 1001 bytes is larger than the 1000 that are taken");
  const auto refused = fixture.batch(batch_of("upload", {{"x", 1}, {oid, 1001}}), writer);
  REQUIRE_FALSE(refused.ok());
  CHECK(status_of(refused.error()) == 422);
  CHECK(refused.error().message.starts_with("oid [x] must be 64"));
}

TEST_CASE("lfs: another algorithm than sha256 is told object by object") {
  Fixture fixture;
  const auto got =
      fixture.batch(batch_of("upload", {{oid, 1}}, Json::object({{"hash_algo", "sha512"}})),
                    caller_with(writer_roles));
  REQUIRE(got.ok());
  CHECK(got->string_or("hash_algo") == "sha256");
  CHECK(got->find("objects")->as_array()[0].find_path("error.code")->as_int() == 409);
}

TEST_CASE("lfs: addresses as the client knows them") {
  net::RequestHead head;
  head.target = "/base/acme/models.git/info/lfs/objects/batch";
  head.headers.set("Host", "cairn.example");
  CHECK(verify_url(head, {}) == "http://cairn.example/base/acme/models.git/info/lfs/verify");
  head.tls = true;
  CHECK(verify_url(head, {}) == "https://cairn.example/base/acme/models.git/info/lfs/verify");
  CHECK(verify_url(head, {.public_url = "https://outer.example/cairn/"}) ==
        "https://outer.example/cairn/base/acme/models.git/info/lfs/verify");
  CHECK(objects_url(head, {}, "http://127.0.0.1:9000") == "http://127.0.0.1:9000");
  CHECK(objects_url(head, {}, "https://0.0.0.0:9000") == "https://cairn.example:9000");
  CHECK(objects_url(head, {.objects_public_url = "https://s3.example"}, "https://0.0.0.0:9000") ==
        "https://s3.example");
  head.headers.set("Host", "[2001:db8::1]:9200");
  CHECK(objects_url(head, {}, "http://[::]:9000") == "http://[2001:db8::1]:9000");
  head.headers.remove("Host");
  CHECK(objects_url(head, {}, "http://0.0.0.0:9000") == "http://0.0.0.0:9000");
  CHECK(verify_url(head, {}).empty());

  // A path of the outer address is in the URL, and not under the signature.
  Fixture fixture({.objects_public_url = "https://outer.example/objects/"});
  const auto got = fixture.batch(batch_of("upload", {{oid, 12}}), caller_with(writer_roles));
  REQUIRE(got.ok());
  std::string url =
      got->find("objects")->as_array()[0].find_path("actions.upload")->string_or("href");
  CHECK(url.starts_with("https://outer.example/objects/lfs/acme/models/"));
  url.erase(url.find("/objects"), 8);
  CHECK(judge(fixture, "PUT", url, "outer.example", oid).ok());
}

TEST_CASE("lfs: faults of the store are the answer, whatever was asked") {
  Fixture fixture;
  const auto writer = caller_with(writer_roles);
  fixture.failure = Error{.kind = ErrorKind::unavailable, .message = "away"};
  for (const auto* operation : {"upload", "download"}) {
    const auto got = fixture.batch(batch_of(operation, {{oid, 12}}), writer);
    REQUIRE_FALSE(got.ok());
    CHECK(got.error().kind == ErrorKind::unavailable);
  }
  fixture.failure = ok_status();
  fixture.there = true;
  fixture.objects =
      store::memory_store({.before = [](std::string_view, std::string_view) -> Status {
        return Error{.kind = ErrorKind::corrupt, .message = "torn"};
      }});
  CHECK(fixture.batch(batch_of("download", {{oid, 12}}), writer).error().kind ==
        ErrorKind::corrupt);
  CHECK(fixture.verify(Json::object({{"oid", oid}, {"size", 12}}).dump(), writer).error().kind ==
        ErrorKind::corrupt);
}

TEST_CASE("lfs: every row counts against the bucket of large files and words its errors") {
  const auto all = rows();
  CHECK(all.size() == 6);
  for (const auto& row : all) {
    CHECK(row.route.surface == gate::Surface::large_files);
    CHECK(row.route.resource == "lfs");
    CHECK(row.route.media_type == "application/vnd.git-lfs+json");
    CHECK_FALSE(row.route.open);
    CHECK_FALSE(row.route.summary.empty());
    CHECK(row.action != nullptr);
  }
  net::Headers headers;
  Error limited{.kind = ErrorKind::rate_limited, .message = "API rate limit exceeded"};
  limited.details.emplace_back("_documentation_url", "https://docs.example/limits");
  CHECK(word_error(limited, 429, "ABC", headers) ==
        R"({"message":"API rate limit exceeded","documentation_url":"https://docs.example/limits",)"
        R"("request_id":"ABC"})");
  CHECK(headers.find("content-type") == "application/vnd.git-lfs+json");
  CHECK_FALSE(headers.has("lfs-authenticate"));
  const Error nobody = Error{.kind = ErrorKind::unauthenticated, .message = "unable"}.with_detail(
      "additional_unsuccessful_credentials", "API key: invalid credentials");
  CHECK(word_error(nobody, 401, "ABC", headers) ==
        R"({"message":"unable; API key: invalid credentials","request_id":"ABC"})");
  CHECK(headers.find("lfs-authenticate") == "Basic realm=\"Cairn\"");
}

}  // namespace cairn::lfs::service_test
