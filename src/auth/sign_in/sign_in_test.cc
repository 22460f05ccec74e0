// SPDX-License-Identifier: Apache-2.0
#include "auth/sign_in/sign_in.h"

#include <doctest/doctest.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "base/encode.h"
#include "os/clock.h"

namespace sign_in_test {

using namespace cairn;
using namespace cairn::auth;

namespace {

constexpr std::string_view issuer = "https://id.example.org";
constexpr std::string_view audience = "cairn";
constexpr std::int64_t now_s = 1'800'000'000;

std::string part(const Json& json) { return to_base64url(json.dump()); }

/// An issuer with one RSA key, called "one".
struct Issuer {
  EVP_PKEY* key = EVP_RSA_gen(2048);
  ~Issuer() { EVP_PKEY_free(key); }
  Issuer() = default;
  Issuer(const Issuer&) = delete;
  Issuer& operator=(const Issuer&) = delete;

  std::string number(const char* name) const {
    BIGNUM* value = nullptr;
    REQUIRE(EVP_PKEY_get_bn_param(key, name, &value) == 1);
    std::string bytes(static_cast<std::size_t>(BN_num_bytes(value)), '\0');
    BN_bn2bin(value, reinterpret_cast<unsigned char*>(bytes.data()));
    BN_free(value);
    return to_base64url(bytes);
  }
  Json set(std::string algorithm = "RS256") const {
    Json one = Json::object({{"kty", "RSA"},
                             {"kid", "one"},
                             {"use", "sig"},
                             {"n", number(OSSL_PKEY_PARAM_RSA_N)},
                             {"e", number(OSSL_PKEY_PARAM_RSA_E)}});
    if (!algorithm.empty()) one.set("alg", std::move(algorithm));
    return Json::object({{"keys", Json::array({std::move(one)})}});
  }
  std::string sign(const std::string& text) const {
    EVP_MD_CTX* const context = EVP_MD_CTX_new();
    std::size_t size = 0;
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    REQUIRE(EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, key) == 1);
    REQUIRE(EVP_DigestSign(context, nullptr, &size, bytes, text.size()) == 1);
    std::string out(size, '\0');
    REQUIRE(EVP_DigestSign(context, reinterpret_cast<unsigned char*>(out.data()), &size, bytes,
                           text.size()) == 1);
    EVP_MD_CTX_free(context);
    return to_base64url(out);
  }
  std::string token(const Json& claims,
                    const Json& header = Json::object({{"alg", "RS256"}, {"kid", "one"}})) const {
    const std::string text = part(header) + "." + part(claims);
    return text + "." + sign(text);
  }
};

Json claims_of(const std::string& subject = "u-1") {
  return Json::object({{"iss", issuer},
                       {"aud", audience},
                       {"sub", subject},
                       {"exp", now_s + 600},
                       {"groups", Json::array({"team", "elsewhere"})}});
}

struct Fixture {
  Issuer issuer_keys;
  os::FakeClock clock{now_s * 1000};
  SignIn sign_in;

  explicit Fixture(std::string user_claim = "sub", std::string groups_claim = "groups")
      : sign_in({.issuer = std::string(issuer),
                 .audience = std::string(audience),
                 .user_claim = std::move(user_claim),
                 .groups_claim = std::move(groups_claim)},
                clock) {
    sign_in.set(keys(), roles());
  }
  PublicKeys keys() const { return *PublicKeys::parse(issuer_keys.set().dump()); }
  static GroupRoles roles() {
    return *parse_group_roles(R"({
      "team": {"reader": {"cluster": ["monitor"], "indices": [{"names": ["books"], "privileges": ["read"]}]}},
      "others": {"writer": {"indices": [{"names": ["*"], "privileges": ["write"]}]}},
      "*": {"all": {"indices": [{"names": ["open"], "privileges": ["read"]}]}}})");
  }
  std::string refusal(const std::string& token) const {
    const auto got = sign_in.verify(token);
    if (got.ok()) return {};
    CHECK(got.error().kind == ErrorKind::unauthenticated);
    return got.error().message;
  }
};

Json without(Json object, std::string_view member) {
  Json out = Json::object();
  for (const auto& [name, value] : object.as_object())
    if (name != member) out.set(name, value);
  return out;
}

Json with(Json object, const std::string& member, Json value) {
  object.set(member, std::move(value));
  return object;
}

}  // namespace

TEST_CASE("sign in: a user has the roles of the groups that are known, and no others") {
  const Fixture fixture;
  const auto got = fixture.sign_in.verify(fixture.issuer_keys.token(claims_of()));
  REQUIRE_MESSAGE(got.ok(), (got.ok() ? "" : got.error().message));
  const Key& key = **got;
  CHECK(key.signed_in);
  CHECK(key.username == "u-1");
  CHECK(key.may_cluster("monitor"));
  CHECK(key.may_index("read", "books"));
  CHECK(key.may_index("read", "open"));
  CHECK_FALSE(key.may_index("write", "books"));
  CHECK_FALSE(key.may_index("read", "secret"));
  CHECK(key.counted_as.account == "user:u-1");
  CHECK_FALSE(key.counted_as.exempt);
  // Another token of the same user is the same caller to whatever belongs to somebody.
  const auto later = fixture.sign_in.verify(
      fixture.issuer_keys.token(with(claims_of(), "exp", Json(now_s + 900))));
  REQUIRE(later.ok());
  CHECK((*later)->id == key.id);
  const auto other = fixture.sign_in.verify(fixture.issuer_keys.token(claims_of("u-2")));
  CHECK((*other)->id != key.id);
}

TEST_CASE("sign in: whoever is in no group may do nothing") {
  Fixture fixture;
  fixture.sign_in.set(fixture.keys(),
                      *parse_group_roles(R"({"others": {"r": {"cluster": ["all"]}}})"));
  const auto got = fixture.sign_in.verify(fixture.issuer_keys.token(claims_of()));
  REQUIRE(got.ok());
  CHECK_FALSE((*got)->may_cluster("monitor"));
  CHECK_FALSE((*got)->may_some_index("read"));
}

TEST_CASE("sign in: names and groups come from the claims that the settings name") {
  const Fixture fixture("preferred_username", "realm_access.roles");
  Json claims = with(claims_of(), "preferred_username", "ann");
  claims.set("realm_access", Json::object({{"roles", Json::array({"others"})}}));
  const auto got = fixture.sign_in.verify(fixture.issuer_keys.token(claims));
  REQUIRE(got.ok());
  CHECK((*got)->username == "ann");
  CHECK((*got)->may_index("write", "books"));
  CHECK_FALSE((*got)->may_cluster("monitor"));
  CHECK(fixture.refusal(fixture.issuer_keys.token(claims_of())).find("preferred_username") !=
        std::string::npos);
  const auto one =
      fixture.sign_in.verify(fixture.issuer_keys.token(with(claims, "realm_access.roles", "team")));
  CHECK((*one)->may_cluster("monitor"));  // a name with dots in it, and one group as a text
}

TEST_CASE("sign in: tokens that are refused, and why") {
  const Fixture fixture;
  const Issuer& keys = fixture.issuer_keys;
  const Json claims = claims_of();
  struct Row {
    std::string token, why;
  };
  const std::string good = keys.token(claims);
  std::string changed = good;
  const std::size_t dot = changed.find('.');
  changed[dot + 5] = changed[dot + 5] == 'A' ? 'B' : 'A';
  const Issuer stranger;
  const Row rows[] = {
      {changed, "not signed"},
      {good.substr(0, good.rfind('.') + 1), "not signed"},
      {good + "AA", "not signed"},
      {stranger.token(claims), "not signed"},
      {keys.token(claims, Json::object({{"alg", "none"}, {"kid", "one"}})), "not signed"},
      {keys.token(claims, Json::object({{"alg", "HS256"}, {"kid", "one"}})), "not signed"},
      {keys.token(claims, Json::object({{"alg", "RS512"}, {"kid", "one"}})), "not signed"},
      {keys.token(claims, Json::object({{"alg", "RS256"}, {"kid", "two"}})), "not signed"},
      {keys.token(claims, Json::object({{"alg", "RS256"}, {"crit", Json::array({"b64"})}})),
       "not known"},
      {part(claims) + "=." + part(claims) + ".AA", "header"},
      {"a.b.c", "header"},
      {"..", "header"},
      {keys.token(with(claims, "iss", "https://id.example.com")), "another issuer"},
      {keys.token(without(claims, "iss")), "another issuer"},
      {keys.token(with(claims, "aud", "others")), "audience"},
      {keys.token(with(claims, "aud", Json::array({"others"}))), "audience"},
      {keys.token(without(claims, "aud")), "audience"},
      {keys.token(with(claims, "exp", Json(now_s - 61))), "expired"},
      {keys.token(without(claims, "exp")), "when it expires"},
      {keys.token(with(claims, "exp", "later")), "when it expires"},
      {keys.token(with(claims, "exp", Json(-1))), "when it expires"},
      {keys.token(with(claims, "nbf", Json(now_s + 61))), "not yet"},
      {keys.token(without(claims, "sub")), "no user"},
      {keys.token(with(claims, "sub", std::string(300, 'x'))), "no user"},
      {std::string(SignIn::token_bytes_max, 'a') + ".b.c", "too long"}};
  for (const Row& row : rows) {
    const std::string why = fixture.refusal(row.token);
    CHECK_MESSAGE(why.find(row.why) != std::string::npos, row.why << ": " << why);
  }
  for (const Json& fine :
       {with(claims, "aud", Json::array({"others", "cairn"})),
        with(claims, "exp", Json(now_s - 59)), with(claims, "nbf", Json(now_s + 59)),
        with(claims, "exp", Json(now_s + 0.5))})
    CHECK(fixture.refusal(keys.token(fine)) == "");
  CHECK(fixture.refusal(keys.token(claims, Json::object({{"alg", "RS256"}}))) == "");  // no kid
  CHECK_FALSE(SignIn::is_token("abc"));
  CHECK_FALSE(SignIn::is_token("a.b"));
  CHECK_FALSE(SignIn::is_token("a.b.c.d"));
}

TEST_CASE("sign in: what was verified is remembered until it expires, or keys or roles change") {
  Fixture fixture;
  const std::string token = fixture.issuer_keys.token(claims_of());
  const auto first = fixture.sign_in.verify(token);
  REQUIRE(first.ok());
  CHECK((*fixture.sign_in.verify(token)).get() == first->get());
  fixture.sign_in.set(fixture.keys(), {});
  CHECK_FALSE((*fixture.sign_in.verify(token))->may_cluster("monitor"));
  const Issuer other;
  fixture.sign_in.set(*PublicKeys::parse(other.set().dump()), fixture.roles());
  CHECK(fixture.refusal(token).find("not signed") != std::string::npos);
  fixture.sign_in.set(fixture.keys(), fixture.roles());
  CHECK(fixture.refusal(token) == "");
  fixture.clock.advance_ms(661'000);
  CHECK(fixture.refusal(token).find("expired") != std::string::npos);
}

TEST_CASE("sign in: roles of groups are checked when they are read") {
  CHECK(parse_group_roles("[]").error().kind == ErrorKind::invalid_argument);
  const auto wrong = parse_group_roles(R"({"team": {"r": {"cluster": ["monitr"]}}})");
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().message.starts_with("group [team]"));
  CHECK_FALSE(SignInOptions{.issuer = "x"}.validate().ok());
  CHECK(SignInOptions{.issuer = "x", .audience = "y"}.validate().ok());
  CHECK(SignInOptions{}.validate().ok());
}

TEST_CASE("public keys: the examples of RFC 7515 A.3 and RFC 8037 A.4") {
  const auto keys = PublicKeys::parse(R"({"keys": [
    {"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
     "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
    {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})");
  REQUIRE_MESSAGE(keys.ok(), (keys.ok() ? "" : keys.error().message));
  CHECK(keys->size() == 2);
  const std::string text =
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
      "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
  const std::string signature = *from_base64url(
      "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q");
  CHECK(keys->verify("ES256", "", text, signature));
  CHECK_FALSE(keys->verify("ES256", "", text + "x", signature));
  CHECK_FALSE(keys->verify("ES256", "other", text, signature));
  CHECK_FALSE(keys->verify("ES384", "", text, signature));
  CHECK_FALSE(keys->verify("ES256", "", text, signature.substr(1)));
  const std::string edwards = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
  const std::string of_edwards = *from_base64url(
      "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg");
  CHECK(keys->verify("EdDSA", "", edwards, of_edwards));
  CHECK_FALSE(keys->verify("EdDSA", "", edwards, signature));
}

TEST_CASE("public keys: sets that cannot be used") {
  const std::string zeros(342, 'A');
  for (const std::string& text :
       {std::string("x"), std::string("{}"), std::string(R"({"keys": {}})"),
        std::string(R"({"keys": []})"), std::string(R"({"keys": [7]})"),
        std::string(R"({"keys": [{"kty": "oct", "k": "AAAA"}]})"),
        std::string(R"({"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB"}]})"),
        R"({"keys": [{"kty": "RSA", "n": ")" + zeros + R"(", "e": "AQAB"}]})",
        std::string(R"({"keys": [{"kty": "EC", "crv": "P-256", "x": "AAAA", "y": "AAAA"}]})"),
        std::string(R"({"keys": [{"kty": "EC", "crv": "P-256",
          "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
          "y": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}]})"),
        std::string(R"({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA"}]})")})
    CHECK_MESSAGE(PublicKeys::parse(text).error().kind == ErrorKind::invalid_argument, text);
  // What is for encryption, or of a kind that is not known, is no fault beside one that can be
  // used.
  const Issuer issuer_keys;
  Json set = issuer_keys.set("");
  set.set("keys", Json::array({set.find("keys")->as_array()[0],
                               Json::object({{"kty", "RSA"}, {"use", "enc"}}),
                               Json::object({{"kty", "new"}})}));
  const auto keys = PublicKeys::parse(set.dump());
  REQUIRE(keys.ok());
  CHECK(keys->size() == 1);
}

}  // namespace sign_in_test
