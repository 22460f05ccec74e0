// SPDX-License-Identifier: Apache-2.0
// What a cluster does with conditions is tried, not believed.
#include "base/encode.h"
#include "os/log.h"
#include "remotestore/names.h"
#include "remotestore/shared.h"

namespace cairn::remotestore {
namespace {

using store::Condition;

constexpr const char* wrong_etag = "00000000000000000000000000000000";
constexpr std::int64_t tidy_up_ms = 15'000;

/// One object under a name of its own, removed at the end.
class ProbeObject {
 public:
  ProbeObject(Wire& wire, const os::Clock& clock, os::Random& random, const os::Deadline& deadline)
      : wire_(wire),
        clock_(clock),
        random_(random),
        deadline_(deadline),
        name_(wire.place().prefix + std::string(own_area) + "probe-" + to_hex(random.bytes(8))) {}
  ~ProbeObject() {
    const auto late = os::Deadline::in_ms(tidy_up_ms, deadline_.stop());
    const Answer gone = wire_.remove(name_, std::nullopt, true, late);
    if (gone.outcome != Outcome::done && gone.outcome != Outcome::absent)
      os::log(os::LogLevel::warn, "remotestore", "an object of the check is left",
              {{"name", name_}, {"error", gone.error.message}});
  }
  ProbeObject(const ProbeObject&) = delete;
  ProbeObject& operator=(const ProbeObject&) = delete;

  Answer put(const Condition& condition) {
    const std::string mark = to_hex(new_mark(clock_, random_));
    return wire_.put(name_, mark, {.mark = mark}, condition, true, deadline_);
  }

  /// Whether completions of uploads in parts heed conditions, where a put of this name was done.
  Result<bool> heeds_completion(const Condition& condition) {
    const std::string mark = to_hex(new_mark(clock_, random_));
    CAIRN_TRY(RemoteUpload upload, wire_.begin(name_, {.mark = mark}, deadline_));
    const Status sent = wire_.send_part(upload, mark, deadline_);
    const Answer answer =
        sent.ok() ? wire_.complete(upload, condition, deadline_) : Answer{.error = sent.error()};
    if (answer.outcome != Outcome::done)
      static_cast<void>(wire_.abort(upload, os::Deadline::in_ms(tidy_up_ms)).ok());
    if (!sent.ok()) return sent.error();
    return answer.outcome == Outcome::refused;
  }

  /// Whether deletions heed If-Match. The object may be gone afterwards.
  bool heeds_deletion() {
    const Answer answer = wire_.remove(name_, wrong_etag, true, deadline_);
    return answer.outcome == Outcome::refused;
  }

 private:
  Wire& wire_;
  const os::Clock& clock_;
  os::Random& random_;
  const os::Deadline& deadline_;
  const std::string name_;
};

Error refusal(const Wire& wire, const std::string& what) {
  return {.kind = ErrorKind::unsupported,
          .message = wire.place().shown() + " cannot hold a store: " + what +
                     ". State is changed by conditional writes only, and without them two writers "
                     "would lose each other's changes. Use a cluster that keeps If-None-Match and "
                     "If-Match of PutObject (AWS S3, Cairn, recent MinIO and Ceph), or upgrade "
                     "this one"};
}

Status expect(const Wire& wire, const Answer& answer, Outcome wanted, const std::string& what) {
  if (answer.outcome == wanted) return ok_status();
  if (answer.outcome == Outcome::again || answer.outcome == Outcome::unclear) return answer.error;
  if (answer.error.kind == ErrorKind::permission_denied) return answer.error;
  const std::string words =
      answer.outcome == Outcome::done ? "" : " (" + answer.error.message + ")";
  return refusal(wire, what + words);
}

}  // namespace

Result<Abilities> probe(Wire& wire, const os::Clock& clock, os::Random& random,
                        const os::Deadline& deadline) {
  CAIRN_CHECK(wire.check_bucket(deadline));
  ProbeObject object(wire, clock, random, deadline);
  const Answer first = object.put({});
  if (first.outcome != Outcome::done) return with_context(first.error, wire.place().shown());
  CAIRN_CHECK(expect(wire, object.put({.if_none_match = true}), Outcome::refused,
                     "it overwrites an object although If-None-Match: * says not to"));
  CAIRN_CHECK(expect(wire, object.put({.if_match = wrong_etag}), Outcome::refused,
                     "it overwrites an object although If-Match names another version"));
  Answer right = object.put({.if_match = first.etag});
  if (right.outcome == Outcome::refused) {
    wire.spell_etags_bare();
    right = object.put({.if_match = first.etag});
  }
  CAIRN_CHECK(expect(wire, right, Outcome::done,
                     "it does not put an object although If-Match names its version"));
  CAIRN_CHECK(expect(wire, object.put({.if_match = first.etag}), Outcome::refused,
                     "it overwrites an object although If-Match names an older version"));
  Abilities out;
  CAIRN_TRY(const bool none_match, object.heeds_completion({.if_none_match = true}));
  if (none_match) {
    CAIRN_TRY(out.conditional_complete, object.heeds_completion({.if_match = wrong_etag}));
  }
  out.conditional_delete = object.heeds_deletion();
  os::log(os::LogLevel::info, "remotestore", "the cluster keeps conditional writes",
          {{"place", wire.place().shown()},
           {"conditional_complete", out.conditional_complete},
           {"conditional_delete", out.conditional_delete}});
  return out;
}

Result<Abilities> Shared::abilities(const os::Deadline& deadline) {
  const MutexLock lock(checking_);
  if (known_) return *known_;
  if (refusal_) return *refusal_;
  auto found = probe(*wire, clock, random, deadline);
  if (found.ok()) known_ = *found;
  if (!found.ok() && found.error().kind == ErrorKind::unsupported) refusal_ = found.error();
  return found;
}

Mutex& Shared::turn_of(std::string_view name) {
  return turns_[std::hash<std::string_view>()(name) % turns_.size()];
}

std::string new_mark(const os::Clock& clock, os::Random& random) {
  const auto now = static_cast<std::uint64_t>(clock.unix_ms());
  std::string mark;
  for (int shift = 40; shift >= 0; shift -= 8) mark += static_cast<char>((now >> shift) & 0xff);
  return mark + random.bytes(mark_bytes - mark.size());
}

std::optional<std::int64_t> time_of_mark(std::string_view hex) {
  const auto mark = from_hex(hex);
  if (!mark || mark->size() != mark_bytes) return std::nullopt;
  std::int64_t ms = 0;
  for (int i = 0; i < 6; ++i)
    ms = ms << 8 | static_cast<unsigned char>((*mark)[static_cast<std::size_t>(i)]);
  return ms;
}

}  // namespace cairn::remotestore
