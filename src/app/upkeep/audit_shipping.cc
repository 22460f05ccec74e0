// SPDX-License-Identifier: Apache-2.0
#include "app/upkeep/audit_shipping.h"

#include <algorithm>
#include <utility>

#include "app/settings/bucket_places.h"
#include "format/time.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/threads/blocking.h"

namespace cairn::app {
namespace {

constexpr std::int64_t round_ms = 600'000;
constexpr std::int64_t last_round_ms = 10'000;
constexpr std::uint64_t seal_bytes_max = 256 << 10;
constexpr std::size_t number_digits = 20;

std::string name_of_segment(std::uint64_t first) {
  const std::string digits = std::to_string(first);
  return std::string(number_digits - digits.size(), '0') + digits + ".ndjson";
}

/// The sealing line at the end of an object.
Result<gate::AuditSeal> seal_of(store::Store& store, const store::ObjectInfo& info,
                                const os::Deadline& deadline) {
  const std::uint64_t from = info.size_bytes - std::min(info.size_bytes, seal_bytes_max);
  CAIRN_TRY(const auto object, store.get(info.key, deadline, {.offset = from}));
  std::string_view text = object.bytes;
  if (text.ends_with('\n')) text.remove_suffix(1);
  const auto seal = gate::AuditSeal::decode(text.substr(text.rfind('\n') + 1));
  if (!seal)
    return Error{ErrorKind::corrupt,
                 {},
                 "the object " + info.key +
                     " does not end with a seal: it is none of this program, or was changed"};
  return *seal;
}

}  // namespace

Result<std::unique_ptr<AuditShipping>> AuditShipping::start(const gate::AuditTrail& trail,
                                                            const os::Clock& clock,
                                                            AuditShippingParams params) {
  std::unique_ptr<AuditShipping> out(new AuditShipping(trail, clock, std::move(params)));
  if (out->params_.interval_ms <= 0) return out;
  const auto rounds = [self = out.get()](std::stop_token stop) {
    const auto until_stopped = os::Deadline::never(std::move(stop));
    do {
      (void)self->ship(until_stopped.sooner_ms(round_ms));
    } while (os::sleep_ms(self->params_.interval_ms, until_stopped));
  };
  CAIRN_TRY(out->thread_, os::Thread::start_stoppable({.name = "cairn-audit"}, rounds));
  return out;
}

AuditShipping::~AuditShipping() { stop(); }

void AuditShipping::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  (void)ship(os::Deadline::in_ms(last_round_ms));
}

Status AuditShipping::ship(const os::Deadline& deadline) {
  const os::Blocking blocking;
  std::unique_lock turn(shipping_, std::defer_lock);
  while (!turn.try_lock_for(std::chrono::milliseconds(100)))
    CAIRN_CHECK(deadline.check("ship the audit log"));
  const Status shipped = ship_all(deadline);
  if (!shipped.ok()) {
    // What was asked last may have happened: the bucket is looked at again.
    looked_ = false;
    store_ = nullptr;
  }
  note(shipped);
  return shipped;
}

void AuditShipping::note(const Status& shipped) {
  static os::Counter& failures =
      os::metrics().counter("cairn_audit_ship_failures_total",
                            "Rounds in which the audit log was not shipped up to its end");
  const bool stopped = !shipped.ok() && shipped.error().kind == ErrorKind::cancelled;
  {
    const std::lock_guard lock(mutex_);
    shipped_ = std::max(shipped_, last_.to);
    if (shipped.ok()) {
      success_ms_ = clock_.unix_ms();
      failure_.clear();
    } else if (!stopped) {
      failure_ms_ = clock_.unix_ms();
      if (failure_ != shipped.error().message)
        os::log(os::LogLevel::error, "app", "the audit log is not shipped",
                {{"to", params_.to}, {"reason", shipped.error().message}});
      failure_ = shipped.error().message;
    }
  }
  if (stopped) return;
  if (!shipped.ok()) failures.add();
  if (params_.on_round) params_.on_round(shipped.ok() ? "" : shipped.error().message);
}

/// What the newest object of this log is.
Status AuditShipping::look(const os::Deadline& deadline) {
  std::optional<store::ObjectInfo> newest;
  for (std::string after = last_key_;;) {
    CAIRN_TRY(const auto page, store_->list({.prefix = folder(), .start_after = after}, deadline));
    if (!page.objects.empty()) newest = page.objects.back();
    if (page.next_start_after.empty()) break;
    after = page.next_start_after;
  }
  if (newest) {
    CAIRN_TRY(last_, seal_of(*store_, *newest, deadline));
    last_key_ = newest->key;
  }
  looked_ = true;
  return ok_status();
}

Status AuditShipping::check_follows(const gate::AuditSeal& next) const {
  if (last_.to == 0) return ok_status();
  if (next.newest < last_.to)
    return Error{ErrorKind::conflict,
                 {},
                 params_.to + " has lines of this audit log up to number " +
                     std::to_string(last_.to) + ", and the log ends at number " +
                     std::to_string(next.newest) +
                     ": a copy of an older data folder runs, or the log was cut. Name another "
                     "prefix in audit.ship.to to go on there"};
  if (next.from == last_.to + 1 && next.follows != last_.mac)
    return Error{ErrorKind::conflict,
                 {},
                 "line " + std::to_string(last_.to) + " of the audit log in " + params_.to +
                     " is another one than here: two servers run from copies of one data folder. "
                     "Name another prefix in audit.ship.to to go on there"};
  if (next.from > last_.to + 1)
    os::log(os::LogLevel::error, "app",
            "lines of the audit log went before they were shipped: audit.files is too few",
            {{"from", last_.to + 1}, {"before", next.from}});
  return ok_status();
}

Status AuditShipping::ship_all(const os::Deadline& deadline) {
  static os::Counter& lines = os::metrics().counter(
      "cairn_audit_shipped_lines_total", "Lines of the audit log that were put into its bucket");
  if (store_ == nullptr) {
    CAIRN_TRY(store_, params_.open(deadline));
  }
  if (!looked_) CAIRN_CHECK(look(deadline));
  for (;;) {
    CAIRN_CHECK(deadline.check("ship the audit log"));
    CAIRN_TRY(const auto segment, trail_.segment({.after = last_.to}, deadline));
    if (segment.text.empty() && segment.seal.newest >= last_.to) return ok_status();
    CAIRN_CHECK(check_follows(segment.seal));
    const std::string key = folder() + name_of_segment(segment.seal.from);
    const auto put = store_->put(key, segment.text, deadline, {.if_none_match = true});
    if (!put.ok() && put.error().kind == ErrorKind::precondition_failed) {
      const std::uint64_t before = last_.to;
      CAIRN_CHECK(look(deadline));
      if (last_.to > before) continue;  // a put whose reply was lost
      return Error{ErrorKind::conflict, {}, "the object " + key + " is there already"};
    }
    if (!put.ok()) return put.error();
    last_ = segment.seal;
    last_key_ = key;
    lines.add(segment.seal.lines);
    const std::lock_guard lock(mutex_);
    shipped_ = std::max(shipped_, last_.to);
  }
}

Result<std::unique_ptr<AuditShipping>> start_audit_shipping(const Settings& settings,
                                                            gate::AuditTrail& trail,
                                                            const os::Clock& clock,
                                                            objectstore::Engine& engine) {
  if (settings.audit_ship_to.empty()) return std::unique_ptr<AuditShipping>();
  CAIRN_TRY(const auto bucket, parse_bucket_place(settings.audit_ship_to, settings.s3_clients));
  const BucketAccess access{.clients = settings.s3_clients,
                            .keys_folder = settings.data_dir + "/keys",
                            .setting = "audit.ship.to"};
  AuditShippingParams params{
      .open = [&engine, bucket, access, to = settings.audit_ship_to](
                  const os::Deadline&) -> Result<std::unique_ptr<store::Store>> {
        auto opened = open_bucket_place(bucket, access, engine);
        if (!opened.ok()) return with_context(std::move(opened).error(), to);
        return opened;
      },
      .to = settings.audit_ship_to,
      .interval_ms = settings.audit_ship_interval_ms};
  CAIRN_TRY(auto out, AuditShipping::start(trail, clock, std::move(params)));
  trail.shipping = [self = out.get()] { return self->state(); };
  trail.ship_now = [self = out.get()](const os::Deadline& deadline) -> Result<Json> {
    CAIRN_CHECK(self->ship(deadline));
    return self->state();
  };
  return out;
}

Json AuditShipping::state() const {
  const auto time = [](std::int64_t ms) { return ms == 0 ? Json() : Json(format_iso8601(ms)); };
  const std::lock_guard lock(mutex_);
  Json error;
  if (!failure_.empty()) error = Json::object({{"time", time(failure_ms_)}, {"reason", failure_}});
  return Json::object({{"to", params_.to},
                       {"folder", trail_.signing().id()},
                       {"interval", format_time_value(params_.interval_ms)},
                       {"shipped", shipped_},
                       {"last_success", time(success_ms_)},
                       {"last_error", std::move(error)}});
}

}  // namespace cairn::app
