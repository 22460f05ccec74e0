// SPDX-License-Identifier: Apache-2.0
// The catalogue of indices, and the threads that refresh, flush and merge.
#include "index/indices.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "base/ids.h"
#include "base/strings.h"
#include "index/engine/index_impl.h"
#include "index/errors.h"
#include "index/indices_impl.h"
#include "index/live_settings.h"
#include "os/log.h"
#include "os/threads/blocking.h"
#include "os/threads/thread.h"

namespace cairn::index {
namespace {

constexpr std::string_view data_prefix = "index/data/";
constexpr std::int64_t round_ms = 250;
constexpr std::size_t opened_at_a_time = 4;  // what each replays is in memory
const CheckIndex no_check;

}  // namespace

Indices::Indices(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Indices::~Indices() {
  for (auto& thread : impl_->threads) thread.request_stop();
  impl_->threads.clear();
  const MutexLock lock(impl_->shared.wake_mutex);
  impl_->shared.wake_threads = [] {};
}

std::vector<std::shared_ptr<Index>> Indices::Impl::all() const {
  const MutexLock lock(mutex);
  std::vector<std::shared_ptr<Index>> out;
  for (const auto& [name, index] : indices) out.push_back(index);
  return out;
}

// One thread refreshes; the other flushes and merges, which takes longer.
void Indices::Impl::run(std::stop_token stop, bool refreshes) {
  const os::Deadline deadline = os::Deadline::never(stop);
  std::uint64_t heard = 0;
  while (!stop.stop_requested()) {
    {
      // Rounds are a quarter of a second apart while there is work, and rare while there is none.
      MutexLock lock(work_mutex);
      work_changed.wait_for(lock, stop, std::chrono::seconds(20),
                            [&]() CAIRN_REQUIRES(work_mutex) { return work_calls != heard; });
      heard = work_calls;
    }
    for (bool busy = true; busy && os::sleep_ms(round_ms, deadline);) {
      busy = false;
      if (!refreshes) settle_in_background(deadline);
      for (const auto& index : all()) {
        const Status status = refreshes ? index->impl_->refresh_if_due(deadline)
                                        : index->impl_->maintain_stored(deadline);
        if (!status.ok() && !deadline.stopped())
          os::log(os::LogLevel::warn, "index", refreshes ? "refresh_failed" : "maintenance_failed",
                  {{"index", index->name()}, {"error", status.error().message}});
        busy |= status.ok() && index->impl_->is_busy();
      }
      busy |= !refreshes && unsettled;
    }
  }
}

Status Indices::Impl::open_one(const std::string& name, const os::Deadline& deadline) {
  CAIRN_TRY(const auto found, shared.store.get(name_key(name), deadline));
  CAIRN_TRY(const Json record, parse_json(found.bytes));
  auto inside = std::make_unique<Index::Impl>(shared_owner, name, record.string_or("uuid"));
  CAIRN_CHECK(is_closed(name, inside->uuid) ? inside->open_closed(deadline)
                                            : inside->open(deadline));
  const MutexLock lock(mutex);
  indices.emplace(name, std::make_shared<Index>(std::move(inside)));
  count_names_change();
  return ok_status();
}

// A few at a time: each waits for a store that may be far, and analyses what its log has.
Status Indices::Impl::open_each(const std::vector<std::string>& names,
                                const os::Deadline& deadline) {
  std::atomic<std::size_t> next = 0;
  std::vector<Status> done(names.size(), ok_status());
  std::atomic<bool> failed = false;
  const auto open = [&] {
    for (std::size_t i = next++; i < names.size() && !failed; i = next++) {
      done[i] = open_or_break(names[i], deadline);
      if (!done[i].ok()) failed = true;
    }
  };
  {
    std::vector<os::Thread> others;
    for (std::size_t i = 1; i < std::min(opened_at_a_time, names.size()); ++i) {
      auto thread = os::Thread::start({.name = "cairn-open"}, open);
      if (!thread.ok()) break;  // those that there are do it
      others.push_back(std::move(*thread));
    }
    open();
  }
  for (const Status& one : done) CAIRN_CHECK(one);
  return ok_status();
}

// Damage of one index does not keep the others closed; a store that fails does.
Status Indices::Impl::open_or_break(const std::string& name, const os::Deadline& deadline) {
  Status status = open_one(name, deadline);
  if (status.ok() || status.error().kind != ErrorKind::corrupt) return status;
  os::log(os::LogLevel::error, "index", "index_damaged",
          {{"index", name}, {"error", status.error().message}});
  const MutexLock lock(mutex);
  broken.emplace(name, std::move(status).error());
  return ok_status();
}

Status Indices::Impl::open_all(const os::Deadline& deadline) {
  {
    const MutexLock lock(naming);
    CAIRN_CHECK(load_templates(deadline));
    CAIRN_CHECK(scripts.load(deadline));
    CAIRN_CHECK(load_names(deadline));
    CAIRN_CHECK(settle(deadline));
  }
  std::vector<std::string> names;
  const std::string prefix = name_key("");
  CAIRN_CHECK(
      store::for_each_object(shared.store, prefix, deadline, [&](const store::ObjectInfo& info) {
        names.push_back(info.key.substr(prefix.size()));
        return ok_status();
      }));
  CAIRN_CHECK(open_each(names, deadline));
  {
    const MutexLock lock(naming);
    publish(live_names());
    opened = true;
  }
  return clean(deadline);
}

// Deletes the data of indices that were being created or removed when the process ended.
Status Indices::Impl::clean(const os::Deadline& deadline) {
  {
    // The data of a damaged index is told by nothing but its name record: leave all as it is.
    const MutexLock lock(mutex);
    if (!broken.empty()) return ok_status();
  }
  std::vector<std::string> unknown;
  store::ListParams params{.prefix = std::string(data_prefix), .delimiter = "/"};
  for (;;) {
    CAIRN_TRY(const auto page, shared.store.list(params, deadline));
    for (const std::string& prefix : page.prefixes) {
      const std::string uuid =
          prefix.substr(data_prefix.size(), prefix.size() - data_prefix.size() - 1);
      const auto known = all();
      const bool used = std::any_of(known.begin(), known.end(),
                                    [&](const auto& index) { return index->uuid() == uuid; });
      if (!used) unknown.push_back(uuid);
    }
    if (page.next_start_after.empty()) break;
    params.start_after = page.next_start_after;
  }
  for (const std::string& uuid : unknown) CAIRN_CHECK(drop_data(uuid, deadline));
  return ok_status();
}

Status Indices::Impl::drop_data(const std::string& uuid, const os::Deadline& deadline) {
  std::vector<std::string> keys;
  CAIRN_CHECK(store::for_each_object(shared.store, std::string(data_prefix) + uuid + "/", deadline,
                                     [&](const store::ObjectInfo& info) {
                                       keys.push_back(info.key);
                                       return ok_status();
                                     }));
  if (!keys.empty()) CAIRN_CHECK(shared.store.remove_batch(keys, deadline));
  return ok_status();
}

Result<std::shared_ptr<Index>> Indices::Impl::add(
    const std::string& name, const Wanted& wanted, const os::Deadline& deadline,
    const std::function<Status(Index::Impl&)>& start) {
  const os::Blocking blocking;
  CAIRN_CHECK(check_name_free(name, wanted.aliases));
  const std::string uuid = url_safe_id(shared.random.bytes(15));
  auto inside = std::make_unique<Index::Impl>(shared_owner, name, uuid);
  Status made = start(*inside);
  const std::int64_t created_ms = inside->created_ms;
  const auto index = std::make_shared<Index>(std::move(inside));
  bool has_name = false;
  if (made.ok() && wanted.check) made = wanted.check(*index);
  if (made.ok()) {
    const MutexLock lock(naming);
    made = name_index(index, created_ms, wanted.aliases, deadline, has_name);
  }
  if (made.ok()) return index;
  // What cannot be deleted now is deleted at the next start.
  if (!has_name) (void)drop_data(uuid, os::Deadline::in_ms(5000)).ok();
  return made.error();
}

Status Indices::Impl::name_index(const std::shared_ptr<Index>& index, std::int64_t created_ms,
                                 const NewAliases& wanted, const os::Deadline& deadline,
                                 bool& may_have_name) {
  const std::string& name = index->name();
  CAIRN_CHECK(settle(deadline));
  CAIRN_CHECK(check_name_free(name, wanted));  // somebody else may have come first
  NameTables tables;
  if (!wanted.empty()) {
    tables = live_names();
    // An alias of an index that is not there is none: until the index has its name, nothing of this
    // is seen.
    for (const auto& [alias, properties] : wanted)
      tables.aliases.add(alias, name,
                         {index->uuid(), std::make_shared<const AliasProperties>(properties)});
    CAIRN_CHECK(tables.aliases.check({}));
    CAIRN_CHECK(put_names({.tables = tables, .removed = removals, .added = {}}, deadline));
  }
  const std::string record = index_record({.uuid = index->uuid(), .created_ms = created_ms});
  auto put = shared.store.put(name_key(name), record, deadline, {.if_none_match = true});
  if (!put && put.error().kind == ErrorKind::precondition_failed) return index_exists(name, "_na_");
  if (!put) {
    // Lost answer: what is there decides.
    const auto found = shared.store.get(name_key(name), deadline);
    if (!found || found->bytes != record) {
      (void)shared.store.remove(name_key(name), os::Deadline::in_ms(5000)).ok();
      may_have_name = !found && found.error().kind != ErrorKind::not_found;
      return std::move(put).error();
    }
  }
  {
    const MutexLock lock(mutex);
    indices.insert_or_assign(name, index);
    count_names_change();
  }
  if (!wanted.empty()) publish(std::move(tables));
  return ok_status();
}

Result<std::unique_ptr<Indices>> Indices::open(store::Store& store, os::Pool& cpu,
                                               const os::Clock& clock, os::Random& random,
                                               Options options, const os::Deadline& deadline) {
  CAIRN_CHECK(options.validate());
  if (!options.live) options.live = std::make_shared<LiveSettings>(options.max_buckets);
  auto impl = std::make_unique<Impl>(store, cpu, clock, random, options);
  CAIRN_CHECK(impl->open_all(deadline));
  Impl* inside = impl.get();
  std::unique_ptr<Indices> out(new Indices(std::move(impl)));
  if (!options.background) return out;
  for (const bool refreshes : {true, false}) {
    // Merges give way to whoever answers, and to searches as one of them would.
    CAIRN_TRY(auto thread,
              os::Thread::start_stoppable(
                  {.name = refreshes ? "cairn-refresh" : "cairn-merge", .nice = refreshes ? 0 : 5},
                  [inside, refreshes](std::stop_token stop) {
                    inside->run(std::move(stop), refreshes);
                  }));
    inside->threads.push_back(std::move(thread));
  }
  return out;
}

LiveSettings& Indices::live() const { return *impl_->shared.options.live; }

Status Indices::flush_all(const os::Deadline& deadline) {
  for (const auto& index : all()) CAIRN_CHECK(index->flush(deadline));
  return ok_status();
}

Result<std::shared_ptr<Index>> Indices::create(std::string_view name, const Json& mappings,
                                               const Json& settings, const os::Deadline& deadline,
                                               const NewAliases& aliases, const CheckIndex& check) {
  CAIRN_CHECK(check_new_name(name));
  return impl_->add(std::string(name), {aliases, check}, deadline, [&](Index::Impl& inside) {
    return inside.start_new(mappings, settings, deadline);
  });
}

Result<std::shared_ptr<Index>> Indices::restore(std::string_view name, const Json& manifest,
                                                const FetchObject& fetch,
                                                const os::Deadline& deadline,
                                                const NewAliases& aliases) {
  CAIRN_CHECK(check_new_name(name));
  CAIRN_TRY(const Manifest from, Manifest::from_json(manifest, "the manifest of the snapshot"));
  if (const auto there = find(name); there.ok() && (*there)->closed())
    return impl_->restore_over(*there, from, fetch, aliases, deadline);
  return impl_->add(std::string(name), {aliases, no_check}, deadline, [&](Index::Impl& inside) {
    return inside.start_restored(from, fetch, deadline);
  });
}

Status Indices::remove(std::string_view name, const os::Deadline& deadline) {
  const os::Blocking blocking;
  std::shared_ptr<Index> index;
  {
    const MutexLock lock(impl_->naming);
    CAIRN_TRY(index, find(name));
    CAIRN_CHECK(index->check_open_to(Change::removal));
    CAIRN_CHECK(impl_->check_not_written(name));
    if (impl_->is_recorded(name)) return impl_->remove_recorded(*index, deadline);
    CAIRN_CHECK(impl_->shared.store.remove(name_key(name), deadline));
    {
      const MutexLock inner(impl_->mutex);
      impl_->indices.erase(index->name());
    }
    impl_->publish(impl_->live_names());
  }
  impl_->let_go(index, deadline);
  return ok_status();
}

// What the record of names says is there comes back at a start, unless the record says otherwise.
bool Indices::Impl::is_recorded(std::string_view name) const {
  const MutexLock lock(mutex);
  return additions.contains(name) || streams->stream_of(name) != nullptr || closed.contains(name);
}

Status Indices::Impl::remove_recorded(const Index& index, const os::Deadline& deadline) {
  CAIRN_CHECK(settle(deadline));
  NamesRecord record{.tables = live_names(), .removed = {}, .added = {}};
  record.tables.forget(index.name());
  record.removed.emplace(index.name(), index.uuid());
  return change_names(std::move(record), {}, deadline);
}

void Indices::Impl::let_go(const std::shared_ptr<Index>& index, const os::Deadline& deadline) {
  index->impl_->end();
  // The index is gone; its data follows, now or at the next start.
  {
    const MutexLock lock(index->impl_->pins->mutex);
    if (!index->impl_->pins->keys.empty()) return;
  }
  if (const auto dropped = drop_data(index->uuid(), deadline); !dropped)
    os::log(os::LogLevel::warn, "index", "data_not_deleted",
            {{"index", index->name()}, {"error", dropped.error().message}});
}

Result<std::shared_ptr<Index>> Indices::find(std::string_view name) const {
  const MutexLock lock(impl_->mutex);
  if (const auto found = impl_->indices.find(name); found != impl_->indices.end())
    return found->second;
  if (const auto found = impl_->attached.find(name); found != impl_->attached.end())
    return found->second;
  if (const auto damaged = impl_->broken.find(name); damaged != impl_->broken.end())
    return damaged->second;
  return no_such_index(name);
}

std::vector<std::shared_ptr<Index>> Indices::all() const {
  auto out = impl_->all();
  const MutexLock lock(impl_->mutex);
  if (impl_->attached.empty()) return out;
  for (const auto& [name, index] : impl_->attached) out.push_back(index);
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a->name() < b->name(); });
  return out;
}

Status Indices::attach(const Index& index) {
  const MutexLock lock(impl_->mutex);
  const std::string& name = index.name();
  if (const auto found = impl_->indices.find(name); found != impl_->indices.end())
    return index_exists(name, found->second->uuid());
  if (impl_->broken.contains(name)) return index_exists(name, "_na_");
  impl_->attached.insert_or_assign(name, index.read_only_face());
  return ok_status();
}

void Indices::unattach(std::string_view name) {
  std::shared_ptr<Index> last;  // goes when the lock is open again
  const MutexLock lock(impl_->mutex);
  const auto found = impl_->attached.find(name);
  if (found == impl_->attached.end()) return;
  last = std::move(found->second);
  impl_->attached.erase(found);
}

Status Indices::check_new_name(std::string_view name) const {
  CAIRN_CHECK(check_name(name));
  const std::string& kept = impl_->shared.options.reserved_prefix;
  if (kept.empty() || !name.starts_with(kept)) return ok_status();
  return invalid_index_name(name, "names that begin with '" + kept +
                                      "' are those of indices that the program itself makes");
}

Status Indices::check_name(std::string_view name) {
  if (name.empty()) return invalid_index_name(name, "must not be empty");
  if (name == "." || name == "..") return invalid_index_name(name, "must not be '.' or '..'");
  if (name.size() > 255)
    return invalid_index_name(
        name, "index name is too long, (" + std::to_string(name.size()) + " > 255)");
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') return invalid_index_name(name, "must be lowercase");
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7F ||
        std::string_view("\\/*?\"<>|,#").find(c) != std::string_view::npos)
      return invalid_index_name(
          name,
          "must not contain the following characters ['\\','/','*','?','\"','<','>','|',' "
          "',',','#']");
    if (c == ':') return invalid_index_name(name, "must not contain ':'");
  }
  if (name[0] == '_' || name[0] == '-' || name[0] == '+')
    return invalid_index_name(name, "must not start with '_', '-', or '+'");
  if (!is_utf8(name)) return invalid_index_name(name, "must be UTF-8");
  return ok_status();
}

}  // namespace cairn::index
