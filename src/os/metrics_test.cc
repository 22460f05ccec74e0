// SPDX-License-Identifier: Apache-2.0
// Tests of metrics.h and cpu.h.
#include "os/metrics.h"

#include <doctest/doctest.h>

#include <cmath>
#include <thread>

#include "os/clock.h"
#include "os/cpu.h"
#include "os/process_metrics.h"
#include "os/striped_counter.h"

using namespace cairn::os;

TEST_CASE("metrics: the Prometheus text, families in order of their names") {
  Metrics registry;
  registry.counter("cairn_net_requests_total", "Requests\nserved \\ all.", {{"status", "200"}})
      .add(3);
  registry.counter("cairn_net_requests_total", "ignored", {{"status", "4\"0\\4\n"}}).add();
  registry.gauge("cairn_net_connections", "Open connections.").set(-2);
  registry.gauge_from("cairn_os_share", "A share.", [] { return 0.25; });
  CHECK(registry.expose() ==
        "# HELP cairn_net_connections Open connections.\n"
        "# TYPE cairn_net_connections gauge\n"
        "cairn_net_connections -2\n"
        "# HELP cairn_net_requests_total Requests\\nserved \\\\ all.\n"
        "# TYPE cairn_net_requests_total counter\n"
        "cairn_net_requests_total{status=\"200\"} 3\n"
        "cairn_net_requests_total{status=\"4\\\"0\\\\4\\n\"} 1\n"
        "# HELP cairn_os_share A share.\n"
        "# TYPE cairn_os_share gauge\n"
        "cairn_os_share 0.25\n");
}

TEST_CASE("metrics: one name and labels are one object") {
  Metrics registry;
  Counter& counter = registry.counter("a_total", "A.", {{"x", "1"}});
  CHECK(&registry.counter("a_total", "A.", {{"x", "1"}}) == &counter);
  CHECK(&registry.counter("a_total", "A.", {{"x", "2"}}) != &counter);
  CHECK(&registry.gauge("b", "B.") == &registry.gauge("b", "B."));
  CHECK(&metrics() == &metrics());
}

TEST_CASE("metrics: a family that is read when shown") {
  Metrics registry;
  double count = 1;
  registry.counters_from("seen_total", "Seen.", [&] {
    return std::vector<Metrics::Sample>{{{{"kind", "a"}}, count}, {{{"kind", "b"}}, 2.5}};
  });
  registry.gauges_from("none", "Nothing yet.", [] { return std::vector<Metrics::Sample>{}; });
  count = 12'345'678;
  CHECK(registry.expose() ==
        "# HELP none Nothing yet.\n# TYPE none gauge\n"
        "# HELP seen_total Seen.\n# TYPE seen_total counter\n"
        "seen_total{kind=\"a\"} 12345678\nseen_total{kind=\"b\"} 2.5\n");
}

TEST_CASE("metrics: a family is there before its first series") {
  Metrics registry;
  registry.declare(MetricKind::counter, "a_total", "A.");
  CHECK(registry.expose() == "# HELP a_total A.\n# TYPE a_total counter\n");
  registry.counter("a_total", "A.", {{"k", "v"}}).add(2);
  CHECK(registry.expose().find("a_total{k=\"v\"} 2\n") != std::string::npos);
}

TEST_CASE("metrics: nanoseconds are shown as seconds") {
  Metrics registry;
  registry.seconds("busy_seconds_total", "Busy.").add(1'500'000'000);
  CHECK(registry.expose().find("busy_seconds_total 1.5\n") != std::string::npos);
}

TEST_CASE("metrics: a family has no more series than may be, and one for all others") {
  Metrics registry;
  for (std::size_t i = 0; i < Metrics::series_max + 10; ++i)
    registry.counter("c_total", "C.", {{"name", std::to_string(i)}, {"kind", "x"}}).add();
  Counter& rest = registry.counter("c_total", "C.", {{"name", "new"}, {"kind", "y"}});
  CHECK(rest.value() == 10);
  CHECK(&rest == &registry.counter("c_total", "C.", {{"name", "newer"}, {"kind", "z"}}));
  CHECK(registry.counter("c_total", "C.", {{"name", "7"}, {"kind", "x"}}).value() == 1);
  const std::string text = registry.expose();
  CHECK(text.find("c_total{name=\"_other\",kind=\"_other\"} 10\n") != std::string::npos);
}

TEST_CASE("metrics: names of users are bounded") {
  limit_shown_names(2);
  CHECK(shown_name("test", "a") == "a");
  CHECK(shown_name("test", "b") == "b");
  CHECK(shown_name("test", "c") == "_other");
  CHECK(shown_name("test", "a") == "a");
  CHECK(shown_name("another test", "c") == "c");
  auto samples =
      largest_samples("k", {{"small", 1}, {"large", 9}, {"b", 5}, {"a", 5}, {"none", 0}});
  REQUIRE(samples.size() == 3);
  CHECK(samples[0].labels == MetricLabels{{"k", "large"}});
  CHECK(samples[1].labels == MetricLabels{{"k", "a"}});
  CHECK(samples[2].labels == MetricLabels{{"k", "_other"}});
  CHECK(samples[2].value == 6);
  limit_shown_names(0);
  samples = largest_samples("k", {{"a", 1}, {"b", 2}});
  REQUIRE(samples.size() == 1);
  CHECK(samples[0].value == 3);
  CHECK(largest_samples("k", {}).empty());
  limit_shown_names(shown_names_default);
}

TEST_CASE("metrics: who makes a series does not wait for what is read when shown") {
  Metrics registry;
  registry.gauge_from("slow", "Slow.", [&] {
    registry.counter("made_total", "Made while another is shown.").add();
    return 1.0;
  });
  CHECK(registry.expose().find("slow 1\n") != std::string::npos);
  CHECK(registry.counter("made_total", "").value() == 1);
}

TEST_CASE("process metrics: those of this process") {
  Metrics registry;
  add_process_metrics(registry);
  const std::string text = registry.expose();
  const auto value = [&](const std::string& name) {
    const std::size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1.0 : std::stod(text.substr(at + name.size() + 2));
  };
  CHECK(value("process_resident_memory_bytes") > 1e6);
  CHECK(value("process_virtual_memory_bytes") > value("process_resident_memory_bytes"));
  CHECK(value("process_open_fds") >= 3);
  CHECK(value("process_max_fds") > value("process_open_fds"));
  CHECK(value("process_threads") >= 1);
  CHECK(value("process_cpu_seconds_total") >= 0);
  const double now = static_cast<double>(system_clock().unix_ms()) / 1000;
  CHECK(value("process_start_time_seconds") <= now + 1);
  CHECK(value("process_start_time_seconds") > now - 24 * 3600);
  std::thread([&] {
    Metrics again;
    add_process_metrics(again);
    const std::string more = again.expose();
    const std::size_t at = more.find("\nprocess_threads ");
    CHECK(std::stod(more.substr(at + 17)) >= 2);
  }).join();
}

TEST_CASE("striped counter: nothing is lost") {
  StripedCounter counter;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 20; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) counter.add();
      });
  }
  CHECK(counter.value() == 20'000);
}

TEST_CASE("histogram: a value falls in the first bucket that holds it") {
  Histogram histogram;
  for (std::size_t i = 0; i + 1 < Histogram::bucket_count; ++i) {
    const auto bound =
        static_cast<std::int64_t>(std::llround(Histogram::upper_bound_seconds(i) * 1e9));
    histogram.observe_ns(bound);
    CHECK(histogram.bucket(i) == (i == 0 ? 1 : 2));
    histogram.observe_ns(bound + 1);
    CHECK(histogram.bucket(i + 1) == 1);
  }
  CHECK(std::isinf(Histogram::upper_bound_seconds(Histogram::bucket_count - 1)));
  CHECK(histogram.count() == 2 * (Histogram::bucket_count - 1));
  Histogram odd;
  odd.observe_ns(-1);
  odd.observe_ns(INT64_C(3'000'000'000));
  CHECK(odd.bucket(0) == 1);
  CHECK(odd.sum_seconds() == 3.0);
}

TEST_CASE("histogram: shown cumulative, with sum and count") {
  Metrics registry;
  Histogram& histogram = registry.histogram("h_seconds", "H.", {{"op", "get"}});
  histogram.observe_ns(150'000);
  histogram.observe_ns(150'000);
  histogram.observe_ns(1'000'000'000'000);
  const std::string text = registry.expose();
  const auto has = [&](const std::string& line) {
    INFO(line);
    CHECK(text.find(line + "\n") != std::string::npos);
  };
  has("# TYPE h_seconds histogram");
  has("h_seconds_bucket{op=\"get\",le=\"0.0001\"} 0");
  has("h_seconds_bucket{op=\"get\",le=\"0.0002\"} 2");
  has("h_seconds_bucket{op=\"get\",le=\"100\"} 2");
  has("h_seconds_bucket{op=\"get\",le=\"+Inf\"} 3");
  has("h_seconds_sum{op=\"get\"} 1000.0003");
  has("h_seconds_count{op=\"get\"} 3");
}

TEST_CASE("metrics: counting from many threads loses nothing") {
  Metrics registry;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) {
          registry.counter("c_total", "C.").add();
          registry.histogram("h_seconds", "H.").observe_ns(1000);
          if (i % 100 == 0) (void)registry.expose();
        }
      });
    }
  }
  CHECK(registry.counter("c_total", "C.").value() == 4000);
  CHECK(registry.histogram("h_seconds", "H.").count() == 4000);
}

TEST_CASE("cpu: some cores, some memory, and features that imply each other") {
  CHECK(cpu_count() >= 1);
  CHECK(cpu_count() <= std::thread::hardware_concurrency());
  CHECK(resident_bytes() > 100'000);
  const CpuFeatures& f = cpu_features();
  CHECK(!f.brand.empty());
  if (f.avx512_vnni || f.avx512_bf16 || f.avx512_vbmi || f.amx) CHECK(f.avx512);
  if (f.avx512) CHECK(f.avx2);
}
