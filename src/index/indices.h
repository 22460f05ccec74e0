// SPDX-License-Identifier: Apache-2.0
// The catalogue of indices, and one index: durable writes, gets, views, checkpoints.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/definition.h"
#include "index/mapping/mapping.h"
#include "index/names/aliases.h"
#include "index/names/data_streams.h"
#include "index/options.h"
#include "index/settings/settings.h"
#include "index/templates/templates.h"
#include "index/view.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "os/threads/pool.h"
#include "store/store.h"

namespace cairn::index {

class LiveSettings;
class StoredScripts;

/// One embedded piece of a semantic_text value.
struct SemanticChunk {
  std::uint32_t input = 0;  // which text of a list
  std::uint32_t start = 0;  // bytes [start, end) of it
  std::uint32_t end = 0;
  std::vector<float> dense = {};  // one of the two is set
  std::vector<std::pair<std::string, float>> sparse = {};
};

/// The embeddings of one semantic_text field of one document.
struct SemanticValue {
  std::string field;
  ModelSettings model_settings;
  std::vector<SemanticChunk> chunks;
};

struct WriteOperation {
  enum class Kind { index, create, remove };
  Kind kind = Kind::index;
  std::string id = {};       // empty: one is made (not for remove)
  std::string source = {};   // JSON text of an object; not for remove
  std::string routing = {};  // kept with the document, shown as `_routing`; empty: none
  std::optional<std::int64_t> if_seq_no = {};
  std::optional<std::int64_t> if_primary_term = {};
  std::vector<SemanticValue> semantic = {};  // for each semantic_text field that has a value
};

struct WriteResult {
  enum class Outcome { created, updated, deleted, not_found, noop };
  std::string id;
  std::int64_t version = 0;
  std::int64_t seq_no = 0;
  std::int64_t primary_term = 1;
  Outcome outcome = Outcome::created;
  std::optional<Error> error;  // set: this operation did nothing
};

std::string_view name_of(WriteResult::Outcome outcome);

struct ParsedOperation;  // document/document.h

struct StoredDocument {
  std::string id;
  std::int64_t version = 0;
  std::int64_t seq_no = 0;
  std::int64_t primary_term = 1;
  std::string source;
  std::vector<std::string> ignored = {};  // fields whose value was left out of the index
  std::string routing = {};               // as it was written with; empty: none
};

struct CheckpointObject {
  std::string name;  // unique for its bytes within the index, for ever
  std::uint64_t size_bytes = 0;
  std::uint32_t crc32c = 0;
};

/// A flushed state of an index: immutable objects and the manifest that names them. The objects
/// stay in the store while a copy of the checkpoint lives.
class Checkpoint {
 public:
  struct State;
  explicit Checkpoint(std::shared_ptr<const State> state);
  const std::string& index_name() const;
  const std::string& index_uuid() const;
  const Json& manifest() const;  // what Indices::restore takes
  const std::vector<CheckpointObject>& objects() const;
  /// Bytes of one object. Errors: not_found for a name that is not of this checkpoint.
  Result<std::string> read(std::string_view object, std::uint64_t offset, std::uint64_t count,
                           const os::Deadline& deadline) const;

 private:
  std::shared_ptr<const State> state_;
};

struct IndexStatistics {
  std::uint64_t documents = 0;  // live, as the next refresh will show
  std::uint64_t deleted = 0;
  std::uint64_t size_bytes = 0;  // of segments and log
  std::uint64_t memory_bytes = 0;
  std::size_t segments = 0;
  std::int64_t max_seq_no = -1;
};

/// How an index came to be in this process.
struct Recovery {
  enum class Kind { created, opened, restored };
  Kind kind = Kind::created;
  std::int64_t begun_ms = 0;
  std::int64_t ended_ms = 0;
  std::size_t objects = 0;       // segments and their deletions
  std::uint64_t bytes = 0;       // of those
  std::uint64_t operations = 0;  // that were read from the log
};

/// One index. Safe from any thread. Calls that take a deadline may block on the store.
/// After remove() every call gives index_not_found_exception, and while it is closed
/// index_closed_exception.
class Index {
 public:
  struct Impl;
  explicit Index(std::shared_ptr<Impl> impl, bool read_only = false);
  ~Index();

  /// The same index for those who may only read it: what would change its documents, mapping or
  /// settings is a cluster_block_exception. What its owner writes shows here too.
  std::shared_ptr<Index> read_only_face() const;

  const std::string& name() const;
  const std::string& uuid() const;
  std::int64_t created_ms() const;
  /// True after remove(), also where an index of the same name is there again.
  bool removed() const;
  /// Only its mapping and settings are shown, and only its settings change.
  bool closed() const;
  std::shared_ptr<const Mapping> mapping() const;
  Json settings() const;  // {"index": {...}} with defaults filled in, values as strings
  /// One of them that was set, by its dotted name below "index".
  std::optional<std::string> setting_text(std::string_view name) const;
  std::vector<std::string> setting_texts(std::string_view name) const;
  /// One that is a number, or what holds where it is not set.
  std::uint64_t setting_number(std::string_view name) const;
  /// Errors: cluster_block_exception, where a block of the settings forbids such changes.
  Status check_open_to(Change change) const;
  /// Errors: routing_missing_exception, where the mapping requires one and `routing` is empty.
  Status check_routing(std::string_view id, std::string_view routing) const;

  /// Merges a change into the mapping; durable when it returns. Errors: those of Mapping::merged.
  Status put_mapping(const Json& change, const os::Deadline& deadline);
  /// Changes dynamic settings ({"index": {"refresh_interval": "5s"}} or without "index"); of a
  /// closed index its analysis and codec too.
  Status put_settings(const Json& change, const os::Deadline& deadline);

  /// Applies the operations in order, all in one durable step: when it returns they are kept, or
  /// the call failed as a whole (and, as after any lost answer, may still have happened). Items
  /// that cannot be applied have `error` set and do not stop the others.
  /// Errors: unavailable, timeout, cancelled, storage_full, index_not_found_exception.
  Result<std::vector<WriteResult>> write(std::span<const WriteOperation> operations,
                                         const os::Deadline& deadline);

  /// For an index without a log, which follows something that its owner keeps: applies operations
  /// whose documents its owner has taken apart, and remembers `note`, which says how far that was.
  /// A flush keeps both or neither. Errors: invalid_argument, where the index has a log, or a
  /// document was read with another mapping; those of write. `operations` keep their memory, to be
  /// filled anew; what they hold afterwards is not said.
  Status follow(std::vector<ParsedOperation>& operations, std::string note,
                const os::Deadline& deadline);
  /// Of the last follow(); after a start, and for what a crash leaves: kept_note().
  std::string note() const;
  /// Of the last flush. Empty: none.
  std::string kept_note() const;

  /// The newest version, refreshed or not.
  Result<std::optional<StoredDocument>> get(std::string_view id, const os::Deadline& deadline);

  /// What searches see. The first call after `search_idle_ms` without one refreshes first when
  /// there is something new (and refresh_interval was not set by hand).
  std::shared_ptr<const View> view();
  /// Makes everything written so far visible to the next view().
  Status refresh(const os::Deadline& deadline);
  /// The same, but only where somebody has searched of late; else the next view() does it.
  Status refresh_for_searches(const os::Deadline& deadline);
  /// Returns once everything that was written before the call is visible (refresh=wait_for).
  Status wait_for_refresh(const os::Deadline& deadline);
  /// Writes everything to segments; the log before is no longer needed.
  Status flush(const os::Deadline& deadline);
  /// Merges until at most `segments` are left, and drops deleted documents.
  Status force_merge(std::size_t segments, const os::Deadline& deadline);
  /// Merges those segments of which more than a tenth of the documents are deleted.
  Status expunge_deletes(const os::Deadline& deadline);
  /// Forgets which documents filters select; the next searches find it out again.
  void clear_filters();
  /// One round of what the background does: refresh, flush and merge where due, delete what nobody
  /// needs. For tests, and for Options without background.
  Status maintain(const os::Deadline& deadline);

  Result<Checkpoint> checkpoint(const os::Deadline& deadline);
  IndexStatistics statistics() const;
  Recovery recovery() const;

 private:
  friend class Indices;
  friend class Replica;
  std::optional<Error> read_only_block() const;
  std::shared_ptr<Impl> impl_;
  const bool read_only_;
};

class NamedIndex;  // named_index.h

struct ResolveOptions {
  bool ignore_unavailable = false;  // names that do not exist are left out
  bool allow_no_indices = true;     // patterns may match nothing
  bool expand_hidden = false;       // patterns match hidden ones: a dot first, or index.hidden
  bool own_only = false;  // patterns leave attached ones out; one that is named is an error
  // False: patterns leave aliases and data streams out; one that is named is an error.
  bool aliases = true;
  // False: one that is named is an error (with ignore_unavailable: left out); patterns leave them
  // out, whatever expand_closed says.
  bool closed = false;
  bool expand_open = true;     // patterns match open ones
  bool expand_closed = false;  // patterns match closed ones
  /// Whether a pattern may reach this index or alias. Empty: any.
  std::function<bool(std::string_view name)> admits = {};
  /// What narrows an index beside the filter of an alias, by the name that it is reached by; null:
  /// nothing. Empty: nothing narrows any. See NamedIndex::hides_documents.
  std::function<std::shared_ptr<const Json>(std::string_view name)> narrows = {};
};

/// One change of a batch.
struct AliasChange {
  enum class Kind { add, remove, remove_index };
  Kind kind = Kind::add;
  std::string index;  // its own name
  std::string alias = {};
  AliasProperties properties = {};  // of add
};

/// One change of a batch.
struct StreamChange {
  bool adds = true;  // false: the index leaves the stream, and is one of its own
  std::string data_stream;
  std::string index;
};

/// What a rollover goes from and to.
struct RolloverPlan {
  std::string name;       // the alias or data stream
  bool is_stream = false;
  std::string old_index;  // that was written to
  std::string new_index;
  std::int64_t generation = 0;  // of a data stream, afterwards
};

using CheckIndex = std::function<Status(const Index& index)>;

/// Brings the bytes of one object of a checkpoint, in order, by calling `sink` until it fails.
using FetchObject = std::function<Status(
    const CheckpointObject& object, const std::function<Status(std::string_view bytes)>& sink)>;

/// All indices of a process. Safe from any thread.
class Indices {
 public:
  /// Opens every index in the store: reads manifests, replays logs, deletes leavings of a crash.
  /// The references must outlive the object. Everything kept lies under "index/" in the store.
  static Result<std::unique_ptr<Indices>> open(store::Store& store, os::Pool& cpu,
                                               const os::Clock& clock, os::Random& random,
                                               Options options, const os::Deadline& deadline);
  /// Stops the background work. What was acknowledged is in the log.
  ~Indices();
  Indices(const Indices&) = delete;
  Indices& operator=(const Indices&) = delete;

  /// Flushes every index, so that the next start has nothing to replay. Optional.
  Status flush_all(const os::Deadline& deadline);

  /// `mappings` and `settings` as in the API; null for none. The index is there with its aliases,
  /// or not at all. `check` is asked about it before anybody sees it; its error is the creation's.
  /// Errors: resource_already_exists_exception, invalid_index_name_exception, and those of
  /// Mapping::parse, of settings (illegal_argument_exception) and of change_aliases.
  Result<std::shared_ptr<Index>> create(std::string_view name, const Json& mappings,
                                        const Json& settings, const os::Deadline& deadline,
                                        const NewAliases& aliases = {},
                                        const CheckIndex& check = {});
  /// Closes or opens indices, by their own names: all or none; durable when it returns. Those that
  /// are so already are left alone. Errors: index_not_found_exception; cluster_block_exception, for
  /// one that is attached; illegal_argument_exception, for what a data stream writes to.
  Status close(const std::vector<std::string>& names, const os::Deadline& deadline);
  Status reopen(const std::vector<std::string>& names, const os::Deadline& deadline);

  /// Errors: index_not_found_exception; cluster_block_exception, for one that is attached.
  Status remove(std::string_view name, const os::Deadline& deadline);
  /// By its own name.
  Result<std::shared_ptr<Index>> find(std::string_view name) const;
  /// By its own name, or by an alias that is of no other index. Errors: illegal_argument_exception,
  /// where an alias stands for several; index_not_found_exception.
  Result<std::shared_ptr<Index>> find_one(std::string_view name) const;
  /// What writes to a name go to, and what routing they have: of a data stream its last index, of an
  /// alias its write index, or the only one. Errors: illegal_argument_exception, where an alias has none, or the routing of the
  /// alias is another than `routing`; index_not_found_exception.
  struct WritePlace {
    std::shared_ptr<Index> index;
    std::string routing = {};
    bool is_stream = false;  // the name is a data stream: documents are added, and never replaced
  };
  Result<WritePlace> find_write(std::string_view name, std::string_view routing = {}) const;
  /// Whether an index, an alias or a data stream has this name.
  bool knows(std::string_view name) const;
  bool is_alias(std::string_view name) const;
  /// Indices of "a,b*,-c,_all", by name. Errors: index_not_found_exception.
  Result<std::vector<std::shared_ptr<Index>>> resolve(std::string_view expression,
                                                      const ResolveOptions& options = {}) const;
  /// The same with the names that each was reached by, and what those narrow it by.
  Result<std::vector<NamedIndex>> resolve_names(std::string_view expression,
                                                const ResolveOptions& options = {}) const;
  std::vector<std::shared_ptr<Index>> all() const;  // by name

  /// Shows the index of another catalogue here, to be read and nothing else. Its name may begin
  /// with Options::reserved_prefix. What it reads from outlives this catalogue.
  /// Errors: resource_already_exists_exception.
  Status attach(const Index& index);
  /// Takes it out of this catalogue. Whoever has it goes on to read it.
  void unattach(std::string_view name);

  /// Names of data streams that an expression names. Those of none are left out.
  std::vector<std::string> resolve_data_streams(std::string_view expression,
                                                const ResolveOptions& options = {}) const;
  /// Names of aliases that an expression names, without their indices. Names of none are left out.
  std::vector<std::string> resolve_aliases(std::string_view expression,
                                           const ResolveOptions& options = {}) const;
  /// All aliases as they are now; of indices that are there.
  std::shared_ptr<const AliasTable> aliases() const;
  /// Does all changes or none, also where the process ends in the middle; durable when it returns.
  /// Indices are removed before aliases are added, so that an alias can take the name of one. An
  /// alias that is added again has the new properties; one that is not there is not removed.
  /// Errors: index_not_found_exception, invalid_alias_name_exception, illegal_argument_exception
  /// (AliasTable::check; an attached index), cluster_block_exception; those of the store, after
  /// which it may still have happened.
  Status change_aliases(std::span<const AliasChange> changes, const os::Deadline& deadline);

  /// All templates as they are now.
  std::shared_ptr<const TemplateTable> templates() const;
  /// Keeps a template; durable when it returns. `check` is asked about the aliases of each template
  /// that becomes another. Errors: illegal_argument_exception where `only_new` and there is one;
  /// those of TemplateTable::check_template, of check_definition and of `check`.
  Status put_template(const std::string& name, ComponentTemplate component, bool only_new,
                      const CheckAliases& check, const os::Deadline& deadline);
  Status put_template(const std::string& name, IndexTemplate index_template, bool only_new,
                      const CheckAliases& check, const os::Deadline& deadline);
  /// Whether the template `name` of a table can stand there. Errors: as of put_template.
  Status check_template(const TemplateTable& table, const std::string& name,
                        const CheckAliases& check) const;
  /// Names of none are passed over. Errors: illegal_argument_exception where one is used.
  Status remove_component_templates(const std::vector<std::string>& names,
                                    const os::Deadline& deadline);
  Status remove_index_templates(const std::vector<std::string>& names,
                                const os::Deadline& deadline);
  /// Keeps all templates of TemplateTable::to_json(), in place of those of their names. They are
  /// taken as they were kept. Errors: those of TemplateTable::from_json and check_size.
  Status restore_templates(const Json& kept, const os::Deadline& deadline);
  /// What a new index of this name begins with: what its template says, and `given` above it.
  /// Errors: those of normalise_settings.
  Result<TemplatedIndex> templated(std::string_view name, const IndexDefinition& given) const;

  /// What changes while the process runs.
  LiveSettings& live() const;

  /// For the replicas of this store: which changes were acknowledged since the one that `question`
  /// names, as of a moment during the call. Both are texts of replica/told_changes.h. Errors:
  /// invalid_argument for another text.
  Result<std::string> tell_changes(std::string_view question) const;

  /// The templates of searches. They live as long as the catalogue.
  StoredScripts& scripts() const;

  /// All data streams as they are now; of indices that are there.
  std::shared_ptr<const StreamTable> data_streams() const;
  /// Makes a data stream with its first index, as its template says.
  /// Errors: illegal_argument_exception where no template makes data streams of this name;
  /// resource_already_exists_exception; those of create.
  Status create_data_stream(std::string_view name, const os::Deadline& deadline);
  /// Removes streams with all their indices, all or none. Names of none are passed over.
  /// Errors: cluster_block_exception.
  Status remove_data_streams(const std::vector<std::string>& names, const os::Deadline& deadline);
  /// Makes a stream of indices that are there, by their names. Errors: index_not_found_exception;
  /// resource_already_exists_exception.
  Status restore_data_stream(const std::string& name, DataStream stream,
                             const os::Deadline& deadline);
  /// Does all changes or none. Errors: illegal_argument_exception; index_not_found_exception.
  Status change_data_streams(std::span<const StreamChange> changes, const os::Deadline& deadline);
  /// Makes a data stream of an alias and its indices, in place of the alias.
  /// Errors: illegal_argument_exception where the alias or its indices do not fit.
  Status migrate_to_data_stream(std::string_view alias, const os::Deadline& deadline);

  /// What a rollover of an alias or data stream would do; `new_index` empty: the next name.
  /// Errors: illegal_argument_exception.
  Result<RolloverPlan> plan_rollover(std::string_view name, std::string_view new_index) const;
  /// Makes the new index, which is written to from then on, in one step. `definition` is all that
  /// it begins with. Errors: those of create; conflict, where the old index is not written to any
  /// more.
  Status roll_over(const RolloverPlan& plan, const IndexDefinition& definition,
                   const os::Deadline& deadline, const CheckIndex& check = {});
  /// The next document of a data stream begins a new index; durable when it returns.
  /// Errors: illegal_argument_exception where there is no such stream.
  Status mark_rollover(const std::string& name, const os::Deadline& deadline);
  /// Does that, before a document is written to `name`; of other names nothing happens.
  /// Errors: those of plan_rollover and of roll_over.
  Status roll_over_if_marked(std::string_view name, const os::Deadline& deadline);

  /// Makes an index `name` with the content of a checkpoint, in place of a closed one. Nothing is
  /// left behind on an error.
  /// Errors: as of create; those of `fetch`; corrupt where bytes do not verify.
  Result<std::shared_ptr<Index>> restore(std::string_view name, const Json& manifest,
                                         const FetchObject& fetch, const os::Deadline& deadline,
                                         const NewAliases& aliases = {});

  /// Every name of `names` that is one of: lower case, not starting with - _ +, none of \ / * ? " <
  /// > | space , # :, not . or .., at most 255 bytes. Errors: invalid_index_name_exception.
  static Status check_name(std::string_view name);
  /// The same, and that it is not kept for indices that are attached.
  Status check_new_name(std::string_view name) const;

 private:
  friend class Replica;
  struct Impl;
  Result<std::shared_ptr<Index>> find_behind(std::string_view name, std::string_view index) const;
  explicit Indices(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::index
