// SPDX-License-Identifier: Apache-2.0
#include "index/replica/replica.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "index/errors.h"
#include "index/indices_impl.h"
#include "index/live_settings.h"
#include "index/replica/told_changes.h"
#include "os/log.h"
#include "os/threads/shared_round.h"
#include "store/read_only_store.h"

namespace cairn::index {
namespace {

/// The record that makes an index one, as it was read.
struct NamedRecord {
  std::string etag, uuid;
  bool operator==(const NamedRecord&) const = default;
};
using NamedRecords = std::map<std::string, NamedRecord, std::less<>>;

/// An index that the store has, and how.
struct Wanted {
  std::string uuid;
  bool closed = false;
};
using WantedIndices = std::map<std::string, Wanted, std::less<>>;

/// One that could not be read, when that was tried, and why.
struct Damaged {
  std::string uuid;
  std::int64_t tried_ms = 0;
  Error error;
};
constexpr std::int64_t again_ms = 10'000;

std::string etag_of(const std::optional<store::ObjectInfo>& info) {
  return info ? info->etag : std::string();
}

}  // namespace

struct Replica::Impl {
  Impl(store::Store& store, os::Pool& cpu, const os::Clock& clock, os::Random& random,
       const Options& options)
      : read_only(store::read_only_store(store)),
        indices(std::unique_ptr<Indices>(
            new Indices(std::make_unique<Indices::Impl>(*read_only, cpu, clock, random, options)))),
        inside(*indices->impl_) {}

  bool hear(const os::Deadline& deadline);
  Status follow_told_names(bool heard_now, const os::Deadline& deadline);
  /// What of an index is to be here as far as the writer has told.
  enum class Told { log, all };
  bool has_told(const std::string& name, Told what);
  Status read_names(const os::Deadline& deadline);
  Status read_names_record(const os::Deadline& deadline);
  Status read_scripts(const os::Deadline& deadline);
  Result<NamedRecords> list_records(const os::Deadline& deadline);
  WantedIndices wanted_indices() const;
  Status follow_names(const WantedIndices& wanted, const os::Deadline& deadline);
  Result<std::shared_ptr<Index>> open_index(const std::string& name, const Wanted& wanted,
                                            Index::Impl::OpenSegments known,
                                            const os::Deadline& deadline);
  Result<std::shared_ptr<Index>> open_new(const std::string& name, const Wanted& wanted,
                                          const os::Deadline& deadline);
  void let_go(const Index& index, const WantedIndices& wanted);
  bool is_left_alone(const std::string& name, const WantedIndices& wanted) const;
  Result<bool> is_named(const std::string& name, const os::Deadline& deadline);
  Status follow_index(const std::string& name, const os::Deadline& deadline);
  std::shared_ptr<Index> find(const std::string& name) const;
  std::shared_ptr<os::SharedRound> round_of(const std::string& name);

  const std::unique_ptr<store::Store> read_only;
  const std::unique_ptr<Indices> indices;
  Indices::Impl& inside;

  AskWriter ask;
  os::SharedRound hearing, names_round, scripts_round;
  Mutex heard_mutex;
  // All that the writer has told.
  ToldChanges heard CAIRN_GUARDED_BY(heard_mutex) = {};
  // How often it told of other names, and how often of those had been when they were read last.
  std::uint64_t names_heard CAIRN_GUARDED_BY(heard_mutex) = 1;
  std::uint64_t names_known CAIRN_GUARDED_BY(heard_mutex) = 0;
  std::optional<std::string> scripts_etag;  // of the one that leads; nothing: not read yet
  // Of the one that leads a round of names.
  std::optional<std::string> names_etag;  // nothing: not read yet
  NamesRecord names;
  NamedRecords records;
  std::atomic<bool> followed = false;  // all that these two say is open here
  std::map<std::string, Damaged, std::less<>> damaged;

  Mutex rounds_mutex;
  std::map<std::string, std::shared_ptr<os::SharedRound>> rounds CAIRN_GUARDED_BY(rounds_mutex);
};

Replica::Replica(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Replica::~Replica() = default;

Result<std::unique_ptr<Replica>> Replica::open(store::Store& store, os::Pool& cpu,
                                               const os::Clock& clock, os::Random& random,
                                               Options options, const os::Deadline& deadline) {
  CAIRN_CHECK(options.validate());
  if (!options.live) options.live = std::make_shared<LiveSettings>(options.max_buckets);
  std::unique_ptr<Replica> out(
      new Replica(std::make_unique<Impl>(store, cpu, clock, random, options)));
  CAIRN_CHECK(out->catch_up_names(deadline));
  CAIRN_CHECK(out->catch_up_scripts(deadline));
  return out;
}

Indices& Replica::indices() { return *impl_->indices; }

void Replica::set_writer(AskWriter ask) { impl_->ask = std::move(ask); }

Status Replica::catch_up_names(const os::Deadline& deadline) {
  return impl_->follow_told_names(false, deadline);
}

Status Replica::catch_up(const WhichIndices& which, const os::Deadline& deadline) {
  const bool heard = impl_->hear(deadline);
  CAIRN_CHECK(impl_->follow_told_names(heard, deadline));
  std::vector<std::string> behind = which(*impl_->indices);
  if (heard)
    std::erase_if(
        behind, [this](const std::string& name) { return impl_->has_told(name, Impl::Told::log); });
  return catch_up(behind, deadline);
}

Status Replica::follow(const os::Deadline& deadline) {
  const bool heard = impl_->hear(deadline);
  // Nobody tells that what was damaged is repaired.
  CAIRN_CHECK(impl_->follow_told_names(heard && impl_->followed, deadline));
  std::vector<std::string> behind;
  for (const auto& index : impl_->indices->all())
    if (!heard || !impl_->has_told(index->name(), Impl::Told::all)) behind.push_back(index->name());
  return catch_up(behind, deadline);
}

Status Replica::catch_up_scripts(const os::Deadline& deadline) {
  return impl_->scripts_round.run(deadline, [&] { return impl_->read_scripts(deadline); });
}

Status Replica::catch_up(std::span<const std::string> names, const os::Deadline& deadline) {
  Status all = ok_status();
  for (const std::string& name : names) {
    const auto round = impl_->round_of(name);
    if (round == nullptr) continue;
    const Status one = round->run(deadline, [&] { return impl_->follow_index(name, deadline); });
    if (!one.ok() && all.ok()) all = one;  // the others are followed all the same
    if (deadline.passed()) break;
  }
  return all;
}

std::shared_ptr<Index> Replica::Impl::find(const std::string& name) const {
  const MutexLock lock(inside.mutex);
  const auto found = inside.indices.find(name);
  return found == inside.indices.end() ? nullptr : found->second;
}

std::shared_ptr<os::SharedRound> Replica::Impl::round_of(const std::string& name) {
  if (find(name) == nullptr) return nullptr;
  const MutexLock lock(rounds_mutex);
  auto& round = rounds[name];
  if (round == nullptr) round = std::make_shared<os::SharedRound>();
  return round;
}

// The record of names is read before the indices that there are, and is to be the same behind them:
// it says of an index that comes or goes with a change of names what the records of indices say
// only later.
Status Replica::Impl::read_names(const os::Deadline& deadline) {
  for (;;) {
    CAIRN_CHECK(deadline.check("reading which indices there are"));
    CAIRN_TRY(const auto before, read_only->head(names_record_key, deadline));
    if (names_etag != etag_of(before)) CAIRN_CHECK(read_names_record(deadline));
    CAIRN_TRY(NamedRecords listed, list_records(deadline));
    // Nothing is new: all is as it was when the record was looked at.
    if (followed && names_etag == etag_of(before) && listed == records) return ok_status();
    followed = false;
    CAIRN_TRY(const auto after, read_only->head(names_record_key, deadline));
    names_etag.reset();
    if (etag_of(before) != etag_of(after)) continue;
    names_etag = etag_of(after);
    records = std::move(listed);
    CAIRN_CHECK(follow_names(wanted_indices(), deadline));
    followed = damaged.empty();
    return ok_status();
  }
}

Status Replica::Impl::read_names_record(const os::Deadline& deadline) {
  auto found = read_only->get(names_record_key, deadline);
  if (!found.ok() && found.error().kind != ErrorKind::not_found) return std::move(found).error();
  names = {};
  if (!found.ok()) return ok_status();
  auto read = decode_names(found->bytes);
  if (read.ok())
    names = std::move(*read);
  else  // indices are there under their own names
    os::log(os::LogLevel::error, "index", "aliases_damaged", {{"error", read.error().message}});
  return ok_status();
}

// True: what the writer says has been known since after the call began.
bool Replica::Impl::hear(const os::Deadline& deadline) {
  if (!ask) return false;
  return hearing
      .run(deadline,
           [&]() -> Status {
             ChangesQuestion question;
             {
               const MutexLock lock(heard_mutex);
               question = {.writer = heard.writer, .since = heard.until};
             }
             CAIRN_TRY(const std::string text, ask(question.encode(), deadline));
             CAIRN_TRY(ToldChanges told, ToldChanges::decode(text));
             const MutexLock lock(heard_mutex);
             const bool is_new = told.writer != heard.writer;
             if (told.names || is_new) ++names_heard;
             if (!is_new) told.indices.merge(heard.indices);  // what is newly told stays
             heard = std::move(told);
             return ok_status();
           })
      .ok();
}

Status Replica::Impl::follow_told_names(bool heard_now, const os::Deadline& deadline) {
  {
    const MutexLock lock(heard_mutex);
    if (heard_now && names_known == names_heard) return ok_status();
  }
  return names_round.run(deadline, [&]() -> Status {
    std::uint64_t known = 0;
    {
      const MutexLock lock(heard_mutex);
      known = names_heard;
    }
    CAIRN_CHECK(read_names(deadline));
    const MutexLock lock(heard_mutex);
    names_known = known;
    return ok_status();
  });
}

bool Replica::Impl::has_told(const std::string& name, Told what) {
  const auto index = find(name);
  if (index == nullptr || index->closed()) return true;
  ToldIndex told;
  {
    const MutexLock lock(heard_mutex);
    const auto found = heard.indices.find(index->uuid());
    if (found == heard.indices.end()) return true;  // nothing changed since it is known here
    told = found->second;
  }
  const MutexLock lock(index->impl_->state_mutex);
  return index->impl_->applied >= told.log &&
         (what == Told::log || index->impl_->current_version >= told.version);
}

Status Replica::Impl::read_scripts(const os::Deadline& deadline) {
  CAIRN_TRY(const auto head, read_only->head(StoredScripts::record_key, deadline));
  if (scripts_etag == etag_of(head)) return ok_status();
  CAIRN_CHECK(inside.scripts.load(deadline));
  scripts_etag = etag_of(head);
  return ok_status();
}

Result<NamedRecords> Replica::Impl::list_records(const os::Deadline& deadline) {
  NamedRecords out;
  const std::string prefix = name_key("");
  CAIRN_CHECK(store::for_each_object(
      *read_only, prefix, deadline, [&](const store::ObjectInfo& info) -> Status {
        const std::string name = info.key.substr(prefix.size());
        const auto known = records.find(name);
        if (known != records.end() && known->second.etag == info.etag) {
          out.emplace(name, known->second);
          return ok_status();
        }
        auto found = read_only->get(info.key, deadline);
        if (!found.ok() && found.error().kind == ErrorKind::not_found) return ok_status();
        if (!found.ok()) return std::move(found).error();
        CAIRN_TRY(const Json record, parse_json(found->bytes));
        out.emplace(name, NamedRecord{std::move(found->info.etag), record.string_or("uuid")});
        return ok_status();
      }));
  return out;
}

WantedIndices Replica::Impl::wanted_indices() const {
  WantedIndices out;
  for (const auto& [name, record] : records) {
    const auto gone = names.removed.find(name);
    if (gone != names.removed.end() && gone->second == record.uuid) continue;
    out.emplace(name, Wanted{.uuid = record.uuid});
  }
  // They are there, whether they have their names already or not.
  for (const auto& [name, index] : names.added) out[name] = Wanted{.uuid = index.uuid};
  for (auto& [name, wanted] : out) {
    const auto closed = names.tables.closed.find(name);
    wanted.closed = closed != names.tables.closed.end() && closed->second == wanted.uuid;
  }
  return out;
}

// What is new is there before a name stands for it, and what has gone stays until none does.
Status Replica::Impl::follow_names(const WantedIndices& wanted, const os::Deadline& deadline) {
  std::erase_if(damaged, [&](const auto& one) { return !is_left_alone(one.first, wanted); });
  std::vector<std::shared_ptr<Index>> fresh;
  for (const auto& [name, one] : wanted) {
    const auto known = find(name);
    const bool same =
        known != nullptr && known->uuid() == one.uuid && known->closed() == one.closed;
    if (same || damaged.contains(name)) continue;
    CAIRN_TRY(auto index, open_new(name, one, deadline));
    if (index != nullptr) fresh.push_back(std::move(index));
  }
  const MutexLock naming(inside.naming);
  std::vector<std::shared_ptr<Index>> gone;
  {
    const MutexLock lock(inside.mutex);
    for (auto& index : fresh) {
      auto& place = inside.indices[index->name()];
      place.swap(index);
      if (index != nullptr) gone.push_back(std::move(index));
    }
    inside.aliases = std::make_shared<const AliasTable>(names.tables.aliases);
    inside.streams = std::make_shared<const StreamTable>(names.tables.streams);
    inside.closed = names.tables.closed;
    std::erase_if(inside.broken, [&](const auto& one) { return !damaged.contains(one.first); });
    for (const auto& [name, why] : damaged) inside.broken.insert_or_assign(name, why.error);
  }
  for (const auto& index : inside.all()) {
    const auto still = wanted.find(index->name());
    if (still != wanted.end() && still->second.uuid == index->uuid() &&
        !damaged.contains(index->name()))
      continue;
    if (auto taken = inside.take_removed(index->name(), index->uuid()))
      gone.push_back(std::move(taken));
  }
  for (const auto& index : gone) let_go(*index, wanted);
  inside.publish(inside.live_names());
  return ok_status();
}

void Replica::Impl::let_go(const Index& index, const WantedIndices& wanted) {
  const auto still = wanted.find(index.name());
  if (still != wanted.end() && still->second.uuid == index.uuid()) return;  // closed, or opened
  index.impl_->end();
  {
    const MutexLock lock(heard_mutex);
    if (const auto told = heard.indices.find(index.uuid()); told != heard.indices.end())
      heard.indices.erase(told);
  }
  if (still != wanted.end()) return;
  const MutexLock lock(rounds_mutex);
  rounds.erase(index.name());
}

// What is damaged is not read with each call, but it may be repaired.
bool Replica::Impl::is_left_alone(const std::string& name, const WantedIndices& wanted) const {
  const auto still = wanted.find(name);
  const Damaged& was = damaged.at(name);
  return still != wanted.end() && still->second.uuid == was.uuid &&
         inside.shared.clock.unix_ms() - was.tried_ms < again_ms;
}

Result<bool> Replica::Impl::is_named(const std::string& name, const os::Deadline& deadline) {
  CAIRN_TRY(const auto head, read_only->head(name_key(name), deadline));
  return head.has_value();
}

// Null where it was removed meanwhile, or is damaged.
Result<std::shared_ptr<Index>> Replica::Impl::open_new(const std::string& name,
                                                       const Wanted& wanted,
                                                       const os::Deadline& deadline) {
  auto opened = open_index(name, wanted, {}, deadline);
  if (opened.ok() || opened.error().kind != ErrorKind::corrupt) return opened;
  CAIRN_TRY(const bool there, is_named(name, deadline));
  if (!there) return std::shared_ptr<Index>();
  os::log(os::LogLevel::error, "index", "index_damaged",
          {{"index", name}, {"error", opened.error().message}});
  damaged.insert_or_assign(name, Damaged{.uuid = wanted.uuid,
                                         .tried_ms = inside.shared.clock.unix_ms(),
                                         .error = std::move(opened).error()});
  return std::shared_ptr<Index>();
}

// Its owner flushes and merges meanwhile: what a manifest names may be gone when it is asked for,
// and then there is a newer manifest.
Result<std::shared_ptr<Index>> Replica::Impl::open_index(const std::string& name,
                                                         const Wanted& wanted,
                                                         Index::Impl::OpenSegments known,
                                                         const os::Deadline& deadline) {
  for (;;) {
    CAIRN_CHECK(deadline.check("reading index [" + name + "]"));
    auto index = std::make_unique<Index::Impl>(inside.shared_owner, name, wanted.uuid);
    if (wanted.closed) {
      const Status shown = index->open_closed(deadline);
      if (shown.ok()) return std::make_shared<Index>(std::move(index), true);
      if (shown.error().kind != ErrorKind::corrupt || !index->is_superseded(deadline))
        return shown.error();
      continue;
    }
    const auto reached = index->open_replica(known, deadline);
    if (reached.ok() && *reached == Index::Impl::Reached::all)
      return std::make_shared<Index>(std::move(index), true);
    if (!reached.ok() &&
        (reached.error().kind != ErrorKind::corrupt || !index->is_superseded(deadline)))
      return reached.error();
    known.merge(index->open_segments());
  }
}

Status Replica::Impl::follow_index(const std::string& name, const os::Deadline& deadline) {
  const auto index = find(name);
  if (index == nullptr || index->closed()) return ok_status();
  Index::Impl& now = *index->impl_;
  const auto reached = now.catch_up(deadline);
  if (reached.ok() && *reached == Index::Impl::Reached::all) return ok_status();
  if (!reached.ok() && reached.error().kind != ErrorKind::corrupt) return reached.error();
  auto next = open_index(name, {.uuid = index->uuid()}, now.open_segments(), deadline);
  if (!next.ok() && next.error().kind == ErrorKind::corrupt) {
    CAIRN_TRY(const bool there, is_named(name, deadline));
    if (!there) return no_such_index(name);
  }
  if (!next.ok()) return next.error();
  const MutexLock lock(inside.mutex);
  const auto place = inside.indices.find(name);
  if (place != inside.indices.end() && place->second == index) place->second = *next;
  return ok_status();
}

}  // namespace cairn::index
