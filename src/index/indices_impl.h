// SPDX-License-Identifier: Apache-2.0
// The inside of the catalogue.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads.h"
#include "index/engine/index_impl.h"
#include "index/indices.h"
#include "os/threads/thread.h"

namespace cairn::index {

/// Where the record of an index lies, which makes it one.
inline std::string name_key(std::string_view name) { return "index/names/" + std::string(name); }

/// Indices that a change of aliases removes, by name, with their uuid.
using Removals = std::map<std::string, std::string, std::less<>>;

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

  /// What a new index has besides its content.
  struct Wanted {
    const NewAliases& aliases;
    const CheckIndex& check;
  };

  Status open_all(const os::Deadline& deadline);
  Status open_one(const std::string& name, const os::Deadline& deadline);
  Status clean(const os::Deadline& deadline);
  Result<std::shared_ptr<Index>> add(const std::string& name, const Wanted& wanted,
                                     const os::Deadline& deadline,
                                     const std::function<Status(Index::Impl&)>& start);
  /// Puts the record that makes it an index, with its aliases. Where that fails, it may have its
  /// name all the same.
  Status name_index(const std::shared_ptr<Index>& index, std::int64_t created_ms,
                    const NewAliases& wanted, const os::Deadline& deadline, bool& may_have_name)
      CAIRN_REQUIRES(naming);
  /// An index whose name is gone: ended, and its data deleted, now or at the next start.
  void let_go(const std::shared_ptr<Index>& index, const os::Deadline& deadline);

  // Of aliases (names/indices_aliases.cc).
  Status load_aliases(const os::Deadline& deadline) CAIRN_REQUIRES(naming);
  std::shared_ptr<Index> take_removed(const std::string& name, const std::string& uuid);
  Status put_aliases(const AliasTable& table, const Removals& removals,
                     const os::Deadline& deadline) CAIRN_REQUIRES(naming);
  /// Before a name comes or goes: what an earlier change has left.
  Status settle(const os::Deadline& deadline) CAIRN_REQUIRES(naming);
  Status check_name_free(std::string_view name, const NewAliases& wanted) const;
  Status check_alias(std::string_view name) const;
  bool is_taken(std::string_view name) const;  // by an index
  AliasTable live_aliases() const;
  void publish(AliasTable table);
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

  // Held while a name comes or goes, store calls and all; before `mutex`.
  Mutex naming;
  std::string alias_etag CAIRN_GUARDED_BY(naming);  // of the record; empty: there is none
  Removals removals CAIRN_GUARDED_BY(naming);       // that were decided, and may not be done yet
  bool aliases_unknown CAIRN_GUARDED_BY(naming) = false;  // a put may have happened
  std::optional<Error> damaged_aliases CAIRN_GUARDED_BY(naming);
  std::shared_ptr<const AliasTable> aliases CAIRN_GUARDED_BY(mutex) =
      std::make_shared<const AliasTable>();

  Mutex work_mutex;
  std::condition_variable_any work_changed;
  std::uint64_t work_calls CAIRN_GUARDED_BY(work_mutex) = 0;  // each thread hears every call
  std::vector<os::Thread> threads;                            // the last member: stops first
};

}  // namespace cairn::index
