// SPDX-License-Identifier: Apache-2.0
#include "auth/sign_in/code_flow.h"

#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"

namespace cairn::auth::code_flow_test {
namespace {

std::string parameter_of(const std::string& location, const std::string& name) {
  const auto at = location.find(name + "=");
  REQUIRE(at != std::string::npos);
  const auto begin = at + name.size() + 1;
  return percent_decode(location.substr(begin, location.find('&', begin) - begin)).value();
}

/// Whole answers of an issuer are in tests/security/session_oidc_test.py; here is what comes
/// before.
struct Fixture {
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(8);
  SignIn sign_in{{.issuer = "https://id.example.org", .audience = "cairn"}, clock};
  std::vector<TokenRequest> asked;
  CodeFlow flow{{.client_id = "cairn",
                 .authorization_endpoint = "https://id.example.org/auth?tenant=1",
                 .token_endpoint = "https://id.example.org/token",
                 .scope = "openid profile"},
                sign_in,
                [this](const TokenRequest& request, const os::Deadline&) -> Result<std::string> {
                  asked.push_back(request);
                  return Error{ErrorKind::unavailable, {}, "asked"};
                },
                clock,
                *random};

  std::string why(const CodeFlow::Answer& answer, const std::string& browser) {
    const auto done = flow.finish(answer, browser, os::Deadline::never());
    REQUIRE_FALSE(done.ok());
    return done.error().message;
  }
};

}  // namespace

TEST_CASE("a sign-in sends the browser off with all that the flow needs") {
  Fixture f;
  const auto begun = f.flow.begin("http://h:1/callback");
  const std::string& to = begun.location;
  CHECK(to.starts_with("https://id.example.org/auth?tenant=1&response_type=code&client_id=cairn&"));
  CHECK(parameter_of(to, "redirect_uri") == "http://h:1/callback");
  CHECK(parameter_of(to, "scope") == "openid profile");
  CHECK(parameter_of(to, "code_challenge_method") == "S256");
  CHECK(parameter_of(to, "state").size() == 43);
  CHECK(parameter_of(to, "nonce") != parameter_of(to, "state"));
  CHECK(to.find(begun.browser) == std::string::npos);
  // The code is asked for with the secret whose digest went along.
  CHECK(f.why({.code = "c", .state = parameter_of(to, "state")}, begun.browser) == "asked");
  REQUIRE(f.asked.size() == 1);
  CHECK(f.asked[0].code == "c");
  CHECK(f.asked[0].redirect_uri == "http://h:1/callback");
  CHECK(to_base64url(sha256(f.asked[0].code_verifier)) == parameter_of(to, "code_challenge"));
}

TEST_CASE("a state is taken once, from its browser, in its time") {
  Fixture f;
  const std::string stale = "sign-in: this browser has not begun it";
  const auto begun = f.flow.begin("u"), other = f.flow.begin("u");
  const std::string state = parameter_of(begun.location, "state");
  CHECK(f.why({.code = "c"}, begun.browser).starts_with(stale));
  CHECK(f.why({.code = "c", .state = "x"}, begun.browser).starts_with(stale));
  CHECK(f.why({.code = "c", .state = state}, "").starts_with(stale));
  CHECK(f.why({.code = "c", .state = state}, other.browser).starts_with(stale));
  CHECK(f.why({.code = "c", .state = state}, begun.browser) == "asked");
  CHECK(f.why({.code = "c", .state = state}, begun.browser).starts_with(stale));
  f.clock.advance_ms(CodeFlow::lifetime_ms);
  CHECK(f.why({.code = "c", .state = parameter_of(other.location, "state")}, other.browser)
            .starts_with(stale));
  CHECK(f.asked.size() == 1);
}

TEST_CASE("what an issuer answers instead of a code is told without its words") {
  Fixture f;
  const auto answer_to = [&](CodeFlow::Answer answer) {
    const auto begun = f.flow.begin("u");
    answer.state = parameter_of(begun.location, "state");
    return f.why(answer, begun.browser);
  };
  CHECK(answer_to({.error = "access_denied"}).ends_with("answered with access_denied"));
  CHECK(answer_to({.error = "<script>"}).ends_with("answered with an error"));
  CHECK(answer_to({.code = "c", .issuer = "https://id.example.com"}).ends_with("another issuer"));
  CHECK(answer_to({.code = "c", .issuer = "https://id.example.org"}) == "asked");
  CHECK(answer_to({}).ends_with("no code"));
  CHECK(answer_to({.code = ""}).ends_with("no code"));
}

TEST_CASE("sign-ins under way are bounded") {
  Fixture f;
  const auto first = f.flow.begin("u");
  for (std::size_t i = 0; i < CodeFlow::all_max; ++i) f.flow.begin("u");
  CHECK(f.why({.code = "c", .state = parameter_of(first.location, "state")}, first.browser) !=
        "asked");
}

TEST_CASE("settings of the flow") {
  CHECK(CodeFlowOptions{}.validate().ok());
  CHECK_FALSE(CodeFlowOptions{.authorization_endpoint = "https://a"}.validate().ok());
  CHECK_FALSE(CodeFlowOptions{.token_endpoint = "https://a"}.validate().ok());
  CHECK_FALSE(CodeFlowOptions{.authorization_endpoint = "https://a",
                              .token_endpoint = "https://b",
                              .scope = "openidx profile"}
                  .validate()
                  .ok());
}

}  // namespace cairn::auth::code_flow_test
