// SPDX-License-Identifier: Apache-2.0
// Nothing is left out and nothing is there twice, whatever call fails, and when.
#include "app/upkeep/audit_shipping.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "os/files/test_folder.h"
#include "os/log.h"
#include "os/random.h"
#include "store/memory_store.h"

namespace audit_shipping_test {

using namespace cairn;

namespace {

const os::Deadline never = os::Deadline::never();

/// A store on the way to which a call is lost, or its reply is.
class LossyStore final : public store::Store {
 public:
  LossyStore(store::Store& behind, int& left, bool reply)
      : behind_(behind), left_(left), reply_(reply) {}
  Result<store::Object> get(std::string_view key, const os::Deadline& deadline,
                            store::Range range) override {
    return lossy<store::Object>([&] { return behind_.get(key, deadline, range); });
  }
  Result<std::optional<store::ObjectInfo>> head(std::string_view key,
                                                const os::Deadline& deadline) override {
    return behind_.head(key, deadline);
  }
  Result<store::ObjectInfo> put(std::string_view key, std::string_view bytes,
                                const os::Deadline& deadline,
                                const store::Condition& condition) override {
    CHECK(condition.if_none_match);
    return lossy<store::ObjectInfo>([&] { return behind_.put(key, bytes, deadline, condition); });
  }
  Result<std::unique_ptr<store::Upload>> begin_upload(std::string_view key,
                                                      const os::Deadline& deadline) override {
    return behind_.begin_upload(key, deadline);
  }
  Result<store::ListPage> list(const store::ListParams& params,
                               const os::Deadline& deadline) override {
    store::ListParams small = params;
    small.limit = 2;
    return lossy<store::ListPage>([&] { return behind_.list(small, deadline); });
  }
  Result<bool> remove(std::string_view key, const os::Deadline& deadline,
                      const store::Condition& condition) override {
    return behind_.remove(key, deadline, condition);
  }
  Result<std::size_t> remove_batch(const std::vector<std::string>& keys,
                                   const os::Deadline& deadline) override {
    return behind_.remove_batch(keys, deadline);
  }
  Result<store::ObjectInfo> copy(std::string_view from, std::string_view to,
                                 const os::Deadline& deadline,
                                 const store::Condition& condition) override {
    return behind_.copy(from, to, deadline, condition);
  }

 private:
  template <class T, class Call>
  Result<T> lossy(Call call) {
    const bool lost = left_-- == 0;
    if (lost && !reply_) return Error{ErrorKind::unavailable, {}, "lost on its way"};
    auto done = call();
    if (lost) return Error{ErrorKind::timeout, {}, "its reply was lost"};
    return done;
  }
  store::Store& behind_;
  int& left_;
  const bool reply_;
};

struct Shipped {
  os::TestFolder folder;
  os::FakeClock clock;
  gate::AuditOptions options = {.folder = folder / "audit",
                                .key = std::string(32, 'k'),
                                .head_file = folder / "keys/audit.head",
                                .file_bytes_max = 4096,
                                .files_max = 1000};
  std::unique_ptr<gate::AuditLog> log;
  std::unique_ptr<gate::AuditTrail> trail;
  std::unique_ptr<store::Store> bucket = store::memory_store();
  int left = -1;  // calls until one is lost
  bool reply = false;
  int written = 0;

  Shipped() { open(); }
  void open() {
    trail.reset();
    log.reset();
    log = std::move(gate::AuditLog::open(os::system_files(), clock, options).value());
    trail =
        std::make_unique<gate::AuditTrail>(os::system_files(), clock, *log, options.key,
                                           auth::SigningKey::of_seed(std::string(32, 's')).value());
  }
  void write(int lines) {
    for (int i = 0; i < lines; ++i) {
      clock.advance_ms(10);
      log->write(
          {.action = "access_denied", .method = "GET", .path = "/" + std::to_string(++written)});
    }
  }
  std::unique_ptr<app::AuditShipping> start(std::int64_t interval_ms = 0) {
    auto started = app::AuditShipping::start(
        *trail, clock,
        {.open = [this](const os::Deadline&) -> Result<std::unique_ptr<store::Store>> {
           return std::unique_ptr<store::Store>(std::make_unique<LossyStore>(*bucket, left, reply));
         },
         .to = "s3://trail/a",
         .interval_ms = interval_ms});
    REQUIRE(started.ok());
    return std::move(*started);
  }
  /// The lines in the bucket in the order of its names; they verify.
  std::vector<std::string> lines() {
    const auto key = auth::SigningKey::of_seed(std::string(32, 's')).value();
    std::vector<std::string> out;
    gate::SegmentVerifier verifier(
        auth::VerifyingKey::parse(key.public_pem()).value(),
        [](std::uint64_t, const std::string& reason) { FAIL_CHECK(reason); });
    const Status read = store::for_each_object(
        *bucket, key.id() + "/", never, [&](const store::ObjectInfo& info) -> Status {
          CAIRN_TRY(const auto object, bucket->get(info.key, never));
          for (const auto line : split(object.bytes, '\n')) {
            if (line.empty()) continue;
            verifier.take(line);
            if (!gate::AuditSeal::decode(line)) out.emplace_back(line);
          }
          verifier.end_input();
          return ok_status();
        });
    REQUIRE(read.ok());
    return out;
  }
  void check_whole() {
    const auto all = lines();
    REQUIRE(all.size() == static_cast<std::size_t>(written));
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(gate::number_of(all[i]) == i + 1);
  }
};

void be_silent() {
  os::configure_log(os::LogLevel::error, os::LogFormat::text, [](std::string_view) {});
}

}  // namespace

TEST_CASE("audit shipping: whichever call or reply is lost, no line is left out or there twice") {
  be_silent();
  for (const bool reply : {false, true})
    for (int lost = 0; lost < 12; ++lost) {
      Shipped shipped;
      shipped.reply = reply;
      shipped.left = lost;
      for (int round = 0; round < 4; ++round) {
        shipped.write(5);
        const auto shipping = shipped.start();
        (void)shipping->ship(never);
        shipped.write(3);
        (void)shipping->ship(never);
        if (round % 2 == 0) continue;  // and the process is killed
        shipped.open();
      }
      const auto shipping = shipped.start();
      REQUIRE(shipping->ship(never).ok());
      shipped.check_whole();
      CHECK(shipping->state().int_or("shipped") == shipped.written);
    }
}

TEST_CASE("audit shipping: a lost reply is followed by a look, in the same process too") {
  be_silent();
  Shipped shipped;
  shipped.reply = true;
  const auto shipping = shipped.start();
  shipped.write(4);
  REQUIRE(shipping->ship(never).ok());
  for (int round = 0; round < 5; ++round) {
    shipped.write(4);
    shipped.left = 0;  // the put, which has happened
    CHECK_FALSE(shipping->ship(never).ok());
    const Json state = shipping->state();
    CHECK(state.find("last_error")->string_or("reason") == "its reply was lost");
    shipped.write(2);  // the next segment would begin at the same line, and be longer
    REQUIRE(shipping->ship(never).ok());
    CHECK(shipping->state().find("last_error")->is_null());
  }
  shipped.check_whole();
}

TEST_CASE(
    "audit shipping: a log that is not the one in the bucket is told, and nothing is overwritten") {
  be_silent();
  Shipped shipped;
  shipped.write(10);
  REQUIRE(shipped.start()->ship(never).ok());
  const auto before = shipped.lines();
  // An older copy of the folder: it knows less than the bucket.
  Shipped older;
  older.bucket = std::move(shipped.bucket);
  older.write(5);
  const auto shipping = older.start();
  const Status behind = shipping->ship(never);
  REQUIRE_FALSE(behind.ok());
  CHECK(behind.error().kind == ErrorKind::conflict);
  CHECK(behind.error().message.find("up to number 10") != std::string::npos);
  // It went on by itself: another line of the same number.
  older.write(1);
  older.clock.advance_ms(5);
  older.write(10);
  const Status other = shipping->ship(never);
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().kind == ErrorKind::conflict);
  CHECK(older.lines() == before);
}

TEST_CASE("audit shipping: lines that went before they were shipped leave a gap that is told") {
  std::vector<std::string> told;
  os::configure_log(os::LogLevel::error, os::LogFormat::text,
                    [&](std::string_view line) { told.emplace_back(line); });
  Shipped shipped;
  shipped.options.files_max = 2;
  shipped.open();
  shipped.write(3);
  const auto shipping = shipped.start();
  REQUIRE(shipping->ship(never).ok());
  shipped.write(200);
  REQUIRE(shipping->ship(never).ok());
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("went before they were shipped") != std::string::npos);
  CHECK(shipping->state().int_or("shipped") == 203);
  be_silent();
}

TEST_CASE("audit shipping: rounds go by themselves, and a stop ships what is left") {
  be_silent();
  Shipped shipped;
  const auto shipping = shipped.start(60'000);
  shipped.write(25);
  shipping->stop();
  shipping->stop();
  shipped.check_whole();
}

}  // namespace audit_shipping_test
