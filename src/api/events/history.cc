// SPDX-License-Identifier: Apache-2.0
#include "api/events/history.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

namespace cairn::api {
namespace {

constexpr std::string_view names[History::series_count] = {
    "requests_per_second",
    "errors_per_second",
    "limited_per_second",
    "latency_p50_ms",
    "latency_p99_ms",
    "received_bytes_per_second",
    "sent_bytes_per_second",
    "connections",
    "cpu_cores",
    "memory_resident_bytes",
    "disk_used_bytes",
    "disk_available_bytes",
    "documents_per_second",
    "deleted_documents_per_second",
    "tokens_per_second",
    "syncs_running",
    "merges_running",
    "compute_running",
    "compute_waiting",
};
constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t second = 1'000, minute = 60 * second;

/// Of several samples in a step the mean is kept; of the slow requests the slowest.
bool keeps_largest(std::size_t series) {
  return static_cast<History::Series>(series) == History::Series::latency_p99_ms;
}

/// Five digits are more than a plot shows.
Json shown_number(float value) {
  if (!std::isfinite(value)) return Json();
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", static_cast<double>(value));
  const double number = std::strtod(text, nullptr);
  if (std::abs(number) < 9e15 && number == std::floor(number))
    return Json(static_cast<std::int64_t>(number));
  return Json(number);
}

}  // namespace

std::span<const std::string_view> History::series_names() { return names; }

std::optional<History::Range> History::range_of(std::string_view name) {
  if (name == "1h") return Range::hour;
  if (name == "24h") return Range::day;
  if (name == "7d") return Range::week;
  return std::nullopt;
}

History::History() {
  constexpr std::pair<std::int64_t, std::size_t> lengths[range_count] = {
      {sample_every_ms, 360}, {2 * minute, 720}, {15 * minute, 672}};
  for (std::size_t i = 0; i < range_count; ++i) {
    Ring& ring = rings_[i];
    std::tie(ring.step_ms, ring.steps) = lengths[i];
    ring.values.assign(ring.steps * series_count, unknown);
  }
}

float* History::Ring::at(std::int64_t step) {
  return values.data() + static_cast<std::size_t>(step) % steps * series_count;
}
const float* History::Ring::at(std::int64_t step) const {
  return values.data() + static_cast<std::size_t>(step) % steps * series_count;
}

// The open step is full.
void History::Ring::close() {
  float* const to = at(open);
  for (std::size_t i = 0; i < series_count; ++i)
    to[i] = count[i] == 0      ? unknown
            : keeps_largest(i) ? largest[i]
                               : static_cast<float>(sum[i] / count[i]);
  sum = {};
  count = {};
}

void History::Ring::add(std::int64_t step, const Sample& sample) {
  if (step + static_cast<std::int64_t>(steps) < open) {  // the clock was far ahead
    std::fill(values.begin(), values.end(), unknown);
    sum = {};
    count = {};
    open = step;
  }
  if (open < 0) open = step;
  if (step > open) {  // a clock that was set back a little adds to the step that is open
    close();
    const std::int64_t gap = std::max(open + 1, step - static_cast<std::int64_t>(steps));
    for (std::int64_t empty = gap; empty < step; ++empty)
      std::fill_n(at(empty), series_count, unknown);
    open = step;
  }
  for (std::size_t i = 0; i < series_count; ++i) {
    if (!std::isfinite(sample[i])) continue;
    largest[i] = count[i] == 0 ? sample[i] : std::max(largest[i], sample[i]);
    sum[i] += static_cast<double>(sample[i]);
    ++count[i];
  }
}

void History::add(std::int64_t now_ms, const Sample& sample) {
  const MutexLock lock(mutex_);
  for (Ring& ring : rings_) ring.add(now_ms / ring.step_ms, sample);
}

Json History::shown(Range range, const std::vector<std::string>& asked) const {
  const MutexLock lock(mutex_);
  const Ring& ring = rings_[static_cast<std::size_t>(range)];
  const std::int64_t from = ring.open - static_cast<std::int64_t>(ring.steps);
  Json metrics = Json::object();
  for (const std::string& name : asked) {
    const auto series = static_cast<std::size_t>(
        std::find(std::begin(names), std::end(names), name) - std::begin(names));
    if (series == series_count) continue;
    Json numbers = Json::array();
    for (std::int64_t step = from; ring.open >= 0 && step < ring.open; ++step)
      numbers.push(step < 0 ? Json() : shown_number(ring.at(step)[series]));
    metrics.set(name, std::move(numbers));
  }
  return Json::object({{"step_ms", ring.step_ms},
                       {"from_ms", ring.open < 0 ? 0 : from * ring.step_ms},
                       {"metrics", std::move(metrics)}});
}

std::string History::save() const {
  const MutexLock lock(mutex_);
  Json series = Json::array();
  for (const auto name : names) series.push(Json(name));
  Json rings = Json::array();
  for (const Ring& ring : rings_)
    rings.push(Json::object({{"step_ms", ring.step_ms},
                             {"steps", static_cast<std::int64_t>(ring.steps)},
                             {"open", ring.open}}));
  std::string out =
      Json::object({{"version", 1}, {"series", std::move(series)}, {"rings", std::move(rings)}})
          .dump() +
      "\n";
  for (const Ring& ring : rings_)
    out.append(reinterpret_cast<const char*>(ring.values.data()),
               ring.values.size() * sizeof(float));
  return out;
}

Status History::restore(std::string_view bytes) {
  const auto bad = [](std::string_view what) {
    return Error{.kind = ErrorKind::corrupt, .message = "saved history: " + std::string(what)};
  };
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return bad("has no head");
  const auto head = parse_json(bytes.substr(0, end));
  if (!head.ok() || !head->is_object()) return bad("its head is no JSON");
  const Json *const series = head->find("series"), *const rings = head->find("rings");
  if (series == nullptr || !series->is_array() || rings == nullptr || !rings->is_array() ||
      rings->as_array().size() != range_count)
    return bad("its head names no series and rings");
  std::vector<std::size_t> places;  // in a step of today's, of each saved series
  for (const Json& name : series->as_array()) {
    if (!name.is_string()) return bad("the name of a series is no text");
    places.push_back(static_cast<std::size_t>(
        std::find(std::begin(names), std::end(names), name.as_string()) - std::begin(names)));
  }
  bytes.remove_prefix(end + 1);
  const MutexLock lock(mutex_);
  std::size_t expected = 0;
  for (const Ring& ring : rings_) expected += ring.steps * places.size() * sizeof(float);
  if (bytes.size() != expected) return bad("has another length than it says");
  for (std::size_t i = 0; i < range_count; ++i) {
    const Json& said = rings->as_array()[i];
    if (said.int_or("step_ms", 0) != rings_[i].step_ms ||
        said.int_or("steps", 0) != static_cast<std::int64_t>(rings_[i].steps))
      return bad("its steps are others");
  }
  for (std::size_t i = 0; i < range_count; ++i) {
    Ring& ring = rings_[i];
    ring.open = std::max<std::int64_t>(rings->as_array()[i].int_or("open", -1), -1);
    for (std::size_t step = 0; step < ring.steps; ++step)
      for (const std::size_t place : places) {
        float value = unknown;
        std::memcpy(&value, bytes.data(), sizeof value);
        bytes.remove_prefix(sizeof value);
        if (place < series_count) ring.values[step * series_count + place] = value;
      }
    ring.sum = {};
    ring.count = {};
  }
  return ok_status();
}

}  // namespace cairn::api
