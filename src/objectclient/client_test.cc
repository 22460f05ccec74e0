// SPDX-License-Identifier: Apache-2.0
// Calls against services that a test makes up.
#include "objectclient/client.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "base/encode.h"
#include "base/hash.h"
#include "format/time.h"
#include "objectclient/service_errors.h"
#include "objectclient/testing.h"
#include "s3/checksum.h"
#include "s3/errors.h"

namespace cairn::objectclient::client_test {
namespace {

const std::string completed =
    "<?xml version=\"1.0\"?>\n   <CompleteMultipartUploadResult xmlns=\"x\"><Location>l</Location>"
    "<Bucket>b</Bucket><Key>k</Key><ETag>&quot;e-1&quot;</ETag>"
    "<ChecksumType>COMPOSITE</ChecksumType></CompleteMultipartUploadResult>";

s3::CompleteMultipartUploadInput completion() {
  s3::CompleteMultipartUploadInput input{.bucket = "b", .key = "k", .upload_id = "u"};
  input.multipart_upload.emplace().parts = {{.etag = "e", .part_number = 1}};
  return input;
}

}  // namespace

TEST_CASE("client: a typed call is sent as its description says, and its result read") {
  ScriptedService service({{.body = completed, .headers = {{"x-amz-version-id", "v1"}}}});
  MadeUp environment;
  const Client client = environment.client(at(service));
  const auto response = client.complete_multipart_upload(completion());
  CHECK(response->etag == "\"e-1\"");
  CHECK(response->version_id == "v1");
  CHECK(response->checksum_type == "COMPOSITE");
  CHECK(response.call().attempts == 1);
  const Seen seen = service.last();
  CHECK(seen.method == "POST");
  CHECK(seen.target == "/b/k?uploadId=u");
  CHECK(seen.body.find("<PartNumber>1</PartNumber>") != std::string::npos);
  CHECK(seen.header("content-type") == "application/xml");
  CHECK(seen.header("x-amz-content-sha256") == to_hex(sha256(seen.body)));
  CHECK(seen.header("authorization").find("/eu-west-1/s3/aws4_request") != std::string::npos);
  CHECK(seen.header("user-agent").starts_with("cairn-objectclient/"));
}

TEST_CASE("client: every operation has a typed call, a name and structures") {
  const auto names = Client::operation_names();
  CHECK(names.size() == 112);
  ScriptedService service({{.status = 404, .body = error_xml("NoSuchBucket")}});
  MadeUp environment;
  const Client client = environment.client(quiet(at(service)));
  for (const auto& name : names) {
    CAPTURE(name);
    const s3::Operation& operation = *s3::find_operation(name);
    Params params;
    for (const s3::Member& member : operation.input().members) {
      if (!member.required) continue;
      if (member.type == s3::Type::text) params.emplace_back(member.name, "x");
      if (member.type == s3::Type::integer) params.emplace_back(member.name, 1);
    }
    // What else is required is a structure: it may be wrong, but the name must be known.
    CHECK(client.call(name, params).error().message.find("no operation") == std::string::npos);
  }
  CHECK(client.call("put_objekt").error().message ==
        "there is no operation `put_objekt`; did you mean `put_object`?");
}

TEST_CASE("client: a call by name converts, checks and gives values by name") {
  ScriptedService service({{.body = "<ListBucketResult><Name>b</Name><KeyCount>1</KeyCount>"
                                    "<IsTruncated>false</IsTruncated><EncodingType>url"
                                    "</EncodingType><Contents><Key>a%2Bb+c</Key><Size>5</Size>"
                                    "</Contents></ListBucketResult>"}});
  MadeUp environment;
  const Client client = environment.client(quiet(at(service)));
  const auto page = client.call("list_objects_v2", {{"bucket", "b"}, {"max_keys", "7"}});
  REQUIRE(page.ok());
  CHECK(service.last().target == "/b?max-keys=7&list-type=2&encoding-type=url");
  CHECK(*(*page)["contents"][0]["key"].text() == "a+b c");
  CHECK(*(*page)["contents"][0]["size"].integer() == 5);
  CHECK((*page)["contents"][1].is_null());
  const auto wrong = client.call("ListObjectsV2", {{"max_keys", "many"}, {"colour", 1}});
  CHECK(wrong.error().code == "ArgumentError");
  CHECK(wrong.error().message ==
        "parameter validator found 3 errors:\n"
        "  - expected params[:max_keys] to be an Integer, got class String instead.\n"
        "  - unexpected value at params[:colour]\n"
        "  - missing required parameter params[:bucket]");
  CHECK(client.call("put_object", {{"bucket", "b"}, {"key", "k"}, {"body", "bytes"}}).ok());
  CHECK(service.last().body == "bytes");
  client
      .call("put_object", {{"bucket", "b"}, {"key", "k"}, {"expires", s3::Time{1'700'000'000'000}}})
      .or_throw();
  CHECK(service.last().header("expires") == "Tue, 14 Nov 2023 22:13:20 GMT");
  CHECK(service.count() == 3);
}

TEST_CASE("client: a bucket is made in the client's region, where its caller names no place") {
  ScriptedService service({{}});
  MadeUp environment;
  const Client client = environment.client(at(service));
  const std::string here = "<LocationConstraint>eu-west-1</LocationConstraint>";
  const auto sent = [&](const s3::CreateBucketConfiguration& how) {
    client.create_bucket({.bucket = "b", .create_bucket_configuration = how}).or_throw();
    return service.last().body;
  };
  client.create_bucket({.bucket = "b"}).or_throw();
  CHECK(service.last().body.find(here) != std::string::npos);
  CHECK(sent({}).find(here) != std::string::npos);
  const std::string tagged = sent({.tags = {{.key = "a", .value = "1"}}});
  CHECK(tagged.find(here) != std::string::npos);
  CHECK(tagged.find("<Key>a</Key><Value>1</Value>") != std::string::npos);
  CHECK(sent({.location_constraint = "eu-south-1"}).find(here) == std::string::npos);
  CHECK(sent({.location = s3::LocationElement{.type = "AvailabilityZone"}})
            .find("LocationConstraint") == std::string::npos);
  ClientOptions first = at(service);
  first.region = "us-east-1";
  environment.client(first)
      .create_bucket({.bucket = "b",
                      .create_bucket_configuration =
                          s3::CreateBucketConfiguration{.tags = {{.key = "a", .value = "1"}}}})
      .or_throw();
  CHECK(service.last().body.find("LocationConstraint") == std::string::npos);
}

TEST_CASE("client: expires is a time, however it is written, and goes out as an HTTP date") {
  ScriptedService service({{.body = "<InitiateMultipartUploadResult/>"}});
  MadeUp environment;
  const Client client = environment.client(quiet(at(service)));
  const std::vector<std::string> names = {"put_object", "copy_object", "create_multipart_upload"};
  const auto call = [&](const std::string& name, const Value& when) {
    Params params = {{"bucket", "b"}, {"key", "k"}, {"expires", when}};
    if (name == "copy_object") params.emplace_back("copy_source", "b/s");
    return client.call(name, params);
  };
  const std::string date = "Fri, 02 Jan 2026 03:04:05 GMT";
  for (const std::string& name : names) {
    CAPTURE(name);
    for (const Value& when : {Value("2026-01-02T03:04:05Z"), Value("2026-01-02T04:04:05.000+01:00"),
                              Value("1767323045"), Value(1'767'323'045), Value(date),
                              Value(s3::Time{1'767'323'045'000})}) {
      static_cast<void>(call(name, when));
      CHECK(service.last().header("expires") == date);
    }
  }
  client.put_object({.bucket = "b", .key = "k", .expires = "2026-01-02T03:04:05Z"}, "x").or_throw();
  CHECK(service.last().header("expires") == date);

  const std::size_t count = service.count();
  const std::string wanted =
      "expected params[:expires] to be a Time object, got class String instead.";
  for (const char* const text : {"tomorrow", "", "1767323045000", "2026-13-02", "nan"}) {
    for (const std::string& name : names) {
      CAPTURE(name);
      const auto wrong = call(name, text);
      REQUIRE_FALSE(wrong.ok());
      CHECK(wrong.error().code == "ArgumentError");
      CHECK(wrong.error().message == wanted);
    }
    const auto typed = client.put_object({.bucket = "b", .key = "k", .expires = text}, "x");
    REQUIRE_FALSE(typed.ok());
    CHECK(typed.error().message == wanted);
  }
  CHECK(service.count() == count);
}

TEST_CASE("client: what is missing is named before anything is sent") {
  ScriptedService service({{}});
  MadeUp environment;
  const Client client = environment.client(quiet(at(service)));
  CHECK(client.get_object({.bucket = "b"}).error().message ==
        "missing required parameter params[:key]");
  CHECK(client.head_bucket({.bucket = "a/b"}).error().message ==
        "bucket name must not contain a forward-slash (/)");
  CHECK(service.count() == 0);
}

TEST_CASE("client: keys keep slashes, dots, plus signs and what is not ASCII") {
  ScriptedService service({{}});
  MadeUp environment;
  const Client client = environment.client(at(service));
  for (const auto& [key, target] :
       std::vector<std::pair<std::string, std::string>>{{"a/b//c/../d", "/b/a/b//c/../d"},
                                                        {"x y+z", "/b/x%20y%2Bz"},
                                                        {"é?#", "/b/%C3%A9%3F%23"},
                                                        {"/lead", "/b//lead"}}) {
    client.put_object({.bucket = "b", .key = key}, "x").or_throw();
    CHECK(service.last().target == target);
  }
}

TEST_CASE("client: an error is the exception of its code, derived from one base") {
  ScriptedService service({{.status = 404,
                            .body = error_xml("NoSuchKey", "<Key>k</Key>"),
                            .headers = {{"x-amz-request-id", "REQ"}, {"x-amz-id-2", "HOST"}}}});
  MadeUp environment;
  const Client client = environment.client(at(service));
  CHECK_THROWS_AS(client.get_object({.bucket = "b", .key = "k"}).or_throw(), errors::NoSuchKey);
  try {
    client.get_object({.bucket = "b", .key = "k"}).or_throw();
    FAIL("it did not throw");
  } catch (const ServiceError& fault) {
    CHECK(fault.code() == "NoSuchKey");
    CHECK(fault.kind() == ErrorKind::not_found);
    CHECK(fault.status() == 404);
    CHECK(fault.request_id() == "REQ");
    CHECK(fault.call().host_id == "HOST");
    CHECK(fault.data("Key") == "k");
    CHECK(std::string(fault.what()) ==
          "get_object b/k: m (status 404, NoSuchKey, request id REQ, 1 attempt)");
  }
  const Client calm = environment.client(quiet(at(service)));
  const auto response = calm.get_object({.bucket = "b", .key = "k"});
  CHECK(code_of_failure(response) == "NoSuchKey");
  CHECK_THROWS_AS(static_cast<void>(response->etag), ClientError);
}

TEST_CASE("errors: every code of the service has a class") {
  for (const s3::ErrorRow& row : s3::error_rows) {
    CAPTURE(row.code);
    CHECK(has_error_class(row.code));
    const CallInfo call{.status = row.status};
    CHECK_THROWS_AS(throw_error({row.kind, std::string(row.code), "m"}, call), ServiceError);
  }
  CHECK_THROWS_AS(throw_error({ErrorKind::conflict, "SomethingNew", "m"}, {.status = 409}),
                  ServiceError);
  CHECK_THROWS_AS(throw_error({ErrorKind::unavailable, "NetworkingError", "m"}, {}),
                  NetworkingError);
  CHECK_THROWS_AS(throw_error({ErrorKind::timeout, "", "m"}, {}), DeadlineError);
}

TEST_CASE("client: an error inside a 200 is an error, and worth another attempt") {
  ScriptedService service({{.body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n   \n" +
                                    error_xml("InternalError").substr(39)},
                           {.body = completed}});
  MadeUp environment;
  const Client client = environment.client(at(service));
  const auto response = client.complete_multipart_upload(completion());
  CHECK(response->etag == "\"e-1\"");
  CHECK(response.call().attempts == 2);
  CHECK(response.call().retries == 1);
  CHECK(environment.slept_s == std::vector<double>{0.3});

  ScriptedService final_one({{.body = error_xml("InvalidPart", "<PartNumber>1</PartNumber>")}});
  ClientOptions options = quiet(at(final_one));
  options.retry_limit = 0;
  const auto failed = environment.client(options).complete_multipart_upload(completion());
  CHECK(failed.error().code == "InvalidPart");
  CHECK(failed.call().status == 500);
  CHECK(failed.error().details.front().second == "1");
}

TEST_CASE("client: bodies that are no result are tried again, and named") {
  const std::pair<Answer, std::string> cases[] = {
      {{.body = ""}, "InternalError"},
      {{.body = "   \n "}, "InternalError"},
      {{.body = "<?xml version=\"1.0\"?>   "}, "InternalError"},
      {{.body = "<CompleteMultipartUploadResult><ETag>e</ET"}, "InternalError"},
      {{.body = "<html><body>proxy</body></html>"}, "InternalError"},
      {{.body = "<!DOCTYPE html><html></html>"}, "InternalError"},
      {{.body = "<Error><Code>Inter"}, "InternalError"},
      {{.body = completed.substr(0, 60), .cut_off = true}, "NetworkingError"},
      {{.status = 502, .body = "<html>Bad Gateway</html>"}, "Http502Error"},
      {{.status = 503, .body = ""}, "Http503Error"},
      {{.status = 500, .body = "<Error><Code>Intern"}, "InternalError"}};
  for (const auto& [answer, code] : cases) {
    CAPTURE(answer.body);
    ScriptedService service({answer});
    MadeUp environment;
    const Client client = environment.client(quiet(at(service)));
    const auto response = client.complete_multipart_upload(completion());
    if (answer.status == 500)
      CHECK(code_of_failure(response).starts_with("Http500"));
    else
      CHECK(code_of_failure(response) == code);
    CHECK(service.count() == 4);
    CHECK(environment.slept_s == std::vector<double>{0.3, 0.6, 1.2});
  }
}

TEST_CASE("client: errors of the control API have their codes") {
  ScriptedService service({{.status = 404,
                            .body = "<ErrorResponse><Error><Code>NoSuchAccessPoint</Code>"
                                    "<Message>none</Message></Error></ErrorResponse>"}});
  MadeUp environment;
  const Client client = environment.client(quiet(at(service)));
  CHECK(code_of_failure(client.call(
            "get_access_point", {{"account_id", "123456789012"}, {"name", "readers"}})) ==
        "NoSuchAccessPoint");
}

TEST_CASE("client: statuses without a body have names") {
  const std::pair<int, std::string> cases[] = {{404, "NotFound"},
                                               {403, "Forbidden"},
                                               {412, "PreconditionFailed"},
                                               {400, "BadRequest"},
                                               {405, "Http405Error"}};
  for (const auto& [status, code] : cases) {
    ScriptedService service({{.status = status}});
    MadeUp environment;
    const Client client = environment.client(quiet(at(service)));
    CHECK(code_of_failure(client.head_object({.bucket = "b", .key = "k"})) == code);
  }
  ScriptedService service({{.status = 304}});
  MadeUp environment;
  const auto same = environment.client(quiet(at(service)))
                        .get_object({.bucket = "b", .key = "k", .if_none_match = "e"});
  CHECK(code_of_failure(same) == "NotModified");
  CHECK(same.call().status == 304);
}

TEST_CASE("client: a bucket elsewhere is found by what the reply says, and remembered") {
  ScriptedService service([](const Seen& seen) -> Answer {
    const bool there = seen.header("authorization").find("/eu-north-1/") != std::string::npos;
    if (there) return {.body = "bytes"};
    return {.status = 301,
            .body = error_xml("PermanentRedirect"),
            .headers = {{"x-amz-bucket-region", "eu-north-1"}}};
  });
  MadeUp environment;
  const Client client = environment.client(at(service));
  CHECK(client.get_object({.bucket = "b", .key = "k"}).body() == "bytes");
  CHECK(service.count() == 2);
  CHECK(client.get_object({.bucket = "b", .key = "k"}).body() == "bytes");
  CHECK(service.count() == 3);
  CHECK(environment.slept_s.empty());

  ScriptedService strict([](const Seen& seen) -> Answer {
    if (seen.header("authorization").find("/ap-east-1/") != std::string::npos)
      return {.status = 200};
    return {.status = 400,
            .body = error_xml("AuthorizationHeaderMalformed", "<Region>ap-east-1</Region>")};
  });
  CHECK(environment.client(at(strict)).delete_bucket({.bucket = "b"}).ok());
  CHECK(strict.count() == 2);
}

TEST_CASE("client: a 307 is followed with the body and a signature for the new place") {
  ScriptedService there({{}});
  ScriptedService here({{.status = 307,
                         .body = error_xml("TemporaryRedirect"),
                         .headers = {{"Location", there.url() + "/b/k?x=1"}}}});
  MadeUp environment;
  const auto response =
      environment.client(at(here)).put_object({.bucket = "b", .key = "k"}, "bytes");
  CHECK(response.ok());
  CHECK(there.last().body == "bytes");
  CHECK(there.last().target == "/b/k?x=1");
  CHECK(there.last().header("host") == there.url().substr(7));
  CHECK(there.last().header("authorization") != here.last().header("authorization"));
  CHECK(response.call().attempts == 2);
  CHECK(response.call().retries == 0);

  ScriptedService circle([](const Seen&) -> Answer {
    return {
        .status = 307, .body = error_xml("TemporaryRedirect"), .headers = {{"Location", "/b/k"}}};
  });
  CHECK(code_of_failure(environment.client(quiet(at(circle))).head_bucket({.bucket = "b"})) ==
        "Http307Error");
  CHECK(circle.count() == 6);
}

TEST_CASE("client: Retry-After is waited for at least") {
  ScriptedService service(
      {{.status = 503, .body = error_xml("SlowDown"), .headers = {{"Retry-After", "7"}}}, {}});
  MadeUp environment;
  environment.client(at(service)).head_bucket({.bucket = "b"}).or_throw();
  CHECK(environment.slept_s == std::vector<double>{7});
}

TEST_CASE("client: a Retry-After of days is an error that says so, not a sleep") {
  for (const char* const asked :
       {"100000", "9223372036854775807", "99999999999999999999", "Fri, 31 Dec 2100 00:00:00 GMT"}) {
    CAPTURE(asked);
    ScriptedService service(
        {{.status = 503, .body = error_xml("SlowDown"), .headers = {{"Retry-After", asked}}}});
    MadeUp environment;
    const Client client = environment.client(quiet(at(service)));
    const auto never = client.head_bucket({.bucket = "b"});
    CHECK(never.error().message.find("the service asks to wait ") != std::string::npos);
    CHECK(never.error().message.find(" 1 attempt)") != std::string::npos);
    const auto soon =
        client.head_bucket({.bucket = "b"}, {.deadline = os::Deadline::in_ms(60'000)});
    CHECK(code_of_failure(soon) == code_of_failure(never));
    CHECK(service.count() == 2);
    CHECK(environment.slept_s.empty());
    ClientOptions bounded = quiet(at(service));
    bounded.retry_max_delay = 2;
    bounded.retry_limit = 1;
    CHECK_FALSE(environment.client(bounded).head_bucket({.bucket = "b"}).ok());
    CHECK(environment.slept_s == std::vector<double>{2});
  }
}

TEST_CASE("client: a deadline and a stop end calls and waits") {
  ScriptedService service({{.status = 500, .body = error_xml("InternalError")}});
  MadeUp environment;
  const Client client = environment.client(quiet(at(service)));
  const auto late = client.head_bucket({.bucket = "b"}, {.deadline = os::Deadline::in_ms(0)});
  CHECK(late.error().kind == ErrorKind::timeout);
  CHECK(service.count() == 0);
  std::stop_source stop;
  stop.request_stop();
  const auto stopped =
      client.head_bucket({.bucket = "b"}, {.deadline = os::Deadline::never(stop.get_token())});
  CHECK(stopped.error().kind == ErrorKind::cancelled);
}

TEST_CASE("client: sessions of directory buckets are opened once, kept, and renewed") {
  int sessions = 0;
  os::FakeClock* clock = nullptr;
  ScriptedService service([&](const Seen& seen) -> Answer {
    if (seen.target.find("?session") == std::string::npos) {
      CHECK(seen.header("x-amz-s3session-token") == "TOKEN" + std::to_string(sessions));
      CHECK(seen.header("authorization").find("Credential=SESSION/") != std::string::npos);
      CHECK(seen.header("authorization").find("/s3express/") != std::string::npos);
      CHECK_FALSE(seen.headers.has("x-amz-security-token"));
      return {.body = "bytes"};
    }
    CHECK(seen.header("authorization").find("Credential=AKID/") != std::string::npos);
    const std::string until = format_iso8601(clock->unix_ms() + 300'000);
    return {.body = "<CreateSessionResult><Credentials><SessionToken>TOKEN" +
                    std::to_string(++sessions) +
                    "</SessionToken><SecretAccessKey>S</SecretAccessKey><AccessKeyId>SESSION"
                    "</AccessKeyId><Expiration>" +
                    until + "</Expiration></Credentials></CreateSessionResult>"};
  });
  MadeUp environment;
  clock = &environment.clock;
  const Client client = environment.client(at(service));
  const auto get = [&] {
    return client.get_object({.bucket = "base--usw2-az1--x-s3", .key = "k"}).body();
  };
  CHECK(get() == "bytes");
  CHECK(get() == "bytes");
  CHECK(sessions == 1);
  environment.clock.advance_ms(200'000);  // 100 seconds left
  CHECK(get() == "bytes");
  CHECK(sessions == 2);
}

TEST_CASE("client: many threads share one client") {
  ScriptedService service({{.body = "bytes"}});
  MadeUp environment;
  const Client client = environment.client(at(service));
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        for (int n = 0; n < 20; ++n)
          if (client.get_object({.bucket = "b", .key = "k"}).body() == "bytes") ++good;
      });
  }
  CHECK(good == 160);
  CHECK(service.count() == 160);
}

TEST_CASE("client: in dialect svc names, values and signatures are the neutral ones") {
  ScriptedService service(
      {{.headers = {{"x-svc-server-side-encryption", "svc:fsx"}, {"x-svc-request-id", "R"}}}});
  MadeUp environment;
  ClientOptions options = at(service);
  options.dialect = "svc";
  const auto response = environment.client(options).put_object(
      {.bucket = "b", .key = "k", .metadata = {{"a", "1"}}, .server_side_encryption = "aws:kms"},
      "x");
  CHECK(response->server_side_encryption == "svc:fsx");
  CHECK(response.call().request_id == "R");
  const Seen seen = service.last();
  CHECK(seen.header("x-svc-meta-a") == "1");
  CHECK(seen.header("x-svc-server-side-encryption") == "svc:kms");
  CHECK(seen.header("authorization").starts_with("SVC4-HMAC-SHA256 "));
  for (const auto& [name, value] : seen.headers.fields()) {
    CHECK(name.find("amz") == std::string::npos);
    if (name != "User-Agent") CHECK(value.find("aws") == std::string::npos);
  }
}

TEST_CASE("client: values that are not known yet are kept") {
  ScriptedService service({{.headers = {{"x-amz-server-side-encryption", "aws:later"},
                                        {"x-amz-storage-class", "FROZEN"}}}});
  MadeUp environment;
  const auto head = environment.client(at(service)).head_object({.bucket = "b", .key = "k"});
  CHECK(head->server_side_encryption == "aws:later");
  CHECK(head->storage_class == "FROZEN");
}

}  // namespace cairn::objectclient::client_test
