// SPDX-License-Identifier: Apache-2.0
#include "os/threads/thread.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>

#include "os/deadline.h"
#include "os/log.h"
#include "os/threads/no_threads.h"
#include "os/threads/once_event.h"

namespace cairn::os::thread_test {

TEST_CASE("thread: the destructor asks it to stop and joins it") {
  std::atomic<bool> ended{false};
  {
    auto thread = Thread::start_stoppable({.name = "test"}, [&](const std::stop_token& stop) {
      CHECK_FALSE(sleep_ms(600'000, Deadline::never(stop)));
      ended = true;
    });
    REQUIRE(thread.ok());
    Thread moved = std::move(*thread);
    CHECK(moved.joinable());
    CHECK_FALSE(thread->joinable());
  }
  CHECK(ended);
}

TEST_CASE("thread: assigning another one ends the first") {
  std::atomic<int> ended{0};
  const auto body = [&](const std::stop_token& stop) {
    CHECK_FALSE(sleep_ms(600'000, Deadline::never(stop)));
    ++ended;
  };
  Thread thread = Thread::start_stoppable_or_tell({.name = "one"}, body);
  thread = Thread::start_stoppable_or_tell({.name = "two"}, body);
  CHECK(ended == 1);
  thread = {};
  CHECK(ended == 2);
}

TEST_CASE("thread: one that the system refuses is an error that says what to raise") {
  // No address space has room for this stack.
  const auto thread = Thread::start({.name = "large", .stack_bytes = std::size_t{1} << 60}, [] {});
  REQUIRE_FALSE(thread.ok());
  CHECK(thread.error().kind == ErrorKind::unavailable);
  CHECK(thread.error().message.find("'large'") != std::string::npos);
  CHECK(thread.error().message.find("ulimit -u") != std::string::npos);
}

TEST_CASE("thread: where none can be had, work that others do is told in the log") {
  std::string lines;
  {
    configure_log(LogLevel::warn, LogFormat::json, [&](std::string_view line) { lines += line; });
    const NoThreads none;
    CHECK_FALSE(Thread::start_or_tell({.name = "beside"}, [] {}).joinable());
    CHECK_FALSE(Thread::start_alone({.name = "alone"}, [] {}).ok());
  }
  configure_log(LogLevel::warn, LogFormat::json);
  CHECK(lines.find("thread_not_started") != std::string::npos);
  CHECK(lines.find("'beside'") != std::string::npos);
  CHECK(Thread::start_or_tell({.name = "beside"}, [] {}).joinable());
}

TEST_CASE("thread: one of nobody goes on by itself") {
  const auto done = std::make_shared<OnceEvent>();
  REQUIRE(Thread::start_alone({.name = "alone"}, [done] { done->set(); }).ok());
  done->wait();
}

}  // namespace cairn::os::thread_test
