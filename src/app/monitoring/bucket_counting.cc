// SPDX-License-Identifier: Apache-2.0
#include "app/monitoring/bucket_counting.h"

#include <algorithm>
#include <utility>

#include "os/clock.h"
#include "os/log.h"

namespace cairn::app {
namespace {

constexpr std::int64_t look_again_ms = 5'000;
constexpr std::int64_t count_rest_factor = 1;  // rests, in times of the work before
constexpr int counting_nice = 10;

}  // namespace

Status count_buckets(objectstore::Engine& engine, const os::Deadline& deadline) {
  for (const s3::Bucket& bucket : engine.list_buckets()) {
    CAIRN_CHECK(deadline.check("count buckets"));
    if (engine.usage(bucket.name)) continue;
    std::int64_t begin_ns = os::system_clock().steady_ns();
    const auto rest = [&]() -> Status {
      const std::int64_t worked_ms = (os::system_clock().steady_ns() - begin_ns) / 1'000'000;
      if (worked_ms > 0 && !os::sleep_ms(worked_ms * count_rest_factor, deadline))
        return deadline.check("count buckets");
      begin_ns = os::system_clock().steady_ns();
      return ok_status();
    };
    const Status counted = engine.count_usage(bucket.name, rest, deadline);
    if (counted.ok()) continue;
    if (counted.error().kind == ErrorKind::cancelled || counted.error().kind == ErrorKind::timeout)
      return counted;
    os::log(os::LogLevel::debug, "app", "a bucket was not counted",
            {{"bucket", bucket.name}, {"reason", counted.error().message}});
  }
  return ok_status();
}

Result<std::unique_ptr<BucketCounting>> BucketCounting::start(objectstore::Engine& engine) {
  auto out = std::make_unique<BucketCounting>();
  const auto rounds = [&engine](std::stop_token stop) {
    const auto until_stopped = os::Deadline::never(std::move(stop));
    while (count_buckets(engine, until_stopped).ok() &&
           os::sleep_ms(look_again_ms, until_stopped)) {
    }
  };
  CAIRN_TRY(out->thread_,
            os::Thread::start_stoppable({.name = "cairn-usage", .nice = counting_nice}, rounds));
  return out;
}

void BucketCounting::stop() {
  thread_.request_stop();
  thread_.join();
}

}  // namespace cairn::app
