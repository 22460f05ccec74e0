// SPDX-License-Identifier: Apache-2.0
#include "api/events/event_publisher.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "net/http/sse.h"

namespace cairn::api::event_publisher_test {
namespace {

/// A minute is long enough for any machine.
template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 60'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// A stream whose peer takes what the test lets it take.
class FakeStream final : public net::ParkedStream {
 public:
  bool offer(std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    if (!takes_ || !open_) return false;
    REQUIRE(parser_.feed(bytes).ok());
    ++offers_;
    while (auto event = parser_.next()) events_.push_back(std::move(*event));
    return true;
  }
  bool end() override {
    const std::lock_guard lock(mutex_);
    open_ = false;
    return true;
  }
  bool is_open() const override {
    const std::lock_guard lock(mutex_);
    return open_;
  }
  void take(bool takes) {
    const std::lock_guard lock(mutex_);
    takes_ = takes;
  }
  std::vector<net::SseEvent> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  std::size_t count(std::string_view name) const {
    std::size_t out = 0;
    for (const auto& each : events()) out += each.event == name ? 1 : 0;
    return out;
  }

 private:
  mutable std::mutex mutex_;
  net::SseParser parser_;
  std::vector<net::SseEvent> events_;
  std::size_t offers_ = 0;
  bool takes_ = true, open_ = true;
};

struct Fixture {
  explicit Fixture(EventOptions options = {})
      : publisher({{.name = "count",
                    .privileges = {},
                    .period_ms = 5,
                    .read = [this] { return std::to_string(++reads); }},
                   {.name = "word",
                    .privileges = {},
                    .period_ms = 5,
                    .on_change = true,
                    .read =
                        [this] {
                          ++looks;
                          return changed ? R"("new")" : R"("old")";
                        }},
                   {.name = "list",
                    .privileges = {},
                    .period_ms = 5,
                    .read_after = [this](std::uint64_t after) -> std::optional<Topic::News> {
                      if (after >= written) return std::nullopt;
                      return Topic::News{.text = std::to_string(after), .until = written};
                    }}},
                  options, os::system_clock()) {
    REQUIRE(publisher.start().ok());
  }
  std::shared_ptr<FakeStream> listen(unsigned long topics,
                                     EventPublisher::StillAllowed still = {}) {
    auto stream = std::make_shared<FakeStream>();
    auto place = publisher.enter("key");
    REQUIRE(place.ok());
    if (!still) still = [] { return EventPublisher::Topics(7); };
    publisher.add(std::move(*place), stream, EventPublisher::Topics(topics), std::move(still));
    return stream;
  }

  std::atomic<int> reads{0}, looks{0};
  std::atomic<std::uint64_t> written{0};
  std::atomic<bool> changed{false};
  EventPublisher publisher;
};

}  // namespace

TEST_CASE("events: nothing is read while nobody listens, nor of topics that nobody hears") {
  Fixture fixture;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(fixture.reads == 0);
  const auto stream = fixture.listen(2);
  CHECK(eventually([&] { return fixture.looks > 3; }));
  CHECK(fixture.reads == 0);
  stream->end();
  CHECK(eventually([&] {
    const int before = fixture.looks;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return fixture.looks == before;
  }));
}

TEST_CASE("events: a value is read once for all, and told on change where that is all there is") {
  Fixture fixture;
  std::vector<std::shared_ptr<FakeStream>> streams;
  for (int i = 0; i < 10; ++i) streams.push_back(fixture.listen(3));
  for (const auto& each : streams) {
    CHECK(eventually([&] { return each->count("count") > 5; }));
    CHECK(each->count("word") == 1);
  }
  fixture.changed = true;
  for (const auto& each : streams) CHECK(eventually([&] { return each->count("word") == 2; }));
  CHECK(streams[0]->events().size() > 7);
  std::uint64_t last = 0;
  for (const auto& event : streams[0]->events()) {
    const std::uint64_t id = std::stoull(event.id);
    CHECK(id > last);
    last = id;
  }
  CHECK(streams[0]->count("count") <= static_cast<std::size_t>(fixture.reads));
}

TEST_CASE("events: who is slow gets the newest value, and of a list all that is kept") {
  Fixture fixture;
  const auto slow = fixture.listen(5);
  CHECK(eventually([&] { return slow->count("count") > 0; }));
  slow->take(false);
  const std::size_t before = slow->events().size();
  const int reads = fixture.reads;
  fixture.written = 3;
  CHECK(eventually([&] { return fixture.reads > reads + 20; }));
  CHECK(slow->events().size() == before);
  slow->take(true);
  CHECK(eventually([&] { return slow->events().size() >= before + 2; }));
  const auto events = slow->events();
  CHECK(std::stoi(events[before].data) > reads + 10);
  CHECK(slow->count("list") == 1);
  fixture.written = 4;
  CHECK(eventually([&] { return slow->count("list") == 2; }));
}

TEST_CASE("events: so many may listen, in all and with one key, and who goes makes room") {
  Fixture fixture({.streams_max = 3, .streams_of_one_max = 2});
  const auto first = fixture.listen(1), second = fixture.listen(1);
  CHECK(fixture.publisher.enter("key").error().kind == ErrorKind::rate_limited);
  {
    const auto other = fixture.publisher.enter("other");
    CHECK(other.ok());
    CHECK(fixture.publisher.enter("third").error().kind == ErrorKind::rate_limited);
  }
  CHECK(fixture.publisher.enter("third").ok());
  first->end();
  CHECK(eventually([&] { return fixture.publisher.enter("key").ok(); }));
}

TEST_CASE("events: a stop ends all streams, and takes no more") {
  Fixture fixture;
  const auto stream = fixture.listen(1);
  CHECK(eventually([&] { return stream->count("count") > 0; }));
  fixture.publisher.stop();
  CHECK_FALSE(stream->is_open());
  const auto late = fixture.listen(1);
  CHECK(late.use_count() == 1);
}

}  // namespace cairn::api::event_publisher_test
