// SPDX-License-Identifier: Apache-2.0
#include "app/messages/messages.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "base/encode.h"
#include "net/server/server.h"
#include "os/files/test_folder.h"
#include "os/log.h"

namespace messages_test {

using namespace cairn;

namespace {

constexpr std::int64_t hour_ms = 3'600'000;
const os::Deadline soon = os::Deadline::in_ms(60'000);

app::Fault disk() {
  return {.key = "disk", .kind = "disk_nearly_full", .subject = "/d", .text = "full"};
}
app::Fault sync(const std::string& id) {
  return {.key = "sync:" + id, .kind = "sync_failed", .subject = id, .text = "failed"};
}

std::vector<std::string> states(const std::vector<app::Message>& messages) {
  std::vector<std::string> out;
  for (const auto& message : messages) out.push_back(message.fault.key + " " + message.state);
  return out;
}
using States = std::vector<std::string>;
const States kinds = {"disk_nearly_full", "sync_failed"};

/// Takes what is posted, and answers as it is told.
struct Receiver {
  struct Got {
    std::string id, time, signature, body;
  };
  std::mutex mutex;
  std::vector<Got> got;
  std::vector<int> answers;  // the next ones; then 204
  std::unique_ptr<net::Server> server;

  Receiver() {
    auto opened = net::Server::open(
        {.name = "receiver", .listen = "127.0.0.1:0"}, [this](net::Exchange& exchange) {
          const auto field = [&](std::string_view name) {
            return std::string(exchange.head.headers.find(name).value_or(""));
          };
          const auto body = net::read_all(exchange.body, 1 << 20);
          int status = 204;
          {
            const std::lock_guard lock(mutex);
            got.push_back({field("webhook-id"), field("webhook-timestamp"),
                           field("webhook-signature"), body.ok() ? *body : ""});
            if (!answers.empty()) {
              status = answers.front();
              answers.erase(answers.begin());
            }
          }
          (void)exchange.reply.reply(status, {}, "");
        });
    REQUIRE(opened.ok());
    server = std::move(*opened);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server->port()) + "/hook"; }
};

}  // namespace

TEST_CASE("messages: one when a fault begins, one now and then, one when it is over; none twice") {
  app::Conditions conditions(24 * hour_ms);
  CHECK(states(conditions.update({disk(), sync("a")}, kinds, 0)) ==
        States{"disk begins", "sync:a begins"});
  CHECK(conditions.update({disk(), sync("a")}, kinds, hour_ms).empty());
  CHECK(states(conditions.update({disk(), sync("b")}, kinds, 2 * hour_ms)) ==
        States{"sync:b begins", "sync:a over"});
  // What could not be looked at is neither over nor told.
  CHECK(conditions.update({disk()}, {"disk_nearly_full"}, 3 * hour_ms).empty());
  CHECK(states(conditions.update({disk(), sync("b")}, kinds, 24 * hour_ms)) ==
        States{"disk lasts"});
  app::Conditions restarted(24 * hour_ms);
  restarted.restore(conditions.save());
  CHECK(restarted.update({disk(), sync("b")}, kinds, 25 * hour_ms).empty());
  CHECK(states(restarted.update({}, kinds, 26 * hour_ms)) == States{"disk over", "sync:b over"});
  CHECK(restarted.update({}, kinds, 27 * hour_ms).empty());
  CHECK(states(restarted.update({disk()}, kinds, 28 * hour_ms)) == States{"disk begins"});
  app::Conditions once(0);
  once.update({disk()}, kinds, 0);
  CHECK(once.update({disk()}, kinds, 1000 * hour_ms).empty());
  once.restore(Json::object({{"x", 1}}));
  once.restore(*parse_json(R"([{}, {"fault": {}}, 7])"));
}

TEST_CASE("messages: the ids of a fault's messages differ, and those of one message do not") {
  app::Conditions one(hour_ms), other(hour_ms);
  const auto begins = one.update({disk()}, kinds, 5);
  CHECK(begins[0].id == other.update({disk()}, kinds, 5)[0].id);
  CHECK(begins[0].id != one.update({disk()}, kinds, 2 * hour_ms)[0].id);
  CHECK(begins[0].id.starts_with("msg_"));
}

TEST_CASE("messages: signatures are those of Standard Webhooks") {
  // The example of its specification.
  const os::TestFolder folder;
  const std::string file = folder / "secret";
  std::ofstream(file) << "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n";
  REQUIRE(::chmod(file.c_str(), 0600) == 0);
  const auto secret = app::webhook_secret(file);
  REQUIRE(secret.ok());
  CHECK(app::webhook_signature(*secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
                               "{\"test\": 2432232314}") ==
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  for (const char* text : {"", "whsec_", "whsec_AAAA", "no base64 at all"}) {
    std::ofstream(file, std::ios::trunc) << text;
    CHECK_FALSE(app::webhook_secret(file).ok());
  }
  REQUIRE(::chmod(file.c_str(), 0644) == 0);
  CHECK_FALSE(app::webhook_secret(file).ok());
}

TEST_CASE("messages: one to try is sent at once, and told whether it was taken") {
  const os::TestFolder folder;
  os::FakeClock clock;
  Receiver receiver;
  receiver.answers = {500};
  const auto messages = app::Messages::start(
      clock, {.options = {.webhook_url = receiver.url()}, .folder = folder / "m", .node = "n"});
  REQUIRE(messages.ok());
  const auto failed = (*messages)->test(soon);
  REQUIRE(failed.ok());
  CHECK(failed->find_path("ways.webhook.reason")->as_string() == "the webhook answered 500");
  const auto sent = (*messages)->test(soon);
  REQUIRE(sent.ok());
  CHECK(sent->find_path("ways.webhook.sent")->as_bool());
  REQUIRE(receiver.got.size() == 2);
  CHECK(parse_json(receiver.got[1].body)->string_or("type") == "cairn.test");
  const auto none = app::Messages::start(clock, {.folder = folder / "n", .node = "n"});
  REQUIRE(none.ok());
  CHECK((*none)->test(soon).error().kind == ErrorKind::unsupported);
}

TEST_CASE("messages: a receiver that fails at first gets each message, in the order of its fault") {
  os::configure_log(os::LogLevel::error, os::LogFormat::text, [](std::string_view) {});
  const os::TestFolder folder;
  os::FakeClock clock;
  Receiver receiver;
  receiver.answers = {500, 500};
  std::vector<app::Fault> faults = {disk()};
  const auto look = [&](const os::Deadline&) {
    return app::LookedAt{.faults = faults, .kinds = kinds};
  };
  const auto open = [&] {
    auto started = app::Messages::start(
        clock, {.options = {.webhook_url = receiver.url(), .check_ms = 1'000'000'000},
                .folder = folder / "messages",
                .node = "n",
                .look = look});
    REQUIRE(started.ok());
    (*started)->stop();  // the thread may have looked once, and sent
    return std::move(*started);
  };
  auto messages = open();
  messages->look_now(soon);  // where the thread was stopped before it did
  faults.clear();
  messages->look_now(soon);  // over before it was told
  for (int i = 0; i < 20; ++i) {
    clock.advance_ms(600'000);
    if (i == 1) {
      messages.reset();  // a restart: what waits is sent by the next process
      messages = open();
    }
    messages->send_due(soon);
  }
  const std::lock_guard lock(receiver.mutex);
  std::vector<std::string> taken;
  for (std::size_t i = 2; i < receiver.got.size(); ++i) {
    const auto body = parse_json(receiver.got[i].body);
    REQUIRE(body.ok());
    CHECK(body->string_or("type") == "cairn.disk_nearly_full");
    taken.push_back(body->find("data")->string_or("state"));
  }
  CHECK(taken == States{"begins", "over"});
  CHECK(receiver.got[0].id == receiver.got[2].id);
  const Json state = messages->state();
  CHECK(state.int_or("waiting") == 0);
  CHECK(state.int_or("given_up") == 0);
}

TEST_CASE(
    "messages: a receiver that is gone for good, and one that never answers, are given up in the "
    "end") {
  os::configure_log(os::LogLevel::error, os::LogFormat::text, [](std::string_view) {});
  for (const int status : {410, 500}) {
    const os::TestFolder folder;
    os::FakeClock clock;
    Receiver receiver;
    receiver.answers = std::vector<int>(10'000, status);
    auto started = app::Messages::start(
        clock, {.options = {.webhook_url = receiver.url(), .check_ms = 1'000'000'000},
                .folder = folder / "messages",
                .node = "n",
                .look = [&](const os::Deadline&) {
                  return app::LookedAt{.faults = {disk()}, .kinds = kinds};
                }});
    REQUIRE(started.ok());
    (*started)->stop();
    (*started)->look_now(soon);
    for (int i = 0; i < 30; ++i) {
      (*started)->send_due(soon);
      clock.advance_ms(hour_ms);
    }
    CHECK((*started)->state().int_or("waiting") == 0);
    CHECK((*started)->state().int_or("given_up") == 1);
    CHECK(receiver.got.size() == (status == 410 ? 1u : 25u));
  }
}

TEST_CASE("messages: a mail is what the program gets; one that fails is told") {
  const os::TestFolder folder;
  const std::string taken = folder / "taken";
  const std::string program = folder / "mailer";
  std::ofstream(program) << "#!/bin/sh\ncat > " << taken << "\necho \"$@\" >> " << taken
                         << ".words\n";
  REQUIRE(::chmod(program.c_str(), 0700) == 0);
  app::MessageOptions options{.mail_command = {program, "-t", "-i"}, .mail_to = "ops@example.org"};
  REQUIRE(options.validate().ok());
  const app::Message message{.id = "msg_1",
                             .state = "begins",
                             .time_ms = 1'700'000'000'000,
                             .since_ms = 1'700'000'000'000,
                             .fault = {.key = "k",
                                       .kind = "sync_failed",
                                       .subject = "docs\nBcc: evil@example.org",
                                       .text = "It failed: f\xc3\xbcr immer"}};
  CHECK_FALSE(app::send_mail(options, message, "n\xc3\xb6", soon).has_value());
  std::stringstream text;
  text << std::ifstream(taken).rdbuf();
  const std::string mail = text.str();
  CHECK(
      mail.find(
          "To: ops@example.org\nSubject: [cairn n??] sync_failed: docs?Bcc: evil@example.org\n") !=
      std::string::npos);
  CHECK(mail.find("\nBcc:") == std::string::npos);
  CHECK(mail.find("Date: Tue, 14 Nov 2023 22:13:20 +0000\n") != std::string::npos);
  std::string encoded = mail.substr(mail.find("\n\n") + 2);
  std::erase(encoded, '\n');
  CHECK(from_base64(encoded)->starts_with("It failed: f\xc3\xbcr immer\n"));
  std::stringstream words;
  words << std::ifstream(taken + ".words").rdbuf();
  CHECK(words.str() == "-t -i\n");
  options.mail_command = {"/bin/false"};
  CHECK(app::send_mail(options, message, "n", soon)->reason == "/bin/false ended with 1");
  options.mail_command = {"/bin/sleep", "100"};
  CHECK(app::send_mail(options, message, "n", os::Deadline::in_ms(200))->reason.find("signal") !=
        std::string::npos);
  options.mail_command = {"/no/such/program"};
  CHECK(app::send_mail(options, message, "n", soon).has_value());
}

TEST_CASE("messages: settings that cannot work are refused") {
  using Options = app::MessageOptions;
  for (const Options& options :
       {Options{.webhook_url = "nonsense"}, Options{.webhook_secret_file = "/s"},
        Options{.mail_command = {"sendmail"}, .mail_to = "a@b"}, Options{.mail_command = {"/s"}},
        Options{.mail_to = "a@b"}, Options{.mail_command = {"/s"}, .mail_to = "a@b\nBcc: c"},
        Options{.check_ms = 1}})
    CHECK_FALSE(options.validate().ok());
  CHECK(Options{.webhook_url = "https://h/x"}.validate().ok());
}

}  // namespace messages_test
