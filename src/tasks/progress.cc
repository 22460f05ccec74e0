// SPDX-License-Identifier: Apache-2.0
#include "tasks/progress.h"

#include <utility>

namespace cairn::tasks {
namespace {

/// The counters of a record, by name.
template <class Counts, class Each>
void each_count(Counts& counts, Each each) {
  each("total", counts.total);
  each("updated", counts.updated);
  each("created", counts.created);
  each("deleted", counts.deleted);
  each("batches", counts.batches);
  each("version_conflicts", counts.version_conflicts);
  each("noops", counts.noops);
  each("write_retries", counts.write_retries);
  each("read_retries", counts.read_retries);
  each("throttled_ms", counts.throttled_ms);
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  total += other.total;
  updated += other.updated;
  created += other.created;
  deleted += other.deleted;
  batches += other.batches;
  version_conflicts += other.version_conflicts;
  noops += other.noops;
  write_retries += other.write_retries;
  read_retries += other.read_retries;
  throttled_ms += other.throttled_ms;
  return *this;
}

Json status_of(Kind kind, const Counts& counts, double requests_per_second,
               std::int64_t throttled_until_ms, std::optional<std::size_t> slice,
               const std::optional<std::string>& cancelled) {
  Json out = Json::object();
  if (slice) out.set("slice_id", *slice);
  out.set("total", counts.total);
  if (kind != Kind::remove) out.set("updated", counts.updated);
  if (kind == Kind::reindex) out.set("created", counts.created);
  out.set("deleted", counts.deleted);
  out.set("batches", counts.batches);
  out.set("version_conflicts", counts.version_conflicts);
  out.set("noops", counts.noops);
  out.set("retries",
          Json::object({{"bulk", counts.write_retries}, {"search", counts.read_retries}}));
  out.set("throttled_millis", counts.throttled_ms);
  out.set("requests_per_second", requests_per_second > 0 ? requests_per_second : -1.0);
  if (cancelled) out.set("canceled", *cancelled);
  out.set("throttled_until_millis", throttled_until_ms);
  return out;
}

Json record_of(const SliceState& state) {
  Json counts = Json::object();
  each_count(state.counts, [&](const char* name, auto value) { counts.set(name, value); });
  Json out = Json::object({{"counts", std::move(counts)},
                           {"target", state.target},
                           {"after", state.after},
                           {"began", state.began},
                           {"ended", state.ended},
                           {"requests_per_second", state.requests_per_second}});
  if (!state.in_flight) return out;
  Json in_flight = Json::object({{"target", state.in_flight->target},
                                 {"to", state.in_flight->to},
                                 {"count", state.in_flight->count}});
  if (!state.in_flight->seq_nos.empty())
    in_flight.set("seq_nos", Json::array_of(state.in_flight->seq_nos));
  out.set("in_flight", std::move(in_flight));
  return out;
}

SliceState read_slice_state(const Json& record) {
  SliceState out;
  if (const Json* counts = record.find("counts"))
    each_count(out.counts, [&](const char* name, auto& value) {
      value = static_cast<std::remove_reference_t<decltype(value)>>(counts->int_or(name));
    });
  out.target = static_cast<std::size_t>(record.int_or("target"));
  out.after = record.int_or("after", -1);
  out.began = record.bool_or("began");
  out.ended = record.bool_or("ended");
  out.requests_per_second = record.double_or("requests_per_second");
  if (const Json* in_flight = record.find("in_flight"))
    out.in_flight = InFlight{.target = static_cast<std::size_t>(in_flight->int_or("target")),
                             .to = in_flight->int_or("to", -1),
                             .count = static_cast<std::uint64_t>(in_flight->int_or("count"))};
  const Json* numbers = out.in_flight ? record.find_path("in_flight.seq_nos") : nullptr;
  if (numbers != nullptr && numbers->is_array())
    for (const Json& number : numbers->as_array())
      if (number.is_integer()) out.in_flight->seq_nos.push_back(number.as_int());
  return out;
}

}  // namespace cairn::tasks
