// SPDX-License-Identifier: Apache-2.0
// Encryption at rest through the service: what requests and buckets ask for, and what answers say.
#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::encryption_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;
const std::string method = "x-amz-server-side-encryption";

Fields customer(const std::string& key, const std::string& start = method) {
  return {{start + "-customer-algorithm", "AES256"},
          {start + "-customer-key", to_base64(key)},
          {start + "-customer-key-MD5", to_base64(md5(key))}};
}

struct SealedRig : ServiceRig {
  explicit SealedRig(Options options = {}) : ServiceRig(std::move(options)) {
    REQUIRE(put("/bkt").status == 200);
  }
  Answer safely(std::string verb, std::string target, Fields fields, std::string body = {}) {
    return ask({.method = std::move(verb),
                .target = std::move(target),
                .headers = std::move(fields),
                .body = std::move(body),
                .tls = true});
  }
};

TEST_CASE("encryption: by the service's own key") {
  SealedRig rig;
  CHECK_FALSE(rig.put("/bkt/plain", "x").headers.has(method));
  Answer answer = rig.put("/bkt/k", "secret", {{method, "AES256"}});
  CHECK(answer.status == 200);
  CHECK(answer.header(method) == "AES256");
  CHECK(answer.header("ETag") == "\"" + to_hex(md5("secret")) + "\"");
  answer = rig.get("/bkt/k");
  CHECK(answer.body == "secret");
  CHECK(answer.header(method) == "AES256");
  CHECK(rig.put("/bkt/k", "x", {{method, "ROT13"}}).code() == "InvalidEncryptionAlgorithmError");
  CHECK(rig.put("/bkt/k", "x", {{method, "AES256"}, {method + "-aws-kms-key-id", "one"}}).code() ==
        "InvalidArgument");
}

TEST_CASE("encryption: by keys of the key service, in one layer or two") {
  SealedRig rig;
  const std::string arn = "arn:aws:kms:us-east-1:111111111111:key/one";
  const std::string context = to_base64("{\"a\":\"b\"}");
  for (const char* how : {"aws:kms", "aws:kms:dsse"}) {
    for (const char* key : {"", "one", "alias/first", arn.c_str()}) {
      Fields fields = {{method, how}, {method + "-context", context}};
      if (*key != '\0') fields.emplace_back(method + "-aws-kms-key-id", key);
      Answer answer = rig.put("/bkt/k", "secret", fields);
      CHECK(answer.status == 200);
      CHECK(answer.header(method) == how);
      CHECK(answer.header(method + "-aws-kms-key-id") == arn);
      CHECK(answer.header(method + "-context") == context);
      CHECK(answer.header("ETag") != "\"" + to_hex(md5("secret")) + "\"");
      answer = rig.get("/bkt/k");
      CHECK(answer.body == "secret");
      CHECK(answer.header(method + "-aws-kms-key-id") == arn);
    }
  }
  CHECK(
      rig.put("/bkt/k", "x", {{method, "aws:kms"}, {method + "-aws-kms-key-id", "fake"}}).code() ==
      "KMS.NotFoundException");
  CHECK(rig.put("/bkt/k", "x", {{method, "aws:kms"}, {method + "-context", "e30"}}).code() ==
        "InvalidArgument");
  CHECK(rig.put("/bkt/k", "x", {{method, "aws:kms"}, {method + "-bucket-key-enabled", "true"}})
            .header(method + "-bucket-key-enabled") == "true");
  CHECK(rig.ask({.method = "PUT",
                 .target = "/bkt/k",
                 .headers = {{"x-svc-server-side-encryption", "svc:kms"}},
                 .body = "x",
                 .dialect = s3::Dialect::svc})
            .header("x-svc-server-side-encryption") == "svc:kms");
}

TEST_CASE("encryption: the neutral dialect names keys in its own words, and nothing else") {
  SealedRig rig;
  const std::string neutral = "x-svc-server-side-encryption";
  const std::string arn = "arn:svc:kms:us-east-1:111111111111:key/one";
  const auto put = [&](const std::string& field, const std::string& key) {
    return rig.ask({.method = "PUT",
                    .target = "/bkt/k",
                    .headers = {{neutral, "svc:kms"}, {field, key}},
                    .body = "x",
                    .dialect = s3::Dialect::svc});
  };
  for (const std::string& key : {std::string("one"), std::string("alias/first"), arn}) {
    CAPTURE(key);
    const Answer answer = put(neutral + "-svc-kms-key-id", key);
    CHECK(answer.status == 200);
    CHECK(answer.header(neutral + "-svc-kms-key-id") == arn);
    for (const auto& [name, value] : answer.headers.fields()) {
      CHECK(value.find("arn:aws") == std::string::npos);
      CHECK(name.find("aws-kms") == std::string::npos);
    }
  }
  CHECK(put(neutral + "-svc-kms-key-id", "fake").code() == "KMS.NotFoundException");
  // Half of each dialect: unread, it would mean another key than it says.
  const Answer half = put(neutral + "-aws-kms-key-id", "one");
  CHECK(half.code() == "InvalidArgument");
  CHECK(half.text("Message").find(neutral + "-svc-kms-key-id") != std::string::npos);
  CHECK(rig.head("/bkt/k").header(method + "-aws-kms-key-id") ==
        "arn:aws:kms:us-east-1:111111111111:key/one");
}

TEST_CASE("encryption: a read that says how to encrypt is refused") {
  SealedRig rig;
  REQUIRE(rig.put("/bkt/k", "secret", {{method, "AES256"}}).status == 200);
  for (const char* what : {"", "-aws-kms-key-id", "-context", "-bucket-key-enabled"}) {
    CAPTURE(what);
    const Answer answer = rig.get("/bkt/k", {{method + what, "AES256"}});
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidArgument");
    CHECK(answer.text("ArgumentName") == method + what);
    CHECK(rig.head("/bkt/k", {{method + what, "AES256"}}).status == 400);
  }
  CHECK(rig.get("/bkt/k").body == "secret");
}

TEST_CASE("encryption: what a bucket does by default, and what a copy makes of it") {
  SealedRig rig;
  const std::string rules =
      "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>"
      "<SSEAlgorithm>aws:kms</SSEAlgorithm></ApplyServerSideEncryptionByDefault>"
      "<BucketKeyEnabled>true</BucketKeyEnabled></Rule></ServerSideEncryptionConfiguration>";
  REQUIRE(rig.put("/bkt/plain", "x").status == 200);
  CHECK(rig.put("/bkt?encryption", rules).status == 200);
  CHECK(rig.get("/bkt?encryption").text("Rule/ApplyServerSideEncryptionByDefault/SSEAlgorithm") ==
        "aws:kms");
  const Answer answer = rig.put("/bkt/k", "x");
  CHECK(answer.header(method) == "aws:kms");
  CHECK(answer.header(method + "-bucket-key-enabled") == "true");
  CHECK(rig.put("/bkt/other", "x", {{method, "AES256"}}).header(method) == "AES256");
  CHECK(rig.put("/bkt/copy", "", {{"x-amz-copy-source", "/bkt/plain"}}).header(method) ==
        "aws:kms");
  CHECK(rig.get("/bkt/copy").body == "x");
  CHECK(rig.post("/bkt/up?uploads", "", {}).header(method) == "aws:kms");
  // Onto itself with another encryption is a change.
  CHECK(rig.put("/bkt/k", "", {{"x-amz-copy-source", "/bkt/k"}, {method, "AES256"}}).status == 200);
  CHECK(rig.remove("/bkt?encryption").status == 204);
  CHECK_FALSE(rig.put("/bkt/k", "x").headers.has(method));
  ServiceRig by_default(Options{.encrypt_new_buckets = true});
  REQUIRE(by_default.put("/bkt").status == 200);
  CHECK(by_default.get("/bkt?encryption")
            .text("Rule/ApplyServerSideEncryptionByDefault/SSEAlgorithm") == "AES256");
  CHECK(by_default.put("/bkt/k", "x").header(method) == "AES256");
}

TEST_CASE("encryption: a customer's key opens what it closed, and nothing else does") {
  SealedRig rig;
  const std::string key(32, 'k'), other(32, 'o');
  CHECK(rig.put("/bkt/k", "secret", customer(key)).text("Message").find("secure connection") !=
        std::string::npos);
  Answer answer = rig.safely("PUT", "/bkt/k", customer(key), "secret");
  CHECK(answer.status == 200);
  CHECK(answer.header(method + "-customer-algorithm") == "AES256");
  CHECK(answer.header(method + "-customer-key-MD5") == to_base64(md5(key)));
  CHECK_FALSE(answer.headers.has(method));
  answer = rig.safely("GET", "/bkt/k", customer(key));
  CHECK(answer.body == "secret");
  CHECK(answer.header(method + "-customer-key-MD5") == to_base64(md5(key)));
  for (const char* verb : {"GET", "HEAD"}) {
    CHECK(rig.safely(verb, "/bkt/k", {}).status == 400);
    CHECK(rig.safely(verb, "/bkt/k", customer(other)).status == 403);
    CHECK(rig.safely(verb, "/bkt/k", customer(key)).status == 200);
  }
  REQUIRE(rig.put("/bkt/plain", "x").status == 200);
  CHECK(rig.safely("GET", "/bkt/plain", customer(key)).status == 400);
  Fields copy = customer(key, "x-amz-copy-source-server-side-encryption");
  copy.emplace_back("x-amz-copy-source", "/bkt/k");
  CHECK(rig.safely("PUT", "/bkt/copy", copy).status == 200);
  CHECK(rig.get("/bkt/copy").body == "secret");
  CHECK(rig.safely("PUT", "/bkt/copy", {{"x-amz-copy-source", "/bkt/k"}}).status == 400);
  SealedRig lenient(Options{.customer_keys_over_http = true});
  CHECK(lenient.put("/bkt/k", "x", customer(key)).status == 200);
}

struct CustomerCase {
  const char* without;
  Fields instead;
  const char* code;
  const char* message;
};

TEST_CASE("encryption: fields of a customer's key that do not fit have their errors") {
  SealedRig rig;
  const std::string start = method + "-customer-";
  const std::string asking =
      "Requests specifying Server Side Encryption with Customer provided keys must provide ";
  const std::string no_algorithm = asking + "a valid encryption algorithm.";
  const std::string no_key = asking + "an appropriate secret key.";
  const CustomerCase cases[] = {
      {"",
       {{method, "AES256"}},
       "InvalidArgument",
       "Server Side Encryption with Customer provided key is incompatible with the encryption "
       "method specified"},
      {"algorithm", {}, "InvalidArgument", no_algorithm.c_str()},
      {"algorithm",
       {{start + "algorithm", "KMS"}},
       "InvalidEncryptionAlgorithmError",
       "The Encryption request you specified is not valid. Supported value: AES256."},
      {"key", {}, "InvalidArgument", no_key.c_str()},
      {"key-MD5", {}, "InvalidArgument", "The secret key was invalid for the specified algorithm."},
      {"key",
       {{start + "key", "c2hvcnQ="}},
       "InvalidArgument",
       "The secret key was invalid for the specified algorithm."},
      {"key-MD5",
       {{start + "key-MD5", to_base64(md5("x"))}},
       "InvalidArgument",
       "The calculated MD5 hash of the key did not match the hash that was provided."},
  };
  for (const CustomerCase& c : cases) {
    CAPTURE(c.message);
    Fields fields = customer(std::string(32, 'k'));
    std::erase_if(fields, [&](const auto& field) { return field.first == start + c.without; });
    fields.insert(fields.end(), c.instead.begin(), c.instead.end());
    const Answer answer = rig.safely("PUT", "/bkt/k", fields, "x");
    CHECK(answer.status == 400);
    CHECK(answer.code() == c.code);
    CHECK(answer.text("Message") == c.message);
  }
}

TEST_CASE("encryption: parts of an upload come with the key of its beginning") {
  SealedRig rig;
  const std::string key(32, 'k');
  const std::string id = rig.safely("POST", "/bkt/up?uploads", customer(key)).text("UploadId");
  const std::string part = "/bkt/up?partNumber=1&uploadId=" + id;
  CHECK(rig.safely("PUT", part, {}, "x").code() == "InvalidRequest");
  CHECK(rig.safely("PUT", part, customer(std::string(32, 'o')), "x").code() == "InvalidRequest");
  const Answer put = rig.safely("PUT", part, customer(key), "x");
  CHECK(put.status == 200);
  CHECK(put.header(method + "-customer-algorithm") == "AES256");
  const Answer done =
      rig.safely("POST", "/bkt/up?uploadId=" + id, customer(key),
                 "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>" +
                     put.header("ETag") + "</ETag></Part></CompleteMultipartUpload>");
  CHECK(done.status == 200);
  const Answer got = rig.safely("GET", "/bkt/up", customer(key));
  CHECK(got.body == "x");
  // No MD5 of the body, but the number of parts is told.
  CHECK(got.header("ETag").ends_with("-1\""));
  CHECK(got.header("ETag") == done.text("ETag"));
}

}  // namespace
}  // namespace cairn::s3api::encryption_test
