// SPDX-License-Identifier: Apache-2.0
#include "connectors/records/records.h"

#include <algorithm>

#include "base/ids.h"
#include "base/strings.h"
#include "connectors/errors.h"
#include "connectors/new_index.h"
#include "connectors/records/connector_document.h"
#include "connectors/records/enums.h"
#include "connectors/records/record_members.h"
#include "format/time.h"

namespace cairn::connectors {
namespace {

constexpr std::string_view managed_prefix = "content-";

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

/// Drops what is kept for Cairn alone.
void show(Json& record) {
  record.erase(since_member);
  record.erase(jobs_due_member);
  if (record.find("paused") == nullptr) record.set("paused", false);  // made before there was it
  if (Json* configuration = record.find("configuration")) hide_values(*configuration);
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

bool any_matches(const std::vector<std::string>& wanted, const std::string& value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool selected(const ListConnectors& params, const Json& record) {
  if (is_deleted(record) && !params.include_deleted) return false;
  const std::string index = record.string_or("index_name");
  const std::string name = record.string_or("name");
  if (!any_matches(params.index_names, index) || !any_matches(params.names, name) ||
      !any_matches(params.service_types, record.string_or("service_type")))
    return false;
  if (params.query.empty()) return true;
  const std::string pattern = "*" + lower_ascii(params.query) + "*";
  return wildcard_match(pattern, lower_ascii(index)) ||
         wildcard_match(pattern, lower_ascii(name)) ||
         wildcard_match(pattern, lower_ascii(record.string_or("description")));
}

/// Entries that this version knows, and the one that made the record did not.
void add_missing(Json& configuration, const Json& schema) {
  for (const auto& [name, entry] : schema.as_object())
    if (configuration.find(name) == nullptr) configuration.set(name, entry);
}

Status merge_values(Json& configuration, const Json& values) {
  std::vector<std::string> unknown;
  for (const auto& [name, value] : values.as_object())
    if (configuration.find(name) == nullptr) unknown.push_back(name);
  if (!unknown.empty())
    return refused("Unknown [configuration] fields in the request payload: [" +
                   join(unknown, ", ") +
                   "]. Remove them from request or register their schema first.");
  for (const auto& [name, value] : values.as_object())
    configuration.find(name)->set("value", value);
  return ok_status();
}

}  // namespace

Status check_index_name(std::string_view name) {
  const auto bad = [&](std::string_view why) -> Status {
    return Error{.kind = ErrorKind::invalid_argument,
                 .code = "illegal_argument_exception",
                 .message = "Invalid index name [" + std::string(name) + "], " + std::string(why)};
  };
  if (name.empty()) return bad("must not be empty");
  if (name.size() > 255)
    return bad("index name is too long, (" + std::to_string(name.size()) + " > 255)");
  if (name == "." || name == "..") return bad("must not be '.' or '..'");
  if (name[0] == '-' || name[0] == '_' || name[0] == '+')
    return bad("must not start with '_', '-', or '+'");
  if (name.find_first_of("\\/*?\"<>| ,#:") != std::string_view::npos)
    return bad(
        "must not contain the following characters ['\\','/','*','?','\"','<','>','|',' "
        "',',','#',':']");
  if (lower_ascii(name) != name) return bad("must be lowercase");
  return ok_status();
}

/// Other types than those known here wait for a service that the operator runs; one that differs
/// from a known one by a slip of the pen would wait for ever.
Status Records::check_service_type(const std::string& type) const {
  if (types_.count(type) > 0) return ok_status();
  std::vector<std::string> known;
  for (const auto& [name, source] : types_) known.push_back(name);
  const auto near = nearest(type, known);
  if (!near) return ok_status();
  return bad_argument("Unknown [service_type] [" + type + "]; did you mean [" + *near + "]?");
}

Records::Records(store::Store& store, const SourceTypes& types, const os::Clock& clock,
                 os::Random& random, Seal seal)
    : store_(store),
      records_(store, "connector/", clock, [](const Json& record) { return !is_deleted(record); }),
      types_(types),
      clock_(clock),
      random_(random),
      seal_(std::move(seal)) {}

Json Records::new_record(const PutConnector& body) const {
  Json record = default_connector(format_iso8601(clock_.unix_ms()));
  record.set("index_name", or_null(body.index_name));
  record.set("name", body.name.value_or(""));
  record.set("service_type", or_null(body.service_type));
  record.set("description", or_null(body.description));
  record.set("language", or_null(body.language));
  record.set("is_native", body.is_native);
  if (body.is_native) record.set("status", "needs_configuration");
  if (const auto type = types_.find(body.service_type.value_or("")); type != types_.end()) {
    record.set("configuration", with_index_entries(type->second->configuration_schema()));
    record.set("status", "needs_configuration");
  }
  return record;
}

// One small object per index name says which connector has it, so that two nodes that create at the
// same moment cannot both win. A claim whose connector is gone or moved on is taken over.
Status Records::claim_index(const std::string& id, const std::string& index_name,
                            const os::Deadline& deadline) {
  const std::string key = "by_index/" + index_name;
  auto put = store_.put(key, id, deadline, {.if_none_match = true});
  if (put.ok()) return ok_status();
  if (put.error().kind != ErrorKind::precondition_failed) return std::move(put).error();
  CAIRN_TRY(const auto holder, store_.get(key, deadline));
  if (holder.bytes == id) return ok_status();
  CAIRN_TRY(const auto record, records_.get(holder.bytes, deadline));
  if (record && !is_deleted(*record) && record->string_or("index_name") == index_name)
    return refused("Index name [" + index_name + "] is used by another connector.");
  auto taken = store_.put(key, id, deadline, {.if_match = holder.info.etag});
  if (taken.ok()) return ok_status();
  if (taken.error().kind != ErrorKind::precondition_failed) return std::move(taken).error();
  return refused("Index name [" + index_name + "] is used by another connector.");
}

void Records::release_index(const std::string& id, const std::string& index_name,
                            const os::Deadline& deadline) {
  if (index_name.empty()) return;
  const auto holder = store_.get("by_index/" + index_name, deadline);
  // A claim left behind is taken over by the next connector that wants the index.
  if (holder.ok() && holder->bytes == id)
    (void)store_.remove("by_index/" + index_name, deadline, {.if_match = holder->info.etag}).ok();
}

Result<PutConnectorResult> Records::put(const std::optional<std::string>& id,
                                        const PutConnector& body, const os::Deadline& deadline) {
  if (body.index_name) CAIRN_CHECK(check_index_name(*body.index_name));
  if (body.service_type) CAIRN_CHECK(check_service_type(*body.service_type));
  const std::string name = id.value_or(url_safe_id(random_.bytes(15)));
  if (name.empty() || name.size() > 512)
    return invalid("[connector_id] must have 1 to 512 characters");
  CAIRN_TRY(const auto before, records_.get(name, deadline));
  if (body.index_name) CAIRN_CHECK(claim_index(name, *body.index_name, deadline));
  CAIRN_TRY(const bool replaced, records_.replace(name, new_record(body), deadline));
  const std::string old_index = before ? before->string_or("index_name") : "";
  if (old_index != body.index_name.value_or("")) release_index(name, old_index, deadline);
  return PutConnectorResult{.id = name, .created = !replaced || is_deleted(*before)};
}

Result<Json> Records::get(const std::string& id, bool include_deleted,
                          const os::Deadline& deadline) const {
  CAIRN_TRY(auto record, records_.get(id, deadline));
  if (!record || (is_deleted(*record) && !include_deleted)) return missing("connector", id);
  record->set("id", id);
  show(*record);
  return std::move(*record);
}

Result<Json> Records::with_secrets(const std::string& id, Json configuration,
                                   const os::Deadline& deadline) const {
  CAIRN_TRY(const auto record, records_.get(id, deadline));
  if (!record) return missing("connector", id);
  if (const Json* stored = record->find("configuration"); stored != nullptr)
    CAIRN_CHECK(open_values(configuration, *stored, seal_, id));
  return configuration;
}

Status Records::reseal(const os::Deadline& deadline) {
  CAIRN_TRY(const auto all, records_.all(deadline));
  for (const auto& [id, record] : all) {
    const auto again = [&, name = id](Json& stored) -> Result<bool> {
      Json* const configuration = stored.find("configuration");
      if (configuration == nullptr) return false;
      return reseal_values(*configuration, seal_, name);
    };
    CAIRN_CHECK(records_.update(id, again, deadline));
  }
  return ok_status();
}

Result<ConnectorPage> Records::list(const ListConnectors& params,
                                    const os::Deadline& deadline) const {
  for (const auto& index : params.index_names) CAIRN_CHECK(check_index_name(index));
  CAIRN_TRY(auto all, records_.all(deadline));
  std::erase_if(all, [&](const auto& entry) { return !selected(params, entry.second); });
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.second.string_or("index_name") < b.second.string_or("index_name");
  });
  ConnectorPage page{.count = all.size(), .results = {}};
  for (std::size_t i = params.from; i < all.size() && i - params.from < params.size; ++i) {
    all[i].second.set("id", all[i].first);
    show(all[i].second);
    page.results.push_back(std::move(all[i].second));
  }
  return page;
}

Result<std::vector<Json>> Records::known(const os::Deadline& deadline) {
  CAIRN_TRY(const auto known, records_.known(deadline));
  std::vector<Json> out;
  for (const auto& [id, record] : *known) {
    out.emplace_back(record).set("id", id);
    show(out.back());
  }
  return out;
}

Status Records::remove(const std::string& id, bool hard, const os::Deadline& deadline) {
  CAIRN_TRY(const Json record, get(id, hard, deadline));
  if (hard) {
    CAIRN_CHECK(records_.remove(id, deadline));
  } else {
    CAIRN_CHECK(update(
        id,
        [](Json& doc) -> Result<bool> {
          doc.set("deleted", true);
          return true;
        },
        deadline));
  }
  release_index(id, record.string_or("index_name"), deadline);
  return ok_status();
}

Result<bool> Records::update(const std::string& id, const Change& change,
                             const os::Deadline& deadline) {
  bool there = true;
  CAIRN_TRY(const auto updated, records_.update(
                                    id,
                                    [&](Json& record) -> Result<bool> {
                                      there = !is_deleted(record);
                                      if (!there) return false;
                                      return change(record);
                                    },
                                    deadline));
  if (!updated || !there) return missing("connector", id);
  return updated->second;
}

Result<bool> Records::check_in(const std::string& id, const os::Deadline& deadline) {
  const std::string now = format_iso8601(clock_.unix_ms());
  return update(
      id, [&](Json& doc) -> Result<bool> { return set_if_other(doc, "last_seen", now); }, deadline);
}

Result<bool> Records::set_name(const std::string& id, const Json& body,
                               const os::Deadline& deadline) {
  if (body.find("name") == nullptr && body.find("description") == nullptr)
    return invalid("At least one of [name, description] must be specified");
  return set_members(id, body, deadline);
}

Result<bool> Records::set_index_name(const std::string& id,
                                     const std::optional<std::string>& index_name,
                                     const os::Deadline& deadline) {
  CAIRN_TRY(const Json before, get(id, false, deadline));
  const std::string old_index = before.string_or("index_name");
  if (index_name) {
    CAIRN_CHECK(check_index_name(*index_name));
    if (before.bool_or("is_native") && !starts_with(*index_name, managed_prefix))
      return refused(
          "Index attached to an Elastic-managed connector must start with the prefix: [content-]. "
          "The index name in the payload [" +
          *index_name + "] doesn't comply with this requirement.");
    CAIRN_CHECK(claim_index(id, *index_name, deadline));
  }
  CAIRN_TRY(const bool changed, update(
                                    id,
                                    [&](Json& doc) -> Result<bool> {
                                      return set_if_other(doc, "index_name", or_null(index_name));
                                    },
                                    deadline));
  if (old_index != index_name.value_or("")) release_index(id, old_index, deadline);
  return changed;
}

Result<bool> Records::set_configuration(const std::string& id, const Json* configuration,
                                        const Json* values, const os::Deadline& deadline) {
  if (configuration == nullptr && values == nullptr)
    return invalid("[configuration] and [values] cannot both be null.");
  if (configuration != nullptr && values != nullptr)
    return invalid("[configuration] and [values] cannot both be provided in the same request.");
  return update(
      id,
      [&](Json& doc) -> Result<bool> {
        const Json before = doc;
        const auto type = types_.find(doc.string_or("service_type"));
        if (configuration != nullptr) {
          doc.set("configuration", *configuration);
        } else {
          Json& there = *doc.find("configuration");
          if (type != types_.end())
            add_missing(there, with_index_entries(type->second->configuration_schema()));
          CAIRN_CHECK(merge_values(there, *values));
        }
        if (type != types_.end()) {
          CAIRN_CHECK(type->second->validate(*doc.find("configuration")));
          CAIRN_CHECK(check_index_entries(*doc.find("configuration")));
          CAIRN_CHECK(seal_values(*doc.find("configuration"), *before.find("configuration"),
                                  type->second->configuration_schema(), seal_, id));
        }
        doc.set("status", "configured");
        return !(doc == before);
      },
      deadline);
}

Result<bool> Records::set_pipeline(const std::string& id, const Json& pipeline,
                                   const os::Deadline& deadline) {
  return update(
      id, [&](Json& doc) -> Result<bool> { return set_if_other(doc, "pipeline", pipeline); },
      deadline);
}

Result<bool> Records::set_status(const std::string& id, const std::string& status,
                                 const os::Deadline& deadline) {
  if (!is_connector_status(status))
    return bad_argument("Unknown connector status [" + status +
                        "]; one of created, needs_configuration, configured, connected, error");
  return update(
      id,
      [&](Json& doc) -> Result<bool> {
        const bool other = doc.string_or("status") != status;
        CAIRN_CHECK(move_status(doc, status));
        return other;
      },
      deadline);
}

Result<bool> Records::set_error(const std::string& id, const std::optional<std::string>& error,
                                const os::Deadline& deadline) {
  const bool some = error && !error->empty();
  return update(
      id,
      [&](Json& doc) -> Result<bool> {
        const bool moved = set_if_other(doc, "status", some ? "error" : "connected");
        return set_if_other(doc, "error", some ? Json(*error) : Json()) || moved;
      },
      deadline);
}

Result<bool> Records::set_service_type(const std::string& id, const std::string& service_type,
                                       const os::Deadline& deadline) {
  CAIRN_CHECK(check_service_type(service_type));
  return update(
      id,
      [&](Json& doc) -> Result<bool> {
        if (!set_if_other(doc, "service_type", service_type)) return false;
        const auto type = types_.find(service_type);
        if (type != types_.end())
          doc.set("configuration", with_index_entries(type->second->configuration_schema()));
        if (doc.string_or("status") != "created" || type != types_.end())
          doc.set("status", "needs_configuration");
        return true;
      },
      deadline);
}

Result<bool> Records::set_native(const std::string& id, bool is_native,
                                 const os::Deadline& deadline) {
  return update(
      id,
      [&](Json& doc) -> Result<bool> {
        const std::string index = doc.string_or("index_name");
        if (is_native && !index.empty() && !starts_with(index, managed_prefix))
          return refused("The index name [" + index + "] attached to the connector [" + id +
                         "] must start with the required prefix: [content-] to be "
                         "Elastic-managed. Please update the attached index first to comply with "
                         "this requirement.");
        const bool changed = set_if_other(doc, "is_native", is_native);
        if (changed && doc.string_or("status") == "connected") doc.set("status", "configured");
        return changed;
      },
      deadline);
}

Result<bool> Records::set_last_sync(const std::string& id, const Json& body,
                                    const os::Deadline& deadline) {
  for (const auto& [name, value] : body.as_object()) {
    if (value.is_null()) continue;
    if (name.ends_with("_status"))
      CAIRN_CHECK(check_enum(name, value.as_string(), job_statuses));
    else if (name.ends_with("_count") && value.as_int() < 0)
      return bad_argument("[" + name + "] cannot be negative");
    else if (name == "last_seen" || name == "last_synced" || name.ends_with("_scheduled_at"))
      CAIRN_CHECK(check_moment(name, value.as_string()));
  }
  return set_members(id, body, deadline);
}

Result<bool> Records::set_members(const std::string& id, const Json& body,
                                  const os::Deadline& deadline) {
  return update(
      id,
      [&](Json& doc) -> Result<bool> {
        bool changed = false;
        for (const auto& [name, value] : body.as_object())
          changed |= set_if_other(doc, name, value);
        return changed;
      },
      deadline);
}

}  // namespace cairn::connectors
