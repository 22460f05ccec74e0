// SPDX-License-Identifier: Apache-2.0
#include "remotestore/lease.h"

#include <algorithm>

#include "base/encode.h"
#include "format/json.h"
#include "format/time.h"
#include "os/log.h"
#include "remotestore/names.h"
#include "remotestore/process_identity.h"
#include "remotestore/remote_store.h"
#include "remotestore/shared.h"

namespace cairn::remotestore {
namespace {

constexpr std::string_view record_key = "owner";
constexpr std::int64_t poll_ms = 500;
constexpr std::int64_t give_back_ms = 5'000;
constexpr int takes_max = 8;

struct OwnerRecord {
  std::string id;
  ProcessIdentity process;
  std::string since;
  bool released = false;
};

OwnerRecord owner_of(const std::string& bytes) {
  const auto json = parse_json(bytes);
  OwnerRecord out;
  if (!json.ok() || !json->is_object()) return out;
  out.id = json->string_or("id");
  out.process = {.host = json->string_or("host"),
                 .machine = json->string_or("machine"),
                 .pid = json->int_or("pid"),
                 .started = json->string_or("started")};
  out.since = json->string_or("since");
  out.released = json->bool_or("released");
  return out;
}

Error place_is_taken(const std::string& place, const OwnerRecord& owner) {
  return {.kind = ErrorKind::conflict,
          .message = place + " is in use by another Cairn: process " +
                     std::to_string(owner.process.pid) + " on " + owner.process.host + " since " +
                     owner.since +
                     " renews its lease. Stop it first, or give this one another prefix"};
}

std::int64_t steady_ms(const os::Clock& clock) { return clock.steady_ns() / 1'000'000; }

}  // namespace

Lease::Lease(Cluster& cluster, LeaseOptions options)
    : options_(std::move(options)),
      clock_(cluster.impl_->shared.clock),
      random_(cluster.impl_->shared.random),
      shown_(cluster.place().shown()),
      // Not below own_area of the place itself, which has names of its own making.
      records_(make_store({.shared = cluster.impl_->shared,
                           .prefix = cluster.place().prefix + std::string(own_area),
                           .options = {}},
                          nullptr)),
      id_(to_hex(random_.bytes(16))) {}

Result<std::unique_ptr<Lease>> Lease::acquire(Cluster& cluster, LeaseOptions options,
                                              const os::Deadline& deadline) {
  CAIRN_CHECK(cluster.check(deadline));
  std::unique_ptr<Lease> lease(new Lease(cluster, std::move(options)));
  CAIRN_CHECK(lease->take(deadline));
  Lease& held = *lease;
  CAIRN_TRY(lease->collector_,
            os::Thread::start_stoppable(
                {.name = "cairn-lease"},
                [&held](const std::stop_token& stop) { held.keep(stop); }));
  return lease;
}

Status Lease::take(const os::Deadline& deadline) {
  for (int round = 1;; ++round) {
    const Status taken = wait_for_owner(deadline);
    // Somebody else was faster: it is the owner now.
    if (taken.ok() || taken.error().kind != ErrorKind::precondition_failed || round == takes_max)
      return taken;
  }
}

/// Takes the place once nobody has it. Errors: precondition_failed where somebody was faster.
Status Lease::wait_for_owner(const os::Deadline& deadline) {
  std::string seen;  // the etag that has not changed
  std::int64_t since_ms = 0;
  for (;;) {
    auto object = records_->get(record_key, deadline);
    if (!object.ok() && object.error().kind == ErrorKind::not_found)
      return write(std::nullopt, false, deadline);
    if (!object.ok()) return std::move(object).error();
    const OwnerRecord owner = owner_of(object->bytes);
    const std::string& etag = object->info.etag;
    if (owner.released || is_surely_gone(owner.process)) return follow(etag, deadline);
    const std::int64_t now_ms = steady_ms(clock_);
    if (seen.empty()) {
      seen = etag;
      since_ms = now_ms;
      os::log(os::LogLevel::info, "remotestore", "waiting whether the owner of the store lives",
              {{"place", shown_}, {"host", owner.process.host}, {"pid", owner.process.pid}});
    }
    if (seen != etag) return place_is_taken(shown_, owner);
    // No clock but this one is believed: the owner had all of its lease, and half of it again.
    if (now_ms - since_ms >= options_.lease_ms * 3 / 2) return follow(etag, deadline);
    if (!os::sleep_ms(std::min(poll_ms, options_.lease_ms / 10 + 1), deadline))
      return deadline.check("wait for the lease of " + shown_);
  }
}

Status Lease::follow(const std::string& etag, const os::Deadline& deadline) {
  return write(etag, false, deadline);
}

Status Lease::write(const std::optional<std::string>& over, bool released,
                    const os::Deadline& deadline) {
  const ProcessIdentity self = this_process();
  const std::int64_t began_steady_ms = steady_ms(clock_);
  const std::int64_t began_unix_ms = clock_.unix_ms();
  const Json record = Json::object({{"id", id_},
                                    {"host", self.host},
                                    {"machine", self.machine},
                                    {"pid", self.pid},
                                    {"started", self.started},
                                    {"since", format_iso8601(began_unix_ms)},
                                    {"lease_ms", options_.lease_ms},
                                    {"renewals", renewals_},
                                    {"released", released}});
  const store::Condition condition{.if_match = over, .if_none_match = !over};
  CAIRN_TRY(const auto put, records_->put(record_key, record.dump(), deadline, condition));
  etag_ = put.etag;
  ++renewals_;
  set_until(began_steady_ms + options_.lease_ms, began_unix_ms + options_.lease_ms);
  return ok_status();
}

void Lease::set_until(std::int64_t steady, std::int64_t unix) {
  until_steady_ms_ = steady;
  until_unix_ms_ = unix;
}

/// Renews until it is told to stop or another process has the place.
void Lease::keep(const std::stop_token& stop) {
  const auto forever = os::Deadline::never(stop);
  const std::int64_t pause_ms = std::max<std::int64_t>(options_.lease_ms / 3, 1);
  std::int64_t wait_ms = pause_ms;
  while (os::sleep_ms(wait_ms, forever)) {
    const Status renewed = write(etag_, false, os::Deadline::in_ms(options_.lease_ms, stop));
    wait_ms = pause_ms;
    if (renewed.ok() || stop.stop_requested()) continue;
    // Whose record is there? Not even a refused condition tells: a renewal that was given up may
    // be done after the record was looked at. One of this process is where the next renewal goes
    // on from, but gives no time: nobody knows when it was done, and only write() counts on.
    wait_ms = std::max<std::int64_t>(pause_ms / 5, 1);
    const auto now = records_->get(record_key, os::Deadline::in_ms(options_.lease_ms, stop));
    const bool own = now.ok() && owner_of(now->bytes).id == id_;
    const bool unread = !now.ok() && now.error().kind != ErrorKind::not_found;
    if (own) etag_ = now->info.etag;
    os::log(os::LogLevel::warn, "remotestore", "the lease could not be renewed",
            {{"place", shown_}, {"error", renewed.error().message}});
    if (own || unread) continue;
    lost_ = true;
    set_until(0, 0);
    os::log(os::LogLevel::error, "remotestore", "another Cairn has taken over the store",
            {{"place", shown_}});
    if (options_.on_lost) options_.on_lost();
    return;
  }
}

Result<os::Deadline> Lease::check(const os::Deadline& deadline) const {
  const auto refused = [&](const std::string& why) {
    return Error{.kind = ErrorKind::unavailable, .message = shown_ + " " + why};
  };
  if (lost_) return refused("was taken over by another Cairn; this one changes nothing any more");
  // The wall clock too, since the steady one stands still while a machine sleeps.
  const std::int64_t left_ms =
      std::min(until_steady_ms_ - steady_ms(clock_), until_unix_ms_ - clock_.unix_ms());
  // What is sent at the last moment would arrive when another one may have the place.
  const std::int64_t sure_ms = left_ms - options_.lease_ms / 10;
  if (sure_ms <= 0)
    return refused(
        "cannot be changed now: the lease could not be renewed in time; the cluster is "
        "not reached");
  return deadline.sooner_ms(sure_ms);
}

/// A renewal that the end cut short may have been done, or may be done now: then the record is
/// another one than this process knows, and still its own.
Status Lease::give_back(const os::Deadline& deadline) {
  for (int round = 1;; ++round) {
    const Status written = write(etag_, true, deadline);
    if (written.ok() || written.error().kind != ErrorKind::precondition_failed ||
        round == takes_max) {
      return written;
    }
    CAIRN_TRY(const auto object, records_->get(record_key, deadline));
    if (owner_of(object.bytes).id != id_) return ok_status();  // somebody else's by now
    etag_ = object.info.etag;
  }
}

Lease::~Lease() {
  collector_.request_stop();
  if (collector_.joinable()) collector_.join();
  if (lost_ || etag_.empty()) return;
  const Status given_back = give_back(os::Deadline::in_ms(give_back_ms));
  if (!given_back.ok())
    os::log(os::LogLevel::warn, "remotestore", "the lease could not be given back; it will expire",
            {{"place", shown_}, {"error", given_back.error().message}});
}

}  // namespace cairn::remotestore
