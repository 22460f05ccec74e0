// SPDX-License-Identifier: Apache-2.0
// copy_object, row by row: what it is encrypted with, and what its source was.
#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "s3api/objects/copy_test_rig.h"

namespace cairn::s3api::copy_encryption_rows_test {
namespace {

using Fields = CopyRig::Fields;

TEST_CASE("copy rows: server_side_encryption, its key, context and bucket key") {
  const std::string method = "x-amz-server-side-encryption";
  const std::string arn = "arn:aws:kms:us-east-1:111111111111:key/one";
  const struct {
    Fields fields;
    const char *method, *bucket_key;
  } good[] = {
      {{{method, "AES256"}}, "AES256", ""},
      {{{method, "aws:kms"}}, "aws:kms", ""},
      {{{method, "aws:kms"}, {method + "-aws-kms-key-id", "one"}}, "aws:kms", ""},
      {{{method, "aws:kms"}, {method + "-aws-kms-key-id", "alias/first"}}, "aws:kms", ""},
      {{{method, "aws:kms"}, {method + "-aws-kms-key-id", arn}}, "aws:kms", ""},
      {{{method, "aws:kms"}, {method + "-bucket-key-enabled", "true"}}, "aws:kms", "true"},
      {{{method, "aws:kms:dsse"}}, "aws:kms:dsse", ""},
  };
  for (const auto& row : good) {
    CopyRig rig;
    const Answer answer = rig.copy(row.fields);
    CHECK(answer.status == 200);
    CHECK(answer.header(method) == row.method);
    CHECK(answer.header(method + "-bucket-key-enabled") == row.bucket_key);
    if (std::string_view(row.method) != "AES256")
      CHECK(answer.header(method + "-aws-kms-key-id") == arn);
    CHECK(rig.get("/albums/c").body == "abc");
    CHECK(rig.head("/albums/c").header(method) == row.method);
  }
  const struct {
    Fields fields;
    const char* code;
  } bad[] = {
      {{{method, "ROT13"}}, "InvalidEncryptionAlgorithmError"},
      {{{method, "aws:fsx"}}, "InvalidEncryptionAlgorithmError"},
      {{{method, "aws:kms"}, {method + "-aws-kms-key-id", "two"}}, "KMS.NotFoundException"},
      {{{method, "aws:kms"}, {method + "-context", "x"}}, "InvalidArgument"},
      {{{method, "AES256"}, {method + "-aws-kms-key-id", "one"}}, "InvalidArgument"},
      {{{method + "-aws-kms-key-id", "one"}}, "InvalidArgument"},
  };
  CopyRig rig;
  for (const auto& row : bad) {
    const Answer answer = rig.copy(row.fields);
    CHECK(answer.status == 400);
    CHECK(answer.code() == row.code);
    CHECK(rig.head("/albums/c").status == 404);
  }
}

TEST_CASE("copy rows: the encryption context is told, and not copied") {
  CopyRig rig;
  const std::string method = "x-amz-server-side-encryption";
  const std::string context = to_base64(R"({"a":"b"})");
  REQUIRE(rig.put("/photos/sealed", "abc", {{method, "aws:kms"}, {method + "-context", context}})
              .status == 200);
  Answer answer = rig.copy({{method, "aws:kms"}, {method + "-context", context}});
  CHECK(answer.header(method + "-context") == context);
  CHECK(rig.get("/albums/c").body == "abc");
  answer = rig.copy({{method, "aws:kms"}}, "/photos/sealed");
  CHECK(answer.status == 200);
  CHECK_FALSE(answer.headers.has(method + "-context"));
  // Without a word the bucket's own default holds: here, none.
  answer = rig.copy({}, "/photos/sealed");
  CHECK_FALSE(answer.headers.has(method));
  CHECK(rig.get("/albums/c").body == "abc");
}

Fields customer_key(const std::string& prefix, char letter) {
  const std::string key(32, letter);
  return {{prefix + "algorithm", "AES256"},
          {prefix + "key", to_base64(key)},
          {prefix + "key-MD5", to_base64(md5(key))}};
}
const std::string own_key = "x-amz-server-side-encryption-customer-";
const std::string source_key = "x-amz-copy-source-server-side-encryption-customer-";

TEST_CASE("copy rows: customer's keys of the source and of the copy") {
  CopyRig rig(Options{.customer_keys_over_http = true});
  REQUIRE(rig.put("/photos/sealed", "abc", customer_key(own_key, 'a')).status == 200);
  const auto both = [](Fields one, const Fields& two) {
    one.insert(one.end(), two.begin(), two.end());
    return one;
  };
  Answer answer = rig.copy({}, "/photos/sealed");
  CHECK(answer.status == 400);
  CHECK(answer.code() == "InvalidRequest");
  CHECK(answer.text("Message") ==
        "The object was stored using a form of Server Side Encryption. The correct parameters must "
        "be provided to retrieve the object.");
  CHECK(rig.copy(customer_key(source_key, 'b'), "/photos/sealed").status == 403);
  answer = rig.copy(customer_key(source_key, 'a'), "/photos/sealed");
  CHECK(answer.status == 200);
  CHECK(rig.get("/albums/c").body == "abc");
  answer =
      rig.copy(both(customer_key(source_key, 'a'), customer_key(own_key, 'c')), "/photos/sealed");
  CHECK(answer.status == 200);
  CHECK(answer.header(own_key + "algorithm") == "AES256");
  CHECK(answer.header(own_key + "key-MD5") == to_base64(md5(std::string(32, 'c'))));
  CHECK_FALSE(answer.headers.has(own_key + "key"));
  CHECK(rig.get("/albums/c", customer_key(own_key, 'c')).body == "abc");
  CHECK(rig.get("/albums/c", customer_key(own_key, 'a')).status == 403);
  CHECK(rig.copy(customer_key(own_key, 'c')).status == 200);
  answer = rig.copy(both(customer_key(own_key, 'c'), {{"x-amz-server-side-encryption", "AES256"}}));
  CHECK(answer.code() == "InvalidArgument");
  for (const std::string& prefix : {own_key, source_key}) {
    for (std::size_t missing = 0; missing < 3; ++missing) {
      Fields fields = customer_key(prefix, 'a');
      fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(missing));
      CHECK(rig.copy(fields, "/photos/sealed").code() == "InvalidArgument");
    }
    Fields fields = customer_key(prefix, 'a');
    fields[2].second = to_base64(md5("other"));
    CHECK(rig.copy(fields, "/photos/sealed").code() == "InvalidArgument");
  }
}

}  // namespace
}  // namespace cairn::s3api::copy_encryption_rows_test
