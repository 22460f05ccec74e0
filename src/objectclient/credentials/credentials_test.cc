// SPDX-License-Identifier: Apache-2.0
// The chain of sources over faked variables and files, and services on this machine.
#include "objectclient/credentials.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "net/testing.h"
#include "objectclient/credentials/credentials_chain.h"
#include "objectclient/credentials/token_service.h"
#include "objectclient/profiles.h"

namespace cairn::objectclient::credentials_test {
namespace {

struct Rig {
  std::map<std::string, std::string> variables = {{"HOME", "/home/u"},
                                                  {"AWS_EC2_METADATA_DISABLED", "true"}};
  std::map<std::string, std::string> files = {};
  std::vector<std::string> commands = {};
  std::string printed = {};
  os::FakeClock clock;

  Environment environment() {
    Environment real = system_environment();
    return {.variable = [this](std::string_view name) -> std::optional<std::string> {
              const auto found = variables.find(std::string(name));
              if (found == variables.end()) return std::nullopt;
              return found->second;
            },
            .read_file = [this](const std::string& path) -> Result<std::optional<std::string>> {
              const auto found = files.find(path);
              if (found == files.end()) return std::optional<std::string>();
              return std::optional<std::string>(found->second);
            },
            .run = [this](const std::string& command, const os::Deadline&) -> Result<std::string> {
              commands.push_back(command);
              return printed;
            },
            .send = real.send,
            .clock = &clock};
  }

  void config(std::string text) { files["/home/u/.aws/config"] = std::move(text); }
  void credentials(std::string text) { files["/home/u/.aws/credentials"] = std::move(text); }

  /// "id/secret/token", or the error's code, or its message where it has none.
  std::string found(const ChainOptions& options = {}) {
    const auto profiles = Profiles::load(environment());
    if (!profiles.ok()) return profiles.error().message;
    const auto provider = credentials_chain(options, *profiles, environment());
    if (!provider.ok())
      return provider.error().code.empty() ? provider.error().message : provider.error().code;
    const auto credentials = (*provider)->get(os::Deadline::in_ms(30'000));
    if (!credentials.ok()) return credentials.error().message;
    return (*credentials)->access_key_id + "/" + (*credentials)->secret_access_key + "/" +
           (*credentials)->session_token;
  }
};

/// A service on this machine that answers by path, and remembers what it was asked.
class Service {
 public:
  struct Answer {
    int status = 200;
    std::string body = {};
  };
  using Handler = std::function<Answer(const net::RequestHead& head, const std::string& body)>;

  explicit Service(Handler handler)
      : handler_(std::move(handler)), server_(net::serve([this](net::Exchange& exchange) {
          const auto body = net::read_all(exchange.body, 1 << 20);
          const Answer given = handler_(exchange.head, body.ok() ? *body : "");
          net::answer(exchange, given.status, given.body);
        })) {}
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }

 private:
  const Handler handler_;
  std::unique_ptr<net::Server> server_;
};

std::string sts_answer(const std::string& action, const std::string& id) {
  return "<" + action + "Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><" + action +
         "Result><Credentials><AccessKeyId>" + id +
         "</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>"
         "<Expiration>2030-01-01T00:00:00Z</Expiration></Credentials></" +
         action + "Result></" + action + "Response>";
}

}  // namespace

TEST_CASE("profiles: sections, remarks, keys below keys, and which file wins") {
  const auto profiles = Profiles::parse(
      "# a remark\n[default]\nregion = eu-west-1 # where we are\r\n"
      "[profile lab]\naws_access_key_id=CONFIG\noutput = json\nservices = near\n"
      "s3 =\n  addressing_style = path\n  max_concurrent_requests = 3\n"
      "[sso-session corp]\nsso_region = eu-west-2\n"
      "[services near]\ns3 =\n  endpoint_url = http://127.0.0.1:9000\n",
      "[lab]\naws_access_key_id = CREDENTIALS\naws_secret_access_key = a;b#c\n");
  REQUIRE(profiles.ok());
  CHECK(profiles->value("default", "region") == "eu-west-1");
  CHECK(profiles->value("lab", "aws_access_key_id") == "CREDENTIALS");
  CHECK(profiles->value("lab", "aws_secret_access_key") == "a;b#c");
  CHECK(profiles->value("lab", "s3.addressing_style") == "path");
  CHECK(profiles->sso_value("corp", "sso_region") == "eu-west-2");
  CHECK(profiles->service_value("lab", "s3", "endpoint_url") == "http://127.0.0.1:9000");
  CHECK_FALSE(profiles->service_value("default", "s3", "endpoint_url"));
  CHECK_FALSE(profiles->has("corp"));
}

TEST_CASE("profiles: what cannot be read is named with its line") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"[default\n", "config:1: a section must end with ]"},
      {"[]\n", "config:1: a section needs a name"},
      {"\nkey = value\n", "config:2: a key must stand in a section"},
      {"[default]\nnonsense\n", "config:2: expected key = value"},
      {"[default]\n= x\n", "config:2: expected key = value"}};
  for (const auto& [text, message] : cases) {
    const auto read = Profiles::parse(text, "");
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().message == message);
  }
}

TEST_CASE("credentials: the first complete source wins") {
  Rig rig;
  CHECK(rig.found() == "MissingCredentialsError");
  rig.credentials("[default]\naws_access_key_id = F\naws_secret_access_key = f\n");
  CHECK(rig.found() == "F/f/");
  rig.variables["AWS_ACCESS_KEY_ID"] = "E";
  CHECK(rig.found() == "F/f/");
  rig.variables["AWS_SECRET_ACCESS_KEY"] = "e";
  rig.variables["AWS_SESSION_TOKEN"] = "et";
  CHECK(rig.found() == "E/e/et");
  CHECK(rig.found({.given = {.access_key_id = "O", .secret_access_key = "o"}}) == "O/o/");
  CHECK(rig.found({.given = {.access_key_id = "O"}}) == "E/e/et");
}

TEST_CASE("credentials: a profile given as an option comes before the environment") {
  Rig rig;
  rig.variables["AWS_ACCESS_KEY_ID"] = "E";
  rig.variables["AWS_SECRET_ACCESS_KEY"] = "e";
  rig.credentials("[lab]\naws_access_key_id = L\naws_secret_access_key = l\n");
  CHECK(rig.found({.profile = "lab"}) == "L/l/");
  CHECK(rig.found({.profile = "none"}) == "NoSuchProfileError");
  rig.variables["AWS_PROFILE"] = "lab";
  CHECK(rig.found() == "E/e/");
}

TEST_CASE("credentials: a program prints them") {
  Rig rig;
  rig.config("[default]\ncredential_process = get-keys --for me\n");
  rig.printed = R"({"Version":1,"AccessKeyId":"P","SecretAccessKey":"p","SessionToken":"pt"})";
  CHECK(rig.found() == "P/p/pt");
  CHECK(rig.commands == std::vector<std::string>{"get-keys --for me"});
  rig.printed = "no keys today";
  CHECK(rig.found() == "credential_process gave no JSON object");
}

TEST_CASE("credentials: roles are asked for with the keys of another profile") {
  std::vector<std::string> bodies;
  std::vector<std::string> authorizations;
  Service sts([&](const net::RequestHead& head, const std::string& body) {
    bodies.push_back(body);
    authorizations.emplace_back(head.headers.find("Authorization").value_or(""));
    return Service::Answer{.body = sts_answer("AssumeRole", "ROLE")};
  });
  Rig rig;
  rig.variables["AWS_ENDPOINT_URL_STS"] = sts.url();
  rig.config(
      "[default]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = base\n"
      "role_session_name = me\nexternal_id = x 1\n");
  rig.credentials("[base]\naws_access_key_id = B\naws_secret_access_key = b\n");
  CHECK(rig.found() == "ROLE/s/t");
  REQUIRE(bodies.size() == 1);
  CHECK(bodies[0] ==
        "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr&"
        "RoleSessionName=me&DurationSeconds=3600&ExternalId=x%201");
  CHECK(authorizations[0].starts_with("AWS4-HMAC-SHA256 Credential=B/"));
  CHECK(authorizations[0].find("/us-east-1/sts/aws4_request") != std::string::npos);
}

TEST_CASE("credentials: a role with mfa_serial is asked for with the code of its device") {
  std::vector<std::string> bodies;
  Service sts([&](const net::RequestHead&, const std::string& body) {
    bodies.push_back(body);
    return Service::Answer{.body = sts_answer("AssumeRole", "ROLE")};
  });
  Rig rig;
  rig.variables["AWS_ENDPOINT_URL_STS"] = sts.url();
  rig.config(
      "[default]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = base\n"
      "role_session_name = me\nmfa_serial = arn:aws:iam::1:mfa/phone\n");
  rig.credentials("[base]\naws_access_key_id = B\naws_secret_access_key = b\n");
  // Without somebody who knows the code nothing is sent, and the error says what to do.
  CHECK(rig.found() == "MissingCredentialsError");
  CHECK(bodies.empty());
  ChainOptions with_code{
      .mfa_token_code = [](const std::string& serial, const os::Deadline&) -> Result<std::string> {
        CHECK(serial == "arn:aws:iam::1:mfa/phone");
        return std::string("123456");
      }};
  CHECK(rig.found(with_code) == "ROLE/s/t");
  REQUIRE(bodies.size() == 1);
  CHECK(bodies[0].find("&SerialNumber=arn%3Aaws%3Aiam%3A%3A1%3Amfa%2Fphone&TokenCode=123456") !=
        std::string::npos);
  with_code.mfa_token_code = [](const std::string&, const os::Deadline&) -> Result<std::string> {
    return Error{ErrorKind::cancelled, "NoCode", "nobody is there"};
  };
  CHECK(rig.found(with_code) == "nobody is there");
  CHECK(bodies.size() == 1);
}

TEST_CASE("credentials: faults of role profiles have names") {
  Rig rig;
  rig.config(
      "[profile a]\nrole_arn = r\nsource_profile = b\n"
      "[profile b]\nrole_arn = r\nsource_profile = a\n"
      "[profile c]\nrole_arn = r\nsource_profile = a\ncredential_source = Environment\n"
      "[profile d]\nrole_arn = r\nsource_profile = none\n"
      "[profile e]\nrole_arn = r\ncredential_source = Wallet\n");
  CHECK(rig.found({.profile = "a"}) == "SourceProfileCircularReferenceError");
  CHECK(rig.found({.profile = "c"}) == "CredentialSourceConflictError");
  CHECK(rig.found({.profile = "d"}) == "NoSourceProfileError");
  CHECK(rig.found({.profile = "e"}).find("credential_source Wallet") != std::string::npos);
}

TEST_CASE("credentials: a web identity needs no signature") {
  std::string body;
  bool is_signed = true;
  Service sts([&](const net::RequestHead& head, const std::string& text) {
    body = text;
    is_signed = head.headers.has("Authorization");
    return Service::Answer{.body = sts_answer("AssumeRoleWithWebIdentity", "WEB")};
  });
  Rig rig;
  rig.variables["AWS_ENDPOINT_URL_STS"] = sts.url();
  rig.variables["AWS_ROLE_ARN"] = "arn:r";
  rig.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
  CHECK(rig.found() == "the web identity token file /token does not exist");
  rig.files["/token"] = "jwt\n";
  CHECK(rig.found() == "WEB/s/t");
  CHECK_FALSE(is_signed);
  CHECK(body.ends_with("&WebIdentityToken=jwt"));
}

TEST_CASE("credentials: what the token service refuses is told") {
  Service sts([](const net::RequestHead&, const std::string&) {
    return Service::Answer{.status = 403,
                           .body =
                               "<ErrorResponse><Error><Code>AccessDenied</Code>"
                               "<Message>not you</Message></Error></ErrorResponse>"};
  });
  Rig rig;
  rig.variables["AWS_ENDPOINT_URL_STS"] = sts.url();
  rig.variables["AWS_ROLE_ARN"] = "arn:r";
  rig.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
  rig.files["/token"] = "jwt";
  CHECK(rig.found() == "the token service answered 403: AccessDenied: not you");
}

TEST_CASE("credentials: single sign-on uses the token of the last sign-in") {
  Service portal([](const net::RequestHead& head, const std::string&) {
    if (head.headers.find("x-amz-sso_bearer_token") != "tok") return Service::Answer{.status = 401};
    CHECK(head.target == "/federation/credentials?role_name=Dev&account_id=123456789012");
    return Service::Answer{.body = R"({"roleCredentials":{"accessKeyId":"S","secretAccessKey":"s",
        "sessionToken":"st","expiration":1900000000000}})"};
  });
  Rig rig;
  rig.variables["AWS_ENDPOINT_URL_SSO"] = portal.url();
  rig.config(
      "[default]\nsso_session = corp\nsso_account_id = 123456789012\nsso_role_name = Dev\n"
      "[sso-session corp]\nsso_region = eu-west-1\n");
  CHECK(rig.found().find("sign in again") != std::string::npos);
  const auto cached = [&rig](const std::string& token, const std::string& until) {
    for (auto& [path, text] : rig.files)
      if (path.find("/sso/cache/") != std::string::npos)
        text = R"({"accessToken":")" + token + R"(","expiresAt":")" + until + R"("})";
  };
  rig.files[sso_cache_file("corp", "/home/u")] = "";
  cached("tok", "2030-01-01T00:00:00Z");
  CHECK(rig.found() == "S/s/st");
  cached("tok", "2020-01-01T00:00:00Z");
  CHECK(rig.found().find("sign in again") != std::string::npos);
  cached("old", "2030-01-01T00:00:00Z");
  CHECK(rig.found().find("sign in again") != std::string::npos);
}

TEST_CASE("credentials: a container's service, and which addresses may be asked") {
  int asked = 0;
  Service service([&](const net::RequestHead& head, const std::string&) {
    ++asked;
    if (head.headers.find("Authorization") != "secret") return Service::Answer{.status = 401};
    if (asked < 3) return Service::Answer{.status = 500};
    return Service::Answer{.body = R"({"AccessKeyId":"C","SecretAccessKey":"c","Token":"ct",
        "Expiration":"2030-01-01T00:00:00Z"})"};
  });
  Rig rig;
  rig.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = service.url() + "/creds";
  CHECK(rig.found() == "the container's credentials service answered 401");
  CHECK(asked == 1);
  rig.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = "/t";
  rig.files["/t"] = "secret\n";
  CHECK(rig.found() == "C/c/ct");
  CHECK(asked == 3);
  rig.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://elsewhere.example/creds";
  CHECK(rig.found().find("must be https") != std::string::npos);
}

TEST_CASE("credentials: instance metadata, with session tokens and without") {
  bool knows_tokens = true;
  std::vector<std::string> seen;
  Service service([&](const net::RequestHead& head, const std::string&) {
    seen.push_back(head.method + " " + head.target);
    if (head.method == "PUT") {
      if (!knows_tokens) return Service::Answer{.status = 404};
      CHECK(head.headers.find("x-aws-ec2-metadata-token-ttl-seconds") == "21600");
      return Service::Answer{.body = "session"};
    }
    if (knows_tokens && head.headers.find("x-aws-ec2-metadata-token") != "session")
      return Service::Answer{.status = 401};
    if (head.target == "/latest/meta-data/iam/security-credentials/")
      return Service::Answer{.body = "worker\n"};
    return Service::Answer{.body = R"({"Code":"Success","AccessKeyId":"I","SecretAccessKey":"i",
        "Token":"it","Expiration":"2030-01-01T00:00:00Z"})"};
  });
  Rig rig;
  rig.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = service.url() + "/";
  CHECK(rig.found() == "MissingCredentialsError");
  CHECK(seen.empty());
  rig.variables.erase("AWS_EC2_METADATA_DISABLED");
  CHECK(rig.found() == "I/i/it");
  CHECK(seen == std::vector<std::string>{"PUT /latest/api/token",
                                         "GET /latest/meta-data/iam/security-credentials/",
                                         "GET /latest/meta-data/iam/security-credentials/worker"});
  knows_tokens = false;
  CHECK(rig.found() == "I/i/it");
  rig.variables["AWS_EC2_METADATA_V1_DISABLED"] = "true";
  CHECK(rig.found() == "the instance metadata service gave no session token");
}

TEST_CASE("credentials: fetched again in time, and old ones serve while the source is away") {
  os::FakeClock clock;
  int fetched = 0;
  bool away = false;
  const auto provider = refreshing_credentials(
      [&](const os::Deadline&) -> Result<Credentials> {
        ++fetched;
        if (away) return Error{ErrorKind::unavailable, {}, "away"};
        return Credentials{.access_key_id = "K" + std::to_string(fetched),
                           .secret_access_key = "s",
                           .expiration_ms = clock.unix_ms() + 3'600'000};
      },
      clock);
  const auto id = [&]() -> std::string {
    const auto got = provider->get(os::Deadline::never());
    return got.ok() ? (*got)->access_key_id : got.error().message;
  };
  CHECK(id() == "K1");
  clock.advance_ms(49 * 60'000);
  CHECK(id() == "K1");
  clock.advance_ms(2 * 60'000);
  CHECK(id() == "K2");
  clock.advance_ms(56 * 60'000);
  away = true;
  CHECK(id() == "K2");
  CHECK(id() == "K2");
  CHECK(fetched == 3);  // not asked again at once
  clock.advance_ms(5 * 60'000);
  CHECK(id() == "away");
  away = false;
  CHECK(id() == "K5");
  provider->expire();
  CHECK(id() == "K6");
  CHECK(provider->refreshable());
}

TEST_CASE("environment: a command that takes too long ends with all that it has begun") {
  const Environment real = system_environment();
  char path[] = "/tmp/cairn-command-XXXXXX";
  ::close(::mkstemp(path));
  const std::string command = "sleep 600 & echo $! >" + std::string(path) + "; wait";
  std::string pid;
  // On a busy machine the shell may come to nothing in so short a time.
  for (int limit_ms = 200; pid.empty() && limit_ms < 60'000; limit_ms *= 2) {
    CHECK(real.run(command, os::Deadline::in_ms(limit_ms)).error().kind == ErrorKind::timeout);
    std::ifstream(path) >> pid;
  }
  ::unlink(path);
  REQUIRE_FALSE(pid.empty());
  const auto ended = [&] {
    std::string text;
    std::getline(std::ifstream("/proc/" + pid + "/stat"), text);
    const std::size_t name_end = text.rfind(')');
    return name_end == std::string::npos || text.substr(name_end).starts_with(") Z");
  };
  const auto limit = os::Deadline::in_ms(60'000);
  while (!ended()) REQUIRE(os::sleep_ms(5, limit));
}

TEST_CASE("environment: commands, files and variables of this machine") {
  const Environment real = system_environment();
  CHECK(*real.run("printf hello", os::Deadline::in_ms(30'000)) == "hello");
  CHECK_FALSE(real.run("exit 3", os::Deadline::in_ms(30'000)).ok());
  CHECK(real.run("sleep 60", os::Deadline::in_ms(20)).error().kind == ErrorKind::timeout);
  CHECK_FALSE((*real.read_file("/no/such/file")).has_value());
  CHECK((*real.read_file("/proc/self/status")).has_value());
  CHECK(real.variable("PATH").has_value());
  CHECK_FALSE(real.variable("CAIRN_NO_SUCH_VARIABLE").has_value());
}

}  // namespace cairn::objectclient::credentials_test
