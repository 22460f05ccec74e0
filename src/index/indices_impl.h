// SPDX-License-Identifier: Apache-2.0
// The inside of the catalogue.
#pragma once

#include <atomic>
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
#include "index/kept_record.h"
#include "index/names/names_record.h"
#include "index/templates/stored_scripts.h"
#include "index/templates/templates.h"
#include "os/threads/thread.h"

namespace cairn::index {

struct Indices::Impl {
  Impl(store::Store& store, os::Pool& cpu, const os::Clock& clock, os::Random& random,
       Options given)
      : shared_owner(std::make_shared<Shared>(store, cpu, clock, random, given)),
        shared(*shared_owner),
        names_record(store, names_record_key, "aliases and data streams"),
        scripts(store),
        template_record(store, "index/templates", "templates") {
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
  Status open_each(const std::vector<std::string>& names, const os::Deadline& deadline);
  Status open_or_break(const std::string& name, const os::Deadline& deadline);
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

  // Of names (names/indices_record.cc).
  Status load_names(const os::Deadline& deadline) CAIRN_REQUIRES(naming);
  /// Replicas are to read again which names there are. After the store has them.
  void count_names_change() CAIRN_REQUIRES(mutex) { names_changed_at = ++shared.changes; }
  std::shared_ptr<Index> take_removed(const std::string& name, const std::string& uuid);
  Status put_names(const NamesRecord& record, const os::Deadline& deadline)
      CAIRN_REQUIRES(naming);
  /// Makes all names those of the record, durable when it returns; `fresh`: indices of its `added`,
  /// and those that it opens. After settle().
  using FreshIndices = std::vector<std::shared_ptr<Index>>;
  Status change_names(NamesRecord record, const FreshIndices& fresh, const os::Deadline& deadline)
      CAIRN_REQUIRES(naming);
  /// Before a name comes or goes: what an earlier change has left.
  Status settle(const os::Deadline& deadline) CAIRN_REQUIRES(naming);
  Status settle_additions(const os::Deadline& deadline) CAIRN_REQUIRES(naming);
  /// Closes and opens what the tables say (names/indices_closed.cc).
  Status settle_closed(const os::Deadline& deadline) CAIRN_REQUIRES(naming);  // after a lost answer
  Result<std::vector<std::shared_ptr<Index>>> indices_to_close(
      const std::vector<std::string>& names) const;
  bool is_closed(std::string_view name, std::string_view uuid) const;
  Status follow_closed(const std::shared_ptr<Index>& index, const os::Deadline& deadline);
  /// The same index as it lies in the store, opened or closed.
  Result<std::shared_ptr<Index>> read_again(const Index& index, bool open,
                                            const os::Deadline& deadline);
  Status check_restored_aliases(const std::string& name, const NewAliases& wanted) const;
  /// Puts the content of a snapshot in the place of a closed index, in one step.
  Result<std::shared_ptr<Index>> restore_over(const std::shared_ptr<Index>& old,
                                              const Manifest& from, const FetchObject& fetch,
                                              const NewAliases& wanted,
                                              const os::Deadline& deadline);
  Status check_name_free(std::string_view name, const NewAliases& wanted) const;
  Status check_aliases_free(std::string_view name, const NewAliases& wanted) const
      CAIRN_REQUIRES(mutex);
  Status check_alias(std::string_view name) const;
  /// Errors: illegal_argument_exception for the index that a data stream writes to. `what` cannot
  /// be done to it: "deleted".
  Status check_not_written(std::string_view index, std::string_view what = "deleted") const;
  bool is_taken(std::string_view name) const;  // by an index
  bool is_recorded(std::string_view name) const CAIRN_REQUIRES(naming);
  Status remove_recorded(const Index& index, const os::Deadline& deadline) CAIRN_REQUIRES(naming);
  NameTables live_names() const CAIRN_REQUIRES(naming);
  /// Where the answer of a put was lost: writes wait, and the background finds out.
  void doubt(const NamesRecord& record) CAIRN_REQUIRES(naming);
  void settle_in_background(const os::Deadline& deadline);
  void publish(NameTables tables);

  // Of templates (templates/indices_templates.cc).
  Status load_templates(const os::Deadline& deadline) CAIRN_REQUIRES(naming);
  Result<TemplateTable> templates_to_change(const os::Deadline& deadline) CAIRN_REQUIRES(naming);
  Status put_templates(TemplateTable table, const os::Deadline& deadline) CAIRN_REQUIRES(naming);

  // Of data streams (names/indices_streams.cc).
  Result<std::shared_ptr<Index>> add_with_names(
      const std::string& name, const IndexDefinition& definition, const CheckIndex& check,
      const os::Deadline& deadline,
      const std::function<Result<NameTables>(const Index& fresh, NameTables now)>& change);

  Status drop_data(const std::string& uuid, const os::Deadline& deadline);
  std::vector<std::shared_ptr<Index>> all() const;
  void run(std::stop_token stop, bool refreshes);

  std::shared_ptr<Shared> shared_owner;
  Shared& shared;
  mutable Mutex mutex;
  std::map<std::string, std::shared_ptr<Index>, std::less<>> indices CAIRN_GUARDED_BY(mutex);
  std::map<std::string, Error, std::less<>> broken CAIRN_GUARDED_BY(mutex);
  std::uint64_t names_changed_at CAIRN_GUARDED_BY(mutex) = 1;
  // Of other catalogues, to be read: nothing here opens, refreshes, flushes or removes them.
  std::map<std::string, std::shared_ptr<Index>, std::less<>> attached CAIRN_GUARDED_BY(mutex);

  // Held while a name comes or goes, store calls and all; before `mutex`.
  Mutex naming;
  KeptRecord names_record CAIRN_GUARDED_BY(naming);
  Removals removals CAIRN_GUARDED_BY(naming);    // that were decided, and may not be done yet
  Additions additions CAIRN_GUARDED_BY(naming);  // of the record as it is in the store
  bool additions_done CAIRN_GUARDED_BY(naming) = true;  // all of them have their names
  bool opened CAIRN_GUARDED_BY(naming) = false;         // all that has a name has been opened
  std::atomic<bool> unsettled = false;  // nobody knows which names there are
  std::optional<Error> damaged_names CAIRN_GUARDED_BY(naming);
  std::shared_ptr<const AliasTable> aliases CAIRN_GUARDED_BY(mutex) =
      std::make_shared<const AliasTable>();
  std::shared_ptr<const StreamTable> streams CAIRN_GUARDED_BY(mutex) =
      std::make_shared<const StreamTable>();
  ClosedIndices closed CAIRN_GUARDED_BY(mutex);
  StoredScripts scripts;
  KeptRecord template_record CAIRN_GUARDED_BY(naming);
  std::optional<Error> damaged_templates CAIRN_GUARDED_BY(naming);
  std::shared_ptr<const TemplateTable> templates CAIRN_GUARDED_BY(mutex) =
      std::make_shared<const TemplateTable>();

  Mutex work_mutex;
  std::condition_variable_any work_changed;
  std::uint64_t work_calls CAIRN_GUARDED_BY(work_mutex) = 0;  // each thread hears every call
  std::vector<os::Thread> threads;                            // the last member: stops first
};

}  // namespace cairn::index
