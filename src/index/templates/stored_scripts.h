// SPDX-License-Identifier: Apache-2.0
// Templates of searches, and scripts, that are kept by a name. Sources:
// docs/reference/search-templates.md, docs/reference/scripts.md.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/threads.h"
#include "format/json.h"
#include "format/mustache.h"
#include "index/kept_record.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::index {

/// The most bytes of the text of one, kept or sent with a search.
inline constexpr std::size_t script_bytes_max = 65'535;

struct StoredScript {
  std::string lang = "mustache";   // or painless
  std::string source = {};         // a template in mustache(5), or a script
  std::string content_type = {};   // of what it makes; empty: none was said, and it makes JSON
  bool operator==(const StoredScript&) const = default;

  /// As a content type wants the values that are filled in.
  MustacheEscape escape() const;
  Json to_json() const;  // as the API gives it back, and the record keeps it
};

/// The text of a template, which requests give as a string or as JSON. Errors:
/// illegal_argument_exception for anything else, and above script_bytes_max; `where` names it.
Result<std::string> template_source(const Json& source, const std::string& where);
/// From the body of the API: {"script": {...}}. `context` is what it is for: template, score,
/// filter; empty: any that it can be for. Errors: illegal_argument_exception, naming the member, the
/// language or the context that is not offered; script_exception.
Result<StoredScript> read_stored_script(const std::string& id, const Json& body,
                                        const std::string& context = {});

/// All of them, as one record in the store that a change replaces. Safe from any thread; changes
/// block on the store up to their deadline.
class StoredScripts {
 public:
  using Table = std::map<std::string, StoredScript, std::less<>>;

  static constexpr std::string_view record_key = "index/scripts";

  explicit StoredScripts(store::Store& store) : record_(store, record_key, "scripts") {}

  /// Reads the record. Damage is no error here: it is logged, and told by find() and by changes.
  Status load(const os::Deadline& deadline);

  std::shared_ptr<const Table> all() const;
  /// Errors: resource_not_found_exception; corrupt, where the record is.
  Result<StoredScript> find(std::string_view id) const;

  /// Durable when they return. Errors: illegal_argument_exception for a name or a number of
  /// scripts that is not taken; resource_not_found_exception of remove; those of the store.
  Status put(const std::string& id, StoredScript script, const os::Deadline& deadline);
  Status remove(const std::string& id, const os::Deadline& deadline);
  /// Keeps all of to_json(), in place of those of their names.
  Status restore(const Json& kept, const os::Deadline& deadline);
  Json to_json() const;

 private:
  Status read(const os::Deadline& deadline) CAIRN_REQUIRES(changing_);
  Result<Table> to_change(const os::Deadline& deadline) CAIRN_REQUIRES(changing_);
  Status keep(Table table, const os::Deadline& deadline) CAIRN_REQUIRES(changing_);
  void publish(std::shared_ptr<const Table> table, std::optional<Error> damage);

  Mutex changing_;
  KeptRecord record_ CAIRN_GUARDED_BY(changing_);
  mutable Mutex mutex_;
  std::optional<Error> damage_ CAIRN_GUARDED_BY(mutex_);
  std::shared_ptr<const Table> table_ CAIRN_GUARDED_BY(mutex_) = std::make_shared<Table>();
};

}  // namespace cairn::index
