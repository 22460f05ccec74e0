// SPDX-License-Identifier: Apache-2.0
// Connectors: their records, rules and states.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connectors/records/record_store.h"
#include "connectors/records/secret_values.h"
#include "connectors/source.h"
#include "format/json.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "store/store.h"

namespace cairn::connectors {

/// The body of a create or replace call. All fields are optional.
struct PutConnector {
  std::optional<std::string> index_name = {};
  std::optional<std::string> name = {};
  std::optional<std::string> service_type = {};
  std::optional<std::string> description = {};
  std::optional<std::string> language = {};
  bool is_native = false;
};

struct PutConnectorResult {
  std::string id;
  bool created = false;  // false: replaced
};

struct ListConnectors {
  std::size_t from = 0;
  std::size_t size = 100;
  std::vector<std::string> index_names = {};
  std::vector<std::string> names = {};
  std::vector<std::string> service_types = {};
  std::string query = {};  // a part of index name, name or description
  bool include_deleted = false;
};

struct ConnectorPage {
  std::size_t count = 0;      // of all that match
  std::vector<Json> results;  // documents with `id`, by index name
};

/// A schedule whose time has come.
struct DueTick {
  std::string connector_id;
  std::string job_type;
};

/// Connector documents. Safe from any thread; every change is durable when the call returns. Values
/// that the schema of a known service type calls sensitive are sealed, and shown as secret_mask.
/// Errors of all calls with an id: resource_not_found_exception.
/// Source: Connector API of the search platform (docs/reference/connectors.md).
class Records {
 public:
  Records(store::Store& store, const SourceTypes& types, const os::Clock& clock, os::Random& random,
          Seal seal = {});

  /// Creates, or replaces the whole record; an absent id is generated. The configuration schema of
  /// a known service type is registered at once. Errors: status_exception where another connector
  /// uses the index; illegal_argument_exception for a bad index name.
  Result<PutConnectorResult> put(const std::optional<std::string>& id, const PutConnector& body,
                                 const os::Deadline& deadline);
  Result<Json> get(const std::string& id, bool include_deleted, const os::Deadline& deadline) const;
  Result<ConnectorPage> list(const ListConnectors& params, const os::Deadline& deadline) const;
  /// All that are not deleted, with `id`, from memory (RecordStore::known).
  Result<std::vector<Json>> known(const os::Deadline& deadline);
  /// `hard` removes the record; otherwise it stays, marked deleted.
  Status remove(const std::string& id, bool hard, const os::Deadline& deadline);

  // Each answers true where something changed.
  Result<bool> check_in(const std::string& id, const os::Deadline& deadline);
  Result<bool> set_name(const std::string& id, const Json& body, const os::Deadline& deadline);
  Result<bool> set_index_name(const std::string& id, const std::optional<std::string>& index_name,
                              const os::Deadline& deadline);
  Result<bool> set_configuration(const std::string& id, const Json* configuration,
                                 const Json* values, const os::Deadline& deadline);
  /// A configuration of this connector as it was shown, with the secrets that its record has now.
  /// Errors: corrupt, where they were sealed under another key.
  Result<Json> with_secrets(const std::string& id, Json configuration,
                            const os::Deadline& deadline) const;
  /// Seals the secrets of all configurations again. Errors: also those of the seal.
  Status reseal(const os::Deadline& deadline);
  Result<bool> set_scheduling(const std::string& id, const Json& scheduling,
                              const os::Deadline& deadline);
  /// Those that claim_tick would take or give again, of connectors whose service type is known and
  /// that are not paused; from memory (RecordStore::known).
  Result<std::vector<DueTick>> due_ticks(std::int64_t not_before_ms, const os::Deadline& deadline);
  /// Takes the tick that is due, if one is, and gives the id that its job must have; nothing where
  /// none is. Who asks before tick_done() gets that id again, so that a tick whose taker went away
  /// is not lost, and two takers make one job. A tick counts after the last one that was taken,
  /// after the schedule was set, and after `not_before_ms`, when this node came; of what was noted
  /// before by a clock that is more than a minute ahead of this one nothing is believed.
  Result<std::optional<std::string>> claim_tick(const std::string& id, const std::string& job_type,
                                                std::int64_t not_before_ms,
                                                const os::Deadline& deadline);
  /// The job of a tick is there, or cannot be made.
  Status tick_done(const std::string& id, const std::string& job_type, const std::string& job_id,
                   const os::Deadline& deadline);
  /// Replaces all of it: a list of {active, draft, domain}. Errors: illegal_argument_exception for
  /// another shape.
  Result<bool> set_filtering(const std::string& id, const Json& filtering,
                             const os::Deadline& deadline);
  /// Edits the draft. The draft of a service type that runs here is validated at once; that of
  /// others waits for its connector service. Null: stays. Errors: as above.
  Result<bool> edit_filtering(const std::string& id, const Json* rules,
                              const Json* advanced_snippet, const os::Deadline& deadline);
  Result<bool> set_filtering_validation(const std::string& id, const Json& validation,
                                        const os::Deadline& deadline);
  /// The draft becomes active. Errors: status_exception, unless it is valid.
  Result<bool> activate_filtering(const std::string& id, const os::Deadline& deadline);
  Result<bool> set_pipeline(const std::string& id, const Json& pipeline,
                            const os::Deadline& deadline);
  Result<bool> set_status(const std::string& id, const std::string& status,
                          const os::Deadline& deadline);
  Result<bool> set_error(const std::string& id, const std::optional<std::string>& error,
                         const os::Deadline& deadline);
  Result<bool> set_service_type(const std::string& id, const std::string& service_type,
                                const os::Deadline& deadline);
  /// Whether its jobs rest; what schedules missed until then is forgotten with the end of a pause.
  Result<bool> set_paused(const std::string& id, bool paused, const os::Deadline& deadline);
  Result<bool> set_native(const std::string& id, bool is_native, const os::Deadline& deadline);
  /// Figures of the last syncs. Errors: illegal_argument_exception for a status that is none, a
  /// date that is none, or a negative count.
  Result<bool> set_last_sync(const std::string& id, const Json& body, const os::Deadline& deadline);
  /// Sets the members of `body` on the record as they are (last sync figures, key ids, features).
  Result<bool> set_members(const std::string& id, const Json& body, const os::Deadline& deadline);

 private:
  Status check_service_type(const std::string& type) const;
  Result<bool> update(const std::string& id, const Change& change, const os::Deadline& deadline);
  Status claim_index(const std::string& id, const std::string& index_name,
                     const os::Deadline& deadline);
  void release_index(const std::string& id, const std::string& index_name,
                     const os::Deadline& deadline);
  Json new_record(const PutConnector& body) const;

  store::Store& store_;
  RecordStore records_;
  const SourceTypes& types_;
  const os::Clock& clock_;
  os::Random& random_;
  const Seal seal_;
};

/// Errors: illegal_argument_exception that says which rule of index names is broken.
Status check_index_name(std::string_view name);

}  // namespace cairn::connectors
