// SPDX-License-Identifier: Apache-2.0
// The catalogue of indices, and the threads that refresh, flush and merge.
#include "index/indices.h"

#include <algorithm>
#include <map>

#include "base/ids.h"
#include "base/strings.h"
#include "index/engine/index_impl.h"
#include "index/errors.h"
#include "os/log.h"
#include "os/threads/blocking.h"
#include "os/threads/thread.h"

namespace cairn::index {
namespace {

constexpr std::string_view names_prefix = "index/names/";
constexpr std::string_view data_prefix = "index/data/";
constexpr std::int64_t round_ms = 250;

std::string name_key(std::string_view name) {
  return std::string(names_prefix) + std::string(name);
}

}  // namespace

struct Indices::Impl {
  Impl(store::Store& store, os::Pool& cpu, const os::Clock& clock, os::Random& random,
       Options given)
      : shared_owner(std::make_shared<Shared>(store, cpu, clock, random, given)),
        shared(*shared_owner) {
    shared.wake_threads = [this] {
      const MutexLock lock(work_mutex);
      ++work_calls;
      work_changed.notify_all();
    };
  }

  Status open_all(const os::Deadline& deadline);
  Status open_one(const std::string& name, const os::Deadline& deadline);
  Status clean(const os::Deadline& deadline);
  Result<std::shared_ptr<Index>> add(const std::string& name, const os::Deadline& deadline,
                                     const std::function<Status(Index::Impl&)>& start);
  Status drop_data(const std::string& uuid, const os::Deadline& deadline);
  std::vector<std::shared_ptr<Index>> all() const;
  void run(std::stop_token stop, bool refreshes);

  std::shared_ptr<Shared> shared_owner;
  Shared& shared;
  mutable Mutex mutex;
  std::map<std::string, std::shared_ptr<Index>, std::less<>> indices CAIRN_GUARDED_BY(mutex);
  std::map<std::string, Error, std::less<>> broken CAIRN_GUARDED_BY(mutex);
  // Of other catalogues, to be read: nothing here opens, refreshes, flushes or removes them.
  std::map<std::string, std::shared_ptr<Index>, std::less<>> attached CAIRN_GUARDED_BY(mutex);

  Mutex work_mutex;
  std::condition_variable_any work_changed;
  std::uint64_t work_calls CAIRN_GUARDED_BY(work_mutex) = 0;  // each thread hears every call
  std::vector<os::Thread> threads;                            // the last member: stops first
};

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
      for (const auto& index : all()) {
        const Status status = refreshes ? index->impl_->refresh_if_due(deadline)
                                        : index->impl_->maintain_stored(deadline);
        if (!status.ok() && !deadline.stopped())
          os::log(os::LogLevel::warn, "index", refreshes ? "refresh_failed" : "maintenance_failed",
                  {{"index", index->name()}, {"error", status.error().message}});
        busy |= status.ok() && index->impl_->is_busy();
      }
    }
  }
}

Status Indices::Impl::open_one(const std::string& name, const os::Deadline& deadline) {
  CAIRN_TRY(const auto found, shared.store.get(name_key(name), deadline));
  CAIRN_TRY(const Json record, parse_json(found.bytes));
  auto inside = std::make_unique<Index::Impl>(shared_owner, name, record.string_or("uuid"));
  CAIRN_CHECK(inside->open(deadline));
  const MutexLock lock(mutex);
  indices.emplace(name, std::make_shared<Index>(std::move(inside)));
  return ok_status();
}

Status Indices::Impl::open_all(const os::Deadline& deadline) {
  std::vector<std::string> names;
  CAIRN_CHECK(store::for_each_object(shared.store, names_prefix, deadline,
                                     [&](const store::ObjectInfo& info) {
                                       names.push_back(info.key.substr(names_prefix.size()));
                                       return ok_status();
                                     }));
  for (const std::string& name : names) {
    Status status = open_one(name, deadline);
    if (status.ok()) continue;
    // Damage of one index does not keep the others closed; a store that fails does.
    if (status.error().kind != ErrorKind::corrupt) return status;
    os::log(os::LogLevel::error, "index", "index_damaged",
            {{"index", name}, {"error", status.error().message}});
    const MutexLock lock(mutex);
    broken.emplace(name, std::move(status).error());
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
    const std::string& name, const os::Deadline& deadline,
    const std::function<Status(Index::Impl&)>& start) {
  const os::Blocking blocking;
  {
    const MutexLock lock(mutex);
    for (const auto* known : {&indices, &attached})
      if (const auto found = known->find(name); found != known->end())
        return index_exists(name, found->second->uuid());
    if (broken.contains(name)) return index_exists(name, "_na_");
  }
  const std::string uuid = url_safe_id(shared.random.bytes(15));
  auto inside = std::make_unique<Index::Impl>(shared_owner, name, uuid);
  Status started = start(*inside);
  const auto give_up = [&](Error error) -> Result<std::shared_ptr<Index>> {
    // What cannot be deleted now is deleted at the next start.
    const auto dropped = drop_data(uuid, os::Deadline::in_ms(5000));
    (void)dropped;
    return error;
  };
  if (!started.ok()) return give_up(std::move(started).error());
  // The name makes it an index: everything before is invisible.
  const std::string record =
      Json::object({{"uuid", uuid}, {"created_ms", inside->created_ms}}).dump();
  auto put = shared.store.put(name_key(name), record, deadline, {.if_none_match = true});
  if (!put && put.error().kind == ErrorKind::precondition_failed)
    return give_up(index_exists(name, "_na_"));
  if (!put) {
    // Lost answer: what is there decides.
    const auto found = shared.store.get(name_key(name), deadline);
    if (found && found->bytes == record) {
      put = found->info;
    } else {
      const auto undone = shared.store.remove(name_key(name), os::Deadline::in_ms(5000));
      (void)undone;
      return found || found.error().kind == ErrorKind::not_found
                 ? give_up(std::move(put).error())
                 : Result<std::shared_ptr<Index>>(std::move(put).error());
    }
  }
  auto index = std::make_shared<Index>(std::move(inside));
  const MutexLock lock(mutex);
  indices.insert_or_assign(name, index);
  return index;
}

Result<std::unique_ptr<Indices>> Indices::open(store::Store& store, os::Pool& cpu,
                                               const os::Clock& clock, os::Random& random,
                                               Options options, const os::Deadline& deadline) {
  CAIRN_CHECK(options.validate());
  auto impl = std::make_unique<Impl>(store, cpu, clock, random, options);
  CAIRN_CHECK(impl->open_all(deadline));
  Impl* inside = impl.get();
  std::unique_ptr<Indices> out(new Indices(std::move(impl)));
  if (!options.background) return out;
  for (const bool refreshes : {true, false}) {
    CAIRN_TRY(auto thread, os::Thread::start_stoppable(
                               {.name = refreshes ? "cairn-refresh" : "cairn-merge"},
                               [inside, refreshes](std::stop_token stop) {
                                 inside->run(std::move(stop), refreshes);
                               }));
    inside->threads.push_back(std::move(thread));
  }
  return out;
}

Status Indices::flush_all(const os::Deadline& deadline) {
  for (const auto& index : all()) CAIRN_CHECK(index->flush(deadline));
  return ok_status();
}

Result<std::shared_ptr<Index>> Indices::create(std::string_view name, const Json& mappings,
                                               const Json& settings, const os::Deadline& deadline) {
  CAIRN_CHECK(check_new_name(name));
  return impl_->add(std::string(name), deadline, [&](Index::Impl& inside) {
    return inside.start_new(mappings, settings, deadline);
  });
}

Result<std::shared_ptr<Index>> Indices::restore(std::string_view name, const Json& manifest,
                                                const FetchObject& fetch,
                                                const os::Deadline& deadline) {
  CAIRN_CHECK(check_new_name(name));
  CAIRN_TRY(const Manifest from, Manifest::from_json(manifest, "the manifest of the snapshot"));
  return impl_->add(std::string(name), deadline, [&](Index::Impl& inside) {
    return inside.start_restored(from, fetch, deadline);
  });
}

Status Indices::remove(std::string_view name, const os::Deadline& deadline) {
  const os::Blocking blocking;
  CAIRN_TRY(const auto index, find(name));
  CAIRN_CHECK(index->check_open_to(Change::removal));
  CAIRN_CHECK(impl_->shared.store.remove(name_key(name), deadline));
  {
    const MutexLock lock(impl_->mutex);
    impl_->indices.erase(index->name());
  }
  index->impl_->end();
  // The index is gone; its data follows, now or at the next start.
  bool copied = false;
  {
    const MutexLock lock(index->impl_->pins->mutex);
    copied = !index->impl_->pins->keys.empty();
  }
  if (copied) return ok_status();
  if (const auto dropped = impl_->drop_data(index->uuid(), deadline); !dropped)
    os::log(os::LogLevel::warn, "index", "data_not_deleted",
            {{"index", name}, {"error", dropped.error().message}});
  return ok_status();
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

Result<std::vector<std::shared_ptr<Index>>> Indices::resolve(std::string_view expression,
                                                             const ResolveOptions& options) const {
  std::map<std::string, std::shared_ptr<Index>> chosen;
  const auto every = options.own_only ? impl_->all() : all();
  bool patterns = false;
  for (std::string_view part : split(expression.empty() ? "_all" : expression, ',')) {
    part = trim(part);
    if (part.empty()) continue;
    const bool takes_away = part.starts_with('-') && part.size() > 1 && patterns;
    if (takes_away) part.remove_prefix(1);
    const std::string_view pattern = part == "_all" ? "*" : part;
    const bool is_pattern = pattern.find('*') != std::string_view::npos;
    patterns |= is_pattern;
    if (!is_pattern && !takes_away) {
      auto found = find(part);
      if (found && options.own_only && (*found)->read_only_)
        return illegal_argument("index [" + std::string(part) +
                                "] is written by the program from what it keeps elsewhere, and is "
                                "not copied; name other indices");
      if (found)
        chosen.insert_or_assign(std::string(part), std::move(*found));
      else if (!options.ignore_unavailable)
        return std::move(found).error();
      continue;
    }
    bool any = false;
    for (const auto& index : every) {
      const bool hidden = index->name().starts_with('.')
                              ? !pattern.starts_with('.')
                              : index->setting_text("hidden") == "true";
      if ((hidden && !options.expand_hidden) || !wildcard_match(pattern, index->name())) continue;
      any = true;
      if (takes_away)
        chosen.erase(index->name());
      else
        chosen.insert_or_assign(index->name(), index);
    }
    if (!any && !takes_away && !options.allow_no_indices) return no_such_index(part);
  }
  std::vector<std::shared_ptr<Index>> out;
  for (auto& [name, index] : chosen) out.push_back(std::move(index));
  return out;
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
