// SPDX-License-Identifier: Apache-2.0
// What the options change that say who signs.
#include "base/encode.h"
#include "objectclient/option_effects.h"

namespace cairn::objectclient {

void add_identity(std::vector<Effect>& out) {
  const auto credential = [](const std::function<void(ClientOptions&)>& change) {
    const std::string field = put_with(change).header("authorization");
    const auto begin = field.find("Credential=") + 11;
    return field.substr(begin, field.find('/', begin) - begin);
  };
  out.push_back({"access_key_id", [credential] {
                   CHECK(credential([](auto& o) { o.access_key_id = "OTHER"; }) == "OTHER");
                 }});
  out.push_back(
      {"secret_access_key", [] {
         const auto signature = [](const char* secret) {
           const std::string url = [&] {
             MadeUp environment;
             ClientOptions options = somewhere();
             options.secret_access_key = secret;
             return environment.client(options).presigned_url("head_bucket", {{"bucket", "b"}});
           }();
           return url.substr(url.find("Signature="));
         };
         CHECK(signature("one") == signature("one"));
         CHECK(signature("one") != signature("two"));
       }});
  out.push_back({"session_token", [] {
                   CHECK(put_with([](auto& o) {
                           o.session_token = "T";
                         }).header("x-amz-security-token") == "T");
                 }});
  out.push_back({"account_id", [] {
                   MadeUp environment;
                   ClientOptions options = somewhere();
                   options.account_id = "123456789012";
                   const auto found =
                       environment.state(options)->identity.credentials(os::Deadline::never());
                   REQUIRE(found.ok());
                   CHECK((*found)->account_id == "123456789012");
                 }});
  out.push_back({"mfa_token_code", [] {
                   for (const bool known : {false, true}) {
                     MadeUp environment;
                     environment.files["/home/u/.aws/config"] =
                         "[default]\nrole_arn = r\nsource_profile = base\nmfa_serial = phone\n"
                         "[profile base]\naws_access_key_id = A\naws_secret_access_key = S\n";
                     ScriptedService sts({{.status = 403, .body = error_xml("AccessDenied")}});
                     environment.variables["AWS_ENDPOINT_URL_STS"] = sts.url();
                     ClientOptions options{.region = "eu-west-1", .raise_response_errors = false};
                     if (known)
                       options.mfa_token_code = [](const std::string& serial, const os::Deadline&) {
                         return Result<std::string>(serial + "-code");
                       };
                     const auto failed = environment.client(options).head_bucket({.bucket = "b"});
                     CHECK(failed.error().code == "MissingCredentialsError");
                     CHECK((failed.error().message.find("mfa_token_code") == std::string::npos) ==
                           known);
                     CHECK(sts.count() == (known ? 1 : 0));
                     if (known)
                       CHECK(sts.last().body.find("TokenCode=phone-code") != std::string::npos);
                   }
                 }});
  out.push_back({"credentials", [credential] {
                   CHECK(credential([](auto& o) {
                           o.credentials = static_credentials(
                               {.access_key_id = "PROVIDED", .secret_access_key = "S"});
                         }) == "PROVIDED");
                   MadeUp environment;
                   const auto none = environment
                                         .client({.region = "r",
                                                  .endpoint = "http://127.0.0.1:1",
                                                  .raise_response_errors = false})
                                         .head_bucket({.bucket = "b"});
                   CHECK(none.error().code == "MissingCredentialsError");
                   CHECK(none.error().message.find("AWS_ACCESS_KEY_ID") != std::string::npos);
                 }});
  out.push_back({"token_provider", [] {
                   SecureService secure;
                   MadeUp environment;
                   ClientOptions options = secure.trusted();
                   options.token_provider = static_token("BEARER");
                   options.auth_scheme_preference = {"httpBearerAuth"s};
                   CHECK(environment.client(options).head_bucket({.bucket = "b"}).ok());
                   CHECK(secure.service.last().header("authorization") == "Bearer BEARER");
                   // A token is never sent in the clear.
                   ScriptedService plain({{}});
                   ClientOptions clear = quiet(at(plain));
                   clear.token_provider = static_token("BEARER");
                   clear.auth_scheme_preference = {"httpBearerAuth"s};
                   CHECK(environment.client(clear).head_bucket({.bucket = "b"}).error().message ==
                         "Unable to use bearer authorization on non https endpoint.");
                   CHECK(plain.count() == 0);
                 }});
  out.push_back({"auth_scheme_preference", [] {
                   CHECK(put_with([](auto& o) { o.auth_scheme_preference = {"noAuth"s}; })
                             .header("authorization")
                             .empty());
                   CHECK(put_with([](auto& o) { o.auth_scheme_preference = {"sigv4a"s}; })
                             .header("authorization")
                             .starts_with("AWS4-ECDSA-P256-SHA256 "));
                   CHECK(put_with([](auto& o) {
                           o.auth_scheme_preference = {"new"s, "sigv4"s};
                         })
                             .header("authorization")
                             .starts_with("AWS4-HMAC-SHA256 "));
                 }});
  out.push_back({"sigv4a_signing_region_set", [] {
                   const Seen seen = put_with([](auto& o) {
                     o.auth_scheme_preference = {"sigv4a"s};
                     o.sigv4a_signing_region_set = {"us-*"s, "eu-west-1"s};
                   });
                   CHECK(seen.header("x-amz-region-set") == "us-*,eu-west-1");
                   CHECK(seen.header("authorization").find("/s3/aws4_request") !=
                         std::string::npos);
                 }});
  out.push_back({"disable_s3_express_session_auth", [] {
                   for (const bool off : {false, true}) {
                     ScriptedService service({{.status = 403, .body = error_xml("AccessDenied")}});
                     MadeUp environment;
                     ClientOptions options = quiet(at(service));
                     options.disable_s3_express_session_auth = off;
                     const auto failed = environment.client(options).get_object(
                         {.bucket = "base--usw2-az1--x-s3", .key = "k"});
                     CHECK(code_of_failure(failed) == "AccessDenied");
                     CHECK((service.last().target.find("?session") == std::string::npos) == off);
                   }
                 }});
  const auto granted = [](AccessGrantsOptions how, bool has_grant, int requests, int& asked) {
    ScriptedService control([&](const Seen& seen) -> Answer {
      CHECK(seen.header("x-amz-account-id") == "123456789012");
      if (seen.target.find("/prefix?") != std::string::npos)
        return {.body =
                    "<R><AccessGrantsInstanceArn>arn:aws:s3:eu-west-1:123456789012:"
                    "access-grants/default</AccessGrantsInstanceArn></R>"};
      ++asked;
      CHECK(seen.target.find("target=s3%3A%2F%2Fb%2Fdir%2F") != std::string::npos);
      CHECK(seen.target.find("privilege=" + how.privilege) != std::string::npos);
      if (!has_grant)
        return {.status = 403,
                .body =
                    "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no grant"
                    "</Message></Error></ErrorResponse>"};
      return {.body =
                  "<R><Credentials><AccessKeyId>GRANTED</AccessKeyId><SecretAccessKey>S"
                  "</SecretAccessKey><SessionToken>T</SessionToken><Expiration>"
                  "2030-01-01T00:00:00Z</Expiration></Credentials><MatchedGrantTarget>"
                  "s3://b/dir/*</MatchedGrantTarget></R>"};
    });
    ScriptedService service({{}});
    MadeUp environment;
    environment.variables["AWS_ENDPOINT_URL_S3_CONTROL"] = control.url();
    ClientOptions options = quiet(at(service));
    options.account_id = "123456789012";
    options.access_grants = true;
    options.access_grants_credentials_provider = how;
    const Client client = environment.client(options);
    std::string used;
    for (int i = 0; i < requests; ++i) {
      const auto got = client.get_object({.bucket = "b", .key = "dir/" + std::to_string(i)});
      const std::string field =
          service.count() > 0 ? service.last().header("authorization") : std::string();
      used = got.ok() ? field.substr(field.find("Credential=") + 11, 4) : got.error().code;
    }
    return used;
  };
  out.push_back({"access_grants", [granted] {
                   int asked = 0;
                   CHECK(granted({}, true, 3, asked) == "GRAN");
                   CHECK(asked == 1);  // one grant covers all three
                   CHECK(granted({}, false, 1, asked) == "AccessDenied");
                 }});
  out.push_back({"access_grants_credentials_provider", [granted] {
                   int asked = 0;
                   CHECK(granted({.fallback = true}, false, 1, asked) == "AKID");
                   asked = 0;
                   CHECK(granted({.privilege = "Minimal", .caching = false}, true, 3, asked) ==
                         "GRAN");
                   CHECK(asked == 3);
                 }});
  out.push_back({"require_https_for_sse_cpk", [] {
                   const std::string key(32, 'k');
                   for (const bool required : {true, false}) {
                     ScriptedService service({{}});
                     MadeUp environment;
                     ClientOptions options = quiet(at(service));
                     options.require_https_for_sse_cpk = required;
                     s3::PutObjectInput input{.bucket = "b", .key = "k"};
                     input.sse_customer_algorithm = "AES256";
                     input.sse_customer_key = key;
                     const auto done = environment.client(options).put_object(input, "x");
                     CHECK(done.ok() == !required);
                     CHECK(service.count() == (required ? 0 : 1));
                     if (required) continue;
                     const std::string field = "x-amz-server-side-encryption-customer-key";
                     CHECK(service.last().header(field) == to_base64(key));
                     CHECK(service.last().header(field + "-MD5").size() == 24);
                   }
                 }});
  const auto instance = [](double timeout, std::int64_t retries, std::int64_t& least_ms) {
    MadeUp made_up;
    made_up.variables.erase("AWS_EC2_METADATA_DISABLED");
    Environment environment = made_up.environment();
    int asked = 0;
    environment.send = [&](const net::ClientRequest&,
                           const os::Deadline& deadline) -> Result<net::ClientReply> {
      ++asked;
      least_ms = deadline.remaining_ms();
      return Error{ErrorKind::unavailable, {}, "nobody"};
    };
    auto client = Client::open({.region = "r",
                                .endpoint = "http://127.0.0.1:1",
                                .instance_profile_credentials_timeout = timeout,
                                .instance_profile_credentials_retries = retries,
                                .raise_response_errors = false},
                               environment);
    REQUIRE(client.ok());
    CHECK(client->head_bucket({.bucket = "b"}).error().code == "MissingCredentialsError");
    return asked;
  };
  out.push_back({"instance_profile_credentials_retries", [instance] {
                   std::int64_t left_ms = 0;
                   const int once = instance(1, 0, left_ms);
                   CHECK(instance(1, 3, left_ms) == 4 * once);
                 }});
  out.push_back({"instance_profile_credentials_timeout", [instance] {
                   std::int64_t left_ms = 0;
                   instance(1, 0, left_ms);
                   CHECK(left_ms <= 1'000);
                   instance(1'000, 0, left_ms);
                   CHECK(left_ms > 1'000);
                 }});
}

}  // namespace cairn::objectclient
