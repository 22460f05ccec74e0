// SPDX-License-Identifier: Apache-2.0
// Forms that are signed for pages: what a service would say to them.
#include <doctest/doctest.h>

#include "base/strings.h"
#include "objectclient/service_errors.h"
#include "objectclient/testing.h"
#include "s3/form_policy.h"
#include "s3/signing/form_claim.h"

namespace cairn::objectclient::call_form_test {
namespace {

ClientOptions form_options(s3::Dialect dialect = s3::Dialect::aws) {
  ClientOptions options{.region = "eu-west-1", .endpoint = "http://127.0.0.1:9000"};
  options.access_key_id = "AKID";
  options.secret_access_key = "secret";
  options.dialect = dialect == s3::Dialect::aws ? "aws" : "svc";
  return options;
}

// Fields as a service reads them, with what a page adds.
s3::FormFields sent(const PresignedPost& form, const s3::FormFields& added = {}) {
  s3::FormFields fields;
  for (const auto& [name, value] : form.fields) fields.emplace_back(lower_ascii(name), value);
  fields.insert(fields.end(), added.begin(), added.end());
  return fields;
}

// "ok", or what is said.
std::string judged(const s3::FormFields& fields, std::string_view bucket, std::int64_t now_ms) {
  s3::SigningKeys keys;
  const auto claim = s3::read_form_claim(fields);
  if (!claim.ok() || !*claim) return "no claim";
  if (!s3::verify_form_claim(**claim, fields, {.secret = "secret", .regions = {"eu-west-1"}}, keys)
           .ok())
    return "not signed";
  const auto policy = s3::parse_form_policy(*s3::find_field(fields, "policy"));
  if (!policy.ok()) return policy.error().message;
  const Status checked = s3::check_form_policy(*policy, fields, bucket, now_ms);
  return checked.ok() ? "ok" : checked.error().message;
}

}  // namespace

TEST_CASE("presigned forms: a service takes what they allow and nothing else") {
  for (const s3::Dialect dialect : {s3::Dialect::aws, s3::Dialect::svc}) {
    MadeUp environment;
    const Client client = environment.client(form_options(dialect));
    const PresignedPost form =
        client.presign_post("inbox", "in/${filename}",
                            {.expires_in_s = 60,
                             .fields = {{"acl", "private"}, {"success_action_status", "201"}},
                             .starts_with = {{"Content-Type", "image/"}},
                             .content_length_range = {{1, 10}}});
    CHECK(form.url == "http://127.0.0.1:9000/inbox");
    CHECK(form.fields.front().first == "key");
    CHECK(form.fields.front().second == "in/${filename}");
    const std::int64_t now_ms = environment.clock.unix_ms();
    s3::FormFields fields = sent(form, {{"content-type", "image/png"}});
    fields.front().second = "in/a.png";
    CHECK(judged(fields, "inbox", now_ms) == "ok");
    CHECK(judged(fields, "inbox", now_ms + 59'999) == "ok");
    CHECK(judged(fields, "inbox", now_ms + 60'000).ends_with("Policy expired."));
    CHECK(judged(fields, "other", now_ms).find("$bucket") != std::string::npos);
    fields.front().second = "out/a.png";
    CHECK(judged(fields, "inbox", now_ms).find("$key") != std::string::npos);
    CHECK(judged(sent(form, {{"content-type", "text/html"}}), "inbox", now_ms)
              .find("$content-type") != std::string::npos);
    CHECK(judged(sent(form, {{"content-type", "image/png"}, {"more", "1"}}), "inbox", now_ms)
              .ends_with("Extra input fields: more"));
    const auto policy = s3::parse_form_policy(*s3::find_field(sent(form), "policy"));
    CHECK(policy->bytes_min == 1);
    CHECK(policy->bytes_max == 10);
  }
}

TEST_CASE("presigned forms: credentials for a while, and buckets in the host") {
  MadeUp environment;
  ClientOptions options = form_options();
  options.session_token = "token";
  const PresignedPost form = environment.client(options).presign_post("inbox", "k");
  CHECK(*s3::find_field(sent(form), "x-amz-security-token") == "token");
  CHECK(judged(sent(form), "inbox", environment.clock.unix_ms()) == "ok");
  options.endpoint = "http://objects.example.com";
  CHECK(environment.client(options).presign_post("inbox", "k").url ==
        "http://inbox.objects.example.com/");
}

TEST_CASE("presigned forms: what cannot be asked for") {
  MadeUp environment;
  const Client client = environment.client(form_options());
  const auto refused = [&](const std::string& bucket, const std::string& key,
                           const PresignedPostOptions& posting) {
    try {
      client.presign_post(bucket, key, posting);
    } catch (const ClientError& error) {
      return error.error().code;
    }
    return std::string("none");
  };
  CHECK(refused("inbox", "", {}) == "ArgumentError");
  CHECK(refused("", "k", {}) != "none");
  CHECK(refused("inbox", "k", {.expires_in_s = 0}) == "ArgumentError");
  CHECK(refused("inbox", "k", {.expires_in_s = 604'801}) == "ArgumentError");
  CHECK(refused("inbox", "k", {.content_length_range = {{2, 1}}}) == "ArgumentError");
  for (const char* name :
       {"key", "File", "policy", "bucket", "x-amz-signature", "X-Amz-Credential", "x-svc-date", "x-amz-algorithm", ""}) {
    CAPTURE(name);
    CHECK(refused("inbox", "k", {.fields = {{name, "x"}}}) == "ArgumentError");
    CHECK(refused("inbox", "k", {.starts_with = {{name, "x"}}}) == "ArgumentError");
  }
  CHECK(refused("inbox--use1-az1--x-s3", "k", {}) != "none");
}

}  // namespace cairn::objectclient::call_form_test
