// SPDX-License-Identifier: Apache-2.0
// Settings of the whole cluster that requests change: kept, checked, and told to what heeds them.
// Source: docs/reference/cluster-settings.md.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "format/json.h"
#include "index/kept_record.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::index {

/// One that can be changed.
struct ClusterSetting {
  std::string name;  // "search.max_buckets"; "cluster.metadata.*": all names that begin so
  /// What holds where it is not set: the configuration of the program, or its default.
  std::function<std::string()> fallback = [] { return std::string(); };
  /// Errors: illegal_argument_exception. Called before anything is kept.
  std::function<Status(const std::string& text)> check = [](const std::string&) {
    return ok_status();
  };
  /// Takes what holds from now on; nothing: the fallback. Not called for names of a pattern.
  std::function<void(const std::optional<std::string>& text)> take =
      [](const std::optional<std::string>&) {};
};

/// What was set, by name. Transient ones go before persistent ones, and end with the process.
struct ClusterValues {
  using Map = std::map<std::string, std::string, std::less<>>;
  Map persistent = {};
  Map transient = {};
};

/// A change of each; nothing takes a setting away. A name that ends in * takes all away that begin
/// so.
struct ClusterChange {
  using Map = std::map<std::string, std::optional<std::string>, std::less<>>;
  Map persistent = {};
  Map transient = {};
};

/// The names of settings, given as dotted names or as objects in one another: {"search":
/// {"max_buckets": 10}}. Errors: illegal_argument_exception for a value that is a list.
Result<ClusterChange::Map> read_cluster_settings(const Json& given);

/// The other way: one level of dotted names, or objects in one another.
Json shown_cluster_settings(const ClusterValues::Map& values, bool flat);

/// All of them, as one record in the store that a change replaces. Safe from any thread; changes
/// block on the store up to their deadline.
class ClusterSettings {
 public:
  struct Limits {
    std::size_t count = 1'000;       // settings, of both kinds together
    std::size_t text_bytes = 4'096;  // of a name and of a value
  };
  /// `fixed` are the names, and patterns that end in *, of what only the configuration can say.
  ClusterSettings(store::Store& store, std::vector<ClusterSetting> table,
                  std::vector<std::string> fixed);

  /// Reads the record and tells each setting what holds. Damage is no error here: it is logged, and
  /// told by changes. A setting of the record that is not known, or whose value cannot be, is logged
  /// and stays as it is kept, without effect.
  Status load(const os::Deadline& deadline);

  /// Does the whole change or none of it; durable when it returns, and heeded from then on.
  /// Errors: illegal_argument_exception, naming the setting; corrupt, where the record is; those of
  /// the store, after which it may still have happened, and the next change finds out.
  Status change(const ClusterChange& change, const os::Deadline& deadline);

  std::shared_ptr<const ClusterValues> values() const;
  /// What holds for the settings that are not set.
  ClusterValues::Map defaults() const;

 private:
  Status read(const os::Deadline& deadline) CAIRN_REQUIRES(changing_);
  const ClusterSetting* find(std::string_view name) const;
  Status check(const ClusterChange::Map& change, std::string_view kind) const;
  /// Tells the settings what holds, and shows it.
  void use(ClusterValues values) CAIRN_REQUIRES(changing_);

  const std::vector<ClusterSetting> table_;
  const std::vector<std::string> fixed_;
  const Limits limits_ = {};
  Mutex changing_;  // held over calls of the store; before mutex_
  KeptRecord record_ CAIRN_GUARDED_BY(changing_);
  std::optional<Error> damage_ CAIRN_GUARDED_BY(changing_);
  mutable Mutex mutex_;
  std::shared_ptr<const ClusterValues> values_ CAIRN_GUARDED_BY(mutex_) =
      std::make_shared<const ClusterValues>();
};

}  // namespace cairn::index
